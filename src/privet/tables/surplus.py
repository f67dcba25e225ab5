"""Surplus: how much more often two answers meet than if they were independent, γ = θ − r cᵀ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..sums.covariance import Operator
    from .pages import Floats
    from .table import Table

__all__ = ["apart", "apart_adjoint", "own_covariance", "surplus"]


def surplus(table: Table) -> tuple[Floats, Floats]:
    """Return γ of each cell of a table of two questions, and its standard error."""
    theta = table.frequencies
    row, column = theta.sum(axis=1), theta.sum(axis=0)
    covariance = own_covariance(table)
    cells = np.eye(theta.size).reshape(*theta.shape, -1)
    back = apart_adjoint(cells, row, column)
    variances = (back * covariance(back)).sum(axis=(0, 1)).reshape(theta.shape)
    return theta - np.multiply.outer(row, column), np.sqrt(np.maximum(variances, 0))


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
