"""Changes: how much the share of every category differs between two crowds, all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..analysis.estimate import Estimate
from ..analysis.tally import Tally
from ..arguments import alpha_of, whole
from .fit import known_shares
from .totals import Found, apart, check_categories, estimate_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from .incidence import Floats

__all__ = ["Changes", "changes"]


@dataclass(frozen=True)
class Changes:
    """How much larger the shares of one crowd are than those of another, category by category.

    Attributes
    ----------
    before : array of floats
        The shares that are compared with: unbiased estimates, or known ones.
    after : array of floats
        The unbiased estimates that are compared.
    low : array of floats
        The lower ends of intervals for after − before, which hold for all categories together.
    high : array of floats
        Their upper ends.

    """

    before: Floats
    after: Floats
    low: Floats
    high: Floats

    @property
    def values(self) -> Floats:
        """The unbiased estimates of after − before."""
        return self.after - self.before


def changes(
    before: Estimate | Tally | Mapping[str, float] | ArrayLike,
    after: Estimate | Tally,
    level: float = 0.95,
    *,
    times: int = 1,
) -> Changes:
    """Return how much each share grew, with intervals that hold for all categories together.

    Each is `change`'s interval for one category, at a level that Bonferroni adjusts for their
    number, and for that of the comparisons that are made with the same crowd. With known shares,
    it is the interval of the estimate, less the known share.

    >>> from privet import Survey
    >>> drinks = ["tea", "coffee", "cocoa", "none"]
    >>> survey = Survey("Tea or coffee?", drinks, 1.0, mechanism="k-subset")
    >>> one = Estimate(survey, 1000, np.array([320, 270, 230, 180]))
    >>> two = Estimate(survey, 1000, np.array([220, 370, 230, 180]))
    >>> found = changes(one, two)
    >>> found.low.round(2), found.high.round(2)
    (array([-0.5 ,  0.16, -0.16, -0.15]), array([-0.17,  0.51,  0.16,  0.15]))
    """
    later = estimate_of("changes", "after", after)
    alpha = alpha_of("changes", level) / len(later.counts) / whole("changes", "times", times, 1)
    low, high = later.survey.mechanism.interval(later.counts, later.n, alpha, "population")
    if not isinstance(before, (Estimate, Tally)):
        known = known_shares(later.survey, before)
        return Changes(known, later.frequencies, *np.clip((low - known, high - known), -1, 1))
    earlier = estimate_of("changes", "before", before)
    check_categories([earlier, later])
    least, most = earlier.survey.mechanism.interval(earlier.counts, earlier.n, alpha, "population")
    was, now = earlier.frequencies, later.frequencies
    ends = [
        apart(Found(a, a, *one), Found(b, b, *other))
        for a, b, one, other in zip(
            now, was, zip(low, high, strict=True), zip(least, most, strict=True), strict=True
        )
    ]
    return Changes(was, now, *np.array(ends).T)
