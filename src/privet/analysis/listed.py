"""The k-subset mechanism over sets of options, for analysts: shares of options as sums over sets.

With f the number of sets with an option in all n reports, M the number of such sets, and g and h
the hit rates of the k-subset mechanism over N sets, f/n has the mean Mh + θ(g − h). So

    (f/n − Mh) / (g − h)

estimates θ without bias. How many of M points a report holds depends on its k, on whether it holds
the person's own, and on whether that is one of the M: two hypergeometric laws, mixed. At k = 1, the
number is 0 or 1, and everything is as for a symmetric mechanism.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.subsets.listed_sets import ListedSets
from ..theory.sets import sets_holding
from . import kernels
from .analyst import Analyst, half_of
from .arrays import Integers
from .batch import Drawn, Rows, Words
from .choices import ChoiceBatches
from .estimator import Averages, HitRates
from .subsets import BitmapCounter, IndexCounter, SubsetBatches

__all__ = ["held_together"]


@half_of.register(ListedSets)
def _(mechanism: ListedSets) -> Analyst:
    counter = ListedIndices if mechanism.index_bits else ListedBitmaps
    estimator = HitRates(mechanism) if mechanism.k == 1 else SetShares(mechanism)
    return Analyst(estimator, ListedBatches(mechanism), counter(mechanism))


def held_together(mechanism: ListedSets, aggregate: Integers) -> Integers:
    """Return how many sets with each pair of options there are in all reports, int64 (d, d).

    On the diagonal are the sets with an option.
    """
    total = np.zeros((mechanism.d, mechanism.d), dtype=np.int64)
    for options, count in zip(mechanism.sets, aggregate.tolist(), strict=True):
        total[np.ix_(options, options)] += count
    return total


class ListedBatches(ChoiceBatches[ListedSets]):
    """Numbers the sets of rows of options, and makes reports of these numbers."""

    def __init__(self, mechanism: ListedSets) -> None:
        super().__init__(mechanism)
        self._numbered = SubsetBatches(mechanism.listed)

    @property
    def rows(self) -> int:
        """As many as numbers."""
        return self._numbered.rows

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw the words for numbers."""
        return self._numbered.draw(rows, words)

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports of numbers until the tail runs out."""
        return self._numbered.fill(rows, tail, first)

    def coded(self, values: NDArray[np.int64]) -> Integers:
        """Return the numbers of sets."""
        numbers: Integers = kernels.option_draws.number_sets(values, np.array(self.mechanism.below))
        return numbers


class ListedBitmaps(BitmapCounter):
    """Counts sets, and from them options."""

    @cached_property
    def _incidence(self) -> tuple[Integers, Integers]:
        """All options of all sets, and the numbers of these sets."""
        mechanism: Any = self.mechanism  # ListedSets
        sizes = [len(options) for options in mechanism.sets]
        options = [option for options in mechanism.sets for option in options]
        return np.array(options), np.repeat(np.arange(len(sizes)), sizes)

    def counts(self, aggregate: Integers) -> Integers:
        """Return how many sets with each option there are in all reports."""
        options, numbers = self._incidence
        counts = np.zeros(self.mechanism.d, dtype=np.int64)
        np.add.at(counts, options, aggregate[numbers])
        return counts


class ListedIndices(ListedBitmaps, IndexCounter):
    """Counts the same of reports that are lists."""


class SetShares(Averages):
    """Estimates the share of each option from how many sets with it are reported."""

    def __init__(self, mechanism: ListedSets, held: int = 1) -> None:
        g, h = mechanism.listed.hit_rates
        sets = sets_holding(mechanism.d, mechanism.most, held)
        super().__init__(sets * h, g - h, *mechanism.spreads(sets))
