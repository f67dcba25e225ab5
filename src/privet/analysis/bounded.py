"""Intervals for the mean of a bounded quantity that are safe for few people and rare values.

What a report is worth about a share or a mean is a number between known bounds. Student's interval
for its mean trusts the spread of the reports at hand, which does not show a value that 1 person
in 300 holds and that nobody reported. Gaffke's bound does not (Gaffke 2005; Learned-Miller and
Thomas 2019): add one imaginary report at the upper bound, give all reports the weights of a uniform
Dirichlet distribution, and take the quantile 1 − α/2 of the weighted mean; the lower end mirrors
it. For a quantity that is 0 or 1 this is Clopper and Pearson's interval exactly, for many reports
it is the normal interval, and no distribution is known for which it covers less than its level.

The weights are independent gamma variables over their sum, so that the weighted mean is at most t
exactly when Σ a_i G_i (y_i − t) <= 0 on average of so many exponential variables. Its probability
is found by the saddlepoint approximation of Barndorff-Nielsen (1986). With the saddlepoint at s and
τ = t + 1/s, all of it is explicit in τ, which is the one number that is searched for:

    A_j = Σ a_i/(τ − y_i)^j,  s = A_1/N,  w² = 2 Σ a_i log(s(τ − y_i)),  v² = N²A_2/A_1² − N,

    P = Φ(w + log(v/w)/w),    t = τ − N/A_1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats

__all__ = ["ends_between", "lower_ends", "lower_p_values", "mean_ends", "upper_ends"]

_ROUNDS, _SETTLED = 60, 1e-7
# How far from its place by the normal law log τ is sought first.
_NEAR = 0.5
# How near to the largest value τ is sought, in ranges of the values; and the least quantile and w.
_NEAREST, _LEAST_QUANTILE, _LEAST_W = 1e-12, 0.02, 0.01
# How near, in ranges, a mean must be to the number that a chance is asked for.
_CLOSE = 1e-4
# Values that differ by less than this part of their range are the same.
_SAME = 1e-9


def mean_ends(worth: Floats, counts: NDArray[np.int64], alpha: float) -> tuple[Floats, Floats]:
    """Return the ends of an interval for the mean of each column, which misses with at most alpha.

    Parameters
    ----------
    worth : float (kinds, columns)
        What each kind of report is worth. The bounds of a column are its least and its largest
        entry, so that a kind which nobody reported counts as well.
    counts : int64 (kinds,)
        How many reports there are of each kind.
    alpha : float
        How often the interval may miss.

    >>> low, high = mean_ends(np.array([[0.0], [1.0]]), np.array([98, 2]), 0.05)
    >>> low.round(4), high.round(4)  # as Clopper and Pearson's
    (array([0.0024]), array([0.0704]))

    """
    return ends_between(worth, worth, counts, alpha / 2)


def ends_between(
    inner: Floats, outer: Floats, counts: NDArray[np.int64], chance: float
) -> tuple[Floats, Floats]:
    """Return the lower ends for columns of `inner` and the upper ends for as many of `outer`."""
    ends = upper_ends(np.concatenate((-inner, outer), axis=1), counts, chance)
    low, high = np.split(ends, 2)
    return -low, high


def lower_ends(worth: Floats, counts: NDArray[np.int64], chance: float) -> Floats:
    """Return the lower end for each column, above the mean with this probability at most."""
    return -upper_ends(-worth, counts, chance)


def upper_ends(worth: Floats, counts: NDArray[np.int64], chance: float) -> Floats:
    """Return the upper end for each column, below the mean with this probability at most."""
    from scipy.special import betaincinv, ndtri

    kinds = _Kinds(worth, counts)
    ends = kinds.top.copy()
    misses = np.maximum(kinds.misses, 1)
    beyond = betaincinv(misses, kinds.n - misses + 1, chance)
    ends -= np.where(kinds.binary & (kinds.misses > 0), kinds.scale * beyond, 0)
    if kinds.many.any():
        quantile = max(float(-ndtri(chance)), _LEAST_QUANTILE)
        ends[kinds.many] -= kinds.scale[kinds.many] * _Tail(kinds).below(quantile)
    return np.asarray(ends)


def lower_p_values(worth: Floats, counts: NDArray[np.int64], at: Floats | float) -> Floats:
    """Return, for each column, the smallest α/2 at which the lower end exceeds a number.

    The number is the same for all columns, or there is one for each.

    >>> lower_p_values(np.array([[0.0], [1.0]]), np.array([98, 2]), 0.0024).round(3)
    array([0.024])
    """
    from scipy.special import betainc

    kinds = _Kinds(-worth, counts)
    reach = (kinds.top + at) / kinds.scale  # from the least value to the number, in ranges
    hits = np.maximum(kinds.misses, 1)
    exact = betainc(hits, kinds.n - hits + 1, reach.clip(0, 1))
    p_values = np.where(kinds.binary & (kinds.misses > 0), exact, 1.0)
    if kinds.many.any():
        p_values[kinds.many] = _Tail(kinds).chance(reach[kinds.many])
    return np.where(reach <= 0, np.where(kinds.top < -at, 0.0, p_values), p_values)


class _Kinds:
    """The columns of a matrix of worths: constant, of two values (binary), or of many."""

    def __init__(self, worth: Floats, counts: NDArray[np.int64]) -> None:
        self.n = int(counts.sum())
        self.top, scale = worth.max(axis=0), np.ptp(worth, axis=0)
        varied = scale > _SAME * np.abs(self.top)
        self.scale = np.where(varied, scale, 1.0)
        gaps = (self.top - worth) / self.scale
        least = gaps >= 1 - _SAME
        self.binary = varied & (least | (gaps <= _SAME)).all(axis=0)
        self.misses = np.where(self.binary, counts @ least, 0)
        reported = counts > 0
        # If all reports are at the largest value, so is the end.
        self.many = varied & ~self.binary & (gaps[reported] > _SAME).any(axis=0)
        self.gaps = gaps[np.ix_(reported, self.many)]
        self.counts = counts[reported].astype(np.float64)


class _Tail:
    """The law of the weighted mean of each column that has many values, by log τ."""

    def __init__(self, kinds: _Kinds) -> None:
        self._gaps, self._counts = kinds.gaps, kinds.counts
        self._total = kinds.n + 1

    def at(self, place: Floats, gaps: Floats) -> tuple[Floats, Floats]:
        """Return the normal quantile of P, and how far t is below the largest value, in ranges."""
        tau = np.exp(place)
        inverse = 1 / (tau + gaps)
        first = self._counts @ inverse + 1 / tau
        second = self._counts @ inverse**2 + 1 / tau**2
        tilt = first / self._total
        square = 2 * (np.log(tilt * tau) - self._counts @ np.log(inverse / tilt))
        w = np.sqrt(np.maximum(square, 1e-300))
        v = np.sqrt(np.maximum(second / tilt**2 - self._total, 1e-300))
        return w + np.log(v / w) / w, 1 / tilt - tau

    def below(self, quantile: float) -> Floats:
        """Return how far the quantile of the mean is below the largest value.

        The logarithms of the quantile and of τ are nearly linear in each other: Illinois steps.
        """

        def beyond(place: Floats, gaps: Floats) -> tuple[Floats, Floats]:
            found, reach = self.at(place, gaps)
            found = np.maximum(found, _LEAST_QUANTILE / 10)
            return np.log(found / quantile), reach

        gaps, (least, most) = self._gaps, self._bracket()
        normal = np.log(self._deviation() / quantile)  # where τ is by the normal law
        low, high = (np.clip(normal + by, least, most) for by in (-_NEAR, _NEAR))
        (above, reach), (below, further) = beyond(low, gaps), beyond(high, gaps)
        wrong = above <= 0
        if wrong.any():
            high, below, further = (
                np.where(wrong, *ends) for ends in ((low, high), (above, below), (reach, further))
            )
            low[wrong] = least[wrong]
            above[wrong], reach[wrong] = beyond(low[wrong], gaps[:, wrong])
        wrong = below >= 0
        if wrong.any():
            low, above = np.where(wrong, high, low), np.where(wrong, below, above)
            high[wrong] = most[wrong]
            below[wrong], further[wrong] = beyond(high[wrong], gaps[:, wrong])
        # A quantile so near to the mean that it is not between them is as far as the nearer one.
        reach = np.where(below > 0, further, reach)
        left = np.flatnonzero((above > 0) & (below < 0))
        above, below, low, high = above[left], below[left], low[left], high[left]
        side, gaps = np.zeros(len(left)), gaps[:, left]
        for _ in range(_ROUNDS if len(left) else 0):
            middle = low + (high - low) * above / (above - below)
            here, reach[left] = beyond(middle, gaps)
            right = here > 0
            below = np.where(right, np.where(side > 0, below / 2, below), here)
            above = np.where(right, here, np.where(side < 0, above / 2, above))
            low, high = np.where(right, middle, low), np.where(right, high, middle)
            side = np.where(right, 1, -1)
            more = np.abs(here) > _SETTLED
            if not more.any():
                break
            above, below, low, high = above[more], below[more], low[more], high[more]
            side, left, gaps = side[more], left[more], gaps[:, more]
        return reach

    def chance(self, reach: Floats) -> Floats:
        """Return the probability that the mean is nearer to the largest value than so far."""
        from scipy.special import ndtr

        low, high = self._bracket()
        for _ in range(_ROUNDS):
            middle = (low + high) / 2
            nearer = self.at(middle, self._gaps)[1] < reach
            low, high = np.where(nearer, middle, low), np.where(nearer, high, middle)
        quantiles, reached = self.at((low + high) / 2, self._gaps)
        return np.where(np.abs(reached - reach) < _CLOSE, ndtr(-quantiles), 1.0)

    def _bracket(self) -> tuple[Floats, Floats]:
        """Return the least and the largest log τ: where P is 1 to all digits, and where it is ½.

        Far from all values, w is the deviation (with the imaginary report) over τ. Where it is next
        to nothing, rounding errors of w² decide what log(v/w)/w is.
        """
        gaps = self._counts @ self._gaps
        square = self._counts @ self._gaps**2 - gaps**2 / self._total
        most = np.log(np.sqrt(np.maximum(square, _NEAREST)) / _LEAST_W)
        return np.full(len(most), np.log(_NEAREST)), most

    def _deviation(self) -> Floats:
        """Return √n times the standard deviation, next to nothing at least."""
        mean = self._counts @ self._gaps / (self._total - 1)
        square = self._counts @ self._gaps**2 - (self._total - 1) * mean**2
        return np.asarray(np.sqrt(np.maximum(square, 1e-12)))
