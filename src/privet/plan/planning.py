"""Planning: of people, ε and margin of error, any two give the third.

A margin is what the interval of an estimate will show, on average (`margins`). For many people it
is about z √(V0 / n) with V0 = h(1 − h)/(g − h)².
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ..analysis.presence import detectable_share
from ..arguments import alpha_of, whole
from ..errors import InvalidArgument
from ..mechanisms.subsets.k_subset import KSubset
from .comparison import choose
from .margins import common_margin, rare_margin

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..mechanisms.symmetric import Symmetric

__all__ = ["Plan", "plan"]

# Below the least, nothing is learned; beyond the most, nothing is private.
_LEAST_EPSILON, _MOST_EPSILON = 1e-3, 20.0
_MOST_PEOPLE = 10**12
_ROUNDS = 6


@dataclass(frozen=True)
class Plan:
    """How accurate a survey would be.

    Attributes
    ----------
    d : int
        The number of categories.
    epsilon : float
        The privacy level of one report.
    n : int
        The number of people.
    level : float
        The confidence level of the intervals.
    mechanism : Symmetric
        The mechanism such a survey uses.
    margin : float
        How far the interval of a rare category will reach beyond its estimate, on average: its
        upper end, for a category that nobody holds.
    common_margin : float
        Half the width of the interval of a category that half of the crowd holds, on average.
    detectable : float or None
        The smallest share whose count reaches, nineteen times out of twenty, a threshold that any
        of d categories nobody holds reaches at most one time in twenty; exactly, by binomial tails.
        None where not even a category that everybody holds would reach it.
    squared_error : float
        The expected squared ℓ2 error of all frequencies, for these people.

    """

    d: int
    epsilon: float
    n: int
    level: float
    mechanism: Symmetric
    margin: float
    common_margin: float
    detectable: float | None
    squared_error: float

    @property
    def report_bytes(self) -> int:
        """The size of a report."""
        return self.mechanism.report_bytes


def plan(
    d: int,
    *,
    epsilon: float | None = None,
    n: int | None = None,
    margin: float | None = None,
    level: float = 0.95,
) -> Plan:
    """Plan a survey of d categories, given two of ε, people and margin.

    Given a margin, it finds the fewest people that reach it: one person less would not. Or nearly
    the least ε: a short report may take 1 % more. Intervals are at the confidence level `level`.

    >>> round(plan(30, epsilon=1.0, n=50_000).margin, 4)
    0.0163
    >>> plan(30, epsilon=1.0, margin=0.01).n
    132290
    >>> round(plan(30, n=50_000, margin=0.01).epsilon, 2)
    1.53
    """
    given = {"epsilon": epsilon, "n": n, "margin": margin}
    if sum(value is not None for value in given.values()) != 2:
        named = ", ".join(name for name, value in given.items() if value is not None)
        raise InvalidArgument("plan", "epsilon, n, margin", "two of the three", named or "none")
    alpha_of("plan", level)
    if margin is not None and not (isinstance(margin, float) and 0 < margin < 1):
        raise InvalidArgument("plan", "margin", "a float in (0, 1)", margin)
    if n is not None:
        n = whole("plan", "n", n, 1)
    if epsilon is not None and n is not None:
        return _plan(choose(d, epsilon), n, level)
    if epsilon is not None and margin is not None:
        mechanism = choose(d, epsilon)
        return _plan(mechanism, _fewest_people(mechanism, margin, 1 - level), level)
    assert n is not None and margin is not None  # noqa: S101, PT018
    epsilon = _least_epsilon(d, int(n), margin, 1 - level)
    while rare_margin(mechanism := choose(d, epsilon), n, 1 - level) > margin:
        epsilon = float(f"{1.001 * epsilon:.4g}")  # a short report costs up to 1 % of the error
    return _plan(mechanism, n, level)


def _plan(mechanism: Symmetric, n: int, level: float) -> Plan:
    flat = np.array([1 / mechanism.d])  # symmetric: one value stands for all
    return Plan(
        mechanism.d,
        mechanism.epsilon,
        n,
        level,
        mechanism,
        rare_margin(mechanism, n, 1 - level),
        common_margin(mechanism, n, 1 - level),
        detectable_share(mechanism, n),
        mechanism.d * float(mechanism.variance(flat, n, "sample")[0]),
    )


def _fewest_people(mechanism: Symmetric, margin: float, alpha: float) -> int:
    """Return an n that reaches the margin, while n − 1 does not."""

    @cache
    def excess(n: int) -> float:
        return log(rare_margin(mechanism, n, alpha) / margin)

    near = _most_likely(excess, _by_normal_law(mechanism, margin, alpha))
    low, high, step = near - 1, near, 1
    while excess(high) > 0:
        low, high, step = high, high + step, 2 * step
        if high > _MOST_PEOPLE:
            rule = f"reached by at most {_MOST_PEOPLE:,} people at epsilon = {mechanism.epsilon:g}"
            raise InvalidArgument("plan", "margin", rule, margin)
    while low > 0 and excess(low) <= 0:
        low, high, step = max(low - step, 0), low, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if excess(middle) <= 0 else (middle, high)
    return high


def _by_normal_law(mechanism: Symmetric, margin: float, alpha: float) -> int:
    one = float(mechanism.variance(np.zeros(1), 1)[0])
    people = NormalDist().inv_cdf(1 - alpha / 2) ** 2 * one / margin**2
    return int(min(max(people, 1), _MOST_PEOPLE))


def _most_likely(excess: Callable[[int], float], n: int) -> int:
    """Return where log(margin) is about as wished: it falls by 1/2 to 1 times log(n)."""
    slope = -0.5
    for _ in range(_ROUNDS):
        next_n = int(min(max(n * exp(-excess(n) / slope), 1), _MOST_PEOPLE))
        if abs(next_n - n) <= 1:
            break
        slope = min(max((excess(next_n) - excess(n)) / log(next_n / n), -1.0), -0.5)
        n = next_n
    return n


def _least_epsilon(d: int, n: int, margin: float, alpha: float) -> float:
    """Return the least ε of k-subset reports, to four digits, by bisection."""

    def reached(epsilon: float) -> bool:
        return rare_margin(KSubset(d, epsilon), n, alpha) <= margin

    low, high = _LEAST_EPSILON, _MOST_EPSILON
    if not reached(high):
        rule = f"reached by {n:,} people at epsilon <= {high:g}"
        raise InvalidArgument("plan", "margin", rule, margin)
    if reached(low):
        return low
    while high / low > 1 + 1e-4:
        middle = sqrt(low * high)
        low, high = (low, middle) if reached(middle) else (middle, high)
    return float(f"{high:.4g}")
