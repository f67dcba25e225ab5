"""Estimate: what the counts say about the population, with error bars.

An estimate has two answers. The unbiased frequencies are right in sums, comparisons and tests,
which use the mechanism's exact covariances, but too noisy to look at where privacy is strong. The
posterior mean (`shrink`), with a prior learned from the same counts, is much nearer to the truth as
a whole and biased in its parts. Tables and pictures show both and say which is for what.

Every interval names its target, because the two differ in width. For the population, a value's
count is exactly binomial (`hits`); for the sample, it is a sum of two binomials (`holders`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.forwards import Target
from .counted_shares import CountedShares
from .remainder import Remainder, remainder
from .sums.changes import change
from .sums.homogeneity import Homogeneity, homogeneity
from .sums.independent import Change
from .sums.ranks import Top, ranks, top
from .sums.totals import Difference, Total, difference, total

__all__ = ["Estimate"]


class Estimate(CountedShares):
    """The estimated share of each category, from `n` reports with these `counts`.

    >>> from privet import Survey
    >>> survey = Survey("Tea or coffee?", ["tea", "coffee", "neither"], 2.0)
    >>> estimate = Estimate(survey, 1000, np.array([500, 350, 150]))
    >>> estimate.frequencies.round(3)
    array([0.578, 0.358, 0.064])
    >>> low, high = estimate.interval(0.95)
    >>> high.round(3)
    array([0.624, 0.403, 0.099])
    """

    def remainder(self, level: float = 0.95) -> Remainder | None:
        """Return what the categories that are not `found` make up together, with an interval.

        The interval allows for the fact that they are those with small counts. None where the
        mechanism is not symmetric, or counts are too small for the interval to hold.
        """
        return remainder(self, level)

    # --- sums and comparisons -----------------------------------------------------------------

    def total(self, categories: str | Sequence[str], *, target: Target = "population") -> Total:
        """Return the share of all these categories together, with a standard error that is right.

        The errors of categories go together, which adding up their variances would ignore.
        """
        return total(self, categories, target=target)

    def difference(
        self,
        first: str | Sequence[str],
        second: str | Sequence[str],
        *,
        target: Target = "population",
    ) -> Difference:
        """Return by how much the share of the first categories exceeds that of the second."""
        return difference(self, first, second, target=target)

    def change(
        self,
        before: Estimate,
        categories: str | Sequence[str],
        *,
        target: Target = "population",
    ) -> Change:
        """Return how much the share of these categories grew since another survey or wave.

        Where people choose several options, it is for one option at a time.
        """
        return change(before, self, categories, target=target)

    def homogeneity(self, other: Estimate, *others: Estimate) -> Homogeneity:
        """Test whether the crowds of other surveys have the same shares as this one's."""
        return homogeneity(self, other, *others)

    def ranks(self, level: float = 0.95) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the lowest and highest rank that each category may have, for all at once."""
        return ranks(self, level)

    def top(self, k: int, level: float = 0.95) -> Top:
        """Return which categories surely are among the k largest, and which may be."""
        return top(self, k, level)
