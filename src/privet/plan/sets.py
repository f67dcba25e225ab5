"""Mechanisms for several choices side by side, and which to use.

Which has the least error depends on how many options there are, on how many of them one may
choose, and on ε: asking about one option where one may choose many and ε is small, listing all sets
where they are few and ε is large, and in between the k-subset mechanism for sets.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from .comparison import SAME, available

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    return _side_by_side("compare_for_sets", options, epsilon, most)


def choose_for_sets(options: int, epsilon: float, most: int, *, pairs: bool = False) -> Mechanism:
    """Return the mechanism for a survey of several choices that names none.

    It has the least error of an option, or with pairs=True of a rare pair of options; among those
    whose variance is within 1 % of the least, the shortest report.

    >>> choose_for_sets(20, 1.0, most=5), choose_for_sets(20, 0.5, most=10)
    (SetSubset(d=20, epsilon=1.0, most=5, k=1), OneOption(d=20, epsilon=0.5, most=10))
    >>> choose_for_sets(5, 4.0, most=2), choose_for_sets(20, 1.0, most=5, pairs=True)
    (ListedSets(d=5, epsilon=4.0, most=2, k=1), SetSubset(d=20, epsilon=1.0, most=5, k=3))
    """
    rows = _side_by_side("choose_for_sets", options, epsilon, most, pairs=pairs)
    near = [row for row in rows if row.deviation**2 <= SAME * rows[0].deviation ** 2]
    return min(near, key=lambda row: row.report_bytes).mechanism


def _side_by_side(
    owner: str, options: int, epsilon: float, most: int, *, pairs: bool = False
) -> list[SetComparison]:
    """Return those that are available, by deviation and then by the length of reports."""
    whole(owner, "options", options, 2, MOST_OPTIONS)
    whole(owner, "most", most, 1, options)
    positive(owner, "epsilon", epsilon)
    if pairs:
        whole(owner, "most", most, 2, options)
    found = (_for_pairs if pairs else _for_options)(options, epsilon, most)
    rows = [SetComparison(made, sqrt(variance), made.report_bytes) for made, variance in found]
    if not rows:
        raise InvalidArgument(owner, "epsilon", "one that a mechanism can be drawn with", epsilon)
    return sorted(rows, key=lambda row: (row.deviation, row.report_bytes))


def _for_options(options: int, epsilon: float, most: int) -> Iterator[tuple[Mechanism, Any]]:
    """Yield mechanisms, with n times the variance of an option's share."""
    share = np.array([most / (2 * options)])
    for kind in for_several.values():
        made = available(kind, options, epsilon, most=most)
        if made is not None:
            yield made, made.variance(share, 1, "sample")[0]


def _for_pairs(options: int, epsilon: float, most: int) -> Iterator[tuple[Mechanism, Any]]:
    """Yield mechanisms that tell pairs, with n times the variance of a pair that nobody chose."""
    shape = options, epsilon, most
    subsets: Any = available(SetSubset, *shape, theory.set_pair_optimal_k(*shape))
    if subsets is not None:
        yield subsets, theory.set_pair_variance(*shape, subsets.k)
    listed: Any = available(ListedSets, *shape)
    if listed is not None:
        yield listed, theory.listed_pair_variance(*shape, listed.k)
