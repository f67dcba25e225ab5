"""The likelihood's derivatives and its maximum, against differences and other ways there."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from privet.analysis.regression import logit
from privet.analysis.regression.logit import LogitLikelihood, maximize, softmax
from privet.analysis.regression.supports import Supports
from privet.entropy import seeded
from privet.mechanisms import Interval, KSubset, OptimizedUnary
from privet.refine import maximum_likelihood, project_simplex


def crowd(mechanism, n, truth, seed):
    """Return columns, answers and reports of n people with the coefficients (columns, d − 1)."""
    rng = np.random.default_rng(seed)
    columns = np.hstack([np.ones((n, 1)), rng.normal(size=(n, len(truth) - 1))])
    below = softmax(columns @ truth).cumsum(axis=1)[:, :-1]
    answers = (rng.random((n, 1)) > below).sum(axis=1)
    return columns, answers, mechanism.randomize(answers, entropy=seeded(seed))


def likelihood_of(mechanism, columns, reports):
    return LogitLikelihood.of_people(columns, Supports(mechanism, reports))


TRUTH = np.array([[0.2, -0.2, 0.1], [0.5, 0.0, -0.3], [0.0, 0.4, 0.2]])
KINDS = KSubset(4, 2.0, k=2), OptimizedUnary(4, 2.0), Interval(4, 2.0)


@pytest.mark.parametrize("mechanism", KINDS, ids=lambda m: m.name)
def test_derivatives_are_those_of_differences(mechanism, monkeypatch):
    columns, _, reports = crowd(mechanism, 200, TRUTH, seed=1)
    monkeypatch.setattr(logit, "_ENTRIES_AT_ONCE", 500)  # several parts
    likelihood = likelihood_of(mechanism, columns, reports)
    here, step = likelihood.look(TRUTH), 1e-5
    ahead, behind = (
        [likelihood.look(TRUTH + sign * one.reshape(TRUTH.shape)) for one in np.eye(9) * step]
        for sign in (1, -1)
    )
    pairs = [*zip(ahead, behind, strict=True)]
    slopes = [(a.value - b.value) / (2 * step) for a, b in pairs]
    turns = np.array([(b.gradient - a.gradient) / (2 * step) for a, b in pairs])
    assert np.allclose(here.gradient, slopes, rtol=1e-6, atol=1e-5)
    assert np.allclose(here.information, turns, rtol=1e-6, atol=1e-5)


def test_the_value_is_the_probability_of_the_reports():
    mechanism = KSubset(4, 2.0, k=2)
    columns, _, reports = crowd(mechanism, 50, TRUTH, seed=2)
    shares = softmax(columns @ TRUTH)
    chances = [
        [float(mechanism.probability(bytes(report), value)) for value in range(4)]
        for report in reports
    ]
    expected = np.log((shares * chances).sum(axis=1)).sum()
    least = min(float(mechanism.probability(bytes(reports[0]), value)) for value in range(4))
    found = likelihood_of(mechanism, columns, reports).of_reports(TRUTH)
    assert np.isclose(found + 50 * np.log(least), expected, rtol=1e-12)


def test_with_hardly_any_privacy_it_is_the_logit_of_the_answers(monkeypatch):
    monkeypatch.setattr(logit, "PENALTY", 0.0)
    mechanism = KSubset(4, 30.0, k=1)
    columns, answers, reports = crowd(mechanism, 2000, TRUTH, seed=3)

    def loss(flat):
        predictors = np.hstack([np.zeros((len(columns), 1)), columns @ flat.reshape(TRUTH.shape)])
        return -log_softmax(predictors, axis=1)[np.arange(len(columns)), answers].sum()

    plain = minimize(loss, np.zeros(TRUTH.size), tol=1e-10)
    found = maximize(likelihood_of(mechanism, columns, reports), 0 * TRUTH)
    assert np.allclose(found.coefficients.ravel(), plain.x, atol=1e-4)
    weights = softmax(columns @ found.coefficients)[:, 1:]
    information = sum(
        np.kron(np.outer(x, x), np.diag(p) - np.outer(p, p))
        for x, p in zip(columns, weights, strict=True)
    )
    assert np.allclose(found.inverse, np.linalg.inv(information), rtol=1e-6)


@pytest.mark.parametrize("mechanism", [KINDS[0], KINDS[2]], ids=lambda m: m.name)
def test_without_covariates_it_is_the_likeliest_distribution(mechanism, monkeypatch):
    monkeypatch.setattr(logit, "PENALTY", 0.0)
    columns, _, reports = crowd(mechanism, 5000, TRUTH[:1], seed=4)
    found = maximize(likelihood_of(mechanism, columns, reports), np.zeros((1, 3)))
    likeliest = maximum_likelihood(mechanism, reports, tolerance=1e-13)
    shares = softmax(found.coefficients)[0]
    assert np.allclose(shares, likeliest.frequencies, atol=1e-6)
    jacobian = (np.diag(shares) - np.outer(shares, shares))[:, 1:]
    errors = np.sqrt(np.diagonal(jacobian @ found.inverse @ jacobian.T))
    assert np.allclose(errors, likeliest.standard_errors, rtol=1e-4)


def test_from_any_start_the_same_maximum_is_found():
    columns, _, reports = crowd(KINDS[0], 3000, TRUTH, seed=5)
    likelihood = likelihood_of(KINDS[0], columns, reports)
    first = maximize(likelihood, 0 * TRUTH)
    for seed in range(5):
        start = np.random.default_rng(seed).normal(size=TRUTH.shape) * 2
        found = maximize(likelihood, start)
        assert np.allclose(found.coefficients, first.coefficients, atol=1e-5)


def test_the_penalty_moves_nothing_that_the_reports_determine(monkeypatch):
    columns, _, reports = crowd(KINDS[0], 3000, TRUTH, seed=5)
    likelihood = likelihood_of(KINDS[0], columns, reports)
    found = maximize(likelihood, 0 * TRUTH)
    monkeypatch.setattr(logit, "PENALTY", 0.0)
    plain = maximize(likelihood, 0 * TRUTH)
    errors = np.sqrt(np.diagonal(plain.inverse)).reshape(TRUTH.shape)
    assert (np.abs(found.coefficients - plain.coefficients) < 0.01 * errors).all()


def test_a_share_of_nothing_has_a_finite_maximum_and_no_visible_share():
    mechanism = KSubset(3, 1.0, k=1)
    reports = np.repeat(np.array([[1], [2], [4]], np.uint8), [400, 300, 100], axis=0)
    assert project_simplex(mechanism.frequencies(mechanism.tally(reports), 800))[2] == 0
    likelihood = likelihood_of(mechanism, np.ones((800, 1)), reports)
    shares = softmax(maximize(likelihood, np.zeros((1, 2))).coefficients)[0]
    assert shares[2] < 0.001


def test_answers_that_a_covariate_separates_have_a_finite_maximum():
    mechanism = KSubset(2, 20.0, k=1)
    columns = np.array([[1.0, -0.5]] * 50 + [[1.0, 0.5]] * 50)
    reports = mechanism.randomize([0] * 50 + [1] * 50, entropy=seeded(1))
    found = maximize(likelihood_of(mechanism, columns, reports), np.zeros((2, 1)))
    assert 5 < found.coefficients[1, 0] < 50


def test_coefficients_without_a_maximum_take_few_steps():
    """Ten categories, 300 people and ε = 1: some shares look like 0 for some people."""
    mechanism = KSubset(10, 1.0)
    columns, _, reports = crowd(mechanism, 300, np.zeros((3, 9)), seed=1)
    looks = []

    class Watched(LogitLikelihood):
        def look(self, coefficients):
            looks.append(np.abs(coefficients).max())
            return super().look(coefficients)

    found = maximize(Watched.of_people(columns, Supports(mechanism, reports)), np.zeros((3, 9)))
    assert len(looks) < 100
    assert np.abs(found.coefficients).max() < 50


def test_people_who_are_alike_are_one_row_and_nothing_else_changes():
    rng = np.random.default_rng(1)
    columns = np.stack([np.ones(4000), rng.integers(0, 3, 4000)], axis=1).astype(float)
    reports = KINDS[0].randomize(rng.integers(0, 4, 4000), entropy=seeded(1))
    weights = rng.choice([0.5, 2.0], 4000)
    supports = Supports(KINDS[0], reports)
    grouped = LogitLikelihood.of_people(columns, supports, weights)
    assert len(grouped.columns) <= 3 * 6
    each = LogitLikelihood(columns, supports, weights, weights**2)
    point = rng.normal(size=(2, 3))
    for one, other in zip(grouped.look(point), each.look(point), strict=True):
        assert np.allclose(one, other, rtol=1e-10)
    assert np.isclose(grouped.value(point), each.value(point))
    assert np.isclose(grouped.design_effect, np.square(weights).sum() / weights.sum())
    maximum = maximize(each, np.zeros((2, 3)))
    assert np.allclose(grouped.sandwich(maximum), each.sandwich(maximum), rtol=1e-2)
    np.testing.assert_allclose(grouped.crowding, each.crowding, rtol=1e-9)


def test_rows_whose_keys_collide_stay_apart(monkeypatch):
    columns, bits = np.arange(8.0)[:, None] % 2, np.zeros((8, 1), np.uint8)

    rows, place = logit._alike(columns, bits)
    assert len(rows) == 2
    assert (columns[rows][place] == columns).all()
    monkeypatch.setattr(logit, "_mixed", lambda words: np.zeros(len(words), np.uint64))
    rows, place = logit._alike(columns, bits)
    assert (columns[rows][place] == columns).all()
