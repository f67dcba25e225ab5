"""Whether crowds are alike: levels that hold where counts are few, and for many groups."""

import numpy as np
import pytest
from scipy.stats import chi2, kstest, norm

from crowds import survey_of, zipf
from privet import Estimate, simulate
from privet.analysis.sums import calibration
from privet.analysis.sums.calibration import holm, largest_contrast
from privet.analysis.sums.covariance import covariance
from privet.mechanisms import (
    BinaryRR,
    Cyclotomic,
    GeometricNoise,
    HashedRR,
    Interval,
    KSubset,
    LocalHash,
    MultivariateRR,
    OneBit,
    Rappor,
)
from privet.sums import homogeneity

SMALL = [
    KSubset(3, 1.0, k=2),
    KSubset(7, 1.0, k=3),
    KSubset(8, 2.0, k=1),
    BinaryRR(5, 1.0),
    Cyclotomic(8, 1.0, p=13, m=4, u=1),
    LocalHash(6, 1.0),
    OneBit(5, 1.0),
    HashedRR(6, 1.0),
    Rappor(6, 1.0),
    Interval(6, 1.0),
]


def draw(survey, theta, n, rng):
    """Return the estimate from the reports of n people drawn from theta."""
    people = rng.multinomial(n, theta)
    return Estimate(survey, n, simulate.counts(survey.mechanism, people, rng))


def within(share, expected, repeats, alpha=1e-6):
    return (
        abs(share - expected) < norm.isf(alpha / 2) * (expected * (1 - expected) / repeats) ** 0.5
    )


# --- where counts are few -------------------------------------------------------------------------

MRR = MultivariateRR
FEW = [
    ([(MRR(4, 6.0), 50), (MRR(4, 6.0), 5000)], 500),
    ([(MRR(16, 6.0), 50), (MRR(16, 6.0), 5000)], 500),
    ([(MRR(100, 6.0), 50), (MRR(100, 6.0), 5000)], 150),
    ([(MRR(16, 6.0), 20), (MRR(16, 6.0), 20)], 300),
    ([(MRR(16, 6.0), 50)] * 4, 200),
    ([(MRR(8, 8.0), 2000), (MRR(8, 8.0), 100), (MRR(8, 8.0), 30), (MRR(8, 8.0), 30)], 200),
    ([(BinaryRR(16, 6.0), 50), (BinaryRR(16, 6.0), 500)], 100),
    ([(KSubset(8, 2.0, k=2), 20), (KSubset(8, 2.0, k=2), 300)], 100),
    ([(MRR(16, 6.0), 50), (BinaryRR(16, 5.0), 400)], 100),
    ([(LocalHash(8, 3.0), 30), (MRR(8, 4.0), 100)], 60),
    ([(HashedRR(8, 3.0), 30), (MRR(8, 4.0), 100)], 60),
]


def compare(groups, theta, repeats, seed):
    rng = np.random.default_rng(seed)
    surveys = [survey_of(mechanism) for mechanism, _ in groups]
    pairs = [(survey, n) for survey, (_, n) in zip(surveys, groups, strict=True)]
    return [homogeneity(*(draw(s, theta, n, rng) for s, n in pairs)) for _ in range(repeats)]


@pytest.mark.parametrize(("groups", "repeats"), FEW, ids=repr)
def test_the_level_holds_where_counts_are_few(groups, repeats, monkeypatch):
    """Both that of the test and that of all categories: not above 0.05 by 3 simulation errors."""
    monkeypatch.setattr(calibration, "_MOST_DRAWS", 199)
    results = compare(groups, zipf(groups[0][0].d), repeats, 41)
    most = 0.05 + 3 * (0.05 * 0.95 / repeats) ** 0.5
    assert {result.method for result in results} == {"resampled"}
    assert np.mean([result.p_value <= 0.05 for result in results]) <= most
    assert np.mean([min(result.by_category.values()) <= 0.05 for result in results]) <= most


