"""What false reports gain: the theory's figures, simulated crowds, and the best report by hand."""

from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from privet import simulate
from privet.entropy import seeded
from privet.mechanisms import (
    Cyclotomic,
    GeometricNoise,
    Hadamard,
    Interval,
    KSubset,
    ListedSets,
    LocalHash,
    MultivariateRR,
    OneBit,
    OneOption,
    OptimizedUnary,
    Projective,
    SetSubset,
)
from privet.poisoning import gain, mean_gain, most_held, worth
from privet.poisoning.trials import trial
from refusing import refused_argument


@pytest.mark.parametrize(("mechanism", "expected"), [
    (MultivariateRR(100, 1.0), 2.813), (OptimizedUnary(100, 1.0), 0.790),
    (KSubset(100, 1.0), 0.782),
], ids=str)  # fmt: skip
def test_gains_are_those_of_the_theory(mechanism, expected):
    assert gain(mechanism, range(5), 0.05, 0.02) == pytest.approx(expected, abs=5e-4)


def test_designs_blunt_lies():
    design = Cyclotomic(1009, 1.1, p=1009, m=4, u=1)
    whole = KSubset(1009, 1.1, k=252)
    assert gain(whole, range(20), 1.0) == pytest.approx(gain(whole, range(5, 25), 1.0))
    assert gain(whole, range(20), 1.0) == pytest.approx(59.9, abs=0.05)
    rng = np.random.default_rng(1)
    some = [gain(design, rng.choice(1009, 20, replace=False), 1.0) for _ in range(40)]
    assert np.mean(some) == pytest.approx(29.9, abs=1.5)
    assert gain(design, [3], 0.5) == pytest.approx(gain(whole, [3], 0.5))


THETA = np.arange(1.0, 41.0) / np.arange(1.0, 41.0).sum()
SUBSETS = [KSubset(40, 1.0), MultivariateRR(40, 2.0), Projective(40, 1.0, q=3), Cyclotomic(40, 1.0)]


@pytest.mark.parametrize("mechanism", SUBSETS, ids=str)
@pytest.mark.parametrize("r", [1, 5, 20])
def test_simulated_gains_are_the_expected_ones(mechanism, r):
    found = trial(mechanism, range(r), THETA, 2000, 100, repeats=12, seed=r)
    assert abs(found.gain - found.expected) < 3 * found.standard_error
    assert found.standard_error < 0.2 * abs(found.expected)


@pytest.mark.parametrize("r", [1, 5, 20])
def test_simulated_gains_of_bits_are_the_expected_ones(r):
    mechanism, rng, gains = OptimizedUnary(40, 1.0), np.random.default_rng(r), []
    lie = np.packbits(np.arange(40) < r, bitorder="little")
    for at in range(12):
        values = rng.choice(40, size=2000, p=THETA)
        honest = mechanism.randomize(values, entropy=seeded(100 * r + at))
        counts = mechanism.tally(np.concatenate((honest, np.tile(lie, (100, 1)))))
        gains.append(mechanism.frequencies(counts, 2100)[:r].sum() - THETA[:r].sum())
    expected = gain(mechanism, range(r), 100 / 2100, THETA[:r].sum())
    assert abs(np.mean(gains) - expected) < 3 * np.std(gains, ddof=1) / sqrt(12)


SMALL = [
    KSubset(6, 1.0, k=2), Projective(6, 1.0, q=2), Cyclotomic(5, 1.0, p=7, m=3, u=1),
    Hadamard(6, 0.5), SetSubset(6, 1.0, most=2, k=2), ListedSets(4, 1.0, most=2, k=3),
    OneBit(6, 1.0), LocalHash(6, 1.0), OptimizedUnary(5, 1.0),
]  # fmt: skip


