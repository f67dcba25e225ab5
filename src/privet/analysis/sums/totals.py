"""Sums and comparisons: totals of categories and their differences, with errors that hold.

The frequencies are unbiased, so their sums are too, and the errors of sums follow from the exact
covariances of the mechanism (`covariance`). All shares add up to 1, also where the mechanism's
frequencies do not, so that more than half of the categories are what the others leave: with less
noise, and an interval that is the others', mirrored.

A distribution made for showing (projected, shrunk or likeliest) is biased where categories are
rare: do not trust its sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, sqrt
from typing import NamedTuple

import numpy as np

from ...device.mechanisms.base import exclusive
from ...device.mechanisms.forwards import Target
from ...device.mechanisms.symmetric import Symmetric
from ...device.survey import Survey
from ...errors import InvalidArgument, NoReports, SurveyMismatch
from ...errors.arguments import alpha_of
from ..arrays import Floats
from ..counted_shares import CountedShares
from ..hits import Hits, drawn
from ..refine.simplex import project_simplex
from ..tallied import Tallied
from .covariance import noise

Categories = str | Sequence[str]

__all__ = ["Difference", "Total", "difference", "total"]

_PRECISION = 1e-12
_SLACK = 1e-6  # of a person


@dataclass(frozen=True)
class Total:
    """The combined share of several categories.

    Attributes
    ----------
    value : float
        The unbiased estimate, which may fall outside [0, 1].
    standard_error : float
        The standard error of the value, for the target.
    target : "population", "sample" or int
        Whose share it is: that of the crowd the people were drawn from, of the people who took
        part, or of so many people whom they were drawn from.

    """

    value: float
    standard_error: float
    target: Target
    _estimate: CountedShares = field(repr=False)
    _positions: tuple[int, ...] = field(repr=False)
    # The variance of the contribution of a person whose value is among the categories, or is not.
    _inside: float = field(repr=False)
    _outside: float = field(repr=False)
    # What the other categories make up, where they are fewer.
    _others: Total | None = field(repr=False, default=None)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of a confidence interval.

        For one category, it is that of `Estimate.interval`. For several, it is that of a binomial
        count with the same variances (`analysis.hits`). For more than half of the categories, it is
        1 minus the interval of the others.
        """
        return _within(self._ends(alpha_of("Total.interval", level)))

    @property
    def hits(self) -> Hits:
        """The binomial count that varies as this total does."""
        return Hits.matched(self._inside, self._outside)

    def _found(self, alpha: float) -> FoundTotal:
        low, high = self._ends(alpha)
        people = self._estimate.n if self.target == "sample" else self.target
        if isinstance(people, str):
            return FoundTotal(self.value, self.value, low, high)
        least, most = floor(self.value * people + _SLACK), ceil(self.value * people - _SLACK)
        return FoundTotal(min(least, most) / people, max(least, most) / people, low, high)

    def _ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends, which may lie outside [0, 1], but never both on one side."""
        estimate, mechanism = self._estimate, self._estimate.survey.mechanism
        if len(self._positions) == mechanism.d:
            return 1.0, 1.0
        if self._others is not None:
            low, high = self._others._ends(alpha)
            return 1 - high, 1 - low
        if len(self._positions) == 1:
            place, counts = self._positions[0], estimate.counts
            if isinstance(mechanism, Symmetric):  # no other count matters
                place, counts = 0, counts[[place]]
            lows, highs = mechanism.interval(counts, estimate.n, alpha, self.target)
            return float(lows[place]), float(highs[place])
        hits, value = self.hits, np.array([self.value])
        lows, highs = hits.interval(value, estimate.n, alpha, self.target)
        return float(lows[0]), float(highs[0])


@dataclass(frozen=True)
class Difference:
    """How much larger one total is than another.

    Attributes
    ----------
    value : float
        The unbiased estimate of first − second.
    standard_error : float
        The standard error of the value.
    first : Total
        What is compared.
    second : Total
        What it is compared with.
    correlation : float
        The correlation of the two totals' errors: 0 between surveys, usually negative within one.

    """

    value: float
    standard_error: float
    first: Total = field(repr=False)
    second: Total = field(repr=False)
    correlation: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of a confidence interval, built from those of the two totals.

        Each total's interval says how far off it may be on either side; the squares of these
        distances are added, minus twice the correlated part (Newcombe 1998; Zou 2007). A total that
        is estimated outside [0, 1] counts as estimated there and as 0 or 1, whichever says less.
        Totals of a sample, or of so many people, are whole numbers of people: distances are those
        from the whole numbers next to the estimate.
        """
        alpha = alpha_of("Difference.interval", level)
        found, others = self.first._found(alpha), self.second._found(alpha)
        return apart(found, others, self.correlation)


