"""What tables' errors will be: as vectors have it, and as simulated."""

import json
from pathlib import Path

import numpy as np
import pytest

from privet.analysis.laws import draw_counts
from privet.mechanisms import KSubset
from privet.tables import Combined, PageCounts, compare, total_variance
from questionnaires import correlated, margin, pages_of

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "questionnaires.json").read_text())


@pytest.mark.parametrize("case", VECTORS)
def test_total_variances_are_those_of_the_vectors(case):
    """To 1e-9, for every table that the pages determine."""
    pages = [tuple(page) for page in case["pages"]]
    for name, expected in case["total_variance"].items():
        table = tuple(map(int, name.split(",")))
        total = total_variance(case["sizes"], pages, case["people"], case["epsilon"], table)
        assert total == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
def test_totals_are_the_sums_of_the_cells_errors(epsilon):
    """In a flat crowd, for every table; other crowds have nearly the same noise."""
    sizes, pages, people = (3, 4, 2), [(0, 1), (1, 2), (0,)], [900, 400, 700]
    flat = Combined(pages_of(correlated(sizes, 0.0), pages, people, epsilon), sizes)
    for table in [(0,), (1,), (2,), (0, 1), (1, 2)]:
        whole = flat.table(*table) if len(table) > 1 else flat.question(*table)
        total = total_variance(sizes, pages, people, epsilon, table, sampling=True)
        assert np.square(whole.standard_errors).sum() == pytest.approx(total, rel=1e-9)


def test_simulated_totals_are_as_they_should_be():
    """2,000 questionnaires: squared errors are nearly normal ones', within 5 of their deviations.

    Weights that are not the best would be seen: they have clearly more variance.
    """
    sizes, pages, people, repeats = (3, 4), [(0, 1), (0,)], [900, 900], 2000
    joint, rng, kinds = (
        correlated(sizes, 0.0),
        np.random.default_rng(8),
        [KSubset(12, 1.0), KSubset(3, 1.0)],
    )
    errors, unweighted = [], []
    for _ in range(repeats):
        drawn = [
            rng.multinomial(n, margin(joint, page).ravel())
            for n, page in zip(people, pages, strict=True)
        ]
        counts = [draw_counts(kind, crowd, rng) for kind, crowd in zip(kinds, drawn, strict=True)]
        both = [
            PageCounts(page, margin(joint, page).shape, *rest)
            for page, *rest in zip(pages, kinds, people, counts, strict=True)
        ]
        question = Combined(both, sizes).question(0)
        errors.append(np.square(question.frequencies - 1 / 3).sum())
        equal = (both[0].frequencies.sum(axis=1) + both[1].frequencies) / 2
        unweighted.append(np.square(equal - 1 / 3).sum())
    expected = total_variance(sizes, pages, people, 1.0, (0,), sampling=True)
    # A squared length in two dimensions deviates by as much as its mean.
    tolerance = 5 * expected / np.sqrt(repeats)
    assert abs(np.mean(errors) - expected) < tolerance
    assert np.mean(unweighted) - expected > tolerance


def test_splitting_is_as_simulated():
    """Two questions at half of ε each; the product of a person's contributions is the table's."""
    sizes, epsilon, n, repeats = (2, 3), 2.0, 50, 4000
    rng = np.random.default_rng(9)
    kinds = [KSubset(d, epsilon / 2) for d in sizes]
    people = [rng.integers(d, size=(repeats, n)) for d in sizes]
    parts = []
    for kind, values in zip(kinds, people, strict=True):
        assert kind.k == 1
        lies = rng.random(values.shape) >= kind.g
        named = (values + lies * rng.integers(1, kind.d, size=values.shape)) % kind.d
        parts.append((np.eye(kind.d)[named] - kind.h) / (kind.g - kind.h))
    tables = np.einsum("rna,rnb->rab", *parts) / n
    squares = np.square(tables - 1 / 6).sum(axis=(1, 2))
    (both,) = compare(sizes, [(0, 1)], [n], epsilon, [(0, 1)])
    assert abs(squares.mean() - both.split) < 5 * squares.std() / np.sqrt(repeats)
