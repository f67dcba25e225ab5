"""How many of n people hold a value, from how many reports support it: exact one-sided limits.

If m of them hold it, the count is Binomial(m, g) + Binomial(n − m, h), whose tails grow with m. The
fewest holders that a count f leaves possible are the least m for which P(count >= f) exceeds a
chance, as in Clopper and Pearson's (1934) limits. While the count's variance is small, tails are
sums over both binomial laws. Beyond, they are by a saddlepoint (Barndorff-Nielsen 1986, with the
continuity correction of Daniels 1987): then a tail is too small by less than `_DOUBT` of itself,
which is taken from the chance.
"""

from __future__ import annotations

from math import ceil, log, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats

__all__ = ["Rates", "fewest_holders"]

# Variances of a count, and of the law tilted to it: from some on a saddlepoint says where to look,
# and what is not small it decides.
_SOME, _SMALL = 1.0, 16.0
_DOUBT = 0.002
_NEAR_THE_MEAN = 1e-3
_ROUNDS = 50
_ROWS_AT_ONCE = 1 << 12


class Rates(NamedTuple):
    """The chances that a report supports a value, and that it does not, of a holder and others.

    They are numbers, or arrays where each count has chances of its own.
    """

    own: tuple[Any, Any]
    other: tuple[Any, Any]

    def of(self, rows: Any) -> Rates:
        """Return the chances of some of the counts."""
        if not np.ndim(self.own[0]):
            return self
        own, other = ((yes[rows], no[rows]) for yes, no in self)
        return Rates(own, other)

    def mirrored(self) -> Rates:
        """Return the chances of not supporting it, as if the others were the holders."""
        return Rates(self.other[::-1], self.own[::-1])


class Tail(NamedTuple):
    """Tails on the normal scale, how fast they fall with m, and the variances they depend on."""

    place: Floats
    fall: Floats
    variance: Floats


