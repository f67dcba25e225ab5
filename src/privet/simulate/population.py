"""Whole populations: the counts of their reports, drawn from the exact joint law."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..analysis.laws import draw_counts
from ..device.mechanisms.base import Channel
from ..device.mechanisms.choices import Choices
from ..errors import InvalidArgument
from ..errors.arguments import whole

MOST_PEOPLE = 10**10


def counts(
    mechanism: Channel, truth: ArrayLike | Mapping[tuple[int, ...], int], seed: Any = None
) -> NDArray[np.int64]:
    """Return how many of the people's reports support each value, as `Mechanism.tally` does.

    The joint law is that of randomizing everyone's answer and counting the reports, to double
    precision. For sets, block designs, unary bits and noise, no report is made where people are
    many: ten thousand times as many people take two or three times as long. For LocalHash, OneBit,
    HashedRR, Rappor and SetSubset, every report is made and counted, and the time grows with their
    number.

    Parameters
    ----------
    mechanism : Channel
        Any of privet.mechanisms.
    truth : array of d integers >= 0
        How many people hold each value; up to ten billion in all. For several choices, how many
        people chose each set of options, as a dict such as {(): 20, (0, 2): 100}.
    seed : int, numpy.random.Generator or None
        What numpy.random.default_rng takes: the same seed gives the same counts.

    >>> from privet.mechanisms import KSubset
    >>> drawn = counts(KSubset(4, 1.0, k=2), [500_000_000, 300_000_000, 200_000_000, 0], seed=1)
    >>> int(drawn.sum())
    2000000000

    """
    if not isinstance(mechanism, Channel):
        rule = "a mechanism, such as privet.mechanisms.KSubset(100, 1.0)"
        raise InvalidArgument("counts", "mechanism", rule, mechanism)
    people: Any
    if isinstance(mechanism, Choices):
        people = _check_sets(mechanism, truth)
        total = sum(people.values())
    else:
        people = _check_truth(mechanism.d, truth)
        total = int(people.sum())
    if not 1 <= total <= MOST_PEOPLE:
        rule = f"1 to {MOST_PEOPLE:,} people in all, the range that is drawn exactly"
        raise InvalidArgument("counts", "truth", rule, total)
    try:
        rng = np.random.default_rng(seed)
    except (TypeError, ValueError):
        rule = "an int >= 0, a numpy.random.Generator or None"
        raise InvalidArgument("counts", "seed", rule, seed) from None
    drawn: NDArray[np.int64] = draw_counts(mechanism, people, rng)
    return drawn


def _check_truth(d: int, truth: Any) -> NDArray[np.int64]:
    array = np.asarray(truth)
    if array.shape != (d,) or array.dtype.kind not in "iuf":
        rule = f"{d} whole numbers >= 0, how many people hold each value"
        given = f"{array.dtype} of shape {array.shape}"
        raise InvalidArgument("counts", "truth", rule, given)
    good = (array >= 0) & (array <= MOST_PEOPLE) & (array % 1 == 0)
    if not good.all():
        row = int(np.argmin(good))
        rule = f"a whole number in [0, {MOST_PEOPLE:,}]"
        raise InvalidArgument("counts", f"truth[{row}]", rule, array[row].item())
    return array.astype(np.int64)


def _check_sets(mechanism: Choices, truth: Any) -> dict[tuple[int, ...], int]:
    """Return how many people chose each set of options, or raise."""
    if not isinstance(truth, dict):
        rule = "a dict from sets of options to people, such as {(): 20, (0, 2): 100}"
        raise InvalidArgument("counts", "truth", rule, truth)
    return {
        mechanism.checked(options, "truth"): whole("counts", "truth", n, 0, MOST_PEOPLE)
        for options, n in truth.items()
    }