class FoundTotal(NamedTuple):
    """What is known of a total: its estimate and the ends of its interval.

    A share of so many people is a whole number of them; the estimate then is what lies between two
    such numbers, and else both are the same.
    """

    least: float
    most: float
    low: float
    high: float

    def within(self) -> FoundTotal:
        """Return it with an estimate that is possible."""
        least, most = (min(max(one, 0.0), 1.0) for one in self[:2])
        return self._replace(least=least, most=most)


def apart(first: FoundTotal, second: FoundTotal, correlation: float = 0.0) -> tuple[float, float]:
    """Return the ends of an interval for the difference of two totals, within [−1, 1].

    >>> low, high = apart(FoundTotal(0.5, 0.5, 0.46, 0.54), FoundTotal(0.3, 0.3, 0.27, 0.33))
    >>> round(low, 3), round(high, 3)
    (0.15, 0.25)
    """
    lows, highs = [], []
    for a, b in ((first, second), (first.within(), second.within())):
        down = _add(a.least - a.low, b.high - b.most, correlation)
        up = _add(a.high - a.most, b.least - b.low, correlation)
        lows.append(a.least - b.most - down)
        highs.append(a.most - b.least + up)
    return max(min(lows), -1.0), min(max(highs), 1.0)


def _add(one: float, other: float, correlation: float) -> float:
    """Return how far two errors go together."""
    one, other = max(one, 0.0), max(other, 0.0)
    return sqrt(max(one**2 + other**2 - 2 * correlation * one * other, 0.0))


def _within(ends: tuple[float, float]) -> tuple[float, float]:
    return max(ends[0], 0.0), min(ends[1], 1.0)


def total(
    estimate: CountedShares | Tallied, categories: Categories, *, target: Target = "population"
) -> Total:
    """Return the combined share of these categories.

    The standard error uses the exact covariances of the mechanism: adding up the categories'
    variances would be wrong.

    >>> from privet import Estimate, Survey
    >>> drinks = ["tea", "coffee", "cocoa", "none"]
    >>> survey = Survey("Tea or coffee?", drinks, 1.0, mechanism="k-subset")
    >>> hot = total(Estimate(survey, 1000, np.array([320, 270, 230, 180])), ["tea", "coffee"])
    >>> f"{hot.value:.3f} ± {hot.standard_error:.3f}"
    '0.800 ± 0.052'
    """
    return _total("total", estimate, categories, target)


def difference(
    estimate: CountedShares | Tallied,
    first: Categories,
    second: Categories,
    *,
    target: Target = "population",
) -> Difference:
    """Return the share of the first categories minus that of the second, in one survey.

    >>> from privet import Estimate, Survey
    >>> drinks = ["tea", "coffee", "cocoa", "none"]
    >>> survey = Survey("Tea or coffee?", drinks, 1.0, mechanism="k-subset")
    >>> estimate = Estimate(survey, 1000, np.array([320, 270, 230, 180]))
    >>> low, high = difference(estimate, "tea", "coffee").interval()
    >>> f"[{low:.2f}, {high:.2f}]"
    '[0.01, 0.33]'
    """
    a = _total("difference", estimate, first, target)
    b = _total("difference", estimate, second, target)
    shared = set(a._positions) & set(b._positions)
    if shared:
        name = a._estimate.survey.categories[min(shared)]
        raise InvalidArgument("difference", "second", "categories that are not in first", name)
    weights = np.zeros(len(a._estimate.counts))
    weights[list(a._positions)], weights[list(b._positions)] = 1, -1
    shift = (a._others is not None) - (b._others is not None)
    _, shares, noises = _groups(a._estimate, weights, shift)
    sampled = float(shares[0] + shares[-1] - (shares[-1] - shares[0]) ** 2)
    variance = float(shares @ noises) + drawn(a.target, a._estimate.n) * sampled
    error = sqrt(variance / a._estimate.n)
    product = 2 * a.standard_error * b.standard_error
    apart = a.standard_error**2 + b.standard_error**2 - error**2
    correlation = min(max(apart / product, -1.0), 1.0) if product else 0.0
    return Difference(a.value - b.value, error, a, b, correlation)


