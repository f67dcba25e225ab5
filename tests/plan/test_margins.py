"""Margins are the expected values of what intervals show."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, norm

from privet import Survey
from privet.analysis.estimate import Estimate
from privet.mechanisms import KSubset
from privet.plan.margins import common_margin, expected_interval, rare_margin


@pytest.mark.parametrize("theta", [Fraction(0), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize(("d", "epsilon", "n"), [(10, 8.0, 17), (3, 0.5, 8), (4, 2.0, 1)])
def test_few_people_are_enumerated(d, epsilon, n, theta):
    """By the law of the count in fractions, and the interval of every estimate."""
    survey = Survey("Which?", [f"c{i}" for i in range(d)], epsilon, mechanism="k-subset")
    g, h = survey.mechanism.hit_rates
    rate, low, high = h + theta * (g - h), 0.0, 0.0
    for count in range(n + 1):
        chance = float(comb(n, count) * rate**count * (1 - rate) ** (n - count))
        ends = Estimate(survey, n, np.full(d, count)).interval()
        low, high = low + chance * ends[0][0], high + chance * ends[1][0]
    found = expected_interval(survey.mechanism, float(theta), n, 1 - 0.95)
    assert found == pytest.approx((low, high), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("d", "epsilon", "n"),
    [(30, 1.0, 5000), (30, 1.0, 10**6), (1000, 4.0, 10**5), (2, 0.1, 30_000), (1000, 8.0, 10**6)],
)
@pytest.mark.parametrize("theta", [0.0, 0.5])
def test_runs_of_counts_stand_for_all_of_them(d, epsilon, n, theta):
    mechanism = KSubset(d, epsilon)
    law = binom(n, mechanism.h + theta * (mechanism.g - mechanism.h))
    counts = np.arange(*law.isf([1 - 1e-12, 1e-12]).astype(int))
    ends = mechanism.interval(counts, n, 0.05, "population")
    expected = [law.pmf(counts) @ np.clip(end, 0, 1) for end in ends]
    found = expected_interval(mechanism, theta, n, 0.05)
    assert found == pytest.approx(expected, abs=5e-5 * expected[1])
    assert found[1] == pytest.approx(expected[1], rel=5e-5)


@pytest.mark.parametrize("n", [10**8, 10**12])
def test_for_many_people_margins_are_those_of_the_normal_law(n):
    """How far the upper end is from an estimate below 0 does not count, nor is it less than z."""
    mechanism = KSubset(30, 1.0)
    rare, common = np.sqrt(mechanism.variance(np.array([0.0, 0.5]), n))
    z = norm.isf(0.025)
    assert rare_margin(mechanism, n, 0.05) == pytest.approx(z * rare, rel=1e-3)
    assert common_margin(mechanism, n, 0.05) == pytest.approx(z * common, rel=1e-3)
