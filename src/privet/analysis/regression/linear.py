"""Linear regression of the mean of numbers on a scale, from windows that cover them.

A window z reported of a number has its centre at y cells from the middle of the scale. As E[y] is ρ
times the number's own distance (`privet.mechanisms.Interval.slope`),

    u = (low + high)/2 + (high − low)/B · y/ρ

is an unbiased, if noisy, stand-in for the number. Least squares of u on the covariates estimates
what least squares of the numbers would, without bias. Its noise depends on the number, and so the
covariance is the one that allows for that: (X'X)⁻¹ X' diag(e²/(1 − h)²) X (X'X)⁻¹ with the
residuals e and the leverages h (HC3; MacKinnon, White 1985). Survey weights W give
(X'WX)⁻¹ X'W diag(e²/(1 − h)²) WX (X'WX)⁻¹.

A small group may have no one at an end of the scale where one person in thirty is. So the variance
is that of a group with one more person, at the end that is farther from the mean, at the distance
D: h·D² is added to e²/(1 − h)². It vanishes as groups grow, and is little beside the noise of ε.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...device.mechanisms.scales.interval import Interval
from ..arrays import Floats
from ..counter import read_numbers

__all__ = ["LeastSquares", "least_squares", "stand_ins"]


def stand_ins(mechanism: Interval, reports: NDArray[np.uint8], low: float, high: float) -> Floats:
    """Return an unbiased stand-in for the number behind each checked report.

    >>> from privet.mechanisms import Interval
    >>> stand_ins(Interval(2, 30.0, window=1), np.array([[0], [1]], np.uint8), 0, 1).round(6)
    array([0.25, 0.75])
    """
    middles = read_numbers(reports).astype(np.float64) - (mechanism.numbers - 1) / 2
    cell = (high - low) / mechanism.d
    return (low + high) / 2 + middles * (cell / float(mechanism.slope))


class LeastSquares(NamedTuple):
    """Coefficients, their covariance, and what a person's residual moves each of them by."""

    coefficients: Floats
    covariance: Floats
    effects: Floats

    def freedom(self, functions: Floats) -> Floats:
        """Return the degrees of freedom of each function of the coefficients, a row of weights.

        By Satterthwaite: with the effects c of people on a function, (Σ c²)²/Σ c⁴, less the number
        of coefficients. It is about n for a number, and the size of a group for what only its
        people tell.
        """
        squares = np.square(functions @ self.effects)
        freedom = np.square(squares.sum(axis=1)) / np.square(squares).sum(axis=1)
        return np.asarray(np.maximum(freedom - len(self.coefficients), 1.0))


def least_squares(
    columns: Floats,
    y: Floats,
    weights: Floats | None = None,
    ends: tuple[float, float] | None = None,
) -> LeastSquares:
    """Return the coefficients of y on independent columns, and their HC3 covariance.

    With the ends of the scale, a person's squared residual has h·D² added to it.

    >>> columns = np.array([[1.0, 0], [1, 1], [1, 2]])
    >>> least_squares(columns, np.array([1.0, 3, 5])).coefficients.round(9).tolist()
    [1.0, 2.0]
    """
    roots = None if weights is None else np.sqrt(weights)
    q, r = np.linalg.qr(columns if roots is None else columns * roots[:, None])
    effects = np.linalg.solve(r, q.T if roots is None else q.T * roots)
    coefficients = (effects @ y).astype(np.float64, copy=False)
    leverages, fitted = np.square(q).sum(axis=1), columns @ coefficients
    squares = np.square((y - fitted) / (1 - leverages).clip(np.finfo(float).eps))
    if ends is not None:
        middle, half = sum(ends) / 2, (ends[1] - ends[0]) / 2
        squares += leverages * np.square(half + np.minimum(np.abs(fitted - middle), half))
    return LeastSquares(coefficients, (effects * squares) @ effects.T, effects)
