"""Estimate: what the counts say about the crowd, with error bars."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..device.mechanisms.symmetric import Symmetric
from ..errors.arguments import alpha_of
from .shown import Shown, decimals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..device.mechanisms.forwards import Target
    from .refine.posterior import Shrunk
    from .remainder import Remainder
    from .sums.homogeneity import Homogeneity
    from .sums.independent import Change
    from .sums.ranks import Top
    from .sums.totals import Difference, Total

__all__ = ["Estimate"]

_ROWS_SHOWN = 12


class Estimate(Shown):
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

    @cached_property
    def frequencies(self) -> NDArray[np.float64]:
        """The unbiased estimate. Single entries may fall outside [0, 1]; sums and means are right.

        For a distribution to show, see `shrink`.
        """
        return self.survey.mechanism.frequencies(self.counts, self.n)

    @cached_property
    def standard_errors(self) -> NDArray[np.float64]:
        """The standard error of each frequency, as an estimate for the population."""
        return self.survey.mechanism.analyst.estimator.standard_errors(self.counts, self.n)

    def interval(
        self,
        level: float = 0.95,
        *,
        target: Target = "population",
        simultaneous: bool = False,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lower and upper ends of a confidence interval for each category.

        target="population" is for the crowd that the n people were drawn from, target="sample" for
        the share among these n people themselves, which is narrower, or, of a questionnaire, among
        all who answered any page. Between the two, target=N is for N people of whom these n are a
        random part. How, the mechanism knows: where it is
        symmetric, the law of a count is known exactly, and the intervals cover at least at the
        level; else they are those of a binomial law with the same variances. No interval is empty:
        its lower end is below 1 and its upper end above 0, but for a sample without noise.
        simultaneous=True widens all of them (Bonferroni)
        so that they hold together.
        """
        alpha = alpha_of("Estimate.interval", level)
        target = self.whose("Estimate.interval", target)
        alpha /= len(self.counts) if simultaneous else 1
        low, high = self.survey.mechanism.interval(self.counts, self.n, alpha, target)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    @cached_property
    def p_values(self) -> NDArray[np.float64]:
        """How likely each count is to be as large or larger, if nobody holds the category.

        Exact where the mechanism is symmetric, and by a binomial law with the same variances
        elsewhere. It is at most alpha/2 exactly where the lower end of the interval for the
        population at level 1 − alpha exceeds 0.
        """
        return self.survey.mechanism.analyst.estimator.p_values(self.counts, self.n)

    def remainder(self, level: float = 0.95) -> Remainder | None:
        """Return what the categories that are not `found` make up together, with an interval.

        The interval allows for the fact that they are those with small counts. None where the
        mechanism is not symmetric, or counts are too small for the interval to hold.
        """
        from .remainder import remainder

        return remainder(self, level)

    def shrink(self) -> NDArray[np.float64]:
        """Return a distribution to show: the posterior mean, its prior learned from the counts.

        As a whole it is much nearer to the truth than `project` where there is much noise
        (privet.refine.shrink). For sums and tests, use the unbiased frequencies; for the
        posterior's spread, `posterior`.
        """
        return self.posterior.frequencies

    @cached_property
    def posterior(self) -> Shrunk:
        """The posterior that `shrink` takes the mean of, with standard deviations and intervals."""
        from .refine.shrinkage import shrink

        return shrink(self.survey.mechanism, self.counts, self.n)  # type: ignore[arg-type]

    @property
    def can_shrink(self) -> bool:
        """Whether shares add up to 1 and the mechanism says enough of its noise for `shrink`."""
        mechanism = self.survey.mechanism
        return isinstance(mechanism, Symmetric) and mechanism.shares_add_up

    # --- sums and comparisons -----------------------------------------------------------------

    def total(self, categories: str | Sequence[str], *, target: Target = "population") -> Total:
        """Return the share of all these categories together, with a standard error that is right.

        The errors of categories go together, which adding up their variances would ignore.
        """
        from .sums.totals import total

        return total(self, categories, target=target)

    def difference(
        self,
        first: str | Sequence[str],
        second: str | Sequence[str],
        *,
        target: Target = "population",
    ) -> Difference:
        """Return by how much the share of the first categories exceeds that of the second."""
        from .sums.totals import difference

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
        from .sums.changes import change

        return change(before, self, categories, target=target)

    def homogeneity(self, other: Estimate, *others: Estimate) -> Homogeneity:
        """Test whether the crowds of other surveys have the same shares as this one's."""
        from .sums.homogeneity import homogeneity

        return homogeneity(self, other, *others)

    def ranks(self, level: float = 0.95) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the lowest and highest rank that each category may have, for all at once."""
        from .sums.ranks import ranks

        return ranks(self, level)

    def top(self, k: int, level: float = 0.95) -> Top:
        """Return which categories surely are among the k largest, and which may be."""
        from .sums.ranks import top

        return top(self, k, level)

    def __repr__(self) -> str:
        order = self.order(_ROWS_SHOWN)
        more = len(self.counts) - len(order)
        low, high = self.interval(simultaneous=more > 0)
        found = self.found()
        names = [self.survey.categories[i] for i in order]
        width = min(30, max(8, *(len(name) for name in names)))
        digits = decimals(low[order], high[order], 4)
        mechanism = self.survey.mechanism
        lines = [
            f"Estimate from {self.n:,} reports: {self.survey.question}",
            f"{mechanism!r}",
            f"  {'category':<{width}}  {'frequency':>{digits + 5}}  {'± s.e.':<{digits + 2}}"
            f"    95 % interval{', all at once' if more else ''}",
        ]
        for name, i in zip(names, order, strict=True):
            shown = name if len(name) <= width else name[: width - 1] + "…"
            lines.append(
                f"  {shown:<{width}}  {self.frequencies[i]:{digits + 5}.{digits}f}"
                f"  {self.standard_errors[i]:.{digits}f}"
                f"  [{low[i]:.{digits}f}, {high[i]:.{digits}f}]{'' if found[i] else '  not found'}"
            )
        if more:
            lines.append(f"  … and {more:,} more categories")
        lines.append(f"{found.sum():,} of {len(self.counts):,} categories are found")
        return "\n".join(lines)
