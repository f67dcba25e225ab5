"""Independence: a test of whether the answers to two questions have nothing to do with each other.

If they have not, the table is a product r cᵀ of two distributions. The nearest product is fitted
with the weights of generalized least squares: with precisions λ of the two margins and of the
interaction (`combining`), and centred margins r, c and interaction Γ, it is the least of

    λ_a |r̂ − r|² + λ_b |ĉ − c|² + λ_ab |Γ̂ − r cᵀ|².

That least is the statistic. Errors in the directions in which products vary are fitted; the mean
and variance of what is left follow from the pages' covariances under the fitted product (`traces`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...device.mechanisms.subsets.k_subset import KSubset
from ..arrays import Floats
from ..sums.covariance import Operator
from .squared_lengths import SquaredLength, traces

if TYPE_CHECKING:
    from .table import Table

__all__ = ["Distance", "Independence", "distance", "independence"]

_ROUNDS, _PRECISION = 500, 1e-12
_MOST_VALUES = 256


@dataclass(frozen=True)
class Independence:
    """The result of a test of independence: a small p-value says that the answers go together.

    Attributes
    ----------
    statistic : float
        How far the table is from the nearest one of independent answers.
    degrees_of_freedom : int
        How many numbers say how the answers go together.
    p_value : float
        How likely so large a distance or a larger one is if the answers are independent.
    names : tuple of str
        The two questions.

    """

    statistic: float
    degrees_of_freedom: int
    p_value: float
    names: tuple[str, str]

    def __str__(self) -> str:
        one, other = self.names
        shown = f"p = {self.p_value:.2g}"
        if self.p_value < 0.05:
            return f"Answers to {one!r} and {other!r} go together ({shown})."
        return (
            f"No sign that answers to {one!r} and {other!r} go together ({shown}); they may still."
        )


def independence(table: Table) -> Independence:
    """Test whether the answers to the two questions of a table are independent."""
    rows, columns = table.frequencies.shape
    law, (one, other) = table.distance.law, table.names
    freedom = (rows - 1) * (columns - 1)
    return Independence(law.seen, freedom, law.above(0.0), (one, other))


class Distance(NamedTuple):
    """How far a table is from independence: the law of that, and how much a surplus adds to it.

    Attributes
    ----------
    law : SquaredLength
        Of the statistic.
    weight : float
        A table that exceeds that of independent answers with its margins by γ is at the squared
        distance weight · Σγ² from the nearest product, or nearer.

    """

    law: SquaredLength
    weight: float


def distance(table: Table) -> Distance:
    """Return how far a table of two questions is from the nearest one of independent answers."""
    lengths = _Lengths(table)
    row, column = lengths.fit(table.frequencies)
    null = np.multiply.outer(_shares(row), _shares(column))
    off = lengths.root(table.frequencies - np.multiply.outer(row, column))
    statistic = float(np.square(off).sum())
    tangent = lengths.tangent(row, column)

    def left(errors: Floats) -> Floats:
        return _without(lengths.root(errors), tangent)

    def adjoint(probes: Floats) -> Floats:
        return lengths.root(_without(probes, tangent))

    covariance = table.combined.covariance(table.questions, null)
    mean, square = traces(covariance, left, adjoint, table.frequencies.shape)
    square += _excess(table, null, left) / 2
    back = adjoint(off[..., None])
    along = float((back * covariance(back)).sum()) / statistic if statistic else square / mean
    return Distance(SquaredLength(statistic, mean, square, along), lengths.both * lengths.cells)


def _excess(table: Table, null: Floats, left: Operator) -> float:
    """Return what the variance of the statistic has more than that of normal errors.

    It is the variance of each person's own part of the statistic, which is not small where few
    people differ from the others. It is found where a report is one of few values, as at a large
    ε; elsewhere reports differ, and errors are normal.
    """
    excess = 0.0
    for page in table.pages:
        mechanism = page.mechanism
        if not isinstance(mechanism, KSubset) or mechanism.k > 1 or mechanism.d > _MOST_VALUES:
            continue
        shared, questions = table.combined.shared(page, table.questions), table.questions
        away = tuple(axis for axis, q in enumerate(questions) if q not in shared)
        margin = null.sum(axis=away)
        cells = np.eye(margin.size).reshape(*margin.shape, -1)
        parts = left(table.combined.carried(page, cells, shared, questions)) / (
            mechanism.g - mechanism.h
        )
        parts = parts.reshape(-1, margin.size)
        # The other questions of the page make a value of this margin one of many of the page's.
        others = mechanism.d / margin.size
        chances = others * mechanism.h + (mechanism.g - mechanism.h) * margin.ravel()
        squares = np.square(parts - (parts @ chances)[:, None]).sum(axis=0)
        mean = chances @ squares
        excess += float(chances @ (squares - mean) ** 2) / page.n**3
    return excess


class _Lengths:
    """The precisions of margins and interaction, by which a table's errors are weighted."""

    def __init__(self, table: Table) -> None:
        one, other = table.questions
        self.cells = table.frequencies.size
        self.sizes = table.frequencies.shape
        precision = table.combined.precision
        self.margins, self.both = (precision((one,)), precision((other,))), precision((one, other))

    def root(self, errors: Floats) -> Floats:
        """Return errors with about the variance 1 in each direction; their total does not count."""
        errors = errors - errors.mean(axis=(0, 1), keepdims=True)
        rows, columns = errors.mean(axis=1, keepdims=True), errors.mean(axis=0, keepdims=True)
        weighted = sqrt(self.both) * (errors - rows - columns)
        weighted += sqrt(self.margins[0]) * rows + sqrt(self.margins[1]) * columns
        return np.asarray(weighted * sqrt(self.cells))

    def fit(self, table: Floats) -> tuple[Floats, Floats]:
        """Return the distributions of rows and columns whose product is nearest, in turns."""
        (rows, columns), (first, second) = self.sizes, self.margins
        measured = table.sum(axis=1) - 1 / rows, table.sum(axis=0) - 1 / columns
        both = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + 1 / self.cells
        row, column = measured
        for _ in range(_ROUNDS):
            last = row
            pulled = first / columns * measured[0] + self.both * both @ column
            row = pulled / (first / columns + self.both * column @ column)
            pulled = second / rows * measured[1] + self.both * row @ both
            column = pulled / (second / rows + self.both * row @ row)
            if np.abs(row - last).max() < _PRECISION:
                break
        return row + 1 / rows, column + 1 / columns

    def tangent(self, row: Floats, column: Floats) -> Floats:
        """Return weighted directions in which products vary, of length 1 and at right angles."""
        rows, columns = self.sizes
        ways = [np.multiply.outer(x, column) for x in np.eye(rows) - 1 / rows]
        ways += [np.multiply.outer(row, y) for y in np.eye(columns) - 1 / columns]
        weighted = self.root(np.stack(ways, axis=-1)).reshape(self.cells, -1)
        squares, turned = np.linalg.eigh(weighted.T @ weighted)
        kept = squares > _PRECISION * squares[-1]
        directions = weighted @ (turned[:, kept] / np.sqrt(squares[kept]))
        total = np.full((self.cells, 1), 1 / sqrt(self.cells))  # which is known
        return np.hstack((directions, total))


def _without(errors: Floats, directions: Floats) -> Floats:
    """Return what is left of errors if they cannot go in some directions."""
    flat = errors.reshape(len(directions), -1)
    return (flat - directions @ (directions.T @ flat)).reshape(errors.shape)


def _shares(fitted: Floats) -> Floats:
    shares = np.clip(fitted, 0, None)
    return np.asarray(shares / shares.sum())
