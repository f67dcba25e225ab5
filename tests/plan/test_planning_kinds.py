"""Plans for several choices and for numbers keep what they promise."""

import numpy as np
import pytest
from scipy.stats import binom

from privet import Scale, Several, Survey, simulate
from privet.analysis.numbers import Numbers
from privet.answers import Choice
from privet.errors import InvalidArgument
from privet.mechanisms import Interval, KSubset, ListedSets, OneOption, SetSubset
from privet.plan import Plan, ScalePlan, plan
from privet.plan.margins import common_margin, expected_interval, mean_margin, rare_margin

AGE = Scale(0, 120, 61, "years")


def options(count, most):
    return Several([f"o{i}" for i in range(count)], most)


@pytest.mark.parametrize("mechanism", [SetSubset(20, 1.0, 5), ListedSets(5, 4.0, 2)])
def test_where_counts_are_binomial_margins_are_sums_over_their_law(mechanism):
    n, (g, h) = 3000, map(float, mechanism.hit_rates)
    counts = np.arange(n + 1)
    low, high = (np.clip(end, 0, 1) for end in mechanism.interval(counts, n, 0.05, "population"))
    rare, common = (binom(n, h + theta * (g - h)).pmf(counts) for theta in (0, 0.5))
    assert rare_margin(mechanism, n, 0.05) == pytest.approx(rare @ high, rel=1e-4)
    assert common_margin(mechanism, n, 0.05) == pytest.approx(common @ (high - low) / 2, rel=1e-4)


@pytest.mark.parametrize("n", [3, 40, 600])
@pytest.mark.parametrize("theta", [0.0, 0.5])
def test_of_one_option_margins_are_sums_over_who_is_asked_and_who_says_yes(n, theta):
    mechanism, low, high = OneOption(6, 2.0, 4), 0.0, 0.0
    p, q = map(float, mechanism.hit_rates)
    for asked in range(min(n, 200) + 1):
        counts = np.stack((np.arange(asked + 1), np.full(asked + 1, asked)), axis=1)
        ends = mechanism.interval(counts, n, 0.05, "population")
        chances = binom(asked, q + theta * (p - q)).pmf(counts[:, 0]) * binom(n, 1 / 6).pmf(asked)
        low, high = (s + chances @ np.clip(e, 0, 1) for s, e in zip((low, high), ends, strict=True))
    assert expected_interval(mechanism, theta, n, 0.05) == pytest.approx((low, high), rel=2e-3)


def test_margins_of_listed_sets_are_those_of_simulated_surveys():
    """By 100 tallies: the mean is within 5 standard errors (alpha 6e-7), at another level not."""
    mechanism, n, rng = ListedSets(6, 1.0, 3), 2000, np.random.default_rng(3)
    assert mechanism.k > 1
    listed, shown = mechanism.listed, []
    crowd = np.zeros(listed.d, dtype=np.int64)
    crowd[mechanism.number((1, 2))] = n  # so that nobody chose option 0
    for _ in range(100):
        counts = mechanism.counts(simulate.counts(listed, crowd, rng))
        shown.append(np.clip(mechanism.interval(counts, n, 0.05, "population")[1][0], 0, 1))
    error = 5 * np.std(shown) / 10
    assert np.mean(shown) == pytest.approx(rare_margin(mechanism, n, 0.05), abs=error)
    assert np.mean(shown) != pytest.approx(rare_margin(mechanism, n, 0.2), abs=error)


