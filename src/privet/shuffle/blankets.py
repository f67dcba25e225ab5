"""Privacy blankets: the part of every report that does not depend on the person's value.

Where each report is either E times as likely as if it missed the person's value, or as likely, all
reports have a part in common: with probability γ a report is drawn evenly from all N of them. Under
this even draw, a pair of values x, x' sees each report as (1, 1), (E, 1), (1, E) or (E, E): how
much likelier than the common part it is under x, and under x'.

For every x, as many reports are E times as likely. So a pair differs from another only in how many
of them x and x' share; with fewer, mass moves from (1, 1) and (E, E) to (E, 1) and (1, E), which
preserves the mean of any a − cb and spreads it. The pair that shares the fewest is the worst.
"""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch
from math import comb
from typing import NamedTuple

from ..device.mechanisms.base import Randomizer
from ..device.mechanisms.paged import Paged
from ..device.mechanisms.scales.interval import Interval
from ..device.mechanisms.subsets.listed_sets import ListedSets
from ..device.mechanisms.subsets.set_subset import SetSubset
from ..device.mechanisms.subsets.subsets import Subsets
from ..errors import InvalidArgument

Atoms = dict[tuple[Fraction, Fraction], Fraction]

__all__ = ["Blanket", "blanket"]


class Blanket(NamedTuple):
    """The common part of all reports, as the worst pair of values sees it, exactly."""

    gamma: Fraction  # how likely a report is of the common part
    atoms: Atoms  # how likely a report of it is (a, b) times likelier under the two values


@singledispatch
def blanket(mechanism: Randomizer) -> Blanket:
    """Return the privacy blanket of a mechanism, or raise InvalidArgument."""
    rule = "one of subsets, designs, sets, scales or questionnaires of these"
    raise InvalidArgument("shuffle", "mechanism", rule, mechanism)


def _even(ratio: Fraction, reports: int, favoured: int, shared: int) -> Blanket:
    """Return the blanket of so many reports, some of which are `ratio` times as likely as others.

    So many of them are favoured by each value, and so many by both values of the worst pair.
    """
    one, apart = Fraction(1), favoured - shared
    many = {
        (ratio, ratio): shared,
        (ratio, one): apart,
        (one, ratio): apart,
        (one, one): reports - favoured - apart,
    }
    atoms = {both: Fraction(count, reports) for both, count in many.items() if count}
    return Blanket(reports / (favoured * ratio + reports - favoured), atoms)


@blanket.register(Subsets)
def _of_subsets(mechanism: Subsets) -> Blanket:
    """All pairs are alike, for all sets of k points and for the blocks of a 2-design.

    Of v(v − 1) equal parts of the sets, k(v − 1) hold a value, and k(k − 1) hold two.
    """
    v, k = mechanism.points, mechanism.k
    return _even(mechanism.likelihood_ratio, v * (v - 1), k * (v - 1), k * (k - 1))


@blanket.register(ListedSets)
def _of_listed(mechanism: ListedSets) -> Blanket:
    return blanket(mechanism.listed)


@blanket.register(SetSubset)
def _of_sets(mechanism: SetSubset) -> Blanket:
    """As many options as one may choose, and none, which is as many blanks: they share no point."""
    d, k = mechanism.d, mechanism.k
    reports, missing = comb(mechanism.points, k), comb(d, k)
    shared = reports - 2 * missing + comb(d - mechanism.most, k)
    return _even(mechanism.likelihood_ratio, reports, reports - missing, shared)


@blanket.register(Interval)
def _of_windows(mechanism: Interval) -> Blanket:
    """Take the first and the last cell: only windows as wide as the scale have one in common.

    That one is likelier whatever the value is. Leaving the surplus out of the blanket is allowed.
    """
    shared = max(0, mechanism.window - mechanism.d + 1)
    return _even(mechanism.likelihood_ratio, mechanism.numbers, mechanism.window, shared)


@blanket.register(Paged)
def _of_pages(mechanism: Paged) -> Blanket:
    """Mix the pages' blankets by how likely each is: every page has its worst pair."""
    total, gamma = sum(mechanism.weights), Fraction(0)
    mixed: Atoms = {}
    for part, weight in zip(mechanism.parts, mechanism.weights, strict=True):
        page = blanket(part)
        share = Fraction(weight, total) * page.gamma
        gamma += share
        for both, chance in page.atoms.items():
            mixed[both] = mixed.get(both, Fraction(0)) + share * chance
    return Blanket(gamma, {both: chance / gamma for both, chance in mixed.items()})
