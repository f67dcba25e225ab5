"""The interval design: windows of neighbouring cells, for values that have an order.

Window z covers the cells z − w + 1, …, z that there are. With B cells and z = 0, …, B + w − 2,
every cell lies in exactly w of B + w − 1 windows, so that

    Q(z | x) = (E if window z covers x else 1) / (wE + B − 1)

is a mechanism like any other, where E = odds / 2^scale is at or just below e^ε. A report that
misses is as likely anywhere; one that hits is near the person's cell, which is all that means and
quantiles need (the discrete form of the square wave of Li et al., Estimating numerical
distributions under local differential privacy, 2020).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import exp, expm1
from typing import ClassVar, Literal

from ....errors.arguments import is_whole
from ..base import Exclusive, Problem, exactly
from ..numbered import Placed, Shape

# Shares are decoded by as many equations.
MOST_CELLS = 2048


class Interval(Placed, Exclusive):
    r"""Report the number of a window of neighbouring cells, more likely one that covers the value.

    Parameters
    ----------
    cells : int in [2, 2048]
        The number of ordered values.
    epsilon : float
        The privacy level: no report is more than e^ε times likelier under one value than another.
    window : int or "mean", optional
        How many cells a window covers, at most as many as there are; by default the width that
        tells most about the whole distribution. "mean" takes the one from which the mean of evenly
        spread numbers is estimated with the least error; it is wider.

    >>> Interval(64, 1.0), Interval(64, 1.0, "mean")
    (Interval(d=64, epsilon=1.0, window=33), Interval(d=64, epsilon=1.0, window=44))
    >>> Interval(5, 1.0, window=2).members(b"\x00"), Interval(5, 1.0, window=2).members(b"\x03")
    ([0], [2, 3])

    """

    name: ClassVar[str] = "interval"
    _shape: ClassVar[tuple[str, ...]] = ("window",)
    window: int

    def __init__(
        self, cells: int, epsilon: float, window: int | Literal["mean"] | None = None
    ) -> None:
        cells, epsilon = self._check_domain(cells, epsilon)
        if window is None:
            window = _window_for_shape(cells, epsilon)
        elif window == "mean":
            window = _window_for_mean(min(cells, MOST_CELLS), epsilon)
        self._choose(cells, epsilon, (window,))

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> Problem | None:
        (window,) = shape
        if d > MOST_CELLS:
            return "cells", f"at most {MOST_CELLS}", d
        if not is_whole(window) or not 1 <= window <= d:
            return "window", f"an int in [1, {d}]", window
        return None

    @classmethod
    def _weighed(cls, d: int, shape: Shape) -> tuple[int, int]:
        (window,) = shape
        return d + window - 1, window

    @property
    def numbers(self) -> int:
        """A report for every window that covers any cell."""
        return self.d + self.window - 1

    @property
    def holding(self) -> int:
        """Every cell is covered by as many windows as a window covers cells."""
        return self.window

    @property
    def server_steps(self) -> tuple[float, float]:
        """A report is counted by its number; then there are as many equations as cells."""
        return 1.0, self.d**3 / 3

    @cached_property
    def slope(self) -> Fraction:
        """Exactly ρ = w(E − 1)/(wE + B − 1), by which the mean centre of windows follows a value.

        A report is, with probability ρ, any window that covers the value and, with 1 − ρ, any
        window at all; so its centre z − (w − 1)/2 has the mean ρx + (1 − ρ)(B − 1)/2.
        """
        return exactly(self.window * (self.odds - (1 << self.scale)), self.total)

    def _number_at(self, value: int, place: int) -> int:
        """Return the windows that cover the value, and then the others, round and round."""
        return (value + place) % self.numbers

    def _chance(self, report: bytes, value: int) -> Fraction:
        covers = 0 <= int.from_bytes(report, "little") - value < self.window
        return exactly(self.odds if covers else 1 << self.scale, self.total)

    def members(self, report: bytes) -> list[int]:
        """Return the cells that the reported window covers, in increasing order."""
        self._check_report(report)
        last = int.from_bytes(report, "little")
        return [*range(max(0, last - self.window + 1), min(last + 1, self.d))]


def _window_for_shape(cells: int, epsilon: float) -> int:
    """Return B(εE − E + 1) / (E(E − 1 − ε)), rounded: the square wave's width, in cells."""
    if epsilon < 1e-3:
        share = 1 - 2 * epsilon / 3  # the first terms of its series
    else:
        share = (epsilon + expm1(-epsilon)) / (expm1(epsilon) - epsilon)
    return max(1, round(cells * share))


def _window_for_mean(cells: int, epsilon: float) -> int:
    """Return the window of the least variance (Var c)/ρ² of the mean of evenly spread cells.

    The centre c has the variance ρ(B² + w² − 2)/12 + (1 − ρ)((B + w − 1)² − 1)/12 there. For the
    numbers that are worst, half of them at either end, its error is within 2 % of the least.
    """
    q = exp(-epsilon)

    def error(window: int) -> float:
        rho = window * -expm1(-epsilon) / (window + (cells - 1) * q)
        near, far = cells**2 + window**2 - 2, (cells + window - 1) ** 2 - 1
        return (rho * near + (1 - rho) * far) / rho**2

    return min(range(1, cells + 1), key=error)
