"""False reports in tallies and reports: what is seen, what cannot be, and false alarms."""

from itertools import combinations, product
from math import sqrt

import numpy as np
import pytest

from privet import Survey
from privet.analysis.incidence import blocks_of
from privet.entropy import Entropy, seeded
from privet.mechanisms import Cyclotomic, KSubset, MultivariateRR, Projective
from privet.poisoning import check, check_reports
from privet.poisoning.diagnostics import _mean_square, _overlap, check_counts
from privet.poisoning.trials import trial
from refusing import refused_argument

ZIPF = 1 / np.arange(1, 101) ** 1.1
ZIPF /= ZIPF.sum()
ALL_ALIKE = np.eye(100)[3]


def chances(design, theta):
    """The law of a report from people with these shares."""
    weights = 1 + (float(design.likelihood_ratio) - 1) * blocks_of(design).forward(theta)
    return weights / weights.sum()


def alarms(design, theta, n, crowds, level, liars=0, test=None):
    """In how many of some crowds a test is below a level."""
    rng, law, seen = np.random.default_rng(crowds), chances(design, theta), 0
    for _ in range(crowds):
        counts = rng.multinomial(n - liars, law)
        counts[rng.integers(design.blocks)] += liars
        (p,) = [one.p_value for one in check_counts(design, n, counts) if one.test == test]
        seen += p < level
    return seen


def expect_level(seen, crowds, level):
    """Five standard deviations of a binomial about its mean."""
    assert abs(seen - crowds * level) < 5 * sqrt(crowds * level * (1 - level))


CANARIES = Projective(100, 1.0, q=3)  # 121 points


def test_canaries_have_their_level_and_see_one_block_sent_again_and_again():
    assert (CANARIES.points, CANARIES.blocks) == (121, 121)
    expect_level(alarms(CANARIES, ZIPF, 10_000, 200, 0.05, test="canaries"), 200, 0.05)
    assert alarms(CANARIES, ZIPF, 10_000, 60, 0.01, liars=200, test="canaries") >= 59


@pytest.mark.parametrize("theta", [ZIPF, ALL_ALIKE], ids=["zipf", "one value"])
def test_blocks_have_their_level(theta):
    design = Cyclotomic(100, 1.0)
    expect_level(alarms(design, theta, 5000, 60, 0.2, test="blocks"), 60, 0.2)
    assert alarms(design, theta, 5000, 5, 0.001, liars=50, test="blocks") == 5


def pairs_seen(mechanism, theta, n, crowds, level, same=0):
    rng, seen = np.random.default_rng(n), 0
    for _ in range(crowds):
        values = rng.choice(mechanism.d, size=n, p=theta)
        reports = mechanism.randomize(values, entropy=Entropy(rng.bytes(32)))
        reports[:same] = reports[:1]
        (found,) = check_reports(mechanism, [reports[: n // 2], reports[n // 2 :]])
        seen += found.p_value < level
    return seen


@pytest.mark.parametrize("theta", [np.full(10, 0.1), np.eye(10)[0]], ids=["even", "one value"])
def test_pairs_have_their_level_and_see_repeats(theta):
    mechanism = KSubset(10, 2.0, k=3)
    expect_level(pairs_seen(mechanism, theta, 300, 200, 0.1), 200, 0.1)
    assert pairs_seen(mechanism, theta, 1000, 10, 0.001, same=120) == 10
    assert pairs_seen(KSubset(300, 3.0), np.full(300, 1 / 300), 2000, 5, 0.001, same=60) == 5


def test_the_kernel_of_pairs_is_a_projection_with_mean_zero_whatever_the_value_is():
    d, k = 6, 3
    sets = list(combinations(range(d), k))
    for value, other in product(range(3), sets):
        # An honest report is any set, or any with the value: the kernel has mean 0 under both.
        held = [z for z in sets if value in z]
        for some in (sets, held):
            assert abs(sum(_overlap(d, k, len({*z} & {*other})) for z in some)) < 1e-9


def test_the_mean_square_of_the_kernel_is_exact():
    mechanism = KSubset(6, 1.0, k=3)
    sets = list(combinations(range(6), 3))
    ratio, theta = float(mechanism.likelihood_ratio), np.array([0.5, 0.3, 0.2, 0, 0, 0])
    law = np.array([1 + (ratio - 1) * theta[list(z)].sum() for z in sets])
    law /= law.sum()
    square = sum(
        p * q * _overlap(6, 3, len({*z} & {*w})) ** 2
        for (z, p), (w, q) in product(zip(sets, law, strict=True), repeat=2)
    )
    assert _mean_square(mechanism, float(theta @ theta)) == pytest.approx(square)


def test_liars_who_draw_random_reports_with_their_target_are_not_seen():
    """Their reports have the law of other shares, exactly, and gain as much for one target."""
    design, theta = Projective(13, 1.0, q=3), np.full(13, 1 / 13)
    beta, held = 0.1, blocks_of(design).forward(np.eye(13)[2])
    mixed = (1 - beta) * chances(design, theta) + beta * held / held.sum()
    g, h = design.g, design.h
    moved = (1 - beta) * theta + beta * ((design.k - 1) / 12 - h) / (g - h)
    moved[2] = (1 - beta) / 13 + beta * (1 - h) / (g - h)
    assert moved.sum() == pytest.approx(1)
    assert mixed == pytest.approx(chances(design, moved))
    found = trial(CANARIES, [5], ZIPF, 3000, 200, lie="random", repeats=20, seed=3)
    assert abs(found.gain - found.expected) < 4 * found.standard_error
    assert sum(one.p_value < 0.01 for crowd in found.findings for one in crowd) <= 2


def test_a_tally_is_checked_as_its_mechanism_allows():
    def checked(n, **how):
        survey = Survey("?", [f"c{i}" for i in range(20)], 1.0, **how)
        tally = survey.tally()
        tally.update(survey.randomize_batch(["c1"] * n, entropy=seeded(4)))
        return [one.test for one in check(tally)]

    assert checked(2000, mechanism="projective") == ["canaries"]
    assert checked(5, mechanism="projective") == []
    assert checked(2000, mechanism="cyclotomic") == ["canaries", "blocks"]
    assert checked(2000, mechanism="k-subset") == []  # whose tally has a number for each value
    assert checked(2000, mechanism="optimized-unary") == []


def test_what_has_no_pairs_is_not_tested():
    reports = MultivariateRR(5, 1.0).randomize([0, 1, 2], entropy=seeded(1))
    assert check_reports(MultivariateRR(5, 1.0), [reports]) == []
    assert check_reports(KSubset(5, 1.0, k=2), []) == []
    with refused_argument("mechanism", "check_reports", value=CANARIES):
        check_reports(CANARIES, [])