@pytest.mark.parametrize("mechanism", SMALL, ids=str)
def test_no_report_supports_more_targets_and_one_supports_as_many(mechanism):
    """All reports of a few bytes are tried."""
    size = mechanism.report_bytes
    every = [number.to_bytes(size, "little") for number in range(1 << 8 * size)]
    valid = [report for report in every if mechanism.problem(report) is None]
    counts = np.array([mechanism.tally([report]) for report in valid[:5000]])
    for targets in ([0], [0, 1], [0, 2, 4][: mechanism.d // 2 + 1], list(range(mechanism.d - 1))):
        if max(targets) < mechanism.d:
            assert most_held(mechanism, targets) == counts[:, targets].sum(axis=1).max()


def test_the_best_block_is_found_among_all():
    design = Projective(13, 1.0, q=3)
    blocks = [set(design.members(number.to_bytes(1, "little"))) for number in range(13)]
    for targets in combinations(range(13), 3):
        assert most_held(design, targets) == max(len(block & set(targets)) for block in blocks)


def test_what_one_lie_is_worth():
    mechanism = KSubset(100, 1.0)
    g, h = mechanism.g, mechanism.h
    assert worth(mechanism) == pytest.approx((1 - h) / (g - h))
    assert worth(Interval(3, 3.0, window=1)) == pytest.approx(1 / float(Interval(3, 3.0, 1).slope))
    assert worth(GeometricNoise(5, 1.0)) is None


def test_the_mean_of_a_scale_is_moved_by_the_last_window():
    mechanism, n, m = Interval(16, 1.0), 4000, 200
    values = np.random.default_rng(1).integers(0, 16, n)
    honest = mechanism.randomize(values, entropy=seeded(2))
    last = (mechanism.numbers - 1).to_bytes(mechanism.report_bytes, "little")
    windows = np.concatenate((honest, np.tile(np.frombuffer(last, np.uint8), (m, 1))))
    centres = windows[:, 0] - (mechanism.window - 1) / 2
    slope = float(mechanism.slope)
    numbers = (centres - (1 - slope) * 7.5) / slope
    expected = mean_gain(mechanism, m / (n + m), values.mean())
    assert abs(numbers.mean() - values.mean() - expected) < 4 * numbers.std() / sqrt(n)


def test_senseless_questions_are_refused():
    for targets in ([], [0, 0], [5], [-1], ["a"]):
        with refused_argument("targets"):
            gain(KSubset(5, 1.0), targets, 0.1)
    with refused_argument("fraction"):
        gain(KSubset(5, 1.0), [0], 1.5)
    with refused_argument("mechanism"):
        gain(GeometricNoise(5, 1.0), [0], 0.1)
    with refused_argument("mechanism", "most_held"):
        most_held(LocalHash(10_000, 1.0), [0])
    with refused_argument("mechanism"):
        trial(OptimizedUnary(5, 1.0), [0], np.full(5, 0.2), 10, 1)


@pytest.mark.parametrize("r", [1, 3])
def test_lies_about_one_option_count_as_many_people(r):
    """Liars say that they were asked about a target, and that they chose it."""
    mechanism, n, liars, rng = OneOption(20, 1.0, 10), 200_000, 3000, np.random.default_rng(1)
    gains = []
    for _ in range(30):
        counts = simulate.counts(mechanism, {(0, 1): n // 2, (): n // 2}, rng)
        counts[:r] += liars // r
        shares = mechanism.frequencies(counts, n + liars)
        gains.append(shares[:r].sum() - 0.5 * min(r, 2))
    expected = gain(mechanism, range(r), liars / (n + liars), 0.5 * min(r, 2))
    assert abs(np.mean(gains) - expected) < 4 * np.std(gains) / sqrt(30)
    assert expected > 5 * liars / n  # a false report of another mechanism gains a 20th of it


def test_a_lie_is_worth_the_people_who_would_have_raised_an_option_as_much():
    mechanism, few = OneOption(20, 1.0, 10), 1e-6
    assert worth(mechanism) == pytest.approx(gain(mechanism, [0], few) / few, rel=1e-3)
    assert most_held(mechanism, [1, 2]) == 1
