"""Linear regression of the mean of numbers on a scale, from windows that cover them.

A window z reported of a number has its centre at y cells from the middle of the scale. As E[y] is ρ
times the number's own distance (`privet.mechanisms.Interval.slope`),

    u = (low + high)/2 + (high − low)/B · y/ρ

is an unbiased, if noisy, stand-in for the number. Least squares of u on the covariates estimates
what least squares of the numbers would, without bias. Its noise depends on the number, and so the
covariance is the one that allows for that: (X'X)⁻¹ X' diag(e²/(1 − h)²) X (X'X)⁻¹ with the
residuals e and the leverages h (HC3; MacKinnon, White 1985).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..analysis.counter import read_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..mechanisms.scales.interval import Interval

    Floats = NDArray[np.float64]

__all__ = ["least_squares", "stand_ins"]


def stand_ins(mechanism: Interval, reports: NDArray[np.uint8], low: float, high: float) -> Floats:
    """Return an unbiased stand-in for the number behind each checked report.

    >>> from privet.mechanisms import Interval
    >>> stand_ins(Interval(2, 30.0, window=1), np.array([[0], [1]], np.uint8), 0, 1).round(6)
    array([0.25, 0.75])
    """
    middles = read_numbers(reports).astype(np.float64) - (mechanism.numbers - 1) / 2
    cell = (high - low) / mechanism.d
    return (low + high) / 2 + middles * (cell / float(mechanism.slope))


def least_squares(columns: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the coefficients of y on independent columns, and their HC3 covariance.

    >>> coefficients, _ = least_squares(np.array([[1.0, 0], [1, 1], [1, 2]]), np.array([1.0, 3, 5]))
    >>> coefficients.round(9).tolist()
    [1.0, 2.0]
    """
    q, r = np.linalg.qr(columns)
    coefficients = np.linalg.solve(r, q.T @ y).astype(np.float64, copy=False)
    leverages = np.square(q).sum(axis=1)
    residuals = (y - columns @ coefficients) / (1 - leverages).clip(np.finfo(float).eps)
    spread = np.linalg.solve(r, (q * residuals[:, None]).T)
    return coefficients, spread @ spread.T
