"""The learned law: exact where that can be computed, and what it learns."""

import numpy as np
import pytest
from scipy.stats import binom

from crowds import zipf
from privet.analysis.refine.prior import Noise, _grid, learn
from privet.mechanisms import KSubset, MultivariateRR
from privet.refine import shrink
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


def test_places_are_even_steps_near_counts():
    noise, step, reach = Noise(10**6, 0.6, 0.1), 1 / 3, 4.5
    places = noise.places_near(np.array([2e5, 3e5]), step, reach)
    near = noise.place(np.array([0.2, 0.3]))
    gaps = np.abs(places - near[:, None]).min(axis=0)
    assert gaps.max() <= reach + 3 * step / 2
    for own in near:
        assert np.diff(places[np.abs(places - own) <= reach]) == pytest.approx(step)
        assert ((places > own - reach) & (places < own + reach)).sum() >= 2 * reach / step - 1


def test_under_much_noise_there_are_places_enough_between_no_share_and_all():
    noise = Noise(5, 0.6, 0.1)
    low, high = noise.place(np.array([0.1, 0.6]))
    places = noise.places_near(np.array([2.0]), 1 / 3, 4.5)
    assert places == pytest.approx(np.linspace(low, high, 33))


@pytest.mark.parametrize(("d", "epsilon", "n"), [(10, 0.5, 300), (40, 1.0, 2000), (10, 4.0, 500)])
def test_the_law_is_where_going_round_ends(d, epsilon, n):
    """The weights and each count's posterior are those of the equation, at a level that fits."""
    mechanism, rng = KSubset(d, epsilon), np.random.default_rng(7)
    hits = counts(mechanism, rng.multinomial(n, zipf(d)), rng).astype(float)
    different, times = np.unique(hits, return_counts=True)
    noise = Noise(n, mechanism.g, mechanism.h)
    law = learn(noise, different, times.astype(float), d)
    theta, _, pseudo = _grid(noise, different, d)
    assert law.shares.tolist() == theta.tolist()
    own = np.zeros((len(different), len(theta)))
    for row, first, last in zip(own, law.start, [*law.start[1:], len(law.share)], strict=True):
        row[law.share[first:last]] = law.chance[first:last]
    assert own.sum(axis=1) == pytest.approx(1)
    weights = pseudo + d / (d + 6) * times @ own
    # The law is tilted, by a power of one factor.
    logs = np.log(law.weights / weights)
    level = theta / (1 + theta / (6 * np.sqrt(noise.variance(np.zeros(1)))))
    tilt = (logs[-1] - logs[0]) / level[-1]
    assert logs == pytest.approx(logs[0] + tilt * level, abs=1e-6)
    assert abs(tilt * level[-1]) > 0.01
    likelihood = binom.pmf(different[:, None], n, noise.rate(theta))
    mass = likelihood * (weights - d / (d + 6) * own) * np.exp(tilt * level)
    assert own == pytest.approx(mass / mass.sum(axis=1, keepdims=True), abs=1e-3)
    assert law.mean == pytest.approx(own @ theta)
    assert law.variance == pytest.approx(own @ theta**2 - (own @ theta) ** 2, abs=1e-12)
    assert times @ law.mean == pytest.approx(1, abs=1e-3)
    # One of the values that are within three deviations of a share is not counted.
    place, values = noise.place(noise.rate(theta)), weights - pseudo
    near = (np.abs(place - place[:, None]) < 3) @ values
    left = np.maximum(near - d / (d + 6), 0) / np.maximum(near, 1e-9)
    others = (pseudo + left * values) * np.exp(tilt * level)
    assert law.others / law.others[0] == pytest.approx(others / others[0], rel=0.1)


@pytest.mark.parametrize("n", [1, 30, 10**6])
def test_pseudo_values_are_at_the_ends_and_spread_evenly_near_counts(n):
    noise = Noise(n, 0.6, 0.1)
    theta, edges, pseudo = _grid(noise, np.array([round(0.2 * n), round(0.5 * n)], float), 10)
    assert theta[[0, -1]].tolist() == [0, 1]
    assert np.all((edges[0] <= theta) & (theta <= edges[1]))
    deviations = np.diff(noise.place(noise.rate(edges)), axis=0)[0]
    variance = binom.var(n, noise.rate(theta))
    ends = np.where((theta == 0) | (theta == 1), 1, 0)
    assert pseudo == pytest.approx(ends + deviations / 2 * variance / (variance + 5))


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
