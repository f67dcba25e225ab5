"""The intervals of weighted sums cover, however small and uneven the groups are."""

import numpy as np
import pytest
from scipy.stats import norm

from privet.analysis.sums.score import Strata

REPEATS = 4000


def column(values):
    return np.asarray(values, dtype=float)[:, None]


def drawn_strata(weights, n, rates, seed, h=0.0, gain=1.0):
    """Groups of these sizes and true shares, drawn again and again, a column each."""
    weights, n, rates = (
        np.broadcast_to(one, np.size(n)).astype(float) for one in (weights, n, rates)
    )
    weights = weights / weights.sum()
    hits = np.random.default_rng(seed).binomial(
        column(n).astype(int), column(h + gain * rates), (len(n), REPEATS)
    )
    shares = (hits / column(n) - h) / gain
    ones = np.ones(len(n))
    rows = (column(one) for one in (weights, n, h * ones, gain * ones, ones))
    return Strata(shares, *rows), weights @ rates


HARD = {
    "a hundred of one": (1, np.ones(100), None),
    "a hundred of three": (1, np.full(100, 3), None),
    "twenty of five, weights uneven": (np.arange(1, 21), np.full(20, 5), None),
    "tenfold sizes, even weights": (1, np.array([5, 50, 500]), None),
    "three people are half of all": (1, np.array([3, 1000]), None),
    "all in the small group": (1, np.array([10, 1000]), np.array([1.98, 0.0001])),
    "all in the large group": (1, np.array([10, 1000]), np.array([0.0001, 1.98])),
    "four of thirty": (np.arange(1, 5), np.full(4, 30), None),
    "as usual": (np.array([2, 5, 3]), np.array([100, 400, 50]), np.array([1, 0.5, 1.5])),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_without_noise(name, share):
    """Noise would make the counts nearly normal: this is the hardest."""
    weights, n, factors = HARD[name]
    strata, truth = drawn_strata(weights, n, share * (1 if factors is None else factors), 1)
    low, high = strata.ends(0.05)
    covered = np.mean((low <= truth) & (truth <= high))
    assert covered >= 0.95 - 2 * (0.95 * 0.05 / REPEATS) ** 0.5


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_plain_errors_would_not_do(share):
    """The negative control: twice the standard error misses much too often."""
    strata, truth = drawn_strata(1, np.array([5, 50, 500]), share, 1)
    variances = (strata.weights**2 * strata.shares * (1 - strata.shares) / strata.n).sum(axis=0)
    gaps = np.abs((strata.weights * strata.shares).sum(axis=0) - truth)
    assert np.mean(gaps <= norm.isf(0.025) * np.sqrt(variances)) < 0.9


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_with_noise_they_are_hardly_wider_than_plain_ones(level):
    strata, truth = drawn_strata(
        np.array([2, 5, 3]), np.array([1000, 4000, 500]), np.array([0.1, 0.2, 0.05]), 2, 0.2, 0.3
    )
    low, high = strata.ends(1 - level)
    covered = np.mean((low <= truth) & (truth <= high))
    assert abs(covered - level) < 4.9 * (level * (1 - level) / REPEATS) ** 0.5 + 0.01
    rates = strata.h + strata.gain * strata.shares
    variances = (strata.weights**2 * rates * (1 - rates) / strata.n / 0.3**2).sum(axis=0)
    plain = 2 * norm.isf((1 - level) / 2) * np.sqrt(variances)
    assert np.mean(high - low) < 1.06 * np.mean(plain)


def test_one_group_is_nearly_clopper_and_pearsons():
    from scipy.stats import beta

    hits = np.arange(21)
    strata = Strata(hits[None] / 20, *(np.array([[one]]) for one in (1.0, 20.0, 0.0, 1.0, 1.0)))
    low, high = (np.clip(end, 0, 1) for end in strata.ends(0.05))
    assert low == pytest.approx(np.nan_to_num(beta.ppf(0.025, hits, 21 - hits)), abs=0.04)
    assert high[:-1] == pytest.approx(beta.ppf(0.975, hits + 1, 20 - hits)[:-1], abs=0.04)


def test_the_population_that_took_part_is_known():
    """If everyone took part and there is no noise, what is left is the step of one report."""
    strata, _ = drawn_strata(1, np.array([100, 300]), 0.3, 3)
    none = strata._replace(drawn=np.zeros((2, 1)))
    low, high = none.ends(0.05)
    middle = (strata.weights * strata.shares).sum(axis=0)
    assert (np.maximum(high - middle, middle - low) < 0.02).all()


def test_many_shares_are_taken_in_parts(monkeypatch):
    strata, _ = drawn_strata(1, np.array([100, 300]), 0.3, 4)
    whole = strata.ends(0.05)
    monkeypatch.setattr("privet.analysis.sums.score._AT_ONCE", 200)
    assert np.array(strata.ends(0.05)) == pytest.approx(np.array(whole))
