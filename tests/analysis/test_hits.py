"""Intervals of binomial counts and of what they stand for: never empty, and agreeing with tests."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import simulate
from privet.analysis.hits import Hits
from privet.analysis.presence import clopper_pearson
from privet.mechanisms import (
    BinaryRR,
    GeometricNoise,
    HashedRR,
    KSubset,
    ListedSets,
    LocalHash,
    OneOption,
    OptimizedUnary,
    Rappor,
)

EXACT = [
    KSubset(12, 0.2),
    KSubset(12, 8.0),
    KSubset(2, 1.0),
    OptimizedUnary(9, 1.0),
    BinaryRR(3, 4),
]
MATCHED = [HashedRR(12, 8.0), HashedRR(12, 0.5), Rappor(6, 2.0), GeometricNoise(5, 4.0),
           ListedSets(6, 1.0, 2)]  # fmt: skip


def by_hand(mechanism, counts, n, alpha):
    """Clopper and Pearson's interval of the count itself, clipped: that of version 0.2."""
    low, high = clopper_pearson(counts, n, alpha)
    gain = mechanism.g - mechanism.h
    return np.clip((low - mechanism.h) / gain, 0, 1), np.clip((high - mechanism.h) / gain, 0, 1)


@pytest.mark.parametrize("mechanism", EXACT, ids=repr)
@pytest.mark.parametrize("n", [1, 20, 300])
def test_no_interval_is_empty_whatever_is_counted(mechanism, n):
    counts = np.arange(n + 1)
    for alpha in (0.3, 0.05, 1e-4):
        for target in ("population", "sample", 3 * n):
            low, high = np.clip(mechanism.interval(counts, n, alpha, target), 0, 1)
            assert (low <= high).all()
            assert ((low < 1) & (high > 0)).all() or target != "population"
            if target == "population":
                assert (low < high).all()
    old_low, old_high = by_hand(mechanism, counts, n, 0.05)
    low, high = np.clip(mechanism.interval(counts, n, 0.05, "population"), 0, 1)
    assert ((low <= old_low + 1e-12) & (high >= old_high - 1e-12)).all()  # contains the exact one


def test_clipped_ends_were_empty():
    """The negative control: most of them where noise is large."""
    mechanism, n = KSubset(12, 0.2), 300
    low, high = by_hand(mechanism, np.arange(n + 1), n, 0.05)
    assert (low == high).sum() > n / 2


@pytest.mark.parametrize("mechanism", [*EXACT, *MATCHED], ids=repr)
@pytest.mark.parametrize("n", [30, 3000])
def test_lower_ends_exceed_0_exactly_where_p_values_are_small(mechanism, n):
    rng, seen = np.random.default_rng(3), set()
    estimator = mechanism.analyst.estimator
    for _ in range(40):
        if isinstance(mechanism, ListedSets):
            counts = simulate.counts(mechanism, {(0,): n // 6, (1, 2): n // 9, (): n}, rng)
        else:
            truth = np.zeros(mechanism.d)
            truth[:3] = [0.8, 0.15, 0.05][: mechanism.d] if mechanism.d > 2 else 0
            truth[0] += 1 - truth.sum()
            counts = simulate.counts(mechanism, rng.multinomial(n, truth), rng)
        people = n + n // 6 + n // 9 if isinstance(mechanism, ListedSets) else n
        p_values = estimator.p_values(counts, people)
        for alpha in (0.5, 0.1, 0.01):
            low, _ = mechanism.interval(counts, people, alpha, "population")
            assert ((low > 0) == (p_values < alpha / 2)).all()
            seen |= {*(low > 0)}
    assert len(seen) == 2 or (n, mechanism.epsilon) in {(30, 0.2), (3000, 4)}


@given(st.floats(0, 1e4), st.floats(0, 1e4))
def test_the_matched_count_has_the_variances(inside, outside):
    hits = Hits.matched(inside, outside)
    (g, not_g), (h, not_h) = hits._rates
    gain = float(hits.gain)
    assert g - h == pytest.approx(gain, abs=1e-9)
    assert g * not_g / gain**2 == pytest.approx(inside, rel=1e-6, abs=1e-9)
    assert h * not_h / gain**2 == pytest.approx(outside, rel=1e-6, abs=1e-9)


def test_a_binomial_count_is_matched_by_itself():
    mechanism, n, counts = KSubset(12, 1.0), 500, np.arange(0, 501, 7)
    estimator = mechanism.analyst.estimator
    matched = Hits.matched(estimator._own, estimator._other)
    shares = mechanism.frequencies(counts, n)
    for target in ("population", "sample", 2000):
        ends = np.array(mechanism.interval(counts, n, 0.05, target))
        assert np.array(matched.interval(shares, n, 0.05, target)) == pytest.approx(ends, abs=1e-9)
    assert matched.p_values_of(shares, n) == pytest.approx(estimator.p_values(counts, n))


@pytest.mark.parametrize(
    "mechanism", [HashedRR(6, 8.0), Rappor(6, 8.0), GeometricNoise(6, 14.0)], ids=repr
)
def test_rare_values_are_covered_without_much_noise(mechanism):
    """400 surveys of 300 people; the normal law's interval of version 0.2 is too short."""
    n, repeats, truth = 300, 400, np.array([0.95, 0.037, 0.01, 0.003, 0, 0])
    rng, held, held_before = np.random.default_rng(5), np.zeros(6), np.zeros(6)
    for _ in range(repeats):
        counts = simulate.counts(mechanism, rng.multinomial(n, truth), rng)
        low, high = mechanism.interval(counts, n, 0.05, "population")
        held += (low <= truth) & (truth <= high)
        shares = mechanism.frequencies(counts, n)
        reach = 1.96 * np.sqrt(mechanism.variance(np.clip(shares, 0, 1), n))
        held_before += np.abs(shares - truth) <= reach
    assert (held / repeats >= 0.95 - 3 * (0.95 * 0.05 / repeats) ** 0.5).all()
    if isinstance(mechanism, GeometricNoise):
        assert (held_before / repeats).min() < 0.9


def test_errors_of_options_are_by_how_many_were_asked():
    """At ε = 8 nearly all of the error is in who was asked: 40 people on average, or 20, or 80."""
    mechanism = OneOption(8, 8.0, 3)
    counts = np.array([[10, 20], [40, 80], [0, 0]] + [[20, 40]] * 5)
    found = mechanism.analyst.estimator.standard_errors(counts, 300)
    assert found[[0, 1, 3]] == pytest.approx(0.5 / np.sqrt([20, 80, 40]), rel=0.01)
    assert found[2] == 0.5


def test_local_hashes_are_symmetric_too():
    mechanism = LocalHash(12, 1.0)
    low, high = np.clip(mechanism.interval(np.arange(301), 300, 0.05, "population"), 0, 1)
    assert (low < high).all()
