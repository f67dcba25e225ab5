"""Surplus: how much more often two answers meet than if they were independent, γ = θ − r cᵀ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats
from ..sums.covariance import Operator
from .likeness import lower_tail, upper_tail

if TYPE_CHECKING:
    from .table import Table

__all__ = ["apart", "apart_adjoint", "own_covariance", "surplus"]

_LEAST = 1e-9


def surplus(table: Table) -> tuple[Floats, Floats]:
    """Return γ of each cell of a table of two questions, and its two-sided p-value.

    If the answers are independent, γ is like the distance of a binomial count from its mean, with
    the rate rc, the step that the cell's estimate has, and γ's variance (`likeness`).
    """
    theta = table.frequencies
    row, column = theta.sum(axis=1), theta.sum(axis=0)
    values, expected = theta - np.multiply.outer(row, column), _product(row, column)
    covariance = table.combined.covariance(table.questions, expected)
    cells = np.eye(theta.size).reshape(*theta.shape, -1)
    back = apart_adjoint(cells, row, column)
    variances = (back * covariance(back)).sum(axis=(0, 1)).reshape(theta.shape)
    rate, step = np.clip(expected, _LEAST, 1 - _LEAST), table.likeness.step
    people = variances / step**2 / (rate * (1 - rate))
    hits = values / step + people * rate
    tails = upper_tail(hits, people, rate), lower_tail(hits, people, rate)
    return values, np.minimum(2 * np.minimum(*tails), 1)


def _product(row: Floats, column: Floats) -> Floats:
    """Return the shares of cells if answers are independent."""
    shares = np.multiply.outer(np.clip(row, 0, None), np.clip(column, 0, None))
    return np.asarray(shares / shares.sum())


def own_covariance(table: Table) -> Operator:
    """Return the covariance of a table's frequencies for a crowd that has them as its shares."""
    shares = np.clip(table.frequencies, 0, None)
    return table.combined.covariance(table.questions, shares / shares.sum())


def apart(errors: Floats, row: Floats, column: Floats) -> Floats:
    """Return the errors of γ that a table's errors make; axes after two are for several at once."""
    of_rows, of_columns = errors.sum(axis=1, keepdims=True), errors.sum(axis=0, keepdims=True)
    return np.asarray(errors - of_rows * column[:, None] - of_columns * row[:, None, None])


def apart_adjoint(weights: Floats, row: Floats, column: Floats) -> Floats:
    """Return the weights of a table's errors in weighted sums of those of γ."""
    of_rows = np.tensordot(column, weights, (0, 1))[:, None]
    of_columns = np.tensordot(row, weights, (0, 0))[None]
    return np.asarray(weights - of_rows - of_columns)
