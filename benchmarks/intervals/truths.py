"""Populations that are hard on intervals.

Of numbers, a truth is a population from which people are drawn at random: finitely many numbers,
each with a probability, so that every mean, share and quantile of it is known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["CATEGORIES", "NUMBERS", "RATINGS", "Population", "shares_of"]


@dataclass(frozen=True)
class Population:
    """Numbers that people have, in increasing order, with the probability of each."""

    numbers: Floats
    shares: Floats

    @classmethod
    def of(cls, numbers: ArrayLike, weights: ArrayLike) -> Population:
        """Return the population of some numbers with these weights."""
        where, inverse = np.unique(np.asarray(numbers, dtype=np.float64), return_inverse=True)
        shares = np.bincount(inverse, np.asarray(weights, dtype=np.float64))
        return cls(where, shares / shares.sum())

    @property
    def mean(self) -> float:
        """The mean of the numbers."""
        return float(self.numbers @ self.shares)

    @property
    def variance(self) -> float:
        """The variance of the numbers."""
        return float((self.numbers - self.mean) ** 2 @ self.shares)

    @cached_property
    def _below(self) -> Floats:
        return np.cumsum(self.shares)

    def share(self, low: float, high: float) -> float:
        """Return the share of numbers from low up to but without high."""
        inside = (self.numbers >= low) & (self.numbers < high)
        return float(self.shares[inside].sum())

    def quantile(self, q: float) -> float:
        """Return the smallest number that at least a share q of the numbers do not exceed."""
        place = int(np.searchsorted(self._below, q - 1e-12))
        return float(self.numbers[min(place, len(self.numbers) - 1)])


def _density(weigh: object, low: float, high: float, pieces: int = 4000) -> Population:
    where = low + (high - low) * (np.arange(pieces) + 0.5) / pieces
    return Population.of(where, weigh(where))  # type: ignore[operator]


def _bell(where: Floats, mean: float, deviation: float) -> Floats:
    return np.asarray(np.exp(-(((where - mean) / deviation) ** 2) / 2) / deviation)


# On a scale from 0 to 120 with 64 cells, so that numbers lie between centres.
NUMBERS = {
    "normal": _density(lambda x: _bell(x, 40, 12), 0, 120),
    "exponential": _density(lambda x: np.exp(-x / 15), 0, 120),
    "two peaks": _density(lambda x: 0.6 * _bell(x, 27, 7) + 0.4 * _bell(x, 76, 9), 0, 120),
    "uniform": _density(np.ones_like, 0, 120),
    "heaped at tens": Population.of(np.arange(20, 81, 10), np.ones(7)),
    "four spikes": Population.of([10, 33, 64, 95], [0.4, 0.3, 0.2, 0.1]),
    "all at the low end": Population.of([0.0], [1.0]),
    "1 % at the high end": Population.of([47.3, 120.0], [0.99, 0.01]),
    ".3 % at the high end": Population.of([47.3, 120.0], [0.997, 0.003]),
}

# On a scale of whole numbers from 0 to 10, where nothing is rounded.
RATINGS = {
    "heaped at 0, 5, 10": Population.of(
        np.arange(11), [0.25, 0.02, 0.02, 0.02, 0.02, 0.3, 0.03, 0.04, 0.05, 0.05, 0.2]
    ),
    "one peak": Population.of(np.arange(11), [1, 2, 4, 8, 14, 20, 22, 16, 8, 3, 2]),
    "uniform": Population.of(np.arange(11), np.ones(11)),
    "all at the high end": Population.of([10], [1]),
    "1 % at the high end": Population.of([3, 10], [0.99, 0.01]),
    ".3 % at the high end": Population.of([3, 10], [0.997, 0.003]),
}


def shares_of(*weights: float) -> Floats:
    """Return weights as shares that add up to 1."""
    return np.asarray(weights, dtype=np.float64) / sum(weights)


# Shares of twelve categories.
CATEGORIES = {
    "flat": shares_of(*[1] * 12),
    "a giant": shares_of(0.9, *[0.1 / 11] * 11),
    "three, nine empty": shares_of(0.5, 0.3, 0.2, *[0] * 9),
    "all in one": shares_of(1, *[0] * 11),
    "1 % in the second": shares_of(0.99, 0.01, *[0] * 10),
    ".3 % in the second": shares_of(0.997, 0.003, *[0] * 10),
}
