"""Shares that a logit expects of people with some covariates, and intervals for them.

The share p of a category at x has the variance v of the delta method, of which at most a·p(1 − p)
is due to who was drawn, where 1/a is the number of people that the fit is worth at x. The rest c
does not depend on p. It is at least the noise of that many reports, and a little more where that is
large. An interval holds all p with

    (p̂ − p)² ≤ z² (c + a·p(1 − p)),

Wilson's for noisy counts. It has a length, and its ends are within 0 and 1, even where p̂ is 0. It
also holds the interval of the log-odds, p̂'s own ± z√v / p̂(1 − p̂), where their error is below 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...device.mechanisms.base import Mechanism
from ..arrays import Floats
from .logit import LogitLikelihood, Maximum, softmax

__all__ = ["Predictor"]


# Where shares are known to within tenths only, estimates gather at 0 and 1, and their error is
# larger than that of a straight line; by how much was found by simulation.
_BENT = 6.0


class Predictor:
    """Predicts shares from the columns of people, in the survey's order of categories."""

    def __init__(
        self,
        likelihood: LogitLikelihood,
        maximum: Maximum,
        scaling: Floats,
        covariance: Floats,
        order: NDArray[np.int64],
        mechanism: Mechanism,
    ) -> None:
        self._coefficients, self._covariance = maximum.coefficients, covariance
        self._crowding, self._scaling, self._order = likelihood.crowding, scaling, order
        self._mechanism = mechanism

    @property
    def commonest(self) -> int:
        """The place of the category that most people hold, by the fit."""
        typical = np.array([1.0, *np.zeros(len(self._coefficients) - 1)])
        return int(np.argmax(softmax(typical[None] @ self._coefficients)[0, self._order]))

    def shares(self, columns: Floats) -> Floats:
        """Return the shares of all categories, (n, d)."""
        return softmax(columns @ self._scaling @ self._coefficients)[:, self._order]

    def interval(self, columns: Floats, z: float) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share, which reaches z standard errors."""
        x = columns @ self._scaling
        shares = softmax(x @ self._coefficients)
        variances = np.empty(shares.shape)
        for i, (row, p) in enumerate(zip(x, shares, strict=True)):
            slopes = (np.diag(p) - np.outer(p, p))[:, 1:]
            gradient = (row[None, :, None] * slopes[:, None, :]).reshape(len(p), -1)
            variances[i] = ((gradient @ self._covariance) * gradient).sum(axis=1)
        shares, variances = shares[:, self._order], variances[:, self._order]
        drawn = ((x @ self._crowding) * x).sum(axis=1, keepdims=True)
        noise = np.array([self._mechanism.analyst.estimator.noise(row) for row in shares])
        least = drawn * noise * (1 + _BENT * drawn * noise)
        fixed = np.maximum(variances - drawn * shares * (1 - shares), least)
        square = 1 + z**2 * drawn
        middle = (shares + z**2 * drawn / 2) / square
        reach = np.sqrt(middle**2 - (shares**2 - z**2 * fixed) / square)
        low, high = (middle - reach).clip(0, 1), (middle + reach).clip(0, 1)
        return _with_logits(shares, variances, z, low, high)


def _with_logits(
    shares: Floats, variances: Floats, z: float, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """Return intervals that hold those of the log-odds too, where these are known to within 1."""
    spread = shares * (1 - shares)
    known = variances <= np.square(spread)
    errors = np.sqrt(variances, where=known, out=np.zeros(shares.shape))
    reach = z * np.divide(errors, spread, where=known, out=np.zeros(shares.shape))
    odds = shares / np.where(shares < 1, 1 - shares, 1.0)
    below, above = (odds * np.exp(sign * reach) for sign in (-1, 1))
    low = np.where(known, np.minimum(low, below / (1 + below)), low)
    return low, np.where(known, np.maximum(high, above / (1 + above)), high)
