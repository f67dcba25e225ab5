"""Changes: how much the shares of categories or options differ between waves, or from known ones.

Every share is compared by itself, with the intervals of `privet.analysis.sums.independent`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...device.mechanisms.forwards import Target
from ...errors import InvalidArgument, NoReports, SurveyMismatch
from ...errors.arguments import alpha_of, check_target, whole
from ..arrays import Floats
from ..counted_shares import CountedShares
from ..estimator import Averages
from ..shown import Shown
from ..tallied import Tallied
from .fit import known_shares
from .independent import NARROWEST, Change, Known, Uncertain, subtracted, tidied
from .totals import total

_Ends = tuple[Floats, Floats]

__all__ = ["Changes", "change", "changes"]


@dataclass(frozen=True)
class Changes:
    """How much larger some estimates are than others of other people, or than known numbers.

    Attributes
    ----------
    names : tuple of str
        What is compared: the categories.
    before : array of floats
        What they are compared with: unbiased estimates, or known numbers.
    after : array of floats
        The unbiased estimates that are compared.
    low : array of floats
        The lower ends of intervals for after − before, which hold for all together.
    high : array of floats
        Their upper ends.
    level : float
        The level at which all intervals hold.

    """

    names: tuple[str, ...]
    before: Floats
    after: Floats
    low: Floats
    high: Floats
    level: float
    _p_values: Callable[[], Floats] = field(repr=False)

    @cached_property
    def p_values(self) -> Floats:
        """The p-values, adjusted for their number as the intervals are.

        One is at most 1 − level exactly where its interval does not contain 0.
        """
        return self._p_values()

    @property
    def values(self) -> Floats:
        """The unbiased estimates of after − before."""
        return self.after - self.before

    @property
    def found(self) -> NDArray[np.bool_]:
        """Which of them differ, because their interval does not contain 0."""
        differ: NDArray[np.bool_] = (self.low > 0) | (self.high < 0)
        return differ


def change(
    before: CountedShares | Tallied,
    after: CountedShares | Tallied,
    categories: str | Sequence[str],
    *,
    target: Target = "population",
) -> Change:
    """Return how much the share of these categories grew from one survey to another.

    The surveys must have asked different people, drawn independently; their mechanisms and ε may
    differ. Where people choose several options, it is for one option at a time.

    >>> from privet import Estimate, Survey
    >>> drinks = ["tea", "coffee", "cocoa", "none"]
    >>> waves = [Survey("Tea or coffee?", drinks, 1.0, id=name) for name in ("first", "second")]
    >>> before = Estimate(waves[0], 1000, np.array([320, 270, 230, 180]))
    >>> after = Estimate(waves[1], 1000, np.array([270, 320, 230, 180]))
    >>> grown = change(before, after, "coffee")
    >>> f"{grown.value:.3f} ± {grown.standard_error:.3f}, p = {grown.p_value:.3f}"
    '0.166 ± 0.068, p = 0.017'
    """
    if before is after:
        raise InvalidArgument("change", "after", "different from 'before'", before.survey.id)
    return Change(_part(before, categories, target), _part(after, categories, target))


def changes(
    before: Shown | Tallied | Mapping[str, float] | ArrayLike,
    after: Shown | Tallied,
    level: float = 0.95,
    *,
    times: int = 1,
) -> Changes:
    """Return how much each share grew, with intervals that hold for all categories together.

    Each is `change`'s interval for one category, or for one option where people choose several, at
    a level that Bonferroni adjusts for their number, and for that of the comparisons that are made
    with the same people. With known shares, it is the interval of the estimate, less the known
    share; those of categories must add up to 1.

    >>> from privet import Estimate, Survey
    >>> drinks = ["tea", "coffee", "cocoa", "none"]
    >>> survey = Survey("Tea or coffee?", drinks, 1.0, mechanism="k-subset")
    >>> one = Estimate(survey, 1000, np.array([320, 270, 230, 180]))
    >>> two = Estimate(survey, 1000, np.array([220, 370, 230, 180]))
    >>> found = changes(one, two)
    >>> found.low.round(2), found.high.round(2)
    (array([-0.5 ,  0.16, -0.16, -0.15]), array([-0.16,  0.51,  0.16,  0.15]))
    >>> [name for name, differs in zip(found.names, found.found) if differs]
    ['tea', 'coffee']
    """
    later = _shown("changes", "after", after)
    tests = len(later.survey.categories) * whole("changes", "times", times, 1)
    alpha = alpha_of("changes", level) / tests
    earlier: Shown | None = None
    if isinstance(before, (Shown, Tallied)):
        earlier = _shown("changes", "before", before)
        _check_alike(earlier, later)
        was = earlier.frequencies
    else:
        was = known_shares(later.survey, before)

    def ends(alpha: float) -> _Ends:
        return tidied(*subtracted(now, then, 1 - alpha, known=earlier is None), 1.0)

    def now(level: float) -> _Ends:
        return _all_ends(later, level)

    def then(level: float) -> _Ends:
        return (was, was) if earlier is None else _all_ends(earlier, level)

    def p_values() -> Floats:
        least, most = ends(min(1 / tests, 1 - NARROWEST))
        found = np.ones(len(was))
        for i in np.flatnonzero((least > 0) | (most < 0)):  # the others have a p-value of 1
            old = Known(float(was[i])) if earlier is None else _Share(earlier, int(i))
            found[i] = min(tests * Change(old, _Share(later, int(i))).p_value, 1.0)
        return found

    low, high = ends(alpha)
    return Changes(later.survey.categories, was, later.frequencies, low, high, level, p_values)


# --- the parts ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Share:
    """The share of one category, or of one option."""

    estimate: Shown
    position: int
    target: Target = "population"

    @property
    def value(self) -> float:
        return float(self.estimate.frequencies[self.position])

    @property
    def standard_error(self) -> float:
        return float(self.estimate.standard_errors[self.position])

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of the estimate's interval for this category, which may be beyond 0."""
        one, i = self.estimate, self.position
        mechanism = one.survey.mechanism
        if isinstance(one, CountedShares) and isinstance(mechanism.analyst.estimator, Averages):
            # Each count by itself: a survey may have very many categories.
            ends = mechanism.interval(one.counts[i : i + 1], one.n, 1 - level, self.target)
            return float(ends[0][0]), float(ends[1][0])
        low, high = _all_ends(one, level, self.target)
        return float(low[i]), float(high[i])


