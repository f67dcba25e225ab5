"""Changes: how much larger what one group of people says is than what others said, or is known.

Whatever is compared comes with intervals [l(z), u(z)] at every level, that of a normal quantile z.
Two that are independent make one for their difference. A pair of numbers is compatible with both if
its first number is in one's interval at z cos φ and the second in the other's at z sin φ, for some
angle φ: then the squares of how far it is from both add up to z² at most. The ends are the least
and the largest difference of such pairs:

    low = min l₁(z cos φ) − u₂(z sin φ),    high = max u₁(z cos φ) − l₂(z sin φ)    over φ.

For normal estimates this is the usual interval, z times the root of both squared errors. What does
not shrink with z (rounded answers, cells of a scale) is added up, as it must be. Over a grid of
angles, z is larger by as much as the grid may miss. A p-value is the least α at which the interval
of level 1 − α does not contain 0, so that a test and its interval never disagree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import cos, hypot, pi, sin
from statistics import NormalDist
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..analysis.estimate import Estimate
from ..analysis.estimator import Averages
from ..analysis.shown import Shown
from ..analysis.tally import Tally
from ..arguments import alpha_of, check_target, whole
from ..errors import InvalidArgument, NoReports, SurveyMismatch
from .fit import known_shares
from .totals import total

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ..mechanisms.forwards import Target
    from .incidence import Floats

    _Ends = tuple[Floats, Floats]

__all__ = ["Change", "Changes", "Known", "Uncertain", "change", "changes"]

# Levels at 0 and 1, for all purposes.
_NARROWEST, _LEAST_P = 1e-9, 1e-12
# What counts as 0, as a part of the largest difference that there may be.
_ZERO = 1e-9
_NEAR = 1e-6  # how near z is to where an interval ends at 0
_ANGLES = [pi / 12 * i for i in range(7)]
_MISSED = cos(pi / 24)  # of normal estimates' interval, by the grid of angles


class Uncertain(Protocol):
    """An estimate with its error: a `Measured`, a `Total`, or the share of a category."""

    @property
    def value(self) -> float:
        """The estimate."""

    @property
    def standard_error(self) -> float:
        """Its standard error."""

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of a confidence interval."""


@dataclass(frozen=True)
class Known:
    """A number that is known without an error."""

    value: float
    standard_error: float = 0.0

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the number, twice."""
        return self.value, self.value


@dataclass(frozen=True, repr=False)
class Change:
    """How much larger one estimate is than another of other people, or than a known number.

    Attributes
    ----------
    before : Uncertain
        What it is compared with.
    after : Uncertain
        What is compared.
    most : float
        The largest difference that is possible: 1 between shares.

    >>> from privet import Scale, Survey
    >>> survey = Survey("How old are you?", Scale(0, 120, unit="years"), 4.0)
    >>> waves = [survey.tally(), survey.tally()]
    >>> for tally, age in zip(waves, (35, 55), strict=True):
    ...     tally.update(survey.randomize_batch([age] * 1000))
    >>> before, after = (tally.estimate() for tally in waves)
    >>> older = after.change(before).mean()
    >>> low, high = older.interval(0.95)
    >>> low > 0, older.p_value <= 0.05
    (True, True)

    """

    before: Uncertain
    after: Uncertain
    most: float = 1.0

    def __repr__(self) -> str:
        return f"Change(value={self.value!r}, standard_error={self.standard_error!r})"

    @cached_property
    def value(self) -> float:
        """The estimate of after − before."""
        return self.after.value - self.before.value

    @property
    def standard_error(self) -> float:
        """The standard error of the value."""
        return hypot(self.after.standard_error, self.before.standard_error)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of a confidence interval, within what is possible."""
        alpha_of("Change.interval", level)
        return self._ends(level)

    @cached_property
    def p_value(self) -> float:
        """The least α at which the interval of level 1 − α does not contain 0."""

        def margin(alpha: float) -> float:
            low, high = self._ends(1 - alpha)
            return max(low, -high)

        return _least_alpha(margin)

    def adjusted(self, tests: int) -> float:
        """Return the p-value, adjusted for being one of so many (Bonferroni)."""
        if tests > 1:
            low, high = self._ends(1 - 1 / tests)
            if low <= 0 <= high:  # which is found much faster than the p-value
                return 1.0
        return min(tests * self.p_value, 1.0)

    def _ends(self, level: float) -> tuple[float, float]:
        def after(level: float) -> _Ends:
            return _arrays(self.after.interval(level))

        def before(level: float) -> _Ends:
            return _arrays(self.before.interval(level))

        known = isinstance(self.before, Known)
        low, high = _subtract(after, before, level, known=known)
        low, high = _tidied(low, high, self.most)
        return float(low), float(high)


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
        """Which of them differ: those whose interval does not contain 0."""
        differ: NDArray[np.bool_] = (self.low > 0) | (self.high < 0)
        return differ


