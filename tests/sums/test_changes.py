"""Differences of all shares at once: their intervals hold together."""

import numpy as np
import pytest

from crowds import survey_of, zipf
from privet import Estimate, simulate
from privet.errors import InvalidArgument, NoReports, SurveyMismatch
from privet.mechanisms import GeometricNoise, KSubset, MultivariateRR, OptimizedUnary
from privet.sums import change, changes

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
    with pytest.raises(SurveyMismatch, match="do not have the same categories"):
        changes(estimate, other)
    with pytest.raises(NoReports):
        changes(estimate.survey.tally(), estimate)
    with pytest.raises(InvalidArgument, match="'times'"):
        changes(estimate, estimate, times=0)
    with pytest.raises(InvalidArgument, match="'level'"):
        changes(estimate, estimate, 95)
