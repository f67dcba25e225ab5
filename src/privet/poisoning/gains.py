"""Gains: by how much the worst false reports raise an estimate, exactly.

With m false reports among n + m, β = m/(n + m), r targets of the true total share f, and c the most
targets that one report supports, the estimated total of the targets rises by

    β · ((c − rh)/(g − h) − f)

on average (Cao, Jia and Gong, Data poisoning attacks to local differential privacy protocols,
2021). How large c is depends on which reports there are: in a block design a lie must be a block.

Where each person is asked about one of d options (`OneOption`), a share is estimated from those who
were asked about it. Liars say that they were asked about a target, m/r of them about each, and say
yes. They are then a part w = βd/(βd + (1 − β)r) of its answers, and the total rises by

    w · (r(1 − h)/(g − h) − f).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

import numpy as np

from ..analysis.incidence import reported_sets
from ..device.mechanisms.base import Mechanism
from ..device.mechanisms.bits.unary import Unary
from ..device.mechanisms.hashes.local_hash import LocalHash
from ..device.mechanisms.hashes.one_bit import OneBit
from ..device.mechanisms.hashes.one_option import OneOption
from ..device.mechanisms.scales.interval import Interval
from ..device.mechanisms.subsets.design import Design
from ..device.mechanisms.subsets.k_subset import KSubset
from ..device.mechanisms.subsets.listed_sets import ListedSets
from ..device.mechanisms.subsets.set_subset import SetSubset
from ..errors import InvalidArgument
from ..errors.arguments import is_finite, is_whole

__all__ = ["gain", "mean_gain", "most_held", "worth"]

# The largest prime of hash functions that are all gone through: some seconds.
_MOST_PRIME = 4096


def gain(
    mechanism: Mechanism, targets: Sequence[int], fraction: float, share: float = 0.0
) -> float:
    """Return by how much false reports raise the estimated total share of some values, at worst.

    Parameters
    ----------
    mechanism : Mechanism
        How reports are made, such as `survey.mechanism`.
    targets : sequence of int
        The values that the liars want to raise.
    fraction : float in [0, 1]
        What part of all reports is false.
    share : float
        The true total share of the targets among honest people.

    >>> from privet.mechanisms import KSubset, MultivariateRR
    >>> round(gain(KSubset(100, 1.0), range(5), 0.05, 0.02), 3)
    0.782
    >>> round(gain(MultivariateRR(100, 1.0), range(5), 0.05, 0.02), 3)
    2.813

    """
    _check_fraction("gain", fraction)
    if not is_finite(share):
        raise InvalidArgument("gain", "share", "a finite number", share)
    held, (g, h) = most_held(mechanism, targets), mechanism.hit_rates  # type: ignore[attr-defined]
    if isinstance(mechanism, OneOption):
        lies, answers = fraction * mechanism.d, (1 - fraction) * len(targets)
        held, fraction = len(targets), lies / (lies + answers)
    return fraction * (float((held - len(targets) * h) / (g - h)) - share)


def mean_gain(mechanism: Interval, fraction: float, mean: float = 0.0) -> float:
    """Return by how many cells false reports raise the estimated mean of a scale, at worst.

    The last window counts as a number far beyond the last cell B − 1: its centre is half a window
    further, and the estimate divides its distance from the middle by the slope ρ.

    >>> from privet.mechanisms import Interval
    >>> round(mean_gain(Interval(64, 1.0), 0.01, mean=31.5), 2)
    1.28
    """
    _check_fraction("mean_gain", fraction)
    middle = (mechanism.d - 1) / 2
    reach = (middle + (mechanism.window - 1) / 2) / float(mechanism.slope)
    return fraction * (middle + reach - mean)


@singledispatch
def worth(mechanism: Mechanism) -> float | None:
    """Return how many honest answers one false report is worth, or None where that is not known.

    Answers of one value that nobody else holds, as long as false reports are few; on a scale, of
    its last cell, as the mean moves from the middle.

    >>> from privet.mechanisms import KSubset
    >>> round(worth(KSubset(100, 1.0)), 1)
    3.1

    Where one option is asked of each, a lie about one of 20 options has the weight of 20 people.

    >>> from privet.mechanisms import OneOption
    >>> round(worth(OneOption(20, 1.0, most=10)), 1)
    31.6
    """
    try:
        return gain(mechanism, [0], 1.0)
    except InvalidArgument:
        return None


@worth.register
def _(mechanism: OneOption) -> float:
    return mechanism.d * gain(mechanism, [0], 1.0)


@worth.register
def _(mechanism: Interval) -> float:
    middle = (mechanism.d - 1) / 2
    return mean_gain(mechanism, 1.0, middle) / middle


@singledispatch
def most_held(mechanism: Mechanism, targets: Sequence[int]) -> int:
    """Return the most of some values that a single report supports.

    Of sets of options, a report may hold an option several times.

    >>> from privet.mechanisms import Cyclotomic, OptimizedUnary
    >>> most_held(OptimizedUnary(100, 1.0), range(20)), most_held(Cyclotomic(100, 1.0), range(20))
    (20, 11)
    """
    rule = "one of subsets, designs, sets, bits or hashes"
    raise InvalidArgument("most_held", "mechanism", rule, mechanism)


@most_held.register(KSubset)
@most_held.register(SetSubset)
def _of_subsets(mechanism: KSubset | SetSubset, targets: Sequence[int]) -> int:
    return min(len(_checked(mechanism, targets)), mechanism.k)


@most_held.register(OneOption)
def _of_answers(mechanism: OneOption, targets: Sequence[int]) -> int:
    return min(len(_checked(mechanism, targets)), 1)


@most_held.register(Unary)
def _of_bits(mechanism: Unary, targets: Sequence[int]) -> int:
    return len(_checked(mechanism, targets))


@most_held.register(ListedSets)
def _of_listed(mechanism: ListedSets, targets: Sequence[int]) -> int:
    wanted = set(_checked(mechanism, targets))
    held = sorted((len(wanted.intersection(one)) for one in mechanism.sets), reverse=True)
    return sum(held[: mechanism.k])


@most_held.register(Design)
@most_held.register(OneBit)
def _of_reports(mechanism: Design | OneBit | LocalHash, targets: Sequence[int]) -> int:
    """Count the targets in every report that there is."""
    marked = np.zeros(mechanism.d)
    marked[_checked(mechanism, targets)] = 1
    return max(int(np.rint(sets.forward(marked)).max()) for sets, _ in reported_sets(mechanism))


@most_held.register(LocalHash)
def _of_hashes(mechanism: LocalHash, targets: Sequence[int]) -> int:
    if mechanism.prime > _MOST_PRIME:
        rule = (
            f"one whose hash functions are modulo a prime up to {_MOST_PRIME}, to try all of them"
        )
        raise InvalidArgument("most_held", "mechanism", rule, mechanism)
    return _of_reports(mechanism, targets)


def _checked(mechanism: Mechanism, targets: Sequence[int]) -> list[int]:
    good = all(is_whole(one) and 0 <= one < mechanism.d for one in targets)
    if not good or not 1 <= len(targets) == len(set(targets)):
        rule = f"different ints in [0, {mechanism.d - 1}], at least one"
        raise InvalidArgument("most_held", "targets", rule, targets)
    return [int(one) for one in targets]


def _check_fraction(owner: str, fraction: object) -> None:
    if not is_finite(fraction) or not 0 <= fraction <= 1:
        raise InvalidArgument(owner, "fraction", "a number in [0, 1]", fraction)
