"""Planning: of people, ε and margin of error, any two give the third.

A margin is half the width of the confidence interval for the share of a rare category, z √(V0 / n)
with V0 = h(1 − h)/(g − h)². For shares up to a few percent, an estimate shows an interval of that
width.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from .. import theory
from ..arguments import alpha_of, whole
from ..errors import InvalidArgument
from .comparison import choose

if TYPE_CHECKING:
    from ..mechanisms import Mechanism

__all__ = ["Plan", "plan"]

# Below the least, nothing is learned; beyond the most, nothing is private.
_LEAST_EPSILON, _MOST_EPSILON = 1e-3, 20.0
_MOST_PEOPLE = 10**12


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
    mechanism : Mechanism
        The mechanism such a survey uses.
    margin : float
        Half the width of the interval for the share of a rare category.
    common_margin : float
        The same for a category that half of the people choose.
    detectable : float
        The smallest share whose estimate exceeds, nineteen times out of twenty, a threshold that
        the largest of d categories nobody holds exceeds only one time in twenty.
    squared_error : float
        The expected squared ℓ2 error of all frequencies, for these people.

    """

    d: int
    epsilon: float
    n: int
    level: float
    mechanism: Mechanism
    margin: float
    common_margin: float
    detectable: float
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

    Given a margin, it finds the fewest people, or the least ε, that reach it. The margin is half
    the width of an interval at the confidence level `level`.

    >>> plan(30, epsilon=1.0, n=50_000).margin  # doctest: +ELLIPSIS
    0.0161...
    >>> plan(30, epsilon=1.0, margin=0.01).n
    130008
    >>> round(plan(30, n=50_000, margin=0.01).epsilon, 2)
    1.51
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
    z = NormalDist().inv_cdf((1 + level) / 2)
    if epsilon is not None and n is not None:
        return _plan(choose(d, epsilon), n, level, z)
    if epsilon is not None and margin is not None:
        mechanism = choose(d, epsilon)
        return _plan(mechanism, _fewest_people(mechanism, margin, z), level, z)
    assert n is not None and margin is not None  # noqa: S101, PT018
    epsilon = _least_epsilon(d, int(n), margin, z)
    while (found := _plan(choose(d, epsilon), n, level, z)).margin > margin:
        epsilon = float(f"{1.001 * epsilon:.4g}")  # a short report costs up to 1 % of the error
    return found


def _plan(mechanism: Mechanism, n: int, level: float, z: float) -> Plan:
    shares = np.array([0.0, 0.5])
    rare, common = np.sqrt(mechanism.variance(shares, n))
    flat = np.array([1 / mechanism.d])  # the mechanisms that are chosen treat all values alike
    # The threshold that all d categories stay below if nobody holds them, and this share exceeds.
    normal = NormalDist()
    detectable = (normal.inv_cdf(1 - 0.05 / mechanism.d) + normal.inv_cdf(0.95)) * float(rare)
    return Plan(
        mechanism.d,
        mechanism.epsilon,
        n,
        level,
        mechanism,
        z * float(rare),
        z * float(common),
        min(detectable, 1.0),
        mechanism.d * float(mechanism.variance(flat, n, "sample")[0]),
    )


def _fewest_people(mechanism: Mechanism, margin: float, z: float) -> int:
    one = float(mechanism.variance(np.zeros(1), 1)[0])
    people = ceil(z**2 * one / margin**2)
    if people > _MOST_PEOPLE:
        rule = f"reached by at most {_MOST_PEOPLE:,} people at epsilon = {mechanism.epsilon:g}"
        raise InvalidArgument("plan", "margin", rule, margin)
    return people


def _least_epsilon(d: int, n: int, margin: float, z: float) -> float:
    """Return the least ε, to four digits, by bisection: the margin falls as ε grows."""

    def reached(epsilon: float) -> bool:
        k = theory.l2_optimal_k(d, epsilon)
        return bool(z * sqrt(theory.item_variance(d, epsilon, k, 0.0, n)) <= margin)

    low, high = _LEAST_EPSILON, _MOST_EPSILON
    if not reached(high):
        rule = f"reached by {n:,} people at epsilon <= {high:g}"
        raise InvalidArgument("plan", "margin", rule, margin)
    if reached(low):
        return low
    while high / low > 1 + 1e-5:
        middle = sqrt(low * high)
        low, high = (low, middle) if reached(middle) else (middle, high)
    return float(f"{high:.4g}")
