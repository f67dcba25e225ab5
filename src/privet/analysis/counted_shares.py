"""Shares from the counts of one mechanism, with standard errors and intervals."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.forwards import Target
from ..device.mechanisms.symmetric import Shrinkable, shrinkable
from ..errors.arguments import alpha_of
from .refine.shrinkage import Shrunk, shrink
from .shown import Shown, decimals

__all__ = ["CountedShares"]

_ROWS_SHOWN = 12


class CountedShares(Shown):
    """The estimated share of each category, from `n` reports with these `counts`."""

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
        mechanism = shrinkable("shrink", self.survey.mechanism)
        return shrink(mechanism, self.counts, self.n)

    @property
    def can_shrink(self) -> bool:
        """Whether shares add up to 1 and the mechanism says enough of its noise for `shrink`."""
        return isinstance(self.survey.mechanism, Shrinkable)

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
