"""Pairs of options: the share of people who chose both, from reports of several choices.

A report holds two options with probability u if the person chose either or both of them, and else
with w (`SetSubset.pair_rates`). With N the number of the two that it holds, the mean of

    (N − 2h)/(g − h) − ([N = 2] − w)/(u − w)

over all reports is the one unbiased estimate that N allows: the first part is the sum of the two
shares, and the second the share of the people who chose any of the two. N takes three values, each
so many times as the counts say; so does what a report adds, whose variance follows, and an
interval by a score test (`tilted`).

Where all sets are listed (`ListedSets`), the share of a pair is a sum over the sets that hold it,
and has the interval of a binomial count with the same variances (`analysis.hits`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...device.answers.names import Names
from ...device.mechanisms.forwards import Target
from ...device.mechanisms.subsets.listed_sets import ListedSets
from ...device.mechanisms.subsets.packed import Packed
from ...device.mechanisms.subsets.set_subset import SetSubset
from ...device.survey import Survey
from ...errors import InvalidArgument
from ...errors.arguments import check_target, whole
from ..arrays import Floats
from ..choices import SetShares, held_together
from ..hits import drawn
from ..measured import Measured
from ..subsets import points_of
from .tilted import Reported

__all__ = ["Pairs", "pair_counts", "pair_shares", "points_together", "together"]

# Entries that are in memory at once; sums of as many ones are exact in single precision.
_ENTRIES_AT_ONCE = 1 << 22


def _unknown(i: int, j: int, alpha: float) -> tuple[float, float]:
    """Return all shares, where the counts are not known."""
    return 0.0, 1.0


@dataclass(frozen=True)
class Pairs:
    """The shares of people who chose two options together.

    Attributes
    ----------
    shares : array (d, d)
        The unbiased estimate for each pair, and on the diagonal for each option.
    standard_errors : array (d, d)
        The standard error of each.
    options : tuple of str
        The names of the options, where a survey says them.

    """

    shares: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    options: Names = field(default_factory=Names)
    _ends: Callable[[int, int, float], tuple[float, float]] = field(
        default=_unknown, repr=False, compare=False
    )

    def share(self, first: str, second: str) -> Measured:
        """Return the share of people who chose both options, with an interval."""
        return self.at(*(self.options.index_of(name) for name in (first, second)))

    def at(self, i: int, j: int) -> Measured:
        """Return the share of people who chose both options with these numbers."""
        value, error = float(self.shares[i, j]), float(self.standard_errors[i, j])
        return Measured(value, error, partial(self._ends, i, j))


def together(survey: Survey, reports: Any, *, target: Target = "population") -> Pairs:
    """Return how many people chose two options together, from all reports of a survey.

    A tally does not know which options were in one report: keep the reports, and let the survey
    have a mechanism that tells pairs, `Several(..., pairs=True)`.

    >>> from privet import Several, Survey
    >>> from privet.entropy import seeded
    >>> drinks = Several(["tea", "coffee", "milk", "juice"], most=2, pairs=True)
    >>> survey = Survey("What do you drink?", drinks, 2.0)
    >>> people = [["tea", "milk"], ["coffee"], ["tea", "milk"], []] * 2000
    >>> found = together(survey, survey.randomize_batch(people, entropy=seeded(1)))
    >>> low, high = found.share("tea", "milk").interval(0.95)
    >>> low < 0.5 < high
    True
    """
    mechanism: Any = survey.mechanism
    _check("together", mechanism)
    n = len(mechanism.analyst.counter.as_array(reports))
    found = pair_shares(mechanism, pair_counts(mechanism, reports), n, target=target)
    return replace(found, options=survey.answers.names)


def pair_counts(mechanism: SetSubset | ListedSets, reports: Any) -> NDArray[np.int64]:
    r"""Return how many reports hold each pair of options, int64 (d, d), which add.

    The diagonal has the reports that hold an option; by `ListedSets`, reports count as often as
    they hold a set with these options. Takes what `Mechanism.check` takes.

    >>> from privet.mechanisms import SetSubset
    >>> mechanism = SetSubset(4, 1.0, most=2, k=2)
    >>> pair_counts(mechanism, [b"\x03", b"\x03", b"\x22"]).tolist()
    [[2, 2, 0, 0], [2, 3, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    """
    _check("pair_counts", mechanism)
    if isinstance(mechanism, ListedSets):
        return held_together(mechanism, mechanism.aggregate(reports)[1])
    array = mechanism.analyst.counter.as_array(reports)
    mechanism.check(array)
    return points_together(mechanism, array)[: mechanism.d, : mechanism.d]


def points_together(mechanism: Packed, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return how many checked reports hold each pair of points, int64 (points, points)."""
    total = np.zeros((mechanism.points, mechanism.points), dtype=np.int64)
    rows = max(1, _ENTRIES_AT_ONCE // mechanism.points)
    for at in range(0, len(reports), rows):
        held = points_of(mechanism, reports[at : at + rows]).astype(np.float32)
        total += (held.T @ held).astype(np.int64)
    return total


def pair_shares(
    mechanism: SetSubset | ListedSets,
    counts: ArrayLike,
    n: int,
    *,
    target: Target = "population",
) -> Pairs:
    """Return the share of people who chose both options of each pair, with standard errors.

    Parameters
    ----------
    mechanism : SetSubset or ListedSets
        The mechanism that made the reports, with k >= 2, or most >= 2 where all sets are listed.
    counts : array of integers (d, d)
        What `pair_counts` returns, or a sum of such.
    n : int
        The number of reports.
    target : "population" or "sample"
        Whether the errors are for the population that the people were drawn from, or for these n.

    >>> from privet.entropy import seeded
    >>> from privet.mechanisms import SetSubset
    >>> mechanism = SetSubset(5, 2.0, most=2, k=2)
    >>> reports = mechanism.randomize([[0, 1], [0, 1], [2], []] * 5000, entropy=seeded(1))
    >>> pairs = pair_shares(mechanism, pair_counts(mechanism, reports), len(reports))
    >>> print(f"{pairs.shares[0, 1]:.2f} ± {pairs.standard_errors[0, 1]:.2f}")
    0.54 ± 0.02

    """
    _check("pair_shares", mechanism)
    check_target("pair_shares", target)
    n, both = whole("pair_shares", "n", n, 1), np.asarray(counts)
    if both.shape != (mechanism.d, mechanism.d) or both.dtype.kind not in "iu":
        rule = f"integers ({mechanism.d}, {mechanism.d}), as pair_counts returns them"
        raise InvalidArgument("pair_shares", "counts", rule, f"{both.dtype} of shape {both.shape}")
    if isinstance(mechanism, ListedSets):
        shares, variances = _from_sets(mechanism, both, n, target)
    else:
        shares, variances = _from_points(mechanism, both, n, target)
    singles = mechanism.frequencies(np.diagonal(both), n)
    np.fill_diagonal(shares, singles)
    np.fill_diagonal(variances, mechanism.variance(np.clip(singles, 0, 1), n, target))

    def ends(i: int, j: int, alpha: float) -> tuple[float, float]:
        if i == j:
            lows, highs = mechanism.interval(np.diagonal(both), n, alpha, target)
            return max(float(lows[i]), 0.0), min(float(highs[i]), 1.0)
        if isinstance(mechanism, ListedSets):
            return _ends_from_sets(mechanism, both[i, j], n, alpha, target)
        return _reported(mechanism, both, i, j, n, target).ends(alpha)

    return Pairs(shares, np.sqrt(variances), _ends=ends)


def _from_sets(
    mechanism: ListedSets, both: NDArray[Any], n: int, target: Target
) -> tuple[Floats, Floats]:
    """Return the shares of pairs and their variances, from how many sets hold them."""
    pairs = SetShares(mechanism, held=2)
    shares = pairs.frequencies(both, n)
    return shares, pairs.variance(np.clip(shares, 0, 1), n, target)


def _ends_from_sets(
    mechanism: ListedSets, count: int, n: int, alpha: float, target: Target
) -> tuple[float, float]:
    low, high = SetShares(mechanism, held=2).interval(np.array([count]), n, alpha, target)
    return max(float(low[0]), 0.0), min(float(high[0]), 1.0)


def _from_points(
    mechanism: SetSubset, both: NDArray[Any], n: int, target: Target
) -> tuple[Floats, Floats]:
    """Return the shares of pairs and their variances, from how many reports hold both options."""
    singles = np.diagonal(both)
    held_one = singles[:, None] + singles - 2 * both
    times = np.array([n - held_one - both, held_one, both]) / n
    worth = np.array(_worths(mechanism)).reshape(3, 1, 1)
    shares = (times * worth).sum(axis=0)
    spread = (times * (worth - shares) ** 2).sum(axis=0)
    if target == "sample":
        spread = np.maximum(spread - shares * (1 - shares), 0)
    return shares, spread / n


def _worths(mechanism: SetSubset) -> tuple[float, float, float]:
    """Return what a report is worth that holds none of two options, one, or both."""
    (g, h), (u, w) = mechanism.hit_rates, mechanism.pair_rates
    none = w / (u - w) - 2 * h / (g - h)
    one, two = none + 1 / (g - h), none + 2 / (g - h) - 1 / (u - w)
    return float(none), float(one), float(two)


def _reported(
    mechanism: SetSubset, both: NDArray[Any], i: int, j: int, n: int, target: Target
) -> Reported:
    """Return how many reports hold none of two options, one, or both, and what each is worth."""
    two = float(both[i, j])
    one = float(both[i, i] + both[j, j]) - 2 * two
    h, w = float(mechanism.hit_rates[1]), float(mechanism.pair_rates[1])
    kinds = zip(
        _worths(mechanism),
        (n - one - two, one, two),
        (1 - 2 * h + w, 2 * h - 2 * w, w),
        strict=True,
    )
    worths, counts, added = zip(*sorted(kinds), strict=True)
    return Reported(counts, worths, added, drawn(target, n))


def _check(owner: str, mechanism: SetSubset | ListedSets) -> None:
    if not isinstance(mechanism, SetSubset | ListedSets):
        raise InvalidArgument(owner, "mechanism", "a SetSubset or a ListedSets", mechanism)
    if isinstance(mechanism, ListedSets):
        if mechanism.most < 2:
            rule = "one with most >= 2: nobody chose two options"
            raise InvalidArgument(owner, "mechanism", rule, mechanism)
    elif mechanism.k < 2:
        rule = "one with k >= 2: a report of one point says nothing about two options"
        raise InvalidArgument(owner, "mechanism", rule, mechanism)
