"""Pairs of options: counted as one by one, and estimated without bias."""

from itertools import combinations

import numpy as np
import pytest

import naive
from privet import theory
from privet.analysis.sums import pairs
from privet.entropy import seeded
from privet.errors import InvalidReport
from privet.mechanisms import KSubset, ListedSets, SetSubset
from privet.sums import pair_counts, pair_shares
from refusing import refused_argument


@pytest.mark.parametrize("shape", [(4, 2, 2), (10, 3, 4), (40, 3, 3), (300, 2, 40)])
def test_pairs_are_counted_as_one_by_one(shape, monkeypatch):
    mechanism = SetSubset(shape[0], 1.0, *shape[1:])
    d = mechanism.d
    reports = mechanism.randomize([[i % d] for i in range(200)], entropy=seeded(1))
    expected = np.zeros((d, d), dtype=np.int64)
    for report in reports:
        members = [i for i in naive.unpack(bytes(report), mechanism.points, mechanism.k) if i < d]
        expected[np.ix_(members, members)] += 1
    assert np.array_equal(pair_counts(mechanism, reports), expected)
    monkeypatch.setattr(pairs, "_ENTRIES_AT_ONCE", 1000)
    assert np.array_equal(pair_counts(mechanism, reports), expected)
    assert np.array_equal(np.diagonal(expected), mechanism.tally(reports))


@pytest.mark.parametrize("shape", [(4, 2, 1), (5, 3, 4), (10, 2, 20)])
def test_pairs_of_listed_sets_are_counted_as_one_by_one(shape):
    mechanism = ListedSets(shape[0], 1.0, *shape[1:])
    d = mechanism.d
    reports = mechanism.randomize([[i % d] for i in range(200)], entropy=seeded(1))
    expected = np.zeros((d, d), dtype=np.int64)
    for report in reports:
        for number in mechanism.members(bytes(report)):
            members = mechanism.sets[number]
            expected[np.ix_(members, members)] += 1
    assert np.array_equal(pair_counts(mechanism, reports), expected)
    assert np.array_equal(np.diagonal(expected), mechanism.tally(reports))


@pytest.mark.parametrize("mechanism", [SetSubset(6, 2.0, 3, 3), ListedSets(6, 2.0, 3)])
def test_estimates_are_the_truth_within_their_errors(mechanism):
    """Over 300 crowds: means within 5 standard errors, and deviations as claimed."""
    n, repeats = 1000, 300
    values = [[0, 1, 2]] * 300 + [[0, 1]] * 200 + [[3]] * 300 + [[]] * 200
    truth = np.diag([0.5, 0.5, 0.3, 0.3, 0, 0])
    truth[0, 1], truth[0, 2], truth[1, 2] = 0.5, 0.3, 0.3
    truth = np.maximum(truth, truth.T)
    reports = mechanism.randomize(values * repeats, entropy=seeded(2)).reshape(repeats, n, -1)
    found = [pair_shares(mechanism, pair_counts(mechanism, r), n, target="sample") for r in reports]
    shares = np.array([each.shares for each in found])
    errors = np.mean([each.standard_errors for each in found], axis=0)
    assert (np.abs(shares.mean(axis=0) - truth) < 5 * errors / np.sqrt(repeats)).all()
    assert shares.std(axis=0) / errors == pytest.approx(np.ones((6, 6)), abs=0.25)
    listed = isinstance(mechanism, ListedSets)
    theorem = theory.listed_pair_variance if listed else theory.set_pair_variance
    rare = theorem(6, 2.0, 3, mechanism.k, n=n) ** 0.5
    assert errors[4, 5] == pytest.approx(rare, rel=0.02)
    shifted = truth + 0.1
    assert not (np.abs(shares.mean(axis=0) - shifted) < 5 * errors / np.sqrt(repeats)).any()


