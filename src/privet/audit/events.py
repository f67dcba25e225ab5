"""What a report says for a value: the tight events of each family of mechanisms.

By every mechanism here, the logarithm of Q(z | x) / Q(z | y) is a constant times the difference of
two small integers, how much z *supports* x and y: whether a set, a block, a window or a bucket
holds the value, whether its bit is set, how few bits of its filter were flipped. So no event
exceeds ε by more than {z supports x, not y} does. Where support has more than two degrees
(RAPPOR), the difference from which on reports count is the one that tells most in so many trials.

A questionnaire has an event for each page, and one for all pages together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, singledispatch
from itertools import permutations
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from ..analysis.counter import read_numbers
from ..analysis.placed import PlacedBatches
from ..analysis.subsets import members_of
from ..device.mechanisms.base import Randomizer
from ..device.mechanisms.bits.unary import Unary
from ..device.mechanisms.hashes.hashed import Hashed
from ..device.mechanisms.hashes.one_option import OneOption
from ..device.mechanisms.hashes.rappor import Rappor
from ..device.mechanisms.noise.geometric import GeometricNoise
from ..device.mechanisms.numbered import Placed
from ..device.mechanisms.paged import Paged
from ..device.mechanisms.subsets.k_subset import KSubset
from ..device.mechanisms.subsets.listed_sets import ListedSets
from ..device.mechanisms.subsets.packed import Packed
from ..device.mechanisms.subsets.set_subset import SetSubset
from .between import Between, mixture
from .bounds import expected_bound

Reports = NDArray[np.uint8]
# From reports to how much each supports each value, (n, values).
Supports = Callable[[Reports], NDArray[Any]]

__all__ = [
    "Differences", "bits_at", "buckets_of", "filters_of", "holding", "holds", "on_pages",
    "own_points", "supports",
]  # fmt: skip


@singledispatch
def supports(mechanism: Randomizer, values: Sequence[Any]) -> Supports | None:
    """Return how to see what reports support, or None where no tight event is known."""
    return None


# --- sets ---------------------------------------------------------------------------------------


@singledispatch
def own_points(mechanism: Packed, value: Any) -> list[int]:
    """Return the points that are the person's own: a report is likelier if it holds any."""
    raise TypeError(f"Whose points they are is not known of {mechanism!r}.")


@own_points.register(KSubset)
def _(mechanism: KSubset, value: int) -> list[int]:
    return [value]


@own_points.register(ListedSets)
def _(mechanism: ListedSets, value: Sequence[int]) -> list[int]:
    return [mechanism.number(value)]


@own_points.register(SetSubset)
def _(mechanism: SetSubset, value: Sequence[int]) -> list[int]:
    """Return the options, and the first blanks."""
    return [*value, *range(mechanism.d, mechanism.points - len(value))]


@supports.register(Packed)
def _(mechanism: Packed, values: Sequence[Any]) -> Supports:
    own = [own_points(mechanism, value) for value in values]

    def found(reports: Reports) -> NDArray[np.bool_]:
        return np.stack([holds(mechanism, reports, some).any(axis=1) for some in own], axis=1)

    return found


def holds(mechanism: Packed, reports: Reports, points: Sequence[int]) -> NDArray[np.bool_]:
    """Return which reports hold which of a few points."""
    if not mechanism.index_bits:
        return bits_at(reports, points)
    members = members_of(mechanism, reports)
    held = [(members == point).any(axis=1) for point in points]
    return np.stack(held, axis=1)


def bits_at(reports: Reports, places: Sequence[int]) -> NDArray[np.bool_]:
    """Return which of a few bits are set in bitmaps."""
    at = np.array(places)
    return (reports[:, at >> 3] >> (at & 7).astype(np.uint8) & 1).view(np.bool_)


# --- numbers ------------------------------------------------------------------------------------


@supports.register(Placed)
def _(mechanism: Placed, values: Sequence[int | Between]) -> Supports:
    """Return whether the block holds the value, or the window both cells that it lies between."""
    held = np.stack(
        [
            np.logical_and.reduce([holding(mechanism, cell) for cell, _ in mixture(value)])
            for value in values
        ],
        axis=1,
    )
    return lambda reports: held[read_numbers(reports)]


def holding(mechanism: Placed, value: int) -> NDArray[np.bool_]:
    """Return which of all numbers, of blocks or windows, hold a value."""
    batches = cast("PlacedBatches[Placed]", mechanism.analyst.batches)
    held = np.zeros(mechanism.numbers, dtype=np.bool_)
    held[batches.holding(value)] = True
    return held


@supports.register(Hashed)
def _(mechanism: Hashed, values: Sequence[Any]) -> Supports:
    def found(reports: Reports) -> NDArray[np.bool_]:
        functions, buckets = np.divmod(read_numbers(reports), np.uint64(mechanism.buckets))
        own = [buckets_of(mechanism, functions, value) == buckets for value in values]
        return np.stack(own, axis=1)

    return found


@singledispatch
def buckets_of(mechanism: Hashed, functions: NDArray[np.uint64], value: Any) -> NDArray[np.uint64]:
    """Return where functions map a value."""
    bucket = mechanism.analyst.batches.bucket  # type: ignore[attr-defined]
    mapped: NDArray[np.uint64] = bucket(functions, np.full(len(functions), value, np.uint64))
    return mapped


@buckets_of.register(OneOption)
def _(
    mechanism: OneOption, functions: NDArray[np.uint64], value: Sequence[int]
) -> NDArray[np.uint64]:
    """Whether the person chose the option that was asked about."""
    chosen = np.zeros(mechanism.d, dtype=np.uint64)
    chosen[list(value)] = 1
    return chosen[functions]


# --- bits and noise -----------------------------------------------------------------------------


