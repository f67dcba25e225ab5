"""The k-subset mechanism for analysts: batches of sets, and how many hold each value.

The counters are for every mechanism whose reports are packed sets.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import ceil, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.subsets.k_subset import KSubset
from ..device.mechanisms.subsets.packed import Packed
from ..device.mechanisms.subsets.start import expected_draws
from . import kernels
from .analyst import Analyst, half_of
from .arrays import Integers
from .batch import STRETCH_BYTES, Batches, Drawn, Rows, Words, words_of
from .counter import Counter, Reports, count_bits, padded, sum_problem
from .estimator import HitRates
from .kernels import MOST_WORDS, TILE

_MAX_PLANES = 6


@half_of.register(KSubset)
def _(mechanism: KSubset) -> Analyst:
    return Analyst(HitRates(mechanism), SubsetBatches(mechanism), counter_of(mechanism))


class SubsetBatches(Batches[KSubset]):
    """Makes sets side by side in vector registers, word by word, or as lists of members."""

    @cached_property
    def start(self) -> tuple[int, int, int]:
        """The coins c / 2^b that a batch starts from, and the rounds of positions for each word."""
        m = self.mechanism
        if m.index_bits:
            return 0, 0, 0
        words, sizes = words_of(m.d), (m.d - 1, m.before_last)
        if not self.tiled:
            return *_cheapest_start(*sizes, plane=1.6 * words, add=0.7, remove=0.9), 0
        return _cheapest_rounds(*sizes, plane=1.3 * words, turn=0.18 + 0.1 * words, finish=8)

    @property
    def tiled(self) -> bool:
        """Whether a tile of reports is made at a time."""
        return words_of(self.mechanism.d) <= MOST_WORDS

    @property
    def rows(self) -> int:
        """As many whole tiles as a stretch of random words is for."""
        _, bits, rounds = self.start
        rows = STRETCH_BYTES // (8 + 8 * bits * words_of(self.mechanism.d) + rounds)
        return max(rows // TILE, 1) * TILE

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw a coin for each row, its planes of starting coins, and its rounds of positions."""
        _, bits, rounds = self.start
        width = words_of(self.mechanism.d)
        tiles = -(-rows // TILE)
        shape = (tiles, bits, width, TILE) if self.tiled else (rows, bits, width)
        sizes = 8 * prod(shape), tiles * rounds * TILE
        inside, planes, offers = words.take_tossed(rows, self.mechanism.coin, *sizes)
        if self.mechanism.complement:
            np.logical_not(inside, out=inside)
        return inside, planes.view("<u8").reshape(shape), offers.reshape(tiles, rounds, TILE)

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports until the tail of positions runs out."""
        values, (inside, planes, offers), out = rows
        m = self.mechanism
        positions = tail[: len(tail) // m.word_bytes * m.word_bytes].view(f"<u{m.word_bytes}")
        integers = first, m.d, m.before_last, m.complement, self.start[0]
        if m.index_bits and m.k == 1:
            result = kernels.subset_draws.fill_single(values, inside, positions, out, first, m.d)
        elif m.index_bits:
            shape = m.d, m.k, m.index_bits
            result = kernels.subset_draws.fill_indices(
                values, inside, positions, out, first, *shape
            )
        elif self.tiled:
            result = kernels.subset_draws.fill_tiles(
                values, inside, planes, offers, positions, out, *integers
            )
        else:
            result = kernels.subset_draws.fill_words(
                values, inside, planes, positions, out, *integers
            )
        done, used = result
        return done, used * m.word_bytes


def counter_of(mechanism: Packed) -> Counter[Packed]:
    """Return who counts sets that are packed like these."""
    return IndexCounter(mechanism) if mechanism.index_bits else BitmapCounter(mechanism)


class BitmapCounter(Counter[Packed]):
    """Counts sets that are bitmaps."""

    @property
    def size(self) -> int:
        """A counter for every point."""
        return self.mechanism.points

    @property
    def entries(self) -> int:
        """A report is unpacked bit by bit."""
        return self.mechanism.points

    def counts(self, aggregate: Integers) -> Integers:
        """Return how many reports hold each value: the first points are the values."""
        return aggregate[: self.mechanism.d].copy()

    def invalid(self, reports: Reports) -> NDArray[np.bool_]:
        """Return which rows have a bit too many, or another number of members than k."""
        sizes = np.bitwise_count(reports).sum(axis=1, dtype=np.int64)
        invalid: NDArray[np.bool_] = sizes != self.mechanism.k
        return padded(reports, self.mechanism.points) | invalid

    def add_few(self, reports: Reports, total: Integers) -> None:
        """Add checked reports to a total."""
        total += count_bits(reports, self.mechanism.points)

    def add_many(self, reports: Reports, total: Integers) -> int:
        """Check and count reports; return the first invalid row, or -1."""
        m = self.mechanism
        return int(kernels.report_counts.count_bitmaps(reports, m.points, total, m.k))

    def problem(self, aggregate: Integers, n: int) -> str | None:
        """Every report has k different members."""
        return super().problem(aggregate, n) or sum_problem(aggregate, n * self.mechanism.k)


class IndexCounter(BitmapCounter):
    """Counts sets that are lists of members."""

    @property
    def entries(self) -> int:
        """Each bit of a member becomes an integer of eight bytes."""
        return 8 * self.mechanism.k * self.mechanism.index_bits

    def invalid(self, reports: Reports) -> NDArray[np.bool_]:
        """Return which rows have a bit too many, a member too large, or members out of order."""
        m = self.mechanism
        indices = members_of(m, reports)
        too_large = (indices >= m.points).any(axis=1)
        out_of_order = (np.diff(indices, axis=1) <= 0).any(axis=1)
        return padded(reports, m.k * m.index_bits) | too_large | out_of_order

    def add_few(self, reports: Reports, total: Integers) -> None:
        """Add checked reports to a total."""
        members = members_of(self.mechanism, reports).ravel()
        total += np.bincount(members, minlength=self.mechanism.points)

    def add_many(self, reports: Reports, total: Integers) -> int:
        """Check and count reports; return the first invalid row, or -1."""
        m = self.mechanism
        shape = m.points, m.k, m.index_bits
        return int(kernels.report_counts.count_indices(reports, *shape, total))


def members_of(mechanism: Packed, reports: Reports) -> Integers:
    """Return the members of reports that list them, int64 (n, k)."""
    width = mechanism.index_bits
    bits = np.unpackbits(reports, axis=1, count=mechanism.k * width, bitorder="little")
    weights = 1 << np.arange(width, dtype=np.int64)
    indices: Integers = bits.reshape(len(reports), mechanism.k, width) @ weights
    return indices


def points_of(mechanism: Packed, reports: Reports) -> NDArray[np.bool_]:
    """Return which points each report holds, bool (n, points)."""
    if not mechanism.index_bits:
        bits = np.unpackbits(reports, axis=1, count=mechanism.points, bitorder="little")
        return bits.view(np.bool_)
    held = np.zeros((len(reports), mechanism.points), dtype=np.bool_)
    np.put_along_axis(held, members_of(mechanism, reports), True, axis=1)
    return held


# --- where a batch starts from ---------------------------------------------------------------


def _cheapest_start(
    others: int, size: int, *, plane: float, add: float, remove: float
) -> tuple[int, int]:
    """Return the start for reports one by one; costs of a plane and a position in nanoseconds."""

    def cost(numerator: int, bits: int) -> float:
        adds, removals = expected_draws(others, size, numerator, bits)
        return bits * plane + adds * add + removals * remove

    return _best_start(others, size, cost)


def _cheapest_rounds(
    others: int, size: int, *, plane: float, turn: float, finish: float
) -> tuple[int, int, int]:
    """Return the start and the rounds for reports side by side; costs in nanoseconds.

    Sets that begin too large cannot wait for the others, and are finished one by one.
    """

    def cost(numerator: int, bits: int) -> float:
        _, removals = expected_draws(others, size, numerator, bits)
        turns: float = _enough_draws(others, size, numerator, bits)
        if not bits:
            turns -= size / 2  # while no set can be complete, a round does less
        return bits * plane + turns * turn + removals * finish

    start = _best_start(others, size, cost)
    return *start, _enough_draws(others, size, *start)


def _best_start(others: int, size: int, cost: Callable[[int, int], float]) -> tuple[int, int]:
    """Return the coins c / 2^b that cost least, among those that expect no more than `size`."""
    starts = [(0, 0)]
    for bits in range(1, _MAX_PLANES + 1):
        starts += [(numerator, bits) for numerator in range(1, (size << bits) // others + 1, 2)]
    return min(starts, key=lambda start: cost(*start))


def _enough_draws(others: int, size: int, numerator: int, bits: int) -> int:
    """Return with how many positions nearly all sets that begin small enough are complete."""
    span = 1 << (others - 1).bit_length()
    p = numerator / (1 << bits)
    rates = [(others - members) / span for members in range(int(others * p), size + 1)]
    spread = others * p * (1 - p) / rates[-1] ** 2 + sum((1 - rate) / rate**2 for rate in rates)
    return ceil(sum(1 / rate for rate in rates) + 2.4 * sqrt(spread))
