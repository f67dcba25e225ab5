"""Differences of all shares at once: their intervals hold together."""

import numpy as np
import pytest
from scipy.special import ndtri

from crowds import survey_of, zipf
from privet import Estimate, Several, Survey, simulate
from privet.errors import NoReports, SurveyMismatch
from privet.mechanisms import GeometricNoise, KSubset, MultivariateRR, OptimizedUnary
from privet.sums import Change, change, changes
from refusing import refused_argument

REPEATS = 400
MOST = 0.05 + 3 * (0.05 * 0.95 / REPEATS) ** 0.5
PAIRS = [
    ((KSubset(5, 1.0), 3000), (KSubset(5, 1.0), 2000)),
    ((MultivariateRR(40, 5.0), 100), (MultivariateRR(40, 5.0), 1000)),
    ((KSubset(40, 2.0), 2000), (OptimizedUnary(40, 1.0), 3000)),
    ((OptimizedUnary(244, 1.0), 3000), (OptimizedUnary(244, 1.0), 3000)),
    ((GeometricNoise(8, 1.0), 1000), (MultivariateRR(8, 4.0), 50)),
]


def estimates(asked, theta, seed):
    mechanism, n = asked
    rng, survey = np.random.default_rng(seed), survey_of(mechanism)
    crowds = rng.multinomial(n, theta, size=REPEATS)
    return [Estimate(survey, n, simulate.counts(mechanism, crowd, rng)) for crowd in crowds]


def missed(pairs, truth, **options):
    """How often any interval misses."""
    found = [changes(*pair, **options) for pair in pairs]
    return np.mean([((one.low > truth) | (truth > one.high)).any() for one in found])


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=repr)
def test_all_intervals_hold_together(first, second):
    theta = zipf(first[0].d)
    other = theta[::-1]
    pairs = list(zip(estimates(first, theta, 71), estimates(second, other, 72), strict=True))
    assert missed(pairs, other - theta) <= MOST
    # And against known shares.
    assert missed([(theta, two) for _, two in pairs], other - theta) <= MOST
    # Negative control: at the level of a single category.
    single = 1 - 0.05 * first[0].d
    if single > 0:
        assert missed(pairs, other - theta, level=single) > MOST


def test_unadjusted_intervals_do_not():
    """Negative control: each interval at its own level, from the library's own for one category."""
    theta, survey = zipf(40), survey_of(KSubset(40, 1.0))
    one, two = (estimates((survey.mechanism, 2000), theta, seed) for seed in (73, 74))
    misses = 0
    for before, after in zip(one[:60], two[:60], strict=True):
        ends = [change(before, after, name).interval() for name in survey.categories]
        misses += any(low > 0 or high < 0 for low, high in ends)
    assert misses / 60 > 0.3


@pytest.mark.parametrize("times", [1, 3])
def test_each_is_the_interval_of_one_change(times):
    theta = zipf(8)
    one = estimates((KSubset(8, 1.0), 500), theta, 75)[0]
    two = estimates((OptimizedUnary(8, 2.0), 700), theta, 76)[0]
    found = changes(one, two, 0.9, times=times)
    for i, name in enumerate(one.survey.categories):
        single = change(one, two, name)
        ends = single.interval(1 - 0.1 / 8 / times)
        assert (found.low[i], found.high[i]) == pytest.approx(ends, abs=1e-9)
        assert found.values[i] == pytest.approx(single.value)


def test_bad_arguments():
    estimate = estimates((KSubset(3, 1.0), 100), zipf(3), 77)[0]
    other = estimates((KSubset(4, 1.0), 100), zipf(4), 78)[0]
    with pytest.raises(SurveyMismatch, match="categories"):
        changes(estimate, other)
    with pytest.raises(NoReports):
        changes(estimate.survey.tally(), estimate)
    with refused_argument("times", value=0):
        changes(estimate, estimate, times=0)
    with refused_argument("level", value=95):
        changes(estimate, estimate, 95)


# --- a test and its interval ----------------------------------------------------------------------

# Waves of the same people's answers, and of a few others, so that p-values are large and small.
SHIFTED = [(0.5, 0.3, 0.15, 0.05), (0.48, 0.31, 0.15, 0.06), (0.4, 0.3, 0.2, 0.1)]