def test_errors_for_the_population_are_larger_by_its_sampling():
    mechanism, n = SetSubset(5, 2.0, 2, 2), 20_000
    reports = mechanism.randomize([[0, 1], [0]] * (n // 2), entropy=seeded(3))
    counts = pair_counts(mechanism, reports)
    wide, narrow = (pair_shares(mechanism, counts, n, target=t) for t in ("population", "sample"))
    share = wide.shares[0, 1]
    added = wide.standard_errors[0, 1] ** 2 - narrow.standard_errors[0, 1] ** 2
    assert added * n == pytest.approx(share * (1 - share))
    assert np.array_equal(wide.shares, narrow.shares)
    assert np.diagonal(wide.shares) == pytest.approx(
        mechanism.frequencies(mechanism.tally(reports), n)
    )


def test_what_cannot_be_estimated_is_refused():
    one = SetSubset(10, 1.0, 3)
    assert one.k == 1
    with refused_argument("mechanism", "pair_counts", value=one):
        pair_counts(one, one.randomize([[0]]))
    with refused_argument("mechanism", "pair_shares", value=one):
        pair_shares(one, np.zeros((10, 10), np.int64), 5)
    with refused_argument("mechanism", "pair_counts", value=KSubset(10, 1.0)):
        pair_counts(KSubset(10, 1.0), [])
    with refused_argument("mechanism", "pair_counts", value=ListedSets(10, 1.0, 1)):
        pair_counts(ListedSets(10, 1.0, 1), [])
    two = SetSubset(10, 1.0, 3, 2)
    with pytest.raises(InvalidReport):
        pair_counts(two, [b"\xff\xff"])
    with refused_argument("counts", "pair_shares"):
        pair_shares(two, np.zeros(10, np.int64), 5)
    with refused_argument("target", "pair_shares", value="crowd"):
        pair_shares(two, np.zeros((10, 10), np.int64), 5, target="crowd")


def rare_pairs(mechanism, counts, n):
    """The interval of version 0.2 for each pair: the normal law's, each end clipped by itself."""
    found = pair_shares(mechanism, counts, n)
    reach = 1.96 * found.standard_errors
    return np.maximum(0, found.shares - reach), np.minimum(1, found.shares + reach)


@pytest.mark.parametrize(
    "mechanism", [SetSubset(8, 2.0, 3, 3), ListedSets(8, 2.0, 3)], ids=["points", "sets"]
)
def test_intervals_of_pairs_are_never_inverted(mechanism):
    n, empty_before = 500, 0
    for seed in range(6):
        reports = mechanism.randomize([[0], [1], [], [0, 1]] * (n // 4), entropy=seeded(seed))
        counts = pair_counts(mechanism, reports)
        before = rare_pairs(mechanism, counts, n)
        empty_before += (before[0] > before[1]).sum()
        for target in ("population", "sample"):
            found = pair_shares(mechanism, counts, n, target=target)
            for i, j in combinations(range(8), 2):
                low, high = found.at(i, j).interval()
                assert 0 <= low < high <= 1
                assert found.at(j, i).interval() == pytest.approx((low, high), abs=1e-9)
    assert empty_before


def test_rare_pairs_are_covered():
    """400 surveys of 300 people, of whom 1 % chose a pair, by the exact law of its three counts."""
    mechanism, n, repeats, truth = SetSubset(12, 8.0, 4, 2), 300, 400, 0.01
    (g, h), (u, w) = mechanism.hit_rates, mechanism.pair_rates
    both = w + (u - w) * truth
    one = 2 * h + (g - h) * 2 * truth - 2 * both
    chances = [float(chance) for chance in (1 - one - both, one, both)]
    rng, held = np.random.default_rng(8), 0
    for _ in range(repeats):
        _, one_of, two = rng.multinomial(n, chances).tolist()
        counts = np.zeros((12, 12), np.int64)
        counts[0, 1] = counts[1, 0] = two
        counts[0, 0] = two + one_of // 2
        counts[1, 1] = two + one_of - one_of // 2
        low, high = pair_shares(mechanism, counts, n).at(0, 1).interval()
        held += low <= truth <= high
    assert held / repeats >= 0.95 - 3 * (0.95 * 0.05 / repeats) ** 0.5


def test_an_option_with_itself_is_the_option():
    mechanism, n = SetSubset(5, 2.0, 2, 2), 900
    counts = pair_counts(mechanism, mechanism.randomize([[0, 1], [0], []] * 300, entropy=seeded(3)))
    low, high = mechanism.interval(np.diagonal(counts), n, 0.05, "population")
    assert pair_shares(mechanism, counts, n).at(0, 0).interval() == pytest.approx((low[0], high[0]))
