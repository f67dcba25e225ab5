"""Limits for the number of people who hold a value: exact laws of counts, and those of many."""

from time import perf_counter

import numpy as np
import pytest
from scipy.stats import binom, norm

from privet.analysis.holders import (
    _DOUBT,
    _SMALL,
    Rates,
    fewest_holders,
    tail_by_saddlepoint,
    tail_by_sums,
)
from privet.mechanisms import BinaryRR, KSubset, MultivariateRR, OptimizedUnary

MECHANISMS = [
    KSubset(2, 4.0),
    KSubset(3, 6.0),
    KSubset(10, 1.0),
    KSubset(50, 2.0),
    KSubset(10, 15.0),
    MultivariateRR(10, 8.0),
    MultivariateRR(50, 4.0),
    BinaryRR(4, 2.0),
    BinaryRR(4, 9.0),
    OptimizedUnary(4, 0.5),
    OptimizedUnary(4, 4.0),
]


def law(holders, n, g, h):
    """Return the chance of every count, if so many of n people hold the value."""
    own = binom.pmf(np.arange(holders + 1), holders, g)
    return np.convolve(own, binom.pmf(np.arange(n - holders + 1), n - holders, h))


def rates_of(g, h):
    return Rates((g, 1 - g), (h, 1 - h))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("n", [1, 2, 7, 50, 150])
def test_the_interval_of_a_sample_covers_at_least_at_its_level(mechanism, n):
    """The coverage of every number of holders, by enumeration of all counts."""
    counts, shares = np.arange(n + 1), np.arange(n + 1) / n
    laws = np.array([law(m, n, mechanism.g, mechanism.h) for m in counts])
    for alpha in (0.3, 0.05, 0.0005):
        low, high = mechanism.interval(counts, n, alpha, "sample")
        covered = (low <= shares[:, None]) & (shares[:, None] <= high)
        assert (laws * covered).sum(axis=1).min() >= 1 - alpha
        wide_low, wide_high = mechanism.interval(counts, n, alpha, "population")
        outside = (wide_low <= 0) | (wide_low >= 1)
        assert low[outside] == pytest.approx(np.minimum(wide_low, low)[outside])
        assert (low <= mechanism.frequencies(counts, n)).all()
        assert (mechanism.frequencies(counts, n) <= high).all()
        assert (np.diff(low) >= 0).all()
        assert (np.diff(high) >= 0).all()
        assert (high - low).sum() <= (wide_high - wide_low).sum() + 2


def test_no_shorter_limit_would_do():
    """The end is the least number of holders that the count does not refuse."""
    g, h, n, alpha = 0.9, 0.05, 60, 0.05
    laws = np.array([law(m, n, g, h) for m in range(n + 1)])
    tails = laws[:, ::-1].cumsum(axis=1)[:, ::-1]
    counts = np.flatnonzero((tails[0] <= alpha) & (tails[-1] > alpha))
    found = fewest_holders(counts, n, rates_of(g, h), alpha)
    assert found.tolist() == [int(np.argmax(tails[:, f] > alpha)) for f in counts]


def tails():
    """Yield rates, people, holders, counts and their exact tails down to 1e-9."""
    for g, h in [(0.5, 0.1), (0.99, 0.01), (0.999, 0.001), (0.75, 0.25), (0.5, 1e-4), (0.9999, 0.3),
                 (0.53, 0.46)]:  # fmt: skip
        for n in (10, 60, 200, 1000, 3000):
            for holders in sorted({0, 1, n // 20, n // 2, n - 1, n}):
                chances = law(holders, n, g, h)[::-1].cumsum()[::-1]
                counts = np.flatnonzero((chances > 1e-9) & (chances < 0.5))
                counts = counts[counts > 0][:: max(1, n // 100)]
                if len(counts):
                    m = np.full(len(counts), float(holders))
                    yield rates_of(g, h), n, m, counts.astype(float), chances[counts]


def test_sums_are_exact_and_the_saddlepoint_is_off_by_less_than_the_doubt():
    many = 0
    for rates, n, holders, counts, exact in tails():
        for m, f, chance in zip(holders, counts, exact, strict=True):
            by_sums = tail_by_sums(np.array([m]), np.array([f]), n, rates, chance)
            assert by_sums == pytest.approx(chance, rel=1e-6)
        near = tail_by_saddlepoint(holders, counts, n, rates)
        used = near.variance >= _SMALL
        many += used.sum()
        assert (norm.sf(near.place)[used] >= (1 - _DOUBT) * exact[used]).all()
        assert (norm.sf(near.place)[used] <= (1 + 2 * _DOUBT) * exact[used]).all()
    assert many > 500


def test_for_many_people_the_ends_are_those_of_a_score_test():
    mechanism, n = KSubset(30, 1.0), 10**10
    counts = np.rint(n * np.linspace(mechanism.h, mechanism.g, 12)[1:-1]).astype(np.int64)
    z = norm.isf(0.025)
    for end in mechanism.interval(counts, n, 0.05, "sample"):
        spread = mechanism.variance(end, n, "sample")
        distance = (mechanism.frequencies(counts, n) - end) ** 2
        assert distance == pytest.approx(z**2 * spread, rel=1e-3)


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 12.0, 37.0])
@pytest.mark.parametrize("n", [10**3, 10**6, 10**12])
@pytest.mark.parametrize("alpha", [0.98, 0.05, 1e-10])
def test_extremes_have_ends_in_order(epsilon, n, alpha):
    mechanism = MultivariateRR(1000, epsilon)
    counts = np.unique(np.rint(np.geomspace(1, n, 60)).astype(np.int64))
    counts = np.concatenate(([0], counts, n - counts))
    low, high = mechanism.interval(counts, n, alpha, "sample")
    assert np.isfinite(low).all()
    assert np.isfinite(high).all()
    assert (low <= high).all()


@pytest.mark.parametrize(
    ("mechanism", "n", "spread"),
    [(KSubset(10**6, 1.0), 10**8, 1e-4), (OptimizedUnary(10**6, 8.0), 10**12, 1.0)],
    ids=["few of them different", "all of them different"],
)
def test_a_million_counts_take_seconds(mechanism, n, spread):
    rng = np.random.default_rng(1)
    shares = spread * rng.random(10**6)
    counts = rng.binomial(n, mechanism.h + (mechanism.g - mechanism.h) * shares)
    start = perf_counter()
    mechanism.interval(counts, n, 0.05, "sample")
    assert perf_counter() - start < 30