def test_the_chi_squared_law_does_not_hold_there(monkeypatch):
    """Negative control: the level that draws are for is far off without them."""
    monkeypatch.setattr(calibration, "_MANY_EVENTS", 0)
    results = compare([(MRR(100, 6.0), 50), (MRR(100, 6.0), 5000)], zipf(100), 500, 42)
    assert {result.method for result in results} == {"chi-square"}
    assert np.mean([result.p_value <= 0.05 for result in results]) > 0.08


def test_draws_have_power_and_say_which_category_differs():
    rng, survey = np.random.default_rng(43), survey_of(MRR(16, 6.0))
    theta = zipf(16)
    other = theta.copy()
    other[12], other[0] = other[12] + 0.2, other[0] - 0.2
    for _ in range(10):
        one, two = draw(survey, theta, 5000, rng), draw(survey, other, 60, rng)
        result = homogeneity(one, two)
        assert result.method == "resampled"
        assert result.p_value <= 0.01
        assert result.by_category["c12"] <= 0.01
        assert result == homogeneity(one, two)  # the draws are those of the counts


def test_equal_counts_are_alike_whatever_the_method():
    for mechanism, n in ((MRR(4, 6.0), 40), (KSubset(4, 1.0, k=2), 40), (MRR(4, 1.0), 4000)):
        estimate = Estimate(survey_of(mechanism), n, np.full(4, mechanism.k * n // 4))
        result = homogeneity(estimate, estimate, estimate)
        assert result.p_value == 1
        assert set(result.by_category.values()) == {1}


# --- many groups, and which categories ------------------------------------------------------------

GROUPS = [
    [(KSubset(16, 1.0), n) for n in (1000, 2000, 500, 4000)],
    [(KSubset(8, 2.0), 500), (BinaryRR(8, 1.0), 1000), (MRR(8, 1.0), 2000)],
    [(LocalHash(8, 1.0), 500), (OneBit(8, 1.0), 500)],
    [(HashedRR(8, 1.0), 1000), (KSubset(8, 1.0), 500), (GeometricNoise(8, 1.0), 1000)],
]


@pytest.mark.parametrize("groups", GROUPS, ids=repr)
def test_many_groups_and_all_mechanisms_have_uniform_p_values(groups):
    repeats, d = 400, groups[0][0].d
    results = compare(groups, zipf(d), repeats, 44)
    p = np.array([result.p_value for result in results])
    assert {(r.method, r.degrees_of_freedom) for r in results} == {
        ("chi-square", (len(groups) - 1) * (d - 1))
    }
    assert kstest(p, "uniform").pvalue > 1e-5
    smallest = np.array([min(result.by_category.values()) for result in results])
    for wrong in (p, smallest):
        assert np.mean(wrong <= 0.05) <= 0.05 + 3 * (0.05 * 0.95 / repeats) ** 0.5


def test_categories_that_do_not_differ_are_not_named_for_those_that_do():
    """Family-wise: two categories differ, and any of the others is named one time in twenty."""
    rng, survey, repeats = np.random.default_rng(45), survey_of(KSubset(16, 1.0)), 400
    theta = np.full(16, 1 / 16)
    other = theta.copy()
    other[:2] += 0.06, -0.06
    found, wrong = 0, 0
    for _ in range(repeats):
        groups = [draw(survey, shares, 80_000, rng) for shares in (theta, theta, other)]
        p = list(homogeneity(*groups).by_category.values())
        found += max(p[:2]) <= 0.05
        wrong += min(p[2:]) <= 0.05
    assert found / repeats > 0.9
    assert wrong / repeats <= 0.05 + 3 * (0.05 * 0.95 / repeats) ** 0.5


def test_the_order_of_groups_makes_no_difference():
    rng = np.random.default_rng(46)
    mechanisms = (KSubset(8, 2.0), BinaryRR(8, 1.0), MRR(8, 1.0))
    groups = [draw(survey_of(mechanism), zipf(8), 2000, rng) for mechanism in mechanisms]
    one, two = homogeneity(*groups), homogeneity(*groups[::-1])
    assert one.statistic == pytest.approx(two.statistic, rel=1e-9)
    assert list(one.by_category.values()) == pytest.approx(list(two.by_category.values()))


def test_holm_by_hand():
    assert holm(np.array([0.04, 0.01, 0.5, 0.03])) == pytest.approx([0.09, 0.04, 0.5, 0.09])


# --- the statistic --------------------------------------------------------------------------------

PAIRS = [
    (KSubset(16, 1.0), KSubset(16, 1.0), 3000, 2000),
    (KSubset(40, 3.0), BinaryRR(40, 2.0), 2000, 1000),
    (KSubset(3, 1.0), KSubset(3, 2.0, k=2), 500, 1000),
    (Cyclotomic(11, 1.0, p=13, m=4, u=1), KSubset(11, 1.0), 1000, 400),
]


def p_values(first, second, n, theta, other, repeats, seed):
    rng = np.random.default_rng(seed)
    a, b = survey_of(first), survey_of(second)
    pairs = ((draw(a, theta, n, rng), draw(b, other, 2 * n, rng)) for _ in range(repeats))
    return np.array([homogeneity(one, two).p_value for one, two in pairs])


@pytest.mark.parametrize(("first", "second", "n", "repeats"), PAIRS, ids=repr)
def test_p_values_are_uniform_where_crowds_are_alike(first, second, n, repeats):
    theta = zipf(first.d)
    p = p_values(first, second, n, theta, theta, repeats, 31)
    assert kstest(p, "uniform").pvalue > 1e-5
    for level in (0.01, 0.05, 0.5):
        assert within((p <= level).mean(), level, repeats)
    # And where they are not, they are small.
    assert (p_values(first, second, 20 * n, theta, theta[::-1], 30, 32) < 1e-3).mean() > 0.9


def test_ignoring_covariances_is_not_calibrated():
    """Negative control: squares over variances, added up as if counts were independent."""
    survey, theta, rng = (
        survey_of(KSubset(2, 2.0)),
        np.full(2, 0.5),
        np.random.default_rng(33),
    )
    p = []
    for _ in range(1000):
        one, two = (draw(survey, theta, 2000, rng) for _ in range(2))
        variances = one.standard_errors**2 + two.standard_errors**2
        p.append(chi2.sf(((one.frequencies - two.frequencies) ** 2 / variances).sum(), 2))
    assert kstest(p, "uniform").pvalue < 1e-5


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_the_statistic_is_that_of_dense_algebra(mechanism):
    d, rng = mechanism.d, np.random.default_rng(34)
    apply, theta = covariance(mechanism, zipf(d)), zipf(d)
    matrix = np.array([apply(unit) for unit in np.eye(d)])
    contrasts = np.linalg.svd(np.ones((1, d)))[2][1:]
    for _ in range(20):
        delta = rng.normal(size=d)
        inner = contrasts @ delta
        expected = inner @ np.linalg.solve(contrasts @ matrix @ contrasts.T, inner)
        found = largest_contrast(apply, mechanism.variance(theta, 1), delta)
        assert found == pytest.approx(expected, rel=1e-10)


def test_ten_thousand_categories_take_no_time_and_no_matrix():
    mechanism, theta, rng = KSubset(10_000, 1.0), zipf(10_000), np.random.default_rng(35)
    survey = survey_of(mechanism)
    one, two = (draw(survey, theta, 100_000, rng) for _ in range(2))
    result = homogeneity(one, two)
    assert result.degrees_of_freedom == 9999
    assert abs(result.statistic - 9999) < norm.isf(5e-7) * (2 * 9999) ** 0.5
    moved = np.roll(theta, 5000)
    assert homogeneity(one, draw(survey, moved, 1_000_000, rng)).p_value < 1e-6


@pytest.mark.parametrize("same", range(6))
def test_a_category_with_equal_counts_has_a_p_value(same):
    """Its deviance is 0, which rounding may leave just below."""
    survey = survey_of(KSubset(6, 1.0))
    one, two = np.array([203, 196, 215, 181, 205, 200]), np.array([175, 218, 203, 181, 207, 216])
    groups = (Estimate(survey, 600, np.roll(counts, same)) for counts in (one, two))
    p_values = homogeneity(*groups).by_category.values()
    assert all(0 <= p <= 1 for p in p_values)
    assert max(p_values) == 1
