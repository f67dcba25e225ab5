"""The analyst's names on a mechanism: each is one line, the work is in `privet.analysis`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ..entropy import Entropy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ...analysis.analyst import Counting, Estimating
    from ...analysis.paged import OnPages

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]

Target = Literal["population", "sample"] | int


def analyst_of(channel: object) -> Any:
    """Return the analyst's half of a channel."""
    from ...analysis.families import analyst_of as found

    return found(channel)


class Estimated:
    """What an analyst learns from counts."""

    @cached_property
    def analyst(self) -> Estimating:
        """The analyst's half, which estimates."""
        half: Estimating = analyst_of(self)
        return half

    def frequencies(self, counts: Integers, n: int) -> Floats:
        """Return the unbiased estimate of each value's share."""
        return self.analyst.estimator.frequencies(counts, n)

    def variance(self, theta: Floats, n: int, target: Target = "population") -> Floats:
        """Return the variance of each estimated share where the true ones are theta.

        For these n people ("sample"), for the population that they were drawn from, or for the N
        people whom they were drawn from if target is that number.
        """
        return self.analyst.estimator.variance(theta, n, target)

    def interval(
        self, counts: Integers, n: int, alpha: float, target: Target
    ) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share, which misses with probability alpha."""
        return self.analyst.estimator.interval(counts, n, alpha, target)


class Countable:
    """What an analyst does with reports: makes them in batches, checks and counts them."""

    @cached_property
    def analyst(self) -> Counting:
        """The analyst's half, which makes and counts reports."""
        half: Counting = analyst_of(self)
        return half

    def randomize(
        self,
        values: ArrayLike | OnPages,
        *,
        entropy: Entropy | None = None,
        workers: int | None = None,
    ) -> NDArray[np.uint8]:
        """Return one report per row for an array of values in [0, d).

        The reports depend on the entropy alone (by default secure), not on the number of worker
        threads (by default one per core).
        """
        return self.analyst.batches.randomize(values, entropy, workers)

    def check(self, reports: Any) -> None:
        """Raise InvalidReport, naming the row and the reason, unless all reports are valid.

        Takes one report (bytes), a sequence of them, or a uint8 array (n, report_bytes).
        """
        self.analyst.counter.aggregate(reports)

    def aggregate(self, reports: Any) -> tuple[int, Integers]:
        """Check the reports; return their number and their aggregate, which adds."""
        return self.analyst.counter.aggregate(reports)

    def fold(self, reports: Any, total: Integers) -> int:
        """Check the reports; add them all to an aggregate, or none; return their number."""
        return self.analyst.counter.fold(reports, total)

    def tally(self, reports: Any) -> Integers:
        """Check the reports; return how many of them support each value, int64 (d,).

        Where not everyone is asked about a value, it is beside how many were, (d, 2).
        """
        return self.counts(self.aggregate(reports)[1])

    @property
    def aggregate_size(self) -> int:
        """The length of an aggregate."""
        return self.analyst.counter.size

    def counts(self, aggregate: Integers) -> Integers:
        """Return how many reports support each value."""
        return self.analyst.counter.counts(aggregate)

    def check_aggregate(self, aggregate: Integers, n: int) -> str | None:
        """Return why no `n` reports can have this aggregate, or None."""
        return self.analyst.counter.problem(aggregate, n)
