"""Plans keep what they promise: exactly where that can be computed, and by simulation."""

import numpy as np
import pytest
from scipy.stats import binom

from privet import Estimate, Survey, simulate
from privet.device.mechanisms.symmetric import Symmetric
from privet.plan import plan
from refusing import refused_argument


@pytest.mark.parametrize(("d", "epsilon", "n"), [(30, 1.0, 5000), (200, 2.0, 3000), (10, 8.0, 20)])
def test_margins_and_errors_are_those_of_simulated_surveys(d, epsilon, n):
    """By what 600 estimates show: the means are within 5 standard errors (alpha 6e-7)."""
    made, repeats = plan(d, epsilon=epsilon, n=n), 600
    names, rng = [f"c{i}" for i in range(d)], np.random.default_rng(d)
    survey = Survey("Which?", names, epsilon, mechanism=made.mechanism)
    shares = np.full(d, 0.5 / (d - 2))
    shares[:2] = 0.5, 0.0
    rare, common, squared = np.empty((3, repeats))
    for i, crowd in enumerate(rng.multinomial(n, shares, size=repeats)):
        estimate = Estimate(survey, n, simulate.counts(made.mechanism, crowd, rng))
        low, high = estimate.interval()
        rare[i] = high[1] - max(estimate.frequencies[1], 0)
        common[i] = (high[0] - low[0]) / 2
        squared[i] = np.square(estimate.frequencies - crowd / n).sum()

    def off(shown, promised):
        return abs(shown.mean() - promised) / (shown.std() / repeats**0.5 + 1e-12)

    assert off(rare, made.margin) < 5
    assert off(common, made.common_margin) < 5
    assert off(squared, made.squared_error) < 5
    assert off(rare, plan(d, epsilon=epsilon, n=n, level=0.9).margin) > 5


@pytest.mark.parametrize("d", [2, 10, 1000])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("n", [1, 20, 300, 10**4, 10**7])
def test_a_detectable_share_is_distinguished_from_zero(d, epsilon, n):
    """Alarms and power by exact binomial tails."""
    made = plan(d, epsilon=epsilon, n=n)
    assert isinstance(made.mechanism, Symmetric)
    g, h = made.mechanism.g, made.mechanism.h
    threshold = binom.isf(0.05 / d, n, h)  # the count must exceed it
    assert d * binom.sf(threshold, n, h) <= 0.05
    if made.detectable is None:
        assert binom.sf(threshold, n, g) < 0.95
    else:
        rate = h + made.detectable * (g - h)
        assert binom.sf(threshold, n, rate) == pytest.approx(0.95, rel=1e-6)


def test_few_people_are_not_planned_by_the_normal_law():
    """Where nearly no report is noise, the interval of no report at all is what counts."""
    made = plan(10, epsilon=8.0, margin=0.2)
    assert made.n == 17
    assert made.margin == pytest.approx(1 - 0.025 ** (1 / 17), rel=0.01)
    assert plan(10, epsilon=8.0, n=16).margin > 0.2


@pytest.mark.parametrize(("d", "epsilon"), [(2, 6.0), (10, 1.0), (100, 4.0), (30, 12.0)])
@pytest.mark.parametrize("margin", [0.5, 0.1, 0.01, 0.002])
def test_the_fewest_people_reach_the_margin_and_one_less_do_not(d, epsilon, margin):
    made = plan(d, epsilon=epsilon, margin=margin)
    assert made.margin <= margin
    assert made.n == 1 or plan(d, epsilon=epsilon, n=made.n - 1).margin > margin


@pytest.mark.parametrize("d", [2, 30, 1000])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_any_two_give_the_third(d, epsilon):
    made = plan(d, epsilon=epsilon, n=40_000)
    people = plan(d, epsilon=epsilon, margin=made.margin)
    assert people.n == pytest.approx(40_000, abs=2)
    assert people.margin <= made.margin * (1 + 1e-12)
    level = plan(d, n=40_000, margin=made.margin)
    assert level.epsilon == pytest.approx(epsilon, rel=0.02)
    assert level.margin <= made.margin


@pytest.mark.parametrize(
    ("arguments", "parameter", "value"),
    [
        ({"epsilon": 1.0}, "epsilon, n, margin", "epsilon"),
        ({}, "epsilon, n, margin", "none"),
        ({"epsilon": 1.0, "n": 5, "margin": 0.1}, "epsilon, n, margin", "epsilon, n, margin"),
        ({"epsilon": 1.0, "n": 0}, "n", 0),
        ({"epsilon": 1.0, "margin": 1.0}, "margin", 1.0),
        ({"epsilon": -1.0, "n": 5}, "epsilon", -1.0),
        ({"epsilon": 1.0, "n": 5, "level": 2.0}, "level", 2.0),
    ],
)
def test_bad_plans_are_refused(arguments, parameter, value):
    with refused_argument(parameter, value=value):
        plan(10, **arguments)
