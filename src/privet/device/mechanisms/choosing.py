"""The mechanism of a survey that names none: the least error, then the shortest report.

Of the mechanisms whose error is within 1 % of the least, the one with the shortest report is
chosen, and of equally short ones the one whose counts are decoded fastest. All costs are closed
forms, so that a survey can be created where nothing else is installed. `privet.plan` shows the
same numbers side by side, and `tests/vectors/choices.json` keeps the choice as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, TypeVar

from ...errors import InvalidArgument
from ...errors.arguments import positive, whole
from ...theory import listed_pair_variance, set_pair_optimal_k, set_pair_variance
from .base import Mechanism
from .choices import MOST_OPTIONS, Choices
from .registry import for_one, for_several
from .subsets.k_subset import KSubset
from .subsets.listed_sets import ListedSets
from .subsets.set_subset import SetSubset
from .symmetric import Shrinkable

M = TypeVar("M", bound=Mechanism)

__all__ = ["available", "choose", "choose_for_sets", "compared_for_sets", "squared_error"]

# What "auto" chooses from besides the k-subset mechanism, which has the least error. Of designs
# with the same report and the same cost of decoding, the first is taken.
_SHORTER = ("hadamard", "projective", "cyclotomic")
# Errors closer than this are equal for a survey.
_SAME = 1.01


def choose(d: int, epsilon: float) -> Shrinkable:
    """Return the mechanism for a survey that names none, a symmetric one.

    Among those whose error is within 1 % of the least, it has the shortest report and then the
    cheapest decoding.

    >>> choose(3, 1.0), choose(1000, 1.0).name
    (KSubset(d=3, epsilon=1.0, k=1), 'projective')
    """
    best: Shrinkable = KSubset(d, epsilon)
    kinds: list[Any] = [for_one[name] for name in _SHORTER]
    short: list[Shrinkable | None] = [available(kind, d, epsilon) for kind in kinds]
    rows = [(one, squared_error(one)) for one in [best, *short] if one is not None]
    least = min(error for _, error in rows)
    near = [one for one, error in rows if error <= _SAME * least]
    return min(near, key=lambda one: (one.report_bytes, one.server_steps[1]))


def squared_error(mechanism: Shrinkable) -> float:
    """Return n times the squared ℓ2 error of the frequencies of n people, all of them 1/d."""
    return mechanism.share_variance(1 / mechanism.d) * mechanism.d


def choose_for_sets(options: int, epsilon: float, most: int, *, pairs: bool = False) -> Choices:
    """Return the mechanism for a survey of several choices that names none.

    It has the least error of an option, or with pairs=True of a rare pair of options; among those
    whose variance is within 1 % of the least, the shortest report.

    >>> choose_for_sets(20, 1.0, most=5), choose_for_sets(20, 0.5, most=10)
    (SetSubset(d=20, epsilon=1.0, most=5, k=1), OneOption(d=20, epsilon=0.5, most=10))
    >>> choose_for_sets(5, 4.0, most=2), choose_for_sets(20, 1.0, most=5, pairs=True)
    (ListedSets(d=5, epsilon=4.0, most=2, k=1), SetSubset(d=20, epsilon=1.0, most=5, k=3))
    """
    rows = compared_for_sets("choose_for_sets", options, epsilon, most, pairs=pairs)
    least = rows[0][1]
    near = [one for one, deviation in rows if deviation**2 <= _SAME * least**2]
    return min(near, key=lambda one: one.report_bytes)


def compared_for_sets(
    owner: str, options: int, epsilon: float, most: int, *, pairs: bool = False
) -> list[tuple[Choices, float]]:
    """Return the available mechanisms with √n times a share's deviation, the least first.

    The share is that of an option, where n people chose half as many as they may; or with
    pairs=True that of two options that nobody chose together.
    """
    whole(owner, "options", options, 2, MOST_OPTIONS)
    whole(owner, "most", most, 1, options)
    positive(owner, "epsilon", epsilon)
    if pairs:
        whole(owner, "most", most, 2, options)
    found = (_for_pairs if pairs else _for_options)(options, epsilon, most)
    if not found:
        raise InvalidArgument(owner, "epsilon", "one that a mechanism can be drawn with", epsilon)
    rows = [(one, sqrt(variance)) for one, variance in found]
    return sorted(rows, key=lambda row: (row[1], row[0].report_bytes))


def _for_options(options: int, epsilon: float, most: int) -> list[tuple[Choices, float]]:
    """Return mechanisms, with n times the variance of an option's share."""
    made = (available(kind, options, epsilon, most) for kind in for_several.values())
    share = most / (2 * options)
    return [(one, one.share_variance(share)) for one in made if one is not None]


def _for_pairs(options: int, epsilon: float, most: int) -> list[tuple[Choices, float]]:
    """Return mechanisms that reveal pairs, with n times the variance of a pair nobody chose."""
    shape = options, epsilon, most
    found: list[tuple[Choices, float]] = []
    subsets = available(SetSubset, *shape, set_pair_optimal_k(*shape))
    if subsets is not None:
        found.append((subsets, set_pair_variance(*shape, subsets.k)))
    listed = available(ListedSets, *shape)
    if listed is not None:
        found.append((listed, listed_pair_variance(*shape, listed.k)))
    return found


def available(kind: Callable[..., M], *shape: float) -> M | None:
    """Return a mechanism, or None if there is none of this shape."""
    try:
        return kind(*shape)
    except InvalidArgument:
        return None
