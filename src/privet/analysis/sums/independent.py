"""Independent estimates: how much larger one is than another, or than what is known.

Whatever is compared comes with intervals [l(z), u(z)] at every level, that of a normal quantile z.
Two that are independent make one for their difference. A pair of numbers is compatible with both if
its first number is in one's interval at z cos φ and the second in the other's at z sin φ, for some
angle φ: then the squares of how far it is from both add up to z² at most. The ends are the least
and the largest difference of such pairs:

    low = min l₁(z cos φ) − u₂(z sin φ),    high = max u₁(z cos φ) − l₂(z sin φ)    over φ.

For normal estimates this is the usual interval, z times the root of both squared errors. What does
not shrink with z (rounded answers, cells of a scale) is added up, as it must be. Over a grid of
angles, z is larger by as much as the grid may miss. A p-value is the least α at which the interval
of level 1 − α does not contain 0, so that a test and its interval never disagree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import cos, hypot, pi, sin
from statistics import NormalDist
from typing import Protocol

import numpy as np

from ...errors.arguments import alpha_of
from ..arrays import Floats

_Ends = tuple[Floats, Floats]

__all__ = ["NARROWEST", "Change", "Known", "Uncertain", "subtracted", "tidied"]

# The least level of an interval, in place of any below it; a p-value above 1 − this is 1.
NARROWEST = 0.05
_LEAST_P = 1e-12
# What counts as 0, as a part of the largest difference that there may be.
_ZERO = 1e-9
_NEAR = 1e-6  # how near z is to where an interval ends at 0
_ANGLES = [pi / 12 * i for i in range(7)]
_MISSED = cos(pi / 24)  # of normal estimates' interval, by the grid of angles


class Uncertain(Protocol):
    """An estimate with its error: a `Measured`, a `Total`, or the share of a category."""

    @property
    def value(self) -> float:
        """The estimate."""

    @property
    def standard_error(self) -> float:
        """Its standard error."""

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of a confidence interval."""


@dataclass(frozen=True)
class Known:
    """A number that is known without an error."""

    value: float
    standard_error: float = 0.0

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the number, twice."""
        return self.value, self.value


@dataclass(frozen=True, repr=False)
class Change:
    """How much larger one estimate is than another of other people, or than a known number.

    Attributes
    ----------
    before : Uncertain
        What it is compared with.
    after : Uncertain
        What is compared.
    most : float
        The largest difference that is possible: 1 between shares.

    >>> from privet import Scale, Survey
    >>> survey = Survey("How old are you?", Scale(0, 120, unit="years"), 4.0)
    >>> waves = [survey.tally(), survey.tally()]
    >>> for tally, age in zip(waves, (35, 55), strict=True):
    ...     tally.update(survey.randomize_batch([age] * 1000))
    >>> before, after = (tally.estimate() for tally in waves)
    >>> older = after.change(before).mean()
    >>> low, high = older.interval(0.95)
    >>> low > 0, older.p_value <= 0.05
    (True, True)

    """

    before: Uncertain
    after: Uncertain
    most: float = 1.0

    def __repr__(self) -> str:
        return f"Change(value={self.value!r}, standard_error={self.standard_error!r})"

    @cached_property
    def value(self) -> float:
        """The estimate of after − before."""
        return self.after.value - self.before.value

    @property
    def standard_error(self) -> float:
        """The standard error of the value."""
        return hypot(self.after.standard_error, self.before.standard_error)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of a confidence interval, within what is possible."""
        alpha_of("Change.interval", level)
        return self._ends(level)

    @cached_property
    def p_value(self) -> float:
        """The least α at which the interval of level 1 − α does not contain 0."""

        def margin(alpha: float) -> float:
            low, high = self._ends(1 - alpha)
            return max(low, -high)

        return _least_alpha(margin)

    def adjusted(self, tests: int) -> float:
        """Return the p-value, adjusted for being one of so many (Bonferroni)."""
        if tests > 1:
            low, high = self._ends(1 - 1 / tests)
            if low <= 0 <= high:  # which is found much faster than the p-value
                return 1.0
        return min(tests * self.p_value, 1.0)

    def _ends(self, level: float) -> tuple[float, float]:
        def after(level: float) -> _Ends:
            return _arrays(self.after.interval(level))

        def before(level: float) -> _Ends:
            return _arrays(self.before.interval(level))

        known = isinstance(self.before, Known)
        low, high = subtracted(after, before, level, known=known)
        low, high = tidied(low, high, self.most)
        return float(low), float(high)


def _arrays(ends: tuple[float, float]) -> _Ends:
    return np.array(ends[0]), np.array(ends[1])


def subtracted(
    after: Callable[[float], _Ends], before: Callable[[float], _Ends], level: float, *, known: bool
) -> _Ends:
    """Return the ends for the difference of two, from their intervals at all levels."""
    if known:
        (low, high), (first, last) = after(level), before(level)
        return low - last, high - first
    normal = NormalDist()
    z = normal.inv_cdf((1 + level) / 2) / _MISSED
    levels = [1 - 2 * normal.cdf(-z * sin(angle)) for angle in _ANGLES]
    levels = [min(max(level, NARROWEST), 1 - _LEAST_P / 10) for level in levels]
    one, other = [after(level) for level in reversed(levels)], [before(level) for level in levels]
    pairs = list(zip(one, other, strict=True))
    low = np.min([low - last for (low, _), (_, last) in pairs], axis=0)
    high = np.max([high - first for (_, high), (first, _) in pairs], axis=0)
    return low, high


def tidied(low: Floats, high: Floats, most: float) -> _Ends:
    """Return the ends within what is possible; one that is nothing but a rounding error is 0."""
    low, high = (
        np.where(abs(end) < _ZERO * most, 0.0, np.clip(end, -most, most)) for end in (low, high)
    )
    return low, high


def _least_alpha(margin: Callable[[float], float]) -> float:
    """Return the least α at which the margin by which 0 is outside an interval is positive.

    >>> round(_least_alpha(lambda alpha: alpha - 0.03), 6)
    0.03
    >>> _least_alpha(lambda alpha: 1), _least_alpha(lambda alpha: 0)
    (1e-12, 1.0)
    """
    from scipy.optimize import brentq

    if margin(_LEAST_P) > 0:
        return _LEAST_P
    widest = margin(1 - NARROWEST)
    if widest <= 0:
        return 1.0
    normal = NormalDist()

    def excess(z: float) -> float:
        by = margin(2 * normal.cdf(-z))
        return by if by > 0 else min(by, -_ZERO * widest)

    ends = -normal.inv_cdf((1 - NARROWEST) / 2), -normal.inv_cdf(_LEAST_P / 2)
    return 2 * normal.cdf(-float(brentq(excess, *ends, xtol=_NEAR)))
