"""Intervals and tests of a logit's coefficients, from the likelihood itself where it is not round.

Where ℓ is nearly quadratic around its maximum in the direction of a coefficient b, the interval is
Wald's, b ± z·s. Elsewhere its ends are where the profile likelihood has fallen by z²/2:

    ℓ(β̂) − max {ℓ(β): β_k = b} = z²/2.

An end that is not reached within three times Wald's reach is infinite. A category that the reports
do not distinguish from an empty one has log-odds without a lower bound, and every interval of a
coefficient that covers the truth as often as it says must be unbounded sometimes (Gleser, Hwang
1987). A coefficient is *withheld*, and its interval is the whole line, where the likelihood is no
guide at all:

- its standard error is above 1.5 for a change of a covariate by two standard deviations, or
- at b ± 1.96·s, twice the fall of ℓ is less than half or more than twice 1.96².

With weights, ℓ is not the likelihood of the people who were drawn. Where it is round, the variance
is the sandwich's. Elsewhere it is that of ℓ times the design effect Σw²/Σw if that is larger,
because a sandwich of few people is too small; falls of ℓ are divided by its ratio to the variance
of ℓ (Rotnitzky, Jewell 1990).
"""

from __future__ import annotations

from functools import cached_property
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .logit import LogitLikelihood, Maximum, maximize

__all__ = ["Profiles"]

_USUAL = 1.96
_ROUND, _MISSHAPEN = 0.1, 2.0
_LARGEST_ERROR = 1.5
_FARTHEST, _CLOSE, _MOST_TRIES = 3.0, 0.005, 12
# A profile's maximum needs no more precision than its fall does.
_NEAR_ENOUGH = 1e-5


class Profiles:
    """The likelihood along each of some linear functions of its coefficients.

    Parameters
    ----------
    likelihood, maximum
        Of the scaled columns.
    functions : array (functions, coefficients)
        One row of weights for each function, such as a coefficient of the columns as they were.
    lengths : array (functions,)
        How much a function changes while a covariate changes by two standard deviations.
    covariance : array
        The covariance of the coefficients, which that of ℓ is corrected to.

    """

    def __init__(
        self,
        likelihood: LogitLikelihood,
        maximum: Maximum,
        functions: Floats,
        lengths: Floats,
        covariance: Floats,
    ) -> None:
        self._likelihood, self._maximum, self._functions = likelihood, maximum, functions
        self.design_effect = likelihood.design_effect
        self.values = functions @ maximum.coefficients.ravel()
        self._moves = functions @ maximum.inverse
        variances = (self._moves * functions).sum(axis=1)
        self._errors = np.sqrt(variances)
        self._robust = np.sqrt(((functions @ covariance) * functions).sum(axis=1))
        self._larger = np.maximum(self._robust, sqrt(likelihood.design_effect) * self._errors)
        # A fall of ℓ by z²/2 in units of the likelihood's own error is one of so many of the real.
        self._inflation = self._larger / self._errors
        self._precise = self._larger <= _LARGEST_ERROR * lengths

    @cached_property
    def _falls(self) -> Floats:
        """By how much ℓ falls to either side, compared with a quadratic: (functions, 2)."""
        falls = np.full((len(self.values), 2), inf)
        for k in np.flatnonzero(self._precise).tolist():
            for side in (0, 1):
                away = (2 * side - 1) * _USUAL * self._inflation[k]
                there = self._likelihood.value(self._at(k, away))
                falls[k, side] = 2 * (self._maximum.look.value - there) / away**2
        return falls

    @cached_property
    def withheld(self) -> NDArray[np.bool_]:
        """Which functions the likelihood is no guide to."""
        shaped = (self._falls > 1 / _MISSHAPEN) & (self._falls < _MISSHAPEN)
        return np.asarray(~(self._precise & shaped.all(axis=1)))

    @cached_property
    def standard_errors(self) -> Floats:
        """The standard error of each function."""
        return np.asarray(np.where(self._round, self._robust, self._larger))

    @cached_property
    def _round(self) -> NDArray[np.bool_]:
        return np.asarray((np.abs(self._falls - 1) < _ROUND).all(axis=1))

    def interval(self, z: float) -> tuple[Floats, Floats]:
        """Return the ends of intervals that reach z standard errors, infinite where withheld."""
        reach = np.stack([-z * self.standard_errors, z * self.standard_errors])
        reach[:, self.withheld] = [[-inf], [inf]]
        for k in np.flatnonzero(~self.withheld & ~self._round).tolist():
            reach[0, k], reach[1, k] = self._end(k, z, -1), self._end(k, z, 1)
        return self.values + reach[0], self.values + reach[1]

    def distances(self) -> Floats:
        """Return how many standard errors each function is from 0, as its interval has it."""
        away = self.values / self.standard_errors
        for k in np.flatnonzero(~self.withheld & ~self._round).tolist():
            at = -self.values[k] / self._errors[k]
            away[k] = self._root(k, at) / self._inflation[k]
        away[self.withheld] = np.nan
        return away

    def _at(self, k: int, away: float) -> Floats:
        """Return the point at which a function is so many errors away, were ℓ quadratic."""
        move = away * self._moves[k] / self._errors[k]
        start = self._maximum.coefficients
        return np.asarray(start + move.reshape(start.shape))

    def _root(self, k: int, away: float) -> float:
        """Return the square root of twice the fall of ℓ's profile so many errors away."""
        there = maximize(self._likelihood, self._at(k, away), self._functions[k], near=_NEAR_ENOUGH)
        return sqrt(max(0.0, 2 * (self._maximum.look.value - there.look.value)))

    def _end(self, k: int, z: float, side: int) -> float:
        """Return how far from its value an end of a function's interval is, or infinity."""
        z = z * self._inflation[k]
        near, fallen_near, far, fallen_far = 0.0, 0.0, 0.0, 0.0
        at = z
        for _ in range(_MOST_TRIES):
            fallen = self._root(k, side * at)
            if abs(fallen - z) < _CLOSE * z:
                break
            if fallen < z:
                if at >= _FARTHEST * z:
                    return side * inf
                near, fallen_near = at, fallen
            else:
                far, fallen_far = at, fallen
            if far:
                at = near + (far - near) * (z - fallen_near) / (fallen_far - fallen_near)
            else:
                at = min(_FARTHEST * z, at * min(max(z / max(fallen, 1e-9), 1.05), 2.5))
        return float(side * at * self._errors[k])
