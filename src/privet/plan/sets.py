"""Mechanisms for several choices side by side, and which to use.

Which has the least error depends on how many options there are, on how many of them one may
choose, and on ε: asking about one option where one may choose many and ε is small, listing all sets
where they are few and ε is large, and in between the k-subset mechanism for sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import theory
from ..arguments import positive, whole
from ..errors import InvalidArgument
from ..mechanisms.choices import MOST_OPTIONS
from ..mechanisms.registry import for_several
from ..mechanisms.subsets.listed_sets import ListedSets
from ..mechanisms.subsets.set_subset import SetSubset
from .comparison import SAME

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..mechanisms.base import Mechanism

__all__ = ["SetComparison", "choose_for_sets", "compare_for_sets"]


@dataclass(frozen=True)
class SetComparison:
    """The costs of one mechanism for several choices.

    `deviation` is √n times the standard deviation of an option's estimated share, for n people who
    chose half as many options as they may: each option has the share most / (2 · options).
    """

    mechanism: Mechanism
    deviation: float
    report_bytes: int


def compare_for_sets(options: int, epsilon: float, most: int) -> list[SetComparison]:
    """Return every mechanism for at most `most` of the options, the least error first.

    >>> for row in compare_for_sets(20, 1.0, most=5):
    ...     print(f"{row.mechanism.name:12} {row.deviation:.2f} {row.report_bytes}")
    set-subset   3.63 1
    one-option   4.53 1
    """
    return _compare("compare_for_sets", options, epsilon, most)


def choose_for_sets(options: int, epsilon: float, most: int, *, pairs: bool = False) -> Mechanism:
    """Return the mechanism for a survey of several choices that names none.

    It has the least error of an option, or with pairs=True of a rare pair of options; among those
    whose variance is within 1 % of the least, the shortest report.

    >>> choose_for_sets(20, 1.0, most=5), choose_for_sets(20, 0.5, most=10)
    (SetSubset(d=20, epsilon=1.0, most=5, k=1), OneOption(d=20, epsilon=0.5, most=10))
    >>> choose_for_sets(5, 4.0, most=2), choose_for_sets(20, 1.0, most=5, pairs=True)
    (ListedSets(d=5, epsilon=4.0, most=2, k=1), SetSubset(d=20, epsilon=1.0, most=5, k=3))
    """
    compare = _compare_pairs if pairs else _compare
    rows = compare("choose_for_sets", options, epsilon, most)
    near = [row for row in rows if row.deviation**2 <= SAME * rows[0].deviation ** 2]
    return min(near, key=lambda row: row.report_bytes).mechanism


def _compare(owner: str, options: int, epsilon: float, most: int) -> list[SetComparison]:
    _check(owner, options, epsilon, most)
    share = np.array([most / (2 * options)])
    return _side_by_side(
        owner,
        epsilon,
        [partial(cls, options, epsilon, most=most) for cls in for_several.values()],
        lambda mechanism: mechanism.variance(share, 1, "sample")[0],
    )


def _compare_pairs(owner: str, options: int, epsilon: float, most: int) -> list[SetComparison]:
    """Return the mechanisms that tell pairs, with the deviation of a pair that nobody chose."""
    _check(owner, options, epsilon, most)
    whole(owner, "most", most, 2, options)
    shape = options, epsilon, most

    def variance(mechanism: Any) -> Any:
        listed = isinstance(mechanism, ListedSets)
        theorem = theory.listed_pair_variance if listed else theory.set_pair_variance
        return theorem(*shape, mechanism.k)

    makers = [partial(SetSubset, *shape, theory.set_pair_optimal_k(*shape))]
    return _side_by_side(owner, epsilon, [*makers, partial(ListedSets, *shape)], variance)


def _check(owner: str, options: int, epsilon: float, most: int) -> None:
    whole(owner, "options", options, 2, MOST_OPTIONS)
    whole(owner, "most", most, 1, options)
    positive(owner, "epsilon", epsilon)


def _side_by_side(
    owner: str,
    epsilon: float,
    makers: Sequence[Callable[[], Mechanism]],
    variance: Callable[[Mechanism], Any],
) -> list[SetComparison]:
    """Return those that are available, by deviation and then by the length of reports."""
    rows = []
    for make in makers:
        try:
            made = make()
        except InvalidArgument:
            continue
        rows.append(SetComparison(made, sqrt(variance(made)), made.report_bytes))
    if not rows:
        raise InvalidArgument(owner, "epsilon", "one that a mechanism can be drawn with", epsilon)
    return sorted(rows, key=lambda row: (row.deviation, row.report_bytes))
