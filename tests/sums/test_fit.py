"""Known shares: levels that hold, exactly where they can, and power."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, kstest

from crowds import survey_of, zipf
from privet import Estimate, simulate
from privet.analysis.sums import calibration
from privet.analysis.sums.fit import _binomial
from privet.errors import InvalidAnswer, NoReports
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
    OptimizedUnary,
)
from privet.sums import fit
from refusing import refused_argument

REPEATS = 400
MOST = 0.05 + 3 * (0.05 * 0.95 / REPEATS) ** 0.5
MANY = [
    (KSubset(16, 1.0), 1000),
    (Cyclotomic(11, 1.0, p=13, m=4, u=1), 400),
    (OptimizedUnary(40, 2.0), 1000),
    (LocalHash(8, 1.0), 500),
    (OneBit(8, 1.0), 500),
    (HashedRR(8, 1.0), 1000),
    (GeometricNoise(8, 1.0), 1000),
    (Interval(8, 1.0), 1000),
]
FEW = [
    (MultivariateRR(16, 6.0), 50),
    (MultivariateRR(100, 6.0), 100),
    (KSubset(8, 2.0, k=2), 20),
    (BinaryRR(16, 6.0), 50),
    (HashedRR(8, 3.0), 30),
]


def drawn(mechanism, n, theta, repeats, seed):
    """Estimates from the reports of n people drawn from theta, again and again."""
    rng, survey = np.random.default_rng(seed), survey_of(mechanism)
    for _ in range(repeats):
        counts = simulate.counts(mechanism, rng.multinomial(n, theta), rng)
        yield Estimate(survey, n, counts)


@pytest.mark.parametrize(("mechanism", "n"), MANY, ids=repr)
def test_p_values_are_uniform_where_the_shares_are_true(mechanism, n):
    theta = zipf(mechanism.d)
    results = [fit(one, theta) for one in drawn(mechanism, n, theta, REPEATS, 61)]
    p = np.array([result.p_value for result in results])
    assert {(r.method, r.degrees_of_freedom) for r in results} == {("chi-square", mechanism.d - 1)}
    assert kstest(p, "uniform").pvalue > 1e-5
    smallest = np.array([min(result.by_category.values()) for result in results])
    assert np.mean(p <= 0.05) <= MOST
    assert np.mean(smallest <= 0.05) <= MOST
    # And where they are not, p is small, and so is that of a category that differs.
    results = [fit(one, theta[::-1]) for one in drawn(mechanism, 40 * n, theta, 5, 62)]
    assert max(result.p_value for result in results) < 1e-3
    assert max(result.by_category["c0"] for result in results) < 1e-3


@pytest.mark.parametrize(("mechanism", "n"), FEW, ids=repr)
def test_the_level_holds_where_counts_are_few(mechanism, n, monkeypatch):
    monkeypatch.setattr(calibration, "_LEAST_DRAWS", 39)  # a p-value may be 2/40
    monkeypatch.setattr(calibration, "_MOST_DRAWS", 39)
    theta = zipf(mechanism.d)
    results = [fit(one, theta) for one in drawn(mechanism, n, theta, REPEATS, 63)]
    assert {result.method for result in results} == {"resampled"}
    p = np.array([result.p_value for result in results])
    assert kstest(p, "uniform").pvalue > 1e-5
    assert np.mean(p <= 0.05) <= MOST
    assert np.mean([min(result.by_category.values()) <= 0.05 for result in results]) <= MOST


def test_the_chi_squared_law_does_not_hold_there(monkeypatch):
    """Negative control: the level that draws are for is far off without them."""
    monkeypatch.setattr(calibration, "_MANY_EVENTS", 0)
    theta = zipf(100) ** 2 / (zipf(100) ** 2).sum()
    results = [fit(one, theta) for one in drawn(MultivariateRR(100, 8.0), 50, theta, 100, 63)]
    assert np.mean([result.p_value <= 0.05 for result in results]) > MOST


def test_single_categories_are_exact():
    """Over all counts: the p-value of one category is at or below a level at most so often."""
    for mechanism, n in product((KSubset(6, 1.0, k=2), BinaryRR(4, 3.0)), (5, 40)):
        for share in (0.0, 0.3, 1.0):
            theta = np.full(n + 1, share)
            # One count a "category": the function looks at each by itself.
            counts = np.arange(n + 1)
            p = _binomial(mechanism, Estimate(survey_of(mechanism), n, counts), theta)
            chances = binom.pmf(counts, n, mechanism.h + share * (mechanism.g - mechanism.h))
            for level in (0.01, 0.05, 0.3):
                assert chances[p <= level].sum() <= level
            low, high = mechanism.interval(counts, n, 0.05, "population")
            assert ((low > share) | (share > high)).tolist() == (p < 0.05).tolist()


def test_a_fair_coin_by_hand():
    """At d = 2 and equal shares, a count of n is as likely as 2^-n, and as its mirror image."""
    survey = survey_of(MultivariateRR(2, 1.0))
    result = fit(Estimate(survey, 600, np.array([270, 330])), [0.5, 0.5])
    tails = 2 * sum(comb(600, i) for i in range(271)) / 2**600
    assert result.by_category == pytest.approx({"c0": 2 * tails, "c1": 2 * tails})
    assert result.statistic == pytest.approx(2 * 30**2 / 300)  # Pearson's


def test_shares_by_name_or_in_order():
    estimate = Estimate(survey_of(KSubset(3, 1.0, k=1)), 1000, np.array([500, 300, 200]))
    shares = {"c2": 0.1, "c0": 0.6, "c1": 0.3}
    assert fit(estimate, shares) == fit(estimate, [0.6, 0.3, 0.1])
    rounded = fit(estimate, [0.6, 0.3, 0.1 + 1e-9])
    assert rounded.p_value == pytest.approx(fit(estimate, shares).p_value, rel=1e-6)
    assert estimate.survey.tally().n == 0
    for wrong in ([0.6, 0.3], [0.6, 0.3, 0.2], [1.2, -0.1, -0.1], [0.5, 0.5, np.nan]):
        with refused_argument("shares", "fit"):
            fit(estimate, wrong)
    with refused_argument("shares", "fit") as caught:
        fit(estimate, {"c0": 0.5, "c1": 0.5})
    assert "'c2'" in str(caught.value)
    with pytest.raises(InvalidAnswer) as caught:
        fit(estimate, {"c0": 0.5, "c1 ": 0.4, "c2": 0.1})
    assert (caught.value.answer, caught.value.nearest) == ("c1 ", "c1")
    with pytest.raises(NoReports):
        fit(estimate.survey.tally(), [0.6, 0.3, 0.1])
