"""Planning: of people, ε and margin of error, any two give the third.

A margin is what the interval of an estimate will show, on average (`margins`): that of a rare
category or option, or of the mean of numbers on a scale. For many people it is about z √(V / n),
where V is the variance that one report has, h(1 − h)/(g − h)² for a rare category.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt
from typing import Any, overload

import numpy as np

from ..analysis.presence import detectable_share
from ..device.answers.base import Answers
from ..device.answers.scale import Scale
from ..device.answers.several import Several
from ..device.mechanisms.base import Mechanism
from ..device.mechanisms.choosing import choose
from ..device.mechanisms.scales.interval import Interval
from ..device.mechanisms.subsets.k_subset import KSubset
from ..errors import InvalidArgument
from ..errors.arguments import alpha_of, is_finite, whole
from .margins import common_margin, mean_margin, rare_margin, share_margin

Asked = int | Several | Scale

__all__ = ["Plan", "ScalePlan", "best_mechanism", "margin_of", "plan", "plan_with"]

# Below the least, nothing is learned; beyond the most, nothing is private.
_LEAST_EPSILON, _MOST_EPSILON = 1e-3, 20.0
_SOME_PEOPLE, _MOST_PEOPLE = 10**4, 10**12
_ROUNDS = 6


@dataclass(frozen=True)
class Plan:
    """How accurate a survey would be, of one choice or of several.

    Attributes
    ----------
    answers : int or Several
        The number of categories, or the options.
    epsilon : float
        The privacy level of one report.
    n : int
        The number of people.
    level : float
        The confidence level of the intervals.
    mechanism : Mechanism
        The mechanism such a survey uses.
    margin : float
        How far the interval of a rare category will reach beyond its estimate, on average: its
        upper end, for a category that nobody holds.
    common_margin : float
        Half the width of the interval of a category that half of the crowd holds, on average.
    detectable : float or None
        The smallest share whose count reaches, nineteen times out of twenty, a threshold that any
        of d categories nobody holds reaches at most one time in twenty; exactly, by binomial tails.
        None where not even a category that everybody holds would reach it, and for mechanisms of
        several choices that are not symmetric.
    squared_error : float
        The expected squared ℓ2 error of all frequencies, for these people: if all categories have
        the same share, or if people chose half as many options as they may.

    """

    answers: int | Several
    epsilon: float
    n: int
    level: float
    mechanism: Mechanism
    margin: float
    common_margin: float
    detectable: float | None
    squared_error: float

    @property
    def d(self) -> int:
        """The number of categories or options."""
        return self.mechanism.d

    @property
    def report_bytes(self) -> int:
        """The size of a report."""
        return self.mechanism.report_bytes


@dataclass(frozen=True)
class ScalePlan:
    """How accurate a survey of numbers would be, if they were spread evenly over the scale.

    Where ε or n is so small that intervals reach beyond the ends of what is possible, they are cut
    off there and are shorter than planned.

    Attributes
    ----------
    answers : Scale
        The scale.
    epsilon : float
        The privacy level of one report.
    n : int
        The number of people.
    level : float
        The confidence level of the intervals.
    mechanism : Interval
        The mechanism such a survey uses.
    margin : float
        Half the width of the interval of the mean, in the scale's units.
    share_margin : float
        Half the width of the interval of the share of numbers in the lower half of the scale; the
        middle one of an odd number of cells counts with the upper half.

    """

    answers: Scale
    epsilon: float
    n: int
    level: float
    mechanism: Interval
    margin: float
    share_margin: float

    @property
    def report_bytes(self) -> int:
        """The size of a report."""
        return self.mechanism.report_bytes


@overload
def plan(
    answers: int | Several,
    *,
    epsilon: float | None = None,
    n: int | None = None,
    margin: float | None = None,
    level: float = 0.95,
) -> Plan: ...


@overload
def plan(
    answers: Scale,
    *,
    epsilon: float | None = None,
    n: int | None = None,
    margin: float | None = None,
    level: float = 0.95,
) -> ScalePlan: ...


def plan(
    answers: Asked,
    *,
    epsilon: float | None = None,
    n: int | None = None,
    margin: float | None = None,
    level: float = 0.95,
) -> Plan | ScalePlan:
    """Plan a survey, given two of ε, people and margin.

    Answers are a number of categories, of which people choose one, a `privet.Several` or a
    `privet.Scale`. Given a margin, it finds the fewest people that reach it: one person less would
    not. Or nearly the least ε: a short report may take 1 % more. The margin is that of a rare
    category or option, or of the mean on a scale, in its units. Intervals are at the confidence
    level `level`.

    >>> round(plan(30, epsilon=1.0, n=50_000).margin, 4)
    0.0162
    >>> plan(30, epsilon=1.0, margin=0.01).n
    131206
    >>> round(plan(30, n=50_000, margin=0.01).epsilon, 2)
    1.52
    >>> from privet import Scale
    >>> round(plan(Scale(0, 120, 61, "years"), epsilon=1.0, n=10_000).margin, 1)
    2.6

    """
    given = {"epsilon": epsilon, "n": n, "margin": margin}
    if sum(value is not None for value in given.values()) != 2:
        named = ", ".join(name for name, value in given.items() if value is not None)
        raise InvalidArgument("plan", "epsilon, n, margin", "two of the three", named or "none")
    _check(answers, margin)
    alpha = alpha_of("plan", level)
    if n is not None:
        n = whole("plan", "n", n, 1)
    if epsilon is None:
        assert n is not None and margin is not None  # noqa: S101, PT018
        mechanism = _of_least_epsilon(answers, n, margin, alpha)
    else:
        mechanism = _chosen(answers, epsilon)
    if n is None:
        assert margin is not None  # noqa: S101
        n = _fewest_people(answers, mechanism, margin, alpha)
    return plan_with(answers, mechanism, n, level)


def plan_with(answers: Asked, mechanism: Any, n: int, level: float) -> Plan | ScalePlan:
    """Return the plan of a survey that names its mechanism."""
    alpha, epsilon = 1 - level, mechanism.epsilon
    if isinstance(answers, Scale):
        margins = mean_margin, share_margin
        both = (margin(answers, mechanism, n, alpha) for margin in margins)
        return ScalePlan(answers, epsilon, n, level, mechanism, *both)
    d = mechanism.d
    usual = np.array([(1 if isinstance(answers, int) else answers.most / 2) / d])  # all are alike
    return Plan(
        answers,
        epsilon,
        n,
        level,
        mechanism,
        rare_margin(mechanism, n, alpha),
        common_margin(mechanism, n, alpha),
        detectable_share(mechanism, n),
        d * float(mechanism.variance(usual, n, "sample")[0]),
    )


def margin_of(answers: Asked, mechanism: Any, n: int, alpha: float) -> float:
    """Return the margin that a plan is made for."""
    if isinstance(answers, Scale):
        return mean_margin(answers, mechanism, n, alpha)
    return rare_margin(mechanism, n, alpha)


def best_mechanism(answers: Asked, epsilon: float) -> Mechanism:
    """Return the mechanism of the least error, without a look at how short its reports are."""
    return answers.choose(epsilon) if isinstance(answers, Answers) else KSubset(answers, epsilon)


def _chosen(answers: Asked, epsilon: float) -> Mechanism:
    """Return the mechanism of a survey that names none."""
    return answers.choose(epsilon) if isinstance(answers, Answers) else choose(answers, epsilon)


def _check(answers: object, margin: float | None) -> None:
    if isinstance(answers, Answers) and not isinstance(answers, Several | Scale):
        rule = "a number of categories, a Several or a Scale"
        raise InvalidArgument("plan", "answers", rule, answers)
    if margin is None:
        return
    if isinstance(answers, Scale):
        most = (answers.high - answers.low) / 2
        if not is_finite(margin) or not 0 < margin < most:
            rule = f"a number in (0, {most:g}), in the scale's units"
            raise InvalidArgument("plan", "margin", rule, margin)
    elif not (isinstance(margin, float) and 0 < margin < 1):
        raise InvalidArgument("plan", "margin", "a float in (0, 1)", margin)


def _fewest_people(answers: Asked, mechanism: Mechanism, margin: float, alpha: float) -> int:
    """Return an n that reaches the margin, while n − 1 does not."""

    @cache
    def excess(n: int) -> float:
        return log(margin_of(answers, mechanism, n, alpha) / margin)

    near = _most_likely(excess)
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


def _most_likely(excess: Callable[[int], float]) -> int:
    """Return where log(margin) is about as wished: it falls by 1/2 to 1 times log(n)."""
    n, slope = _SOME_PEOPLE, -0.5
    for _ in range(_ROUNDS):
        next_n = int(min(max(n * exp(-excess(n) / slope), 1), _MOST_PEOPLE))
        if abs(next_n - n) <= 1:
            break
        slope = min(max((excess(next_n) - excess(n)) / log(next_n / n), -1.0), -0.5)
        n = next_n
    return n


def _of_least_epsilon(answers: Asked, n: int, margin: float, alpha: float) -> Mechanism:
    """Return the mechanism of a survey with nearly the least ε."""
    epsilon = _least_epsilon(answers, n, margin, alpha)
    while margin_of(answers, mechanism := _chosen(answers, epsilon), n, alpha) > margin:
        epsilon = float(f"{1.001 * epsilon:.4g}")  # a short report costs up to 1 % of the error
    return mechanism


def _least_epsilon(answers: Asked, n: int, margin: float, alpha: float) -> float:
    """Return the least ε of the best reports, to four digits, by bisection."""

    def reached(epsilon: float) -> bool:
        return margin_of(answers, best_mechanism(answers, epsilon), n, alpha) <= margin

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