@supports.register(Unary)
def _(mechanism: Unary, values: Sequence[int]) -> Supports:
    return lambda reports: bits_at(reports, values)


@supports.register(GeometricNoise)
def _(mechanism: GeometricNoise, values: Sequence[int]) -> Supports:
    """Whether the entry is above 0: how far it is says nothing more."""

    def found(reports: Reports) -> NDArray[np.bool_]:
        entries = np.ascontiguousarray(reports).view(f"<u{mechanism.entry_bytes}")
        return entries[:, list(values)] > mechanism.limit

    return found


@supports.register(Rappor)
def _(mechanism: Rappor, values: Sequence[int]) -> Supports:
    """How few bits differ from the value's filter, as a number below 0."""
    filters, first = [filters_of(mechanism, value) for value in values], mechanism.cohort_bytes

    def found(reports: Reports) -> NDArray[np.int64]:
        cohorts, bits = read_numbers(reports[:, :first]), reports[:, first:]
        flipped = [np.bitwise_count(bits ^ own[cohorts]).sum(axis=1) for own in filters]
        return -np.stack(flipped, axis=1).astype(np.int64)

    return found


@lru_cache(64)
def filters_of(mechanism: Rappor, value: int) -> Reports:
    """Return the value's filter in every cohort, (cohorts, bytes)."""
    bits = np.zeros((mechanism.cohorts, mechanism.bits), dtype=np.uint8)
    for function in range(mechanism.cohorts * mechanism.hashes):
        bits[function // mechanism.hashes, mechanism.cell(function, value)] = 1
    return np.packbits(bits, axis=1, bitorder="little")


@singledispatch
def _threshold(mechanism: Randomizer, x: Any, y: Any, trials: int, alpha: float) -> int:
    """Return from which difference of supports on a report counts."""
    return 1


@_threshold.register(Rappor)
def _(mechanism: Rappor, x: int, y: int, trials: int, alpha: float) -> int:
    """Return the one of the largest bound: of D bits that differ, D − 2·Binomial(D, q)."""
    filters = filters_of(mechanism, x) ^ filters_of(mechanism, y)
    differ = np.bitwise_count(filters).sum(axis=1).astype(np.int64)
    q = float(mechanism.telling_rates[1])

    def bound(least: int) -> float:
        flips = (differ - least) // 2
        rate, false_rate = (float(binom.cdf(flips, differ, chance).mean()) for chance in (q, 1 - q))
        return expected_bound(rate, false_rate, trials, alpha)

    return max(range(1, 2 * mechanism.hashes + 1), key=bound)


# --- counting them ------------------------------------------------------------------------------


def on_pages(mechanism: Randomizer, reports: Reports) -> Iterator[tuple[int, Reports]]:
    """Yield the number of each page and its reports; other mechanisms have one page."""
    if not isinstance(mechanism, Paged):
        yield 0, reports
        return
    first = mechanism.number_bytes
    drawn = read_numbers(reports[:, :first])
    for number, part in enumerate(mechanism.parts):
        yield number, reports[drawn == number, first : first + part.report_bytes]


class Differences:
    """Counts, for reports of each value, how much more they support it than each other value."""

    def __init__(self, mechanism: Randomizer, values: Sequence[Any]) -> None:
        self._mechanism = mechanism
        self._parts: Sequence[Randomizer] = [mechanism]
        self._values: Sequence[Sequence[Any]] = [values]
        if isinstance(mechanism, Paged):
            self._parts, self._values = mechanism.parts, [*zip(*values, strict=True)]
        pairs = zip(self._parts, self._values, strict=True)
        self._supports = [supports(part, own) for part, own in pairs]
        self._most = max(_degrees(part) for part in self._parts)
        shape = len(self._parts), len(values), len(values), 2 * self._most + 1
        self._counts = np.zeros(shape, dtype=np.int64)

    def add(self, value: int, reports: Reports) -> None:
        """Count valid reports of the value at a place."""
        for page, rows in on_pages(self._mechanism, reports):
            found, counts = self._supports[page], self._counts[page]
            if found is None or not len(rows):
                continue
            seen = found(rows).astype(np.int16)
            apart = (seen[:, [value]] - seen).clip(-self._most, self._most) + self._most
            for other, column in enumerate(apart.T):
                counts[value, other] += np.bincount(column, minlength=counts.shape[-1])

    @property
    def tests(self) -> int:
        """How many events there are: for each ordered pair, one a page and one for all pages."""
        if None in self._supports:
            return 0
        values, pages = self._counts.shape[1], len(self._parts)
        return values * (values - 1) * (pages + (pages > 1))

    def events(self, trials: int, alpha: float) -> Iterator[tuple[int, int, int, int]]:
        """Yield for each event x, y, and how often it came of x and of y."""
        if not self.tests:
            return
        for x, y in permutations(range(self._counts.shape[1]), 2):
            pages = [
                self._seen(number, x, y, _threshold(part, own[x], own[y], trials, alpha))
                for number, (part, own) in enumerate(zip(self._parts, self._values, strict=True))
            ]
            yield from ((x, y, *seen) for seen in pages)
            if len(pages) > 1:
                yield x, y, sum(true for true, _ in pages), sum(false for _, false in pages)

    def _seen(self, page: int, x: int, y: int, least: int) -> tuple[int, int]:
        """Return how many reports of x, and of y, support x so much more than y."""
        zero = self._most
        true = self._counts[page, x, y, zero + least :].sum()
        false = self._counts[page, y, x, : zero - least + 1].sum()
        return int(true), int(false)


def _degrees(mechanism: Randomizer) -> int:
    """Return how far supports may be apart."""
    return 2 * mechanism.hashes if isinstance(mechanism, Rappor) else 1
