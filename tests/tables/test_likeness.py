"""Binomial tails of shares: exact where a count is binomial, and never an empty interval."""

from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import binom

from privet import Survey, simulate
from privet.analysis.presence import binomial_tail
from privet.analysis.tables.likeness import Likeness, lower_tail, upper_tail
from privet.mechanisms import KSubset
from privet.tables import Combined, PageCounts
from questionnaires import margin, page_of


def joint_page(joint, epsilon, n, rng):
    """One page of two questions, and its table."""
    page = page_of(joint, (0, 1), KSubset(joint.size, epsilon), n, rng)
    return Combined([page], joint.shape).table(0, 1), page


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_cells_of_one_page_are_exact(epsilon):
    """Clopper and Pearson's interval of the count, and the tail of its law if nobody is there."""
    joint = np.array([[0.9, 0.06, 0.003], [0.03, 0.007, 0.0]])
    table, page = joint_page(joint, epsilon, 400, np.random.default_rng(1))
    survey = Survey("?", list("abcdef"), epsilon, mechanism=page.mechanism)
    exact = survey.mechanism.interval(page.counts, page.n, 0.05, "population")
    for end, expected in zip(table.interval(), exact, strict=True):
        wanted = np.clip(expected.reshape(joint.shape), 0, 1)
        seen = page.counts.reshape(joint.shape)
        inside = (seen > page.n * page.mechanism.h) & (seen < page.n * page.mechanism.g)
        np.testing.assert_allclose(end[inside], wanted[inside], rtol=1e-7, atol=1e-12)
    tails = binomial_tail(page.counts, page.n, page.mechanism.h).reshape(joint.shape)
    np.testing.assert_allclose(table.p_values, tails, rtol=1e-7, atol=1e-300)


def test_tails_are_binomial():
    """At whole numbers; and beyond all counts there is nothing."""
    hits = np.arange(8.0)
    upper = upper_tail(hits, np.full(8, 7.0), np.full(8, 0.3))
    np.testing.assert_allclose(upper, binom.sf(hits - 1, 7, 0.3), rtol=1e-12)
    lower = lower_tail(hits, np.full(8, 7.0), np.full(8, 0.3))
    np.testing.assert_allclose(lower, binom.cdf(hits, 7, 0.3), rtol=1e-12)


def test_the_law_has_the_variance_that_it_is_made_of():
    """Of random polynomials that are positive from 0 to 1."""
    rng = np.random.default_rng(2)
    constant, square = rng.exponential(1, 50), -rng.exponential(0.1, 50)
    linear = np.maximum(rng.normal(0, 3, 50), -constant - square)
    law = Likeness.of(np.array([constant, linear, square]))
    assert (law.least <= 0).all()
    assert (law.most >= 1).all()
    for share in (0.0, 0.3, 1.0):
        rate = law.rates(share)
        variance = law.step**2 * law.people * rate * (1 - rate)
        expected = constant + linear * share + square * share**2
        np.testing.assert_allclose(variance, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("alpha", [0.3, 0.05, 1e-4])
@pytest.mark.parametrize("noise", [1, 100])
def test_intervals_are_not_empty_and_agree_with_p_values(alpha, noise):
    """However far estimates are beyond 0 and 1, and even if 1 cannot be told from 0."""
    estimates = np.linspace(-0.5, 2.5, 401)
    law = Likeness.of(np.array([[0.004 * noise], [0.004], [-0.003]]) * np.ones(401))
    low, high = (np.clip(end, 0, 1) for end in law.ends(estimates, alpha))
    assert (low < high).all()
    np.testing.assert_array_equal(low > 0, law.p_values(estimates) < alpha / 2)


def test_rare_answers_of_pooled_questions_are_covered_at_a_large_epsilon():
    """Of 300 people, where the normal law covers far less; nobody's answers are rarely found."""
    joint = np.multiply.outer([0.987, 0.01, 0.003, 0.0], [0.6, 0.4])
    truth, rng, repeats = margin(joint, (0,)), np.random.default_rng(3), 600
    mechanisms = [(KSubset(8, 8.0), (0, 1), 180), (KSubset(4, 8.0), (0,), 120)]
    hits, normal, found = 0.0, 0.0, 0.0
    for _ in range(repeats):
        pages = [page_of(joint, asked, one, n, rng) for one, asked, n in mechanisms]
        question = Combined(pages, joint.shape).question(0)
        low, high = question.interval()
        hits = hits + ((low <= truth) & (truth <= high)) / repeats
        off = np.abs(question.frequencies - truth)
        normal = normal + (off <= 1.96 * question.standard_errors) / repeats
        found += (question.p_values[3] <= 0.05) / repeats
    assert hits.min() > 0.93
    assert normal.min() < 0.85  # so the normal law would have failed
    assert found < 0.07


def test_p_values_are_of_the_law_if_nobody_holds_the_category():
    """20 answers at ε = 6: the chance of as large an estimate, from 20,000 tables without it."""
    rng, n, asked = np.random.default_rng(4), 300, (20, 2)
    mechanism = KSubset(40, 6.0)
    crowd = np.zeros(asked)
    crowd[0] = n / 2

    def estimated(people):
        counts = simulate.counts(mechanism, people.ravel().astype(np.int64), rng)
        page = PageCounts((0, 1), asked, mechanism, n, counts)
        return Combined([page], asked).question(0)

    nobody = np.concatenate([estimated(crowd).frequencies[1:] for _ in range(1000)])
    crowd[0, 0] -= 4
    crowd[1, 0] = 4
    normal = []
    for _ in range(20):
        question = estimated(crowd)
        tail = np.mean(nobody >= question.frequencies[1] - 1e-12)
        assert question.p_values[1] == pytest.approx(tail, abs=4e-3, rel=0.1)
        at_estimate = question.frequencies[1] / question.standard_errors[1]
        normal.append(NormalDist().cdf(-at_estimate) / question.p_values[1])
    assert np.median(normal) > 2  # with the error at the estimate it would be far too large
