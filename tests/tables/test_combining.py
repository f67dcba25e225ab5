"""Pages combined: as good as all of them at once, unbiased, and in agreement on margins."""

from itertools import product
from math import sqrt

import numpy as np
import pytest

from privet.errors import InvalidArgument, NoReports
from privet.mechanisms import BinaryRR, Cyclotomic, KSubset, OneBit, Projective
from privet.tables import Combined, PageCounts
from questionnaires import correlated, margin, matrix_of, page_of, pages_of, sums_over
from refusing import refused_argument

SIZES = 3, 4, 2
PAGES = [(0, 1), (2, 1), (0, 2), (0,)]
PEOPLE = [1000, 3000, 2000, 500]
TABLES = [(0,), (1,), (2,), (0, 1), (1, 0), (2, 0), (1, 2)]


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 5.0])
def test_it_is_generalized_least_squares(epsilon):
    """With dense matrices, for complete k-subsets and a flat population, to 1e-10."""
    rng = np.random.default_rng(1)
    pages = pages_of(correlated(SIZES), PAGES, PEOPLE, epsilon, rng)
    combined = Combined(pages, SIZES)
    information, score = 0.0, 0.0
    for page in pages:
        sums = sums_over(SIZES, page.questions)
        flat = np.full(page.sizes, 1 / page.mechanism.d)
        precision = page.n * np.linalg.pinv(matrix_of(page, flat), rcond=1e-9)
        information = information + sums.T @ precision @ sums
        score = score + sums.T @ precision @ (page.frequencies - flat).ravel()
    best = np.linalg.pinv(information, rcond=1e-9) @ score + 1 / np.prod(SIZES)
    for table in TABLES:
        expected = sums_over(SIZES, table) @ best
        np.testing.assert_allclose(combined.frequencies(table).ravel(), expected, atol=1e-10)


def test_tables_are_unbiased_whatever_the_mechanisms_are():
    """They are linear in the counts: from the counts that are expected, they are the truth."""
    joint = correlated(SIZES)
    mechanisms = [KSubset(12, 1.0), BinaryRR(8, 2.0), OneBit(6, 0.5), KSubset(3, 3.0)]
    given = zip(PAGES, mechanisms, PEOPLE, strict=True)
    combined = Combined([page_of(joint, *each) for each in given], SIZES)
    for table in TABLES:
        np.testing.assert_allclose(combined.frequencies(table), margin(joint, table), atol=1e-12)


def test_margins_agree():
    """A question has the same shares in every table, and alone."""
    pages = pages_of(correlated(SIZES), PAGES, PEOPLE, 1.0, np.random.default_rng(2))
    combined = Combined(pages, SIZES)
    for q, other in product(range(3), repeat=2):
        if q != other:
            summed = combined.table(q, other).frequencies.sum(axis=1)
            alone = combined.question(q)
            np.testing.assert_allclose(summed, alone.frequencies, atol=1e-14)
            again = combined.table(q, other).margin(q)
            np.testing.assert_array_equal(again.standard_errors, alone.standard_errors)
    assert combined.table(0, 1).frequencies.sum() == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("kind", [KSubset, BinaryRR, OneBit])
def test_errors_are_those_of_the_pages_covariances(kind):
    """For all cells at once and one by one, against dense matrices."""
    joint = correlated(SIZES, 0.8)
    pages = pages_of(joint, PAGES, PEOPLE, 2.0, kind=kind)
    combined = Combined(pages, SIZES)
    for table in TABLES:
        shares = margin(joint, table)
        expected = 0.0
        for page in pages:
            cells = np.eye(shares.size).reshape(-1, *shares.shape)
            back = [combined.weights(page, table, cell).ravel() for cell in cells]
            matrix = matrix_of(page, margin(joint, page.questions))
            expected = expected + np.einsum("ti,ij,tj->t", back, matrix, back) / page.n
        whole = combined.table(*table) if len(table) > 1 else combined.question(*table)
        np.testing.assert_allclose(np.square(whole.standard_errors).ravel(), expected, rtol=1e-9)
        each = [combined.variance(table, cell) for cell in cells]
        np.testing.assert_allclose(each, expected, rtol=1e-9)


