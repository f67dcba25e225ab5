"""Planning: of people, ε and margin of error, any two give the third.

A margin is what the interval of an estimate will show, on average (`margins`): that of a rare
category or option, or of the mean of numbers on a scale. For many people it is about z √(V / n),
where V is the variance that one report has, h(1 − h)/(g − h)² for a rare category.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import exp, log, sqrt
from typing import Any, overload

from ..analysis.estimate import Estimate
from ..device.answers.base import Answers
from ..device.answers.scale import Scale
from ..device.mechanisms.base import Mechanism
from ..errors import InvalidArgument
from ..errors.arguments import alpha_of, whole
from .planners import Planner, planner_of
from .plans import Plan, ScalePlan, SurveyPlan

Asked = int | Answers

__all__ = ["Asked", "plan", "plan_with"]

# Below the least, nothing is learned; beyond the most, nothing is private.
_LEAST_EPSILON, _MOST_EPSILON = 1e-3, 20.0
_SOME_PEOPLE, _MOST_PEOPLE = 10**4, 10**12
_ROUNDS = 6


@overload
def plan(
    answers: int | Answers[Estimate],
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


@overload
def plan(
    answers: Asked,
    *,
    epsilon: float | None = None,
    n: int | None = None,
    margin: float | None = None,
    level: float = 0.95,
) -> SurveyPlan: ...


def plan(
    answers: Asked,
    *,
    epsilon: float | None = None,
    n: int | None = None,
    margin: float | None = None,
    level: float = 0.95,
) -> SurveyPlan:
    """Plan a survey, given two of ε, people and margin.

    Answers are a number of categories, of which people choose one, or a kind of answers such as a
    `privet.Several` or a `privet.Scale`. Given a margin, it finds the fewest people that reach it:
    one person less would not. Or nearly the least ε: a short report may take 1 % more. The margin
    is that of a rare category or option, or of the mean on a scale, in its units. Intervals are at
    the confidence level `level`.

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
    planner = planner_of(answers)
    if margin is not None:
        planner.check(margin)
    alpha = alpha_of("plan", level)
    if n is not None:
        n = whole("plan", "n", n, 1)
    if epsilon is None:
        assert n is not None and margin is not None  # noqa: S101, PT018
        mechanism = _of_least_epsilon(planner, n, margin, alpha)
    else:
        mechanism = planner.choose(epsilon)
    if n is None:
        assert margin is not None  # noqa: S101
        n = _fewest_people(planner, mechanism, margin, alpha)
    found: SurveyPlan = planner.plan(mechanism, n, level)
    return found


@overload
def plan_with(
    answers: int | Answers[Estimate], mechanism: Mechanism, n: int, level: float
) -> Plan: ...


@overload
def plan_with(answers: Scale, mechanism: Mechanism, n: int, level: float) -> ScalePlan: ...


@overload
def plan_with(answers: Asked, mechanism: Mechanism, n: int, level: float) -> SurveyPlan: ...


def plan_with(answers: Asked, mechanism: Mechanism, n: int, level: float) -> SurveyPlan:
    """Return the plan of a survey that names its mechanism."""
    found: SurveyPlan = planner_of(answers).plan(mechanism, n, level)
    return found


def _fewest_people(planner: Planner[Any], mechanism: Mechanism, margin: float, alpha: float) -> int:
    """Return an n that reaches the margin, while n − 1 does not."""

    @cache
    def excess(n: int) -> float:
        return log(planner.reach(mechanism, n, alpha) / margin)

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


def _of_least_epsilon(planner: Planner[Any], n: int, margin: float, alpha: float) -> Mechanism:
    """Return the mechanism of a survey with nearly the least ε."""
    epsilon = _least_epsilon(planner, n, margin, alpha)
    while planner.reach(mechanism := planner.choose(epsilon), n, alpha) > margin:
        epsilon = float(f"{1.001 * epsilon:.4g}")  # a short report costs up to 1 % of the error
    return mechanism


def _least_epsilon(planner: Planner[Any], n: int, margin: float, alpha: float) -> float:
    """Return the least ε of the best reports, to four digits, by bisection."""

    def reached(epsilon: float) -> bool:
        return planner.reach(planner.best(epsilon), n, alpha) <= margin

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
