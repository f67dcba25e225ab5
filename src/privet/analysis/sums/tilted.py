"""Intervals for the mean worth of reports that are worth one of a few numbers, by a score test.

An interval holds all means t that a score test does not reject. Under t, the probabilities p_z of
the numbers are the likeliest for which Σ_z p_z a_z = t, where each number counts a part of a report
more, so that a number that did not occur may still be. They are m_z/(c − λ a_z), for the push λ
that makes the mean t. The test is

    |v − t| − step/(2n) <= z √((Σ_z p_z a_z² − t² − (1 − drawn)·t(1 − t))/n),

with the largest step that one report makes between neighbouring numbers. The share t lies in
[0, 1]: where the estimate v lies outside, the further end is that of the likeliest counts whose
mean is 0 or 1, so that no interval is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import exp, sqrt
from statistics import NormalDist
from typing import NamedTuple

__all__ = ["Reported"]

# How far probabilities are pushed, in logarithms, and how often a bracket is halved;
# and how much more than 1 probabilities may add up to.
_WIDEST, _ROUNDS, _PRECISION = 25.0, 40, 1e-12


class Reported(NamedTuple):
    """How many of n reports are worth each of a few numbers, in increasing order.

    `added` is how much of a report is added to each count, and `drawn` how much of the variance of
    drawing people remains.
    """

    counts: Sequence[float]
    worths: Sequence[float]
    added: Sequence[float]
    drawn: float

    @property
    def n(self) -> float:
        """The number of reports."""
        return sum(self.counts)

    @property
    def mean(self) -> float:
        """The estimate."""
        return sum(map(float.__mul__, map(float, self.counts), self.worths)) / self.n

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of an interval for the mean, a share, within [0, 1]."""
        z = NormalDist().inv_cdf(1 - alpha / 2)
        low, high = self._at_most(1.0)._end(-1, z), self._at_least(0.0)._end(1, z)
        return max(low, 0.0), min(high, 1.0)

    def _at_most(self, mean: float) -> Reported:
        return self._with(mean) if self.mean > mean else self

    def _at_least(self, mean: float) -> Reported:
        return self._with(mean) if self.mean < mean else self

    def _with(self, mean: float) -> Reported:
        """Return the likeliest counts with a mean."""
        side = 1 if mean > self.mean else -1
        low, high = -_WIDEST, _WIDEST
        for _ in range(_ROUNDS):
            half = (low + high) / 2
            short = side * (self._moments(self._pushed(side, half))[0] - mean) < 0
            low, high = (half, high) if short else (low, half)
        return self._replace(counts=[self.n * p for p in self._pushed(side, high)])

    def _end(self, side: int, z: float) -> float:
        """Return the mean furthest to one side that is not rejected."""
        middle, n, worths = self.mean, self.n, self.worths
        step = max(b - a for a, b in pairwise(worths)) / (2 * n)
        low, high, far = -_WIDEST, _WIDEST, 0.0
        for _ in range(_ROUNDS):
            half = (low + high) / 2
            mean, square = self._moments(self._pushed(side, half))
            share = min(max(mean, 0.0), 1.0)
            variance = square - mean**2 - (1 - self.drawn) * share * (1 - share)
            far = side * (mean - middle)
            inside = far < step + z * sqrt(max(variance, 0.0) / n)
            low, high = (half, high) if inside else (low, half)
        return middle + side * max(far, 0.0)

    def _moments(self, chances: Sequence[float]) -> tuple[float, float]:
        terms = [p * a for p, a in zip(chances, self.worths, strict=True)]
        return sum(terms), sum(term * a for term, a in zip(terms, self.worths, strict=True))

    def _pushed(self, side: int, push: float) -> list[float]:
        """Return the likeliest probabilities where the mean is pushed so far."""
        counts = [count + more for count, more in zip(self.counts, self.added, strict=True)]
        total = sum(counts)
        width = max(self.worths) - min(self.worths)
        pushes = [side * total * exp(push) * a / width for a in self.worths]
        # Newton's way from below, where a convex sum that falls with c is never overshot.
        c = max(m + one for m, one in zip(counts, pushes, strict=True))
        for _ in range(_ROUNDS):
            chances = [m / (c - one) for m, one in zip(counts, pushes, strict=True)]
            excess = sum(chances) - 1
            if excess <= _PRECISION:
                break
            c += excess / sum(p / (c - one) for p, one in zip(chances, pushes, strict=True))
        return [p / (1 + excess) for p in chances]