@pytest.mark.parametrize("scale", [AGE, Scale(0, 10, 11, whole=True), Scale(-1, 1, 128)])
@pytest.mark.parametrize(("n", "epsilon"), [(200, 1.0), (5000, 1.0), (3000, 4.0)])
def test_margins_of_numbers_are_those_of_evenly_spread_ones(scale, n, epsilon):
    """Over 300 crowds: half the width within 2 %, and its coverage within 5 standard errors.

    The share of a half is promised less exactly: with 200 people its interval is cut off at 0 or 1
    in some crowds, and with a cell on the border its ends may change places.
    """
    made, rng = plan(scale, epsilon=epsilon, n=n), np.random.default_rng(n)
    chances = made.mechanism.analyst.estimator.chances.mean(axis=1)
    halves, shares, held = [], [], 0
    for windows in rng.multinomial(n, chances, size=300):
        ends = scale.low, scale.high
        edges, rounded = scale.edges, scale.rounded
        numbers = Numbers(made.mechanism, windows, n, edges[0], edges[1], rounded, ends)
        low, high = numbers.mean().interval()
        halves.append((high - low) / 2)
        held += low <= (scale.low + scale.high) / 2 <= high
        below, above = numbers.share(scale.edges[0], sum(ends) / 2).interval()
        shares.append((above - below) / 2)
    assert np.mean(halves) == pytest.approx(made.margin, rel=0.02)
    assert np.mean(shares) == pytest.approx(made.share_margin, rel=0.04 if n > 200 else 0.06)
    assert abs(held / 300 - 0.95) < 5 * (0.05 * 0.95 / 300) ** 0.5


def test_a_plan_for_the_mean_is_better_for_the_mean():
    mean = plan(Scale(0, 120, 61, aim="mean"), epsilon=0.5, n=10_000)
    shape = plan(AGE, epsilon=0.5, n=10_000)
    assert mean.margin < shape.margin
    assert isinstance(mean.mechanism, Interval)
    assert isinstance(mean, ScalePlan)


@pytest.mark.parametrize("answers", [options(20, 10), options(20, 5), options(5, 2), AGE])
@pytest.mark.parametrize("epsilon", [0.4, 2.0])
def test_any_two_give_the_third(answers, epsilon):
    made = plan(answers, epsilon=epsilon, n=20_000)
    assert made.mechanism == Survey("Which?", answers, epsilon).mechanism
    people = plan(answers, epsilon=epsilon, margin=made.margin)
    assert people.n == pytest.approx(20_000, abs=2)
    assert plan(answers, epsilon=epsilon, n=people.n - 1).margin > made.margin
    level = plan(answers, n=20_000, margin=made.margin)
    assert level.margin <= made.margin
    assert level.epsilon <= 1.01 * epsilon
    assert isinstance(made, ScalePlan if answers is AGE else Plan)


def test_the_mean_of_many_people_has_the_normal_margin():
    mechanism, n = Interval(61, 1.0), 10**6
    chances = mechanism.analyst.estimator.chances.mean(axis=1)
    places = 2.0 * np.arange(len(chances)) / float(mechanism.slope)  # cells of two years
    spread = np.sqrt(chances @ places**2 - (chances @ places) ** 2)
    assert mean_margin(AGE, mechanism, n, 0.05) == pytest.approx(1.96 * spread / 1000, rel=1e-3)


@pytest.mark.parametrize(
    ("answers", "arguments", "said"),
    [
        (AGE, {"epsilon": 1.0, "margin": 60}, r"a number in \(0, 60\), in the scale's units"),
        (AGE, {"epsilon": 1.0, "margin": True}, "'margin'"),
        (AGE, {"n": 10, "margin": 0.001}, "reached by 10 people at epsilon <= 20"),
        (options(5, 2), {"epsilon": 1.0, "margin": 2.0}, r"a float in \(0, 1\)"),
        (options(5, 2), {"epsilon": 0.0, "n": 10}, "'epsilon'"),
        (Choice(["a", "b"]), {"epsilon": 1.0, "n": 10}, "a number of categories, a Several or a S"),
    ],
)
def test_bad_plans_are_refused(answers, arguments, said):
    with pytest.raises(InvalidArgument, match=said):
        plan(answers, **arguments)


def test_one_choice_is_planned_by_its_number_of_categories():
    assert plan(30, epsilon=1.0, n=1000).d == KSubset(30, 1.0).d == 30