def _all_ends(one: Shown, level: float, target: Target = "population") -> _Ends:
    """Return the ends of all categories' intervals, beyond 0 where that is known.

    An interval that was cut at 0 would look as if it were surer than it is.
    """
    if isinstance(one, CountedShares):
        return one.survey.mechanism.interval(one.counts, one.n, 1 - level, target)
    return one.interval(level, target=target)


def _part(counted: Shown | Tallied, categories: str | Sequence[str], target: Target) -> Uncertain:
    """Return the share of some categories, or of one where shares cannot be added up."""
    estimate = _shown("change", "estimate", counted)
    check_target("change", target, estimate.n)
    if isinstance(categories, str):
        return _Share(estimate, estimate.survey.index(categories), target)
    if not estimate.is_distribution:
        rule = "one option, because people may choose several"
        raise InvalidArgument("change", "categories", rule, categories)
    if not isinstance(estimate, CountedShares):
        rule = "one category, for a question on several pages of a questionnaire"
        raise InvalidArgument("change", "categories", rule, categories)
    return total(estimate, categories, target=target)


def _shown(owner: str, name: str, counted: object) -> Shown:
    """Return the estimate of something, or raise if there is none or no report."""
    if isinstance(counted, Tallied):
        counted = counted.estimate()
    if not isinstance(counted, Shown):
        raise InvalidArgument(owner, name, "an Estimate or a Tally", counted)
    if counted.n == 0:
        raise NoReports(f"The estimate of survey {counted.survey.id!r} has no reports.")
    return counted


def _check_alike(one: Shown, other: Shown) -> None:
    """Raise SurveyMismatch unless both ask for the same, with the same categories in one order."""
    first, second = one.survey, other.survey
    if first.categories != second.categories or first.answers.kind != second.answers.kind:
        raise SurveyMismatch(
            f"The surveys {first.id!r} and {second.id!r} do not have the same categories."
        )