def change(
    before: Estimate | Tally,
    after: Estimate | Tally,
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
    before: Shown | Tally | Mapping[str, float] | ArrayLike,
    after: Shown | Tally,
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
    if isinstance(before, (Shown, Tally)):
        earlier = _shown("changes", "before", before)
        _check_alike(earlier, later)
        was = earlier.frequencies
    else:
        was = known_shares(later.survey, before)

    def ends(alpha: float) -> _Ends:
        return _tidied(*_subtract(now, then, 1 - alpha, known=earlier is None), 1.0)

    def now(level: float) -> _Ends:
        return _all_ends(later, level)

    def then(level: float) -> _Ends:
        return (was, was) if earlier is None else _all_ends(earlier, level)

    def p_values() -> Floats:
        least, most = ends(min(1 / tests, 1 - _NARROWEST))
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
        if isinstance(one, Estimate) and isinstance(mechanism.analyst.estimator, Averages):
            # Each count by itself: a survey may have very many categories.
            ends = mechanism.interval(one.counts[i : i + 1], one.n, 1 - level, self.target)
            return float(ends[0][0]), float(ends[1][0])
        low, high = _all_ends(one, level, self.target)
        return float(low[i]), float(high[i])


def _all_ends(one: Shown, level: float, target: Target = "population") -> _Ends:
    """Return the ends of all categories' intervals, beyond 0 where that is known.

    An interval that was cut at 0 would look as if it were surer than it is.
    """
    if isinstance(one, Estimate):
        return one.survey.mechanism.interval(one.counts, one.n, 1 - level, target)
    return one.interval(level, target=target)


def _part(counted: Shown | Tally, categories: str | Sequence[str], target: Target) -> Uncertain:
    """Return the share of some categories, or of one where shares cannot be added up."""
    estimate = _shown("change", "estimate", counted)
    check_target("change", target, estimate.n)
    if isinstance(categories, str):
        return _Share(estimate, estimate.survey.index(categories), target)
    if not estimate.survey.mechanism.shares_add_up:
        rule = "one option, because people may choose several"
        raise InvalidArgument("change", "categories", rule, categories)
    if not isinstance(estimate, Estimate):
        rule = "one category, for a question on several pages of a questionnaire"
        raise InvalidArgument("change", "categories", rule, categories)
    return total(estimate, categories, target=target)


def _arrays(ends: tuple[float, float]) -> _Ends:
    return np.array(ends[0]), np.array(ends[1])


def _shown(owner: str, name: str, counted: object) -> Shown:
    """Return the estimate of something, or raise if there is none or no report."""
    if isinstance(counted, Tally):
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


def _subtract(
    after: Callable[[float], _Ends], before: Callable[[float], _Ends], level: float, *, known: bool
) -> _Ends:
    """Return the ends for the difference of two, from their intervals at all levels."""
    if known:
        (low, high), (first, last) = after(level), before(level)
        return low - last, high - first
    normal = NormalDist()
    z = normal.inv_cdf((1 + level) / 2) / _MISSED
    levels = [1 - 2 * normal.cdf(-z * sin(angle)) for angle in _ANGLES]
    levels = [min(max(level, _NARROWEST), 1 - _LEAST_P / 10) for level in levels]
    one, other = [after(level) for level in reversed(levels)], [before(level) for level in levels]
    pairs = list(zip(one, other, strict=True))
    low = np.min([low - last for (low, _), (_, last) in pairs], axis=0)
    high = np.max([high - first for (_, high), (first, _) in pairs], axis=0)
    return low, high


def _tidied(low: Floats, high: Floats, most: float) -> _Ends:
    """Return the ends within what is possible; one that is nothing but a rounding error is 0."""
    low, high = (
        np.where(abs(end) < _ZERO * most, 0.0, np.clip(end, -most, most)) for end in (low, high)
    )
    return low, high


def _least_alpha(margin: Callable[[float], float]) -> float:
    """Return the least α at which the margin by which 0 is outside an interval is positive.

    >>> round(_least_alpha(lambda alpha: alpha - 0.03), 6)
    0.03
    >>> _least_alpha(lambda alpha: 1), _least_alpha(lambda alpha: 0)
    (1e-12, 1.0)
    """
    from scipy.optimize import brentq

    if margin(_LEAST_P) > 0:
        return _LEAST_P
    widest = margin(1 - _NARROWEST)
    if widest <= 0:
        return 1.0
    normal = NormalDist()

    def excess(z: float) -> float:
        by = margin(2 * normal.cdf(-z))
        return by if by > 0 else min(by, -_ZERO * widest)

    ends = -normal.inv_cdf((1 - _NARROWEST) / 2), -normal.inv_cdf(_LEAST_P / 2)
    return 2 * normal.cdf(-float(brentq(excess, *ends, xtol=_NEAR)))
