"""Whole batches of the mechanisms for comparison: their plain twins, and the exact law."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

import naive
import wired
from exact import law
from privet.analysis import cohorts as cohort_regression
from privet.analysis import kernels
from privet.analysis.laws import draw_counts
from privet.device.mechanisms.bits.optimized_unary import OptimizedUnary
from privet.device.mechanisms.bits.two_level_unary import TwoLevelUnary
from privet.device.mechanisms.hashes.hashed_rr import HashedRR
from privet.device.mechanisms.hashes.local_hash import LocalHash
from privet.device.mechanisms.hashes.one_bit import OneBit
from privet.device.mechanisms.hashes.rappor import Rappor
from privet.device.mechanisms.noise.geometric import GeometricNoise
from privet.entropy import Stream, seeded

pytestmark = pytest.mark.usefixtures("compiled")

DOMAINS = [2, 3, 8, 64, 65, 100, 300]
ROWS = 150


def rows(reports):
    return [row.tobytes() for row in reports]


def values_of(mechanism):
    return np.random.default_rng(mechanism.d).integers(0, mechanism.d, ROWS)


class Fed(wired.Wired):
    """The draws of one report, whose uniform integer and whose own coin have words of their own."""

    def __init__(self, *, tail=None, toss=None, word=None, planes=(), own=None):
        super().__init__(0, tail, toss, planes, ())
        self.word, self.own = word, own

    def below(self, n):
        assert self.word < 2**64 // n * n
        return self.word % n

    def coins(self, count, numerator, bits):
        return self.own if (count, bits) == (1, 1) else super().coins(count, numerator, bits)


def streams(seed, limit=1 << 18):
    """The words of a chunk's blocks and its tail."""
    entropy = seeded(seed)
    return (naive.Bytes(entropy.keystream().read(limit)) for _ in range(2))