def options(asked, shares, seed):
    """Estimates of independent options."""
    survey, n = asked
    rng, g, h = np.random.default_rng(seed), *map(float, survey.mechanism.hit_rates)
    return Estimate(survey, n, rng.binomial(n, h + np.array(shares) * (g - h)))


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_a_row_differs_exactly_if_its_p_value_is_small(several, level):
    """In all rows, at every level, of waves and of known shares."""
    survey = Survey("Q", Several(list("abcd"), 3), 1.0, mechanism="set-subset")
    mechanism, found = KSubset(4, 1.0), []
    for seed, shares in enumerate(SHIFTED * 3):
        if several:
            one, two = (options((survey, 40_000), s, seed) for s in (SHIFTED[0], shares))
        else:
            one, two = (estimates((mechanism, 4000), s, seed)[0] for s in (SHIFTED[0], shares))
        for before in (one, SHIFTED[0]):
            table = changes(before, two, level)
            excluded = (table.low > 0) | (table.high < 0)
            assert (excluded == table.found).all()
            assert (excluded == (table.p_values <= 1 - level)).all()
            found.append(excluded)
    assert 0 < np.mean(found) < 1


def test_a_p_value_is_where_the_interval_ends_at_0():
    one, two = (estimates((KSubset(4, 2.0), 1000), shares, 5)[0] for shares in SHIFTED[::2])
    for name in one.survey.categories:
        grown = change(one, two, name)
        if grown.p_value < 1:
            ends = grown.interval(1 - grown.p_value)
            assert min(abs(end) for end in ends) < 1e-6
    assert change(two, one, name).p_value == pytest.approx(grown.p_value)


def test_one_option_is_compared_and_several_are_not():
    survey = Survey("Q", Several(list("abcd"), 3), 1.0, mechanism="set-subset")
    one, two = (options((survey, 30_000), s, 6) for s in (SHIFTED[0], SHIFTED[2]))
    grown = two.change(one, "d")
    assert grown.value == two.frequencies[3] - one.frequencies[3]
    errors = two.standard_errors[3], one.standard_errors[3]
    assert grown.standard_error == pytest.approx(np.hypot(*errors))
    with refused_argument("categories", value=["c", "d"]):
        two.change(one, ["c", "d"])
    with refused_argument("before"):
        changes([0.5, 0.5, 1.5, 0], two)
    with pytest.raises(SurveyMismatch):
        changes(estimates((KSubset(4, 1.0), 300), zipf(4), 1)[0], two)


class Normal:
    """A normal estimate of unit error, of a number that is at least 0 and blurred by so much."""

    standard_error = 1.0

    def __init__(self, value, blur=0.0, cut=False):
        self.value, self.blur, self.cut = value, blur, cut

    def interval(self, level=0.95):
        reach = ndtri((1 + level) / 2) + self.blur
        low, high = self.value - reach, self.value + reach
        return (max(low, 0.0), max(high, 0.0)) if self.cut else (low, high)


def mover(before, after, level):
    """Negative control: squares of distances are added, whatever makes them (Newcombe, Zou)."""
    (low, high), (under, over) = after.interval(level), before.interval(level)
    value = after.value - before.value
    down = np.hypot(after.value - low, over - before.value)
    return value - down, value + np.hypot(high - after.value, before.value - under)


def test_what_no_number_of_people_settles_is_added_up():
    """Both waves are off by 10 because of rounding: squares of such errors do not add up."""
    rng, repeats = np.random.default_rng(7), 1500
    hits, misses = 0, 0
    for first, second in rng.normal(size=(repeats, 2)):
        before, after = Normal(first - 10, 10), Normal(second + 10, 10)
        low, high = Change(before, after, 100).interval()
        hits += low <= 0 <= high
        low, high = mover(before, after, 0.95)
        misses += not low <= 0 <= high
    # The noise exceeds 1.96 on one side only, of a difference whose error is √2.
    assert hits / repeats == pytest.approx(0.975, abs=0.02)
    assert misses / repeats > 0.5


def test_intervals_that_are_cut_at_0_are_not_taken_for_sure():
    """Nobody has it before, and 4 units do after; estimates below 0 are cut at 0."""
    rng, repeats, level = np.random.default_rng(8), 6000, 0.99
    kept = {Change: 0, mover: 0}
    for first, second in rng.normal(size=(repeats, 2)):
        before, after = Normal(second + 6, cut=True), Normal(max(first, 0), cut=True)
        for low, high, how in (
            (*Change(before, after, 100).interval(level), Change),
            (*mover(before, after, level), mover),
        ):
            kept[how] += low <= -6 <= high
    assert kept[mover] / repeats < 0.983 < kept[Change] / repeats
