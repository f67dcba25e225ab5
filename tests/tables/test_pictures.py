"""Pictures of tables: every share is there, and what goes together is marked."""

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest

from privet.analysis.tables.surplus import surplus
from privet.figures import save_table
from privet.tables import Combined
from questionnaires import correlated, pages_of
from refusing import refused_argument

TIED = np.array([[0.40, 0.05, 0.05], [0.05, 0.25, 0.20]])
ANSWERS = [["yes", "no"], ["none", "$some$", "much"]]


def table_of(joint, pages=((0, 1), (0,)), people=(10_000, 1000)):
    """From the counts that are expected."""
    counted = pages_of(joint, pages, people, 1.0)
    fits = joint.shape == TIED.shape
    return Combined(counted, joint.shape, categories=ANSWERS if fits else None).table(0, 1)


def test_a_picture_has_shares_and_marks(tmp_path):
    """A mark where answers go together, and where they avoid each other."""
    axes = table_of(TIED).plot()
    texts = [text.get_text() for text in axes.texts]
    assert [text.split("\n")[0] for text in texts] == [
        "▲ 40.0",
        "▼ 5.0",
        "▼ 5.0",
        "▼ 5.0",
        "▲ 25.0",
        "▲ 20.0",
    ]
    free = np.multiply.outer(TIED.sum(axis=1), TIED.sum(axis=0))
    assert not any(
        "▲" in text.get_text() or "▼" in text.get_text() for text in table_of(free).plot().texts
    )
    assert [label.get_text() for label in axes.get_xticklabels()] == ANSWERS[1]
    for ending in ("png", "svg"):
        save_table(table_of(TIED), tmp_path / f"table.{ending}")
        assert (tmp_path / f"table.{ending}").stat().st_size > 1000


def test_surplus_is_tested_with_its_error_if_there_is_none():
    """From the exact variance of the sum that it is, to first order; nearly normal, for so many."""
    table = table_of(TIED)
    values, p_values = surplus(table)
    row, column = TIED.sum(axis=1), TIED.sum(axis=0)
    np.testing.assert_allclose(values, TIED - np.multiply.outer(row, column), atol=1e-12)
    assert (p_values < 1e-3).all()
    free = np.multiply.outer(row, column)
    near = free + 0.02 * np.array([[1, -1, 0], [-1, 1, 0]])
    weights = np.zeros(TIED.shape)
    weights[0, 1] = 1
    weights[0] -= column[1]
    weights[:, 1] -= row[0]
    error = sqrt(table_of(free).combined.variance((0, 1), weights))
    _, p_values = surplus(table_of(near))
    assert p_values[0, 1] == pytest.approx(2 * NormalDist().cdf(-0.02 / error), rel=0.1)


def test_no_mark_in_cells_of_next_to_nobody():
    """One person in a cell where .1 is expected is no surplus to point at; 5 in 100 tables may."""
    crowd = np.multiply.outer([0.99, 0.01], [0.965, 0.035])
    rng, marked, repeats = np.random.default_rng(5), 0, 300
    for _ in range(repeats):
        pages = pages_of(crowd, [(0, 1)], [300], 8.0, rng)
        _, p_values = surplus(Combined(pages, crowd.shape).table(0, 1))
        marked += (p_values <= 0.05 / crowd.size).any()
    assert marked <= 0.05 * repeats


def test_what_does_not_fit_is_refused():
    """Three questions, and answers beyond counting."""
    joint = correlated((2, 2, 2))
    with refused_argument("questions"):
        Combined(pages_of(joint, [(0, 1, 2)], [100], 1.0), joint.shape).table(0, 1, 2).plot()
    with refused_argument("table", "plot_table", naming=r"\b20\b"):
        table_of(correlated((2, 30))).plot()
