"""The posterior against a slow and obvious one: exact likelihoods, summed over the simplex."""

import numpy as np
import pytest
from scipy.special import gammaln

from privet.mechanisms import KSubset
from privet.refine import posterior as inner
from privet.refine import priors, shrink

CHOSEN = ("gamma 1", "gamma 4", "gamma 16", "ceiling")


def simplex(d, places):
    """Return points that fill the simplex evenly, from the middles of cells."""
    if d == 2:
        first = (np.arange(places) + 0.5) / places
        return np.stack([first, 1 - first], axis=1)
    i, j = np.divmod(np.arange(places * places), places)
    kept = i + j < places
    first, second = (i[kept] + 1 / 3) / places, (j[kept] + 1 / 3) / places
    return np.stack([first, second, 1 - first - second], axis=1)


def brute_force(mechanism, hits, n, candidates, flat):
    """Return the means, deviations and the candidates' probabilities, by definition.

    Reports of one value, and reports of all values but one, have multinomial counts.
    """
    d = mechanism.d
    chance = lambda theta: mechanism.h + theta * (mechanism.g - mechanism.h)  # noqa: E731
    theta = simplex(d, 500)
    if mechanism.k == 1:
        log_likelihood = lambda theta: np.log(chance(theta)) @ hits  # noqa: E731
    else:
        log_likelihood = lambda theta: np.log(1 - chance(theta)) @ (n - hits)  # noqa: E731
    top = log_likelihood(theta).max()
    likelihood = np.exp(log_likelihood(theta) - top)
    means, squares, weights = [], [], []
    for prior in candidates:
        before = np.exp((prior.log_density(np.log(theta)) - np.log(theta)).sum(axis=1))
        after = before * likelihood
        means.append(after @ theta / after.sum())
        squares.append(after @ theta**2 / after.sum())
        weights.append(np.exp(prior.log_weight) * after.sum() / before.sum())
    means.append(np.full(d, 1 / d))
    squares.append(np.full(d, 1 / d**2))
    weights.append(np.exp(flat.log_weight + log_likelihood(means[-1]) - top))
    weights = np.array(weights) / sum(weights)
    mean = weights @ means
    return mean, np.sqrt(weights @ squares - mean**2), weights


@pytest.mark.parametrize(("d", "k"), [(2, 1), (3, 1), (3, 2)])
@pytest.mark.parametrize("n", [20, 300, 20_000])
@pytest.mark.parametrize("shares", [(0.8, 0.15, 0.05), (0.4, 0.35, 0.25), (0.55, 0.44, 0.01)])
def test_the_posterior_is_the_one_summed_over_the_simplex(monkeypatch, d, k, n, shares):
    mechanism = KSubset(d, 1.0, k=k)
    theta = np.array(shares[:d]) / sum(shares[:d])
    hits = np.rint(n * (mechanism.h + theta * (mechanism.g - mechanism.h))).astype(np.int64)
    hits[0] += n * k - hits.sum()
    candidates = [prior for prior in priors.spread_priors(d) if prior.name in CHOSEN]
    flat = priors.flat_prior(d)
    mean, deviation, weights = brute_force(mechanism, hits, n, candidates, flat)
    monkeypatch.setattr(inner, "spread_priors", lambda d: candidates)
    shrunk = shrink(mechanism, hits, n)
    # The expansion is in 1/d and in 1/n: with two values and 20 reports it is at its worst.
    near = 0.15 if d == 2 else 0.05
    assert np.all(np.abs(shrunk.frequencies - mean) < near * deviation)
    assert shrunk.standard_deviations == pytest.approx(deviation, rel=0.16 if n == 20 else 0.05)
    ours = [shrunk.prior[prior.name] for prior in (*candidates, flat)]
    assert ours == pytest.approx(weights, abs=0.01)


@pytest.mark.parametrize("d", [2, 50, 10_000])
def test_every_candidate_is_a_law_with_mean_one_over_d(d):
    log_theta = np.arange(np.log(1e-300), np.log(400), 1e-3)
    theta = np.exp(log_theta)
    for prior in priors.spread_priors(d):
        if prior.shape_at_zero < 0.05:  # whose lower tail takes longer than floats
            continue
        density = np.exp(prior.log_density(log_theta)) * 1e-3
        assert density.sum() == pytest.approx(1, rel=1e-6), prior.name
        assert density @ theta == pytest.approx(1 / d, rel=1e-6), prior.name
        assert density @ theta**2 == pytest.approx(prior.variance + 1 / d**2, rel=1e-6), prior.name


def test_gamma_laws_given_their_sum_are_dirichlet():
    prior = next(prior for prior in priors.spread_priors(3) if prior.name == "gamma 4")
    theta = simplex(3, 20)
    ours = (prior.log_density(np.log(theta)) - np.log(theta)).sum(axis=1)
    dirichlet = 3 * np.log(theta).sum(axis=1) + gammaln(12) - 3 * gammaln(4)
    assert np.ptp(ours - dirichlet) < 1e-9


def test_names_of_candidates_differ():
    for d in (2, 3, 64, 10**6):
        names = [prior.name for prior in (*priors.spread_priors(d), priors.flat_prior(d))]
        assert len(set(names)) == len(names)