def planes(blocks, bits):
    """Eight digits of each row's bits, the most significant first."""
    size = 8 * ((bits + 63) // 64)
    by_digit = [[blocks.take(size) for _ in range(ROWS)] for _ in range(8)]
    return zip(*by_digit, strict=True)


def in_range(words, limit, spare):
    """Replace words that are too large by spare ones."""
    for i, word in enumerate(words):
        while word >= limit:
            word = spare()
        words[i] = word
    return words


@pytest.mark.parametrize("d", DOMAINS)
def test_optimized_unary_gives_the_reports_of_its_sampler(d):
    mechanism, (blocks, tail) = OptimizedUnary(d, 1.0), streams(1)
    digits = list(planes(blocks, d))
    own = [blocks.take(1) & 1 for _ in range(ROWS)]
    values = values_of(mechanism)
    expected = [
        mechanism.sample(int(x), Fed(tail=tail, planes=p, own=coin))
        for x, p, coin in zip(values, digits, own, strict=True)
    ]
    assert rows(mechanism.randomize(values, entropy=seeded(1))) == expected


@pytest.mark.parametrize("d", DOMAINS)
def test_two_levels_give_the_reports_of_their_sampler(d):
    """The tail's words are for all permanent responses first."""
    mechanism, (blocks, tail) = TwoLevelUnary(d, 2.0), streams(5)
    levels = [list(planes(blocks, d)) for _ in range(2)]
    own = [blocks.take(1) & 1 for _ in range(ROWS)]
    permanent = [
        mechanism.permanent(int(x), Fed(tail=tail, planes=p, own=coin))
        for x, p, coin in zip(values_of(mechanism), levels[0], own, strict=True)
    ]
    expected = [
        mechanism.renewed(bits, Fed(tail=tail, planes=p))
        for bits, p in zip(permanent, levels[1], strict=True)
    ]
    assert rows(mechanism.randomize(values_of(mechanism), entropy=seeded(5))) == expected


@pytest.mark.parametrize("d", DOMAINS)
@pytest.mark.parametrize("hashes", [1, 2, 5])
def test_rappor_gives_the_reports_of_its_sampler(d, hashes):
    mechanism, (blocks, tail) = Rappor(d, 1.0, hashes=hashes, bits=70), streams(2)
    digits = list(planes(blocks, 70))
    cohorts = [blocks.take(8) for _ in range(ROWS)]
    values = values_of(mechanism)
    expected = [
        mechanism.sample(int(x), Fed(tail=tail, planes=p, word=word))
        for x, p, word in zip(values, digits, cohorts, strict=True)
    ]
    assert rows(mechanism.randomize(values, entropy=seeded(2))) == expected


@pytest.mark.parametrize(
    "mechanism",
    [
        *(cls(d, 1.0) for cls in (OneBit, LocalHash, HashedRR) for d in DOMAINS),
        LocalHash(1_013_000_000, 1.0),  # a sixth of the words are drawn again
    ],
    ids=repr,
)  # fmt: skip
def test_hashed_answers_are_the_reports_of_their_sampler(mechanism):
    blocks, _ = streams(3)
    tosses = [blocks.take(8) for _ in range(ROWS)]
    spare = [blocks.take(8) for _ in range(ROWS // 64 + 16)]
    words = [blocks.take(8) for _ in range(ROWS)]
    tosses = in_range(tosses, mechanism.coin[1], lambda: spare.pop(0))
    choices = mechanism.functions * (mechanism.buckets - 1)
    limit = 2**64 // choices * choices
    redrawn = sum(word >= limit for word in words)
    assert (redrawn > 10) == (mechanism.d > 300)
    words = in_range(words, limit, lambda: blocks.take(8))
    values = values_of(mechanism)
    expected = [
        mechanism.sample(int(x), Fed(toss=toss, word=word))
        for x, toss, word in zip(values, tosses, words, strict=True)
    ]
    assert rows(mechanism.randomize(values, entropy=seeded(3))) == expected


@pytest.mark.parametrize("d", DOMAINS)
@pytest.mark.parametrize(("epsilon", "limit"), [(0.1, None), (1.0, None), (1.0, 2), (4.0, 0)])
def test_geometric_noise_gives_the_reports_of_its_sampler(d, epsilon, limit):
    mechanism, entropy = GeometricNoise(d, epsilon, limit=limit), seeded(4)
    _, tail = entropy.keystream(), entropy.keystream()
    values, stream = values_of(mechanism)[:9], Stream(tail.read, 1000)
    expected = [mechanism.sample(int(x), stream) for x in values]
    assert rows(mechanism.randomize(values, entropy=seeded(4))) == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda epsilon: OptimizedUnary(6, epsilon),
        lambda epsilon: TwoLevelUnary(6, 2 * epsilon),
        lambda epsilon: OneBit(6, epsilon),
        lambda epsilon: LocalHash(5, epsilon),
        lambda epsilon: HashedRR(5, epsilon, cohorts=6, buckets=3),
        lambda epsilon: Rappor(4, epsilon, cohorts=3, bits=6),
        lambda epsilon: GeometricNoise(3, epsilon, limit=2),
    ],
    ids=lambda make: make(1.0).name,
)
def test_batches_follow_the_exact_law(make):
    """Every report a cell; and the law of another value, or of another ε, is rejected."""
    n, mechanism = 300_000, make(1.0)
    value = mechanism.d - 2
    observed = Counter(rows(mechanism.randomize(np.full(n, value), entropy=seeded(5))))

    def statistic(like, x):
        table = law(lambda walk: like.sample(x, walk))
        assert set(observed) <= set(table)
        expected = {report: n * float(chance) for report, chance in table.items()}
        return sum((observed[z] - e) ** 2 / e for z, e in expected.items()), len(table) - 1

    distance, freedom = statistic(mechanism, value)
    limit = chi2.isf(1e-6, freedom)
    assert distance < limit
    assert statistic(mechanism, 0)[0] > limit
    assert statistic(make(1.2), value)[0] > limit


@pytest.mark.parametrize(
    "mechanism", [OptimizedUnary(4, 1.0), GeometricNoise(4, 1.0, limit=3)], ids=repr
)
def test_counts_drawn_at_once_have_the_law_of_counted_reports(mechanism):
    """Every value of every count a cell, of two samples (α = 1e-6); with fewer people, rejected."""
    people, draws = np.array([9, 0, 3, 2]), 6000

    def at_once(crowd, seed):
        rng = np.random.default_rng(seed)
        return np.array([draw_counts(mechanism, crowd, rng) for _ in range(draws)])

    values = np.repeat(np.arange(4), people)
    reports = mechanism.randomize(np.tile(values, draws), entropy=seeded(6))
    counted = np.array([mechanism.tally(part) for part in np.split(reports, draws)])

    def distance(one, other):
        both = np.concatenate([one, other])
        statistic = freedom = 0
        for value in range(4):
            cells, place = np.unique(both[:, value], return_inverse=True)
            first, second = (np.bincount(part, minlength=len(cells)) for part in np.split(place, 2))
            common = first + second >= 20
            statistic += ((first - second)[common] ** 2 / (first + second)[common]).sum()
            freedom += common.sum() - 1
        return statistic, chi2.isf(1e-6, freedom)

    statistic, limit = distance(at_once(people, 7), counted)
    assert statistic < limit
    statistic, limit = distance(at_once(people - np.array([2, 0, 0, 0]), 7), counted)
    assert statistic > limit


def test_noise_ends_at_a_word_below_the_bound_and_redraws_the_bound_itself():
    """As `Stream.coin` does: heads below flip, tails below rest, and from rest on another word."""
    flip, rest, limit = 10, 20, 3
    words = np.array([flip, rest, flip - 1, rest - 1], dtype=np.uint64)  # no; again; step; stop
    out = np.zeros((1, 1), dtype=np.uint8)
    values = np.ones(1, dtype=np.int64)
    bounds = np.uint64(flip), np.uint64(rest)
    assert kernels.entry_draws.fill_noise(values, words, out, 0, *bounds, limit) == (1, 4)
    assert out[0, 0] == limit - 1


@pytest.mark.parametrize("mechanism", [Rappor(6, 1.0), HashedRR(6, 1.0)], ids=repr)
def test_cohorts_are_counted_some_at_a_time_as_all_at_once(mechanism, monkeypatch):
    counter = mechanism.analyst.counter
    _, aggregate = counter.aggregate(mechanism.randomize([0, 1, 1, 5] * 50, entropy=seeded(1)))
    whole = counter.counts(aggregate)
    entries = 2 * mechanism.cells * mechanism.d
    monkeypatch.setattr(cohort_regression, "_ENTRIES_AT_ONCE", entries)
    fresh = type(mechanism).from_parameters(6, 1.0, mechanism.parameters)
    assert mechanism.cohorts > 2
    assert np.array_equal(fresh.analyst.counter.counts(aggregate), whole)
