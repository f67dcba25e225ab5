"""The learned law: exact where that can be computed, and what it learns."""

import numpy as np
import pytest
from scipy.stats import binom

from privet.mechanisms import KSubset, MultivariateRR
from privet.refine import shrink
from privet.refine.prior import Noise, _grid, learn
from privet.simulate import counts


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("n", [20, 300])
@pytest.mark.parametrize("part", [0.5, 0.6, 0.75, 0.9])
def test_two_values_have_the_exact_posterior(epsilon, n, part):
    """One count says all of θ and 1 − θ, and the prior is the pseudo-values alone."""
    mechanism, own = MultivariateRR(2, epsilon), round(n * part)
    noise = Noise(n, mechanism.g, mechanism.h)
    theta, _, pseudo = _grid(noise, np.unique([own, n - own]).astype(float), 2)
    mass = binom.pmf(own, n, noise.rate(theta)) * pseudo
    mean = mass @ theta / mass.sum()
    shrunk = shrink(mechanism, [own, n - own], n)
    assert shrunk.frequencies[0] == pytest.approx(mean, abs=0.02)
    deviation = np.sqrt(mass @ np.square(theta - mean) / mass.sum())
    assert shrunk.standard_deviations == pytest.approx(deviation, abs=0.02)


@pytest.mark.parametrize("hits", [0.0, 1.0, 7.0, 50.0])
def test_the_likelihood_is_the_binomial_one(hits):
    noise, rate = Noise(50, 0.6, 0.1), np.array([0.1, 0.3, 0.6])
    ours = noise.log_likelihood(np.full(3, hits), rate)
    best = binom.logpmf(hits, 50, hits / 50)
    assert ours == pytest.approx(binom.logpmf(hits, 50, rate) - best, abs=1e-12)


def test_the_likelihood_of_very_many_reports_keeps_its_digits():
    n, deviations = 10**15, np.array([0.0, 1.0, 3.0])
    rate = 0.3 + deviations * np.sqrt(0.3 * 0.7 / n)
    ours = Noise(n, 0.6, 0.1).log_likelihood(np.full(3, 0.3 * n), rate)
    assert ours == pytest.approx(-(deviations**2) / 2, abs=1e-5)


def test_two_levels_are_found():
    mechanism, rng, n = KSubset(1000, 4.0), np.random.default_rng(2), 200_000
    truth = np.where(np.arange(1000) < 200, 0.004, 0.00025)
    hits = counts(mechanism, rng.multinomial(n, truth), rng)
    different, times = np.unique(hits, return_counts=True)
    noise = Noise(n, mechanism.g, mechanism.h)
    law = learn(noise, different.astype(float), times.astype(float), 1000)
    high = (law.shares > 0.003) & (law.shares < 0.005)
    assert law.weights[high].sum() == pytest.approx(0.2, abs=0.02)
    assert law.weights[law.shares < 0.001].sum() == pytest.approx(0.8, abs=0.02)
    assert times @ law.mean == pytest.approx(1, abs=0.01)
