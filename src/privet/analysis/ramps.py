"""Ramps: shares of numbers on a scale that reports can tell, where a border is too sharp.

A ramp of length L counts the cells next to a border b in part,

    lower(x) = clip((b − x)/(L + 1), 0, 1)  ≤  [x < b],
    upper(x) = clip((b + L − x)/(L + 1), 0, 1)  ≥  [x < b].

The ramp that ends at the border has less below it than the border has, the one that starts there
has more: an interval from the low end of the former to the high end of the latter holds for any
numbers. The length is the one that would give the shortest interval if the truth were flat; with
enough people it is 0.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from math import sqrt
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.scales.interval import Interval
from .arrays import Floats
from .scales import WindowRegression

__all__ = ["Ramps", "ramps_of", "regression_of"]

# At what level intervals are as short as they can be.
_NORMAL = 1.959963984540054


class Ramps:
    """What windows are worth about the ramps that end and start at each border, for n people.

    `lower[z, b]` is the worth of window z for the ramp that ends at border b, `upper[z, b]` for the
    one that starts there. A ramp of length L is the mean of the L + 1 borders from its start to its
    end. The first and last border need none, as what is below them is known.
    """

    def __init__(self, mechanism: Interval, n: int) -> None:
        regression = regression_of(mechanism)
        self._borders = regression.borders
        self._size = mechanism.d
        chances = regression.chances.mean(axis=1)
        lengths = _lengths(self._size)
        spans = np.array([self._span(length, chances, n) for length in lengths])
        self.lengths = np.array(lengths)[spans.argmin(axis=0)]
        self.lower, self.upper = self._means(self.lengths)

    def between(self, first: int, last: int, *, inside: bool) -> Floats:
        """Return what windows are worth about the share of cells between two borders.

        The cells near a border count in part: inside, where they lie within, and else beyond.
        """
        if first >= last:
            return np.zeros(len(self._borders))
        worth = self.lower[:, last] - self.upper[:, first]
        if not inside:
            return np.asarray(self.upper[:, last] - self.lower[:, first])
        reach = self.lengths[[first, last]] * (np.array([first, last]) % self._size > 0)
        if reach.sum() <= last - first:
            return np.asarray(worth)
        cells = np.arange(self._size)
        up = ((cells + 1 - first) / (reach[0] + 1)).clip(0, 1)
        down = ((last - cells) / (reach[1] + 1)).clip(0, 1)
        return np.asarray(np.diff(self._borders, axis=1) @ (up + down - 1).clip(0))

    @cached_property
    def cells(self) -> tuple[Floats, Floats]:
        """What windows are worth about each cell: at most, and at least, what it has."""
        edges = range(self._size)
        inner = np.stack([self.between(at, at + 1, inside=True) for at in edges], axis=1)
        return inner, self.upper[:, 1:] - self.lower[:, :-1]

    def _span(self, length: int, chances: Floats, n: int) -> Floats:
        """Return the length of the interval for each border if the truth is flat."""
        lower, upper = self._means(np.full(self._size + 1, length))
        low, high = chances @ lower, chances @ upper
        spread = np.sqrt((chances @ lower**2 - low**2).clip(0))
        spread += np.sqrt((chances @ upper**2 - high**2).clip(0))
        return np.asarray(high - low + _NORMAL * spread / sqrt(n))

    def _means(self, lengths: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return the mean worth of the borders up to each border, and from it on."""
        places = np.arange(self._size + 1)
        lower = self._sums(places + 1) - self._sums(places - lengths)
        upper = self._sums(places + lengths + 1) - self._sums(places)
        means = lower / (lengths + 1), upper / (lengths + 1)
        for ramps in means:
            ramps[:, 0], ramps[:, -1] = 0, 1
        return means

    def _sums(self, ends: NDArray[np.int64]) -> Floats:
        """Return the worth of all borders before an end; beyond the scale, each is 0 or 1."""
        inside = np.clip(ends, 0, self._size + 1)
        return np.asarray(self._totals[:, inside] + np.maximum(ends - self._size - 1, 0))

    @cached_property
    def _totals(self) -> Floats:
        return np.cumsum(np.pad(self._borders, ((0, 0), (1, 0))), axis=1)


@lru_cache(maxsize=2)
def ramps_of(mechanism: Interval, n: int) -> Ramps:
    """Return the ramps for n people; those that were asked for last are kept."""
    return Ramps(mechanism, n)


def regression_of(mechanism: Interval) -> WindowRegression:
    """Return the least squares of windows."""
    return cast("WindowRegression", mechanism.analyst.estimator)


def _lengths(cells: int) -> list[int]:
    """Return the lengths that ramps may have.

    >>> _lengths(24)
    [0, 1, 2, 3, 4, 6, 8, 12]
    """
    powers = [1 << power for power in range(cells.bit_length())]
    steps = {0, *powers, *(3 * power // 2 for power in powers)}
    return sorted(length for length in steps if length <= cells // 2)
