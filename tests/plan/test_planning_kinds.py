"""Plans for several choices and for numbers keep what they promise."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from privet import Scale, Several, Survey, simulate
from privet.analysis.numbers import Numbers
from privet.analysis.scale_estimate import ScaleEstimate
from privet.device.answers.choice import Choice
from privet.mechanisms import Interval, KSubset, ListedSets, OneOption, Rappor, SetSubset
from privet.plan import Plan, ScalePlan, plan
from privet.plan.margins import common_margin, expected_interval, mean_margin, rare_margin
from privet.plan.planning import plan_with
from refusing import refused_argument

AGE = Scale(0, 120, 61, "years")


def options(count, most):
    return Several([f"o{i}" for i in range(count)], most)


@pytest.mark.parametrize("mechanism", [SetSubset(20, 1.0, 5), ListedSets(5, 4.0, 2)])
def test_where_counts_are_binomial_margins_are_sums_over_their_law(mechanism):
    n, (g, h) = 3000, map(float, mechanism.hit_rates)
    counts = np.arange(n + 1)
    low, high = (np.clip(end, 0, 1) for end in mechanism.interval(counts, n, 0.05, "population"))
    rare, common = (binom(n, h + theta * (g - h)).pmf(counts) for theta in (0, 0.5))
    reach = high - np.clip(mechanism.frequencies(counts, n), 0, 1)
    assert rare_margin(mechanism, n, 0.05) == pytest.approx(rare @ reach, rel=1e-4)
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
        _, high = np.clip(mechanism.interval(counts, n, 0.05, "population"), 0, 1)
        shown.append(high[0] - np.clip(mechanism.frequencies(counts, n)[0], 0, 1))
    error = 5 * np.std(shown) / 10
    assert np.mean(shown) == pytest.approx(rare_margin(mechanism, n, 0.05), abs=error)
    assert np.mean(shown) != pytest.approx(rare_margin(mechanism, n, 0.2), abs=error)


def shown_by(scale, epsilon, n, surveys, seed):
    """Return the half-lengths, on average, of the mean and of both halves, and the mean's coverage.

    A half ends at a border between cells; the middle one of an odd number of cells is left out.
    """
    survey, rng = Survey("?", scale, epsilon), np.random.default_rng(seed)
    chances = survey.mechanism.analyst.estimator.chances.mean(axis=1)
    few, step, (first, last) = scale.cells // 2, scale.step, scale.edges
    inside = 0 if scale.rounded else step / 4
    lower, upper = (first, first + few * step - inside), (last - few * step + inside, last)
    found = []
    for windows in rng.multinomial(n, chances, size=surveys):
        estimate = ScaleEstimate(survey, n, windows)
        rows = estimate.mean(), estimate.share(*lower), estimate.share(*upper)
        found.append([one.interval() for one in rows])
    low, high = np.moveaxis(np.array(found), -1, 0)
    middle = (scale.low + scale.high) / 2
    held = np.mean((low[:, 0] <= middle) & (high[:, 0] >= middle))
    return (high - low).mean(axis=0) / 2, held


RATINGS = [Scale(1, 5, whole=True), Scale(0, 10, whole=True), Scale(1, 4, whole=True)]


@pytest.mark.parametrize("scale", [AGE, Scale(-1, 1, 128), *RATINGS], ids=repr)
@pytest.mark.parametrize(("n", "epsilon"), [(300, 1.0), (5000, 1.0), (3000, 4.0)])
def test_margins_of_numbers_are_those_of_evenly_spread_ones(scale, n, epsilon):
    """Over 200 surveys: the half-length, and the coverage of the mean within 5 standard errors.

    The share of a half is promised less exactly where cells are many: its ramps are as long as is
    best for a flat truth, and are noisy.
    """
    made = plan(scale, epsilon=epsilon, n=n)
    (mean, *shares), held = shown_by(scale, epsilon, n, 200, seed=n)
    assert mean == pytest.approx(made.margin, rel=0.02)
    assert shares == pytest.approx([made.share_margin] * 2, rel=0.06 if scale.cells > 20 else 0.03)
    assert abs(held - 0.95) < 5 * (0.05 * 0.95 / 200) ** 0.5


@pytest.mark.parametrize("scale", RATINGS[:2], ids=repr)
def test_the_middle_of_an_odd_number_of_cells_is_not_cut(scale):
    """Promises of shares that cut it allow for any part of it, and are far too large."""
    made = plan(scale, epsilon=1.0, n=10_000)
    (_, *shares), _ = shown_by(scale, 1.0, 10_000, 100, seed=1)
    assert shares == pytest.approx([made.share_margin] * 2, rel=0.02)
    chances = made.mechanism.analyst.estimator.chances.mean(axis=1)
    windows = np.random.default_rng(1).multinomial(10_000, chances)
    numbers = Numbers(made.mechanism, windows, 10_000, *scale.edges, rounded=True)
    low, high = numbers.share(scale.edges[0], (scale.low + scale.high) / 2).interval()
    assert (high - low) / 2 > 1.5 * max(shares)


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
    ("answers", "arguments", "parameter", "value"),
    [
        (AGE, {"epsilon": 1.0, "margin": 60}, "margin", 60),
        (AGE, {"epsilon": 1.0, "margin": True}, "margin", True),
        (AGE, {"n": 10, "margin": 0.001}, "margin", 0.001),
        (options(5, 2), {"epsilon": 1.0, "margin": 2.0}, "margin", 2.0),
        (options(5, 2), {"epsilon": 0.0, "n": 10}, "epsilon", 0.0),
        (["a", "b"], {"epsilon": 1.0, "n": 10}, "answers", ["a", "b"]),
        (True, {"epsilon": 1.0, "n": 10}, "answers", True),
    ],
)
def test_bad_plans_are_refused(answers, arguments, parameter, value):
    with refused_argument(parameter, value=value):
        plan(answers, **arguments)


@pytest.mark.parametrize("wished", [{"epsilon": 1.0, "n": 1000}, {"n": 9000, "margin": 0.05}])
def test_one_choice_is_planned_by_its_number_of_categories(wished):
    made, named = plan(30, **wished), plan(Choice([f"c{i}" for i in range(30)]), **wished)
    assert made.d == 30
    assert replace(named, answers=30) == made
    assert plan(np.int64(30), **wished) == made


@pytest.mark.parametrize(
    ("answers", "mechanism"),
    [
        (3, Rappor(3, 1.0)),
        (AGE, KSubset(61, 1.0)),
        (AGE, Interval(60, 1.0)),
    ],
)
def test_a_mechanism_of_other_answers_is_refused(answers, mechanism):
    with refused_argument("mechanism", "plan", value=mechanism):
        plan_with(answers, mechanism, 100, 0.95)
