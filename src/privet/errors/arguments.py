"""Checks of arguments, in one place: what is a whole number, a real one, a level.

Numbers of numpy's own types are as good as Python's; True and False are not numbers here.
"""

from __future__ import annotations

from numbers import Integral, Real
from sys import float_info
from typing import TypeGuard, cast

from . import InvalidArgument

__all__ = [
    "alpha_of",
    "check_target",
    "is_finite",
    "is_whole",
    "positive",
    "whole",
]


def is_whole(value: object) -> TypeGuard[int]:
    """Tell whether a value is an integer of any type but bool.

    >>> is_whole(3), is_whole(True), is_whole(3.0)
    (True, False, False)
    """
    if isinstance(value, int):
        return not isinstance(value, bool)
    return isinstance(value, Integral)


def is_finite(value: object) -> TypeGuard[float]:
    """Tell whether a value is a number of any type but bool, and a float can hold it.

    >>> is_finite(3), is_finite(True), is_finite(float("nan")), is_finite(10**400)
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    number = cast("float", value)  # which compares like one
    return bool(-float_info.max <= number <= float_info.max)


def whole(owner: str, parameter: str, value: object, low: int, high: int | None = None) -> int:
    """Return a whole number in [low, high] as an int, or raise InvalidArgument.

    >>> whole("KSubset", "d", 10, 2)
    10
    """
    if is_whole(value) and low <= value and (high is None or value <= high):
        return int(value)
    rule = f"an int >= {low}" if high is None else f"an int in [{low}, {high}]"
    raise InvalidArgument(owner, parameter, rule, value)


def positive(owner: str, parameter: str, value: object) -> float:
    """Return a finite number above 0 as a float, or raise InvalidArgument.

    >>> positive("plan", "margin", 1)
    1.0
    """
    if not is_finite(value) or float(value) <= 0:
        raise InvalidArgument(owner, parameter, "a finite number > 0", value)
    return float(value)


def alpha_of(owner: str, level: object, name: str = "level") -> float:
    """Return 1 − level for a level of confidence strictly between 0 and 1, or raise.

    >>> alpha_of("Total.interval", 0.75)
    0.25
    """
    if not isinstance(level, float) or not 0 < level < 1:
        raise InvalidArgument(owner, name, "a float in (0, 1)", level)
    return 1 - level


def check_target(owner: str, target: object, n: int | None = None) -> None:
    """Raise InvalidArgument for whatever is not one of those whose shares are estimated.

    The sample, a population without end, or a number of people of whom n took part.

    >>> check_target("total", "sample")
    >>> check_target("total", 83_200_000, n=1000)
    """
    if isinstance(target, str) and target in ("population", "sample"):
        return
    if n is None:
        raise InvalidArgument(owner, "target", "'population' or 'sample'", target)
    if not is_whole(target) or target < n:
        rule = f"'population', 'sample' or a number of people, an int >= {n}"
        raise InvalidArgument(owner, "target", rule, target)