# --- the parts ------------------------------------------------------------------------------------


def _total(
    owner: str, counted: CountedShares | Tallied, categories: Categories, target: Target
) -> Total:
    estimate = estimate_of(owner, "estimate", counted)
    target = estimate.whose(owner, target)
    return _total_at(estimate, _find(owner, estimate.survey, categories), target)


def _total_at(estimate: CountedShares, positions: list[int], target: Target) -> Total:
    others = sorted(set(range(len(estimate.counts))) - set(positions))
    if not others:
        return Total(1.0, 0.0, target, estimate, tuple(positions), 0.0, 0.0)
    if len(others) < len(positions):
        rest = _total_at(estimate, others, target)
        noises = rest._outside, rest._inside
        value, error = 1 - rest.value, rest.standard_error
        return Total(value, error, target, estimate, tuple(positions), *noises, rest)
    weights = np.zeros(len(estimate.counts))
    weights[positions] = 1
    value, shares, (outside, inside) = _groups(estimate, weights)
    variance = shares @ [outside, inside] + shares.prod() * drawn(target, estimate.n)
    error = sqrt(variance / estimate.n)
    return Total(value, error, target, estimate, tuple(positions), float(inside), float(outside))


def _groups(
    estimate: CountedShares, weights: Floats, shift: int = 0
) -> tuple[float, Floats, Floats]:
    """Return the weighted sum, and the share and noise of the people with each weight.

    Where people of the same weight differ in noise, as in a design, their noise is averaged over
    the crowd as estimated, so it lies between the least and the most. As all shares add up to 1,
    the people with weight `shift` are those whom the others leave, and the noise is that of the
    frequencies with the weights less `shift`.
    """
    frequencies = estimate.frequencies
    crowd = project_simplex(frequencies) + _PRECISION
    noises = noise(estimate.survey.mechanism, weights - shift)
    kinds = np.unique(weights)
    groups = [weights == kind for kind in kinds]
    shares = np.array([frequencies[group].sum() for group in groups])
    value = float(kinds @ shares)
    shares[kinds == shift] = 1 - shares[kinds != shift].sum()
    averages = [np.average(noises[group], weights=crowd[group]) for group in groups]
    return value, project_simplex(shares), np.array(averages)


def _find(owner: str, survey: Survey, categories: Categories) -> list[int]:
    if not isinstance(categories, Iterable):
        raise InvalidArgument(owner, "categories", "a category or several", categories)
    names = [categories] if isinstance(categories, str) else list(categories)
    if not names:
        raise InvalidArgument(owner, "categories", "one category at least", names)
    first: dict[int, int] = {}
    for i, name in enumerate(names):
        position = survey.index(name)
        if first.setdefault(position, i) != i:
            rule = f"different from categories[{first[position]}]"
            raise InvalidArgument(owner, f"categories[{i}]", rule, name)
    return list(first)


def estimate_of(owner: str, name: str, counted: object) -> CountedShares:
    """Return an estimate, or raise if there is none, no report, or shares do not add up to 1."""
    if isinstance(counted, Tallied):
        counted = counted.estimate()
    if not isinstance(counted, CountedShares):
        raise InvalidArgument(owner, name, "an Estimate or a Tally", counted)
    exclusive(owner, counted.survey.mechanism)
    if counted.n == 0:
        raise NoReports(f"The estimate of survey {counted.survey.id!r} has no reports.")
    return counted


def check_categories(estimates: Sequence[CountedShares]) -> None:
    """Raise SurveyMismatch unless all surveys have the same categories, in the same order."""
    survey = estimates[0].survey
    for other in estimates:
        if other.survey.categories != survey.categories:
            raise SurveyMismatch(
                f"The surveys {survey.id!r} and {other.survey.id!r} "
                "do not have the same categories."
            )