def fewest_holders(counts: NDArray[Any], n: int, rates: Rates, chance: float) -> Floats:
    """Return the least m for which P(count >= f) > chance, for each f in [1, n].

    There must be one in [1, n]: n itself is possible, and nobody at all is not.
    """
    counts = counts.astype(np.float64)
    holders = _by_score(counts, n, rates, chance)
    some = np.flatnonzero(_variance(holders, n, rates) >= _SOME)
    largest = (1 - _DOUBT) * chance
    holders[some] = _by_saddlepoint(holders[some], counts[some], n, rates.of(some), largest)
    holders = np.clip(np.ceil(holders), 1, n)
    few = np.ones(len(counts), dtype=np.bool_)
    few[some] = _is_small(holders[some], counts[some], n, rates.of(some))
    for rows in np.array_split(np.flatnonzero(few), 1 + len(counts) // _ROWS_AT_ONCE):
        if len(rows):
            holders[rows] = _by_sums(holders[rows], counts[rows], n, rates.of(rows), chance)
    return holders


def tail_by_sums(holders: Floats, counts: Floats, n: int, rates: Rates, chance: float) -> Floats:
    """Return P(count >= f), where it is about `chance` or more, from both binomial laws."""
    # By Bernstein's inequality, what lies further from a mean is next to nothing.
    small = 16 - log(chance)
    variance = float(_variance(holders, n, rates).max())
    reach = ceil(small / 3 + sqrt(small**2 / 9 + 2 * small * variance)) + 1
    first, own = _law(holders, *rates.own, reach)
    start, other = _law(n - holders, *rates.other, reach)
    above = np.zeros((len(own), own.shape[1] + 1))
    above[:, :-1] = np.cumsum(own[:, ::-1], axis=1)[:, ::-1]
    needed = (counts - first - start)[:, None] - np.arange(other.shape[1])
    places = np.clip(needed, 0, own.shape[1]).astype(np.intp)
    tail: Floats = (np.take_along_axis(above, places, axis=1) * other).sum(axis=1)
    return tail


def tail_by_saddlepoint(holders: Floats, counts: Floats, n: int, rates: Rates) -> Tail:
    """Return P(count >= f), nearly, on the normal scale."""
    (g, not_g), (h, not_h) = rates
    others, count = n - holders, counts - 0.5
    # With s = 1 + x: m·gs/(1 − g + gs) + (n − m)·hs/(1 − h + hs) = f − 1/2.
    mean = holders * g + others * h
    a, b, c = g * h * (n - count), mean + n * g * h - count * (g + h), mean - count
    root = np.sqrt(np.maximum(b * b - 4 * a * c, 0))
    x = np.where(b > 0, -2 * c / (np.abs(b) + root), (root - b) / (2 * a))
    t, own, other = np.log1p(x), np.log1p(g * x), np.log1p(h * x)
    w = np.copysign(np.sqrt(2 * np.maximum(t * count - holders * own - others * other, 0)), x)
    tilted = (1 + x) * (
        holders * g * not_g / (1 + g * x) ** 2 + others * h * not_h / (1 + h * x) ** 2
    )
    far = np.abs(w) > _NEAR_THE_MEAN
    safe = np.where(far, w, 1.0)
    u = np.where(far, 2 * np.sinh(t / 2) * np.sqrt(tilted), 1.0)
    variance = _variance(holders, n, rates)
    skewness = holders * g * not_g * (not_g - g) + others * h * not_h * (not_h - h)
    place = w + np.where(far, np.log(u / safe) / safe, skewness / (6 * variance**1.5))
    fall = np.where(far, (own - other) / safe, (g - h) / np.sqrt(variance))
    return Tail(place, fall, np.minimum(variance, tilted))


def _is_small(holders: Floats, counts: Floats, n: int, rates: Rates) -> NDArray[np.bool_]:
    """Tell where variances are too small for a saddlepoint."""
    return tail_by_saddlepoint(holders, counts, n, rates).variance < _SMALL


def _by_score(counts: Floats, n: int, rates: Rates, chance: float) -> Floats:
    """Return about how many holders they are: some standard deviations below the estimate."""
    (g, _), (h, _) = rates
    holders = np.clip((counts - n * h) / (g - h), 0, n)
    reach = -NormalDist().inv_cdf(chance) * np.sqrt(_variance(holders, n, rates)) / (g - h)
    fewest: Floats = np.clip(holders - reach, 0, n)
    return fewest


def _by_saddlepoint(holders: Floats, counts: Floats, n: int, rates: Rates, chance: float) -> Floats:
    """Solve P(count >= f) = chance for a real m in [0, n], by Newton's way on the normal scale."""
    z = -NormalDist().inv_cdf(chance)
    for _ in range(_ROUNDS):
        tail = tail_by_saddlepoint(holders, counts, n, rates)
        better = np.clip(holders + (tail.place - z) / tail.fall, 0, n)
        moved = np.abs(better - holders)
        holders = better
        if (moved <= 1e-3 + 1e-12 * n).all():
            break
    return holders


def _by_sums(holders: Floats, counts: Floats, n: int, rates: Rates, chance: float) -> Floats:
    """Walk from a guess that is about right to the least m for which P(count >= f) > chance."""

    def possible(m: Floats) -> NDArray[np.bool_]:
        return tail_by_sums(m, counts, n, rates, chance) > chance

    while (more := (holders < n) & ~possible(holders)).any():
        holders = holders + more
    while (fewer := (holders > 1) & possible(np.maximum(holders - 1, 0))).any():
        holders = holders - fewer
    return holders


def _law(size: Floats, p: Any, q: Any, reach: int) -> tuple[Floats, Floats]:
    """Return the least of the numbers near the mode of Binomial(size, p), and all chances."""
    mode = np.minimum(np.floor((size + 1) * p), size)
    steps, odds = np.arange(reach), np.atleast_1d(p / q)[:, None]
    above, below = mode[:, None] + steps, mode[:, None] - steps
    up = np.maximum(size[:, None] - above, 0) / (above + 1) * odds
    down = np.maximum(below, 0) / (size[:, None] - below + 1) / odds
    parts = np.cumprod(down, axis=1)[:, ::-1], np.ones((len(size), 1)), np.cumprod(up, axis=1)
    law = np.concatenate(parts, axis=1)
    return mode - reach, law / law.sum(axis=1, keepdims=True)


def _variance(holders: Floats, n: int, rates: Rates) -> Floats:
    (g, not_g), (h, not_h) = rates
    variance: Floats = holders * (g * not_g) + (n - holders) * (h * not_h)
    return variance