@pytest.mark.parametrize("exact", [True, False])
def test_errors_of_tables_from_designs(exact, monkeypatch):
    """All blocks are gone through; where that would take long, errors are within a few percent."""
    if not exact:
        monkeypatch.setattr("privet.analysis.tables.unlike._MOST_PRODUCTS", 0)
    sizes, skewed = (10, 10), 1 / np.arange(1.0, 101)
    joint = (skewed / skewed.sum()).reshape(sizes)
    mechanisms = [Cyclotomic(100, 1.0), KSubset(10, 1.0), Projective(10, 1.0)]
    pages = [
        page_of(joint, q, m, 5000) for q, m in zip([(1, 0), (0,), (1,)], mechanisms, strict=True)
    ]
    combined = Combined(pages, sizes)
    table, cells = combined.table(0, 1), np.eye(100).reshape(-1, *sizes)
    expected = [
        sqrt(combined.variance((0, 1), cells[10 * a + b])) for a, b in [(0, 0), (3, 4), (9, 9)]
    ]
    shown = [table.standard_errors[place] for place in [(0, 0), (3, 4), (9, 9)]]
    np.testing.assert_allclose(shown, expected, rtol=1e-9 if exact else 0.02)
    errors = combined.question(0).standard_errors
    rows = np.eye(10)
    expected = [sqrt(combined.variance((0,), row)) for row in rows]
    np.testing.assert_allclose(errors, expected, rtol=1e-9 if exact else 0.03)


def test_the_sample_alone_has_less_error_than_the_population():
    """And as many people as took part are the sample; without end, they are the population."""
    joint = correlated(SIZES)
    combined = Combined(pages_of(joint, PAGES, PEOPLE, 4.0), SIZES)
    table = combined.table(0, 1)
    n = sum(PEOPLE)
    widths = {}
    for target in ("sample", n, 10**15, "population"):
        low, high = table.interval(target=target)
        widths[target] = high - low
    np.testing.assert_array_equal(widths["sample"], widths[n])
    np.testing.assert_allclose(widths[10**15], widths["population"], rtol=1e-9)
    assert (widths["sample"] < widths["population"]).all()


def test_what_nobody_answered_is_named():
    """A page without reports is no page, unless others say what it would."""
    joint = correlated(SIZES)
    pages = pages_of(joint, PAGES, [1000, 0, 2000, 500], 1.0)
    combined = Combined(pages, SIZES, names=["tea", "cake", "milk"])
    assert combined.question(2).frequencies.shape == (2,)
    with pytest.raises(NoReports, match="'cake'.*'milk'"):
        combined.table(1, 2)
    with pytest.raises(NoReports, match="'cake'"):
        Combined(pages[2:], SIZES, names=["tea", "cake", "milk"]).question(1)


def test_bad_arguments_are_refused():
    """Each by name."""
    page = PageCounts((0, 1), (2, 3), KSubset(6, 1.0), 10, np.ones(6, dtype=np.int64))
    for sizes, rest in [((3, 2), {}), ((2,), {}), ((2, 3), {"names": ["one"]})]:
        with pytest.raises(InvalidArgument):
            Combined([page], sizes, **rest)
    combined = Combined([page], (2, 3))
    for asked in [(0, 0), (0, 2), (-1, 0)]:
        with pytest.raises(InvalidArgument):
            combined.table(*asked)
    with refused_argument("sizes", "PageCounts", value=(2, 4)):
        PageCounts((0, 1), (2, 4), KSubset(6, 1.0), 10, np.ones(6, dtype=np.int64))
    with refused_argument("questions", "PageCounts", value=(0, 0)):
        PageCounts((0, 0), (2, 3), KSubset(6, 1.0), 10, np.ones(6, dtype=np.int64))
