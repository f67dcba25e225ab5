"""Cohorts for analysts: reports made in batches and counted by cell, decoded by regression."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.hashes.cohorts import Cohorts
from ..device.mechanisms.hashes.hashed_rr import HashedRR
from ..device.mechanisms.hashes.rappor import Rappor
from . import kernels
from .analyst import Analyst, half_of
from .arrays import Integers
from .batch import STRETCH_BYTES, Batches, Drawn, Rows, Words, words_of
from .bits import PLANES
from .cohort_regression import BucketRegression, Cells, FilterRegression
from .counter import (
    Counter,
    NumberCounter,
    Reports,
    count_bits,
    padded,
    read_numbers,
    write_numbers,
)
from .hashes import HashBatches

C = TypeVar("C", bound=Cohorts)


@half_of.register(HashedRR)
def _(mechanism: HashedRR) -> Analyst:
    cells = Cells(mechanism)
    batches = HashBatches(mechanism, cells.of)
    return Analyst(BucketRegression(mechanism, cells), batches, BucketCounter(mechanism, cells))


@half_of.register(Rappor)
def _(mechanism: Rappor) -> Analyst:
    cells = Cells(mechanism)
    batches = FilterBatches(mechanism, cells)
    return Analyst(FilterRegression(mechanism, cells), batches, FilterCounter(mechanism, cells))


class CellCounter(Counter[C]):
    """Counts the cells that reports name, and decodes how many support each value."""

    def __init__(self, mechanism: C, cells: Cells) -> None:
        super().__init__(mechanism)
        self._cells = cells

    def counts(self, aggregate: Integers) -> Integers:
        """Return the support of each value."""
        return self._cells.support(aggregate)


class BucketCounter(CellCounter[HashedRR], NumberCounter[HashedRR]):
    """Counts cohorts and buckets."""


class FilterBatches(Batches[Rappor]):
    """Draws cohorts, and flips the bits of Bloom filters."""

    def __init__(self, mechanism: Rappor, cells: Cells) -> None:
        super().__init__(mechanism)
        self._cells = cells

    @property
    def rows(self) -> int:
        """As many rows as a stretch of planes is for."""
        return max(1, STRETCH_BYTES // (8 + 8 * PLANES * words_of(self.mechanism.bits)))

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw the planes and the cohorts."""
        shape = PLANES, rows, words_of(self.mechanism.bits)
        planes, cohorts = words.take(8 * prod(shape), 8 * rows)
        return planes.view("<u8").reshape(PLANES, -1), words.below(cohorts, self.mechanism.cohorts)

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports until the tail of further digits runs out."""
        values, (planes, cohorts), out = rows
        m = self.mechanism
        rest = tail[: len(tail) // 8 * 8].view("<u8")
        functions = cohorts.astype(np.int64)[:, None] * m.hashes + np.arange(m.hashes)
        places = self._cells.of(functions, values.view(np.uint64)[:, None]).astype(np.int64)
        bits = np.empty((len(values), words_of(m.bits)), dtype="<u8")
        own = np.ascontiguousarray(places[:, 0])
        integers = first, m.bits, np.uint64(m.flip)
        done, used = kernels.entry_draws.fill_flips(own, planes, rest, bits.reshape(-1), *integers)
        bits ^= self._further_bits(places)
        size, new = m.cohort_bytes, slice(first, done)
        write_numbers(cohorts[new], out[new, :size])
        kernels.entry_draws.narrow(bits[new], out[new, size:])
        return done, 8 * used

    def _further_bits(self, places: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the filters of values with these places, but for the first place."""
        filters = np.zeros((len(places), words_of(self.mechanism.bits)), dtype=np.uint64)
        rows = np.arange(len(places))
        bits = np.uint64(1) << (places & 63).astype(np.uint64)
        for i in range(1, self.mechanism.hashes):
            filters[rows, places[:, i] >> 6] |= bits[:, i]
        filters[rows, places[:, 0] >> 6] &= ~bits[:, 0]
        return filters


class FilterCounter(CellCounter[Rappor]):
    """Counts the bits of filters, cohort by cohort."""

    @property
    def size(self) -> int:
        """A counter for every bit of every cohort."""
        return self.mechanism.cohorts * self.mechanism.bits

    @property
    def entries(self) -> int:
        """A filter is unpacked bit by bit."""
        return self.mechanism.bits

    def invalid(self, reports: Reports) -> NDArray[np.bool_]:
        """Return which rows have a bit too many, or name no cohort."""
        m = self.mechanism
        cohorts = read_numbers(reports[:, : m.cohort_bytes])
        return padded(reports, 8 * m.cohort_bytes + m.bits) | (cohorts >= m.cohorts)

    def _by_cohort(self, reports: Reports, total: Integers) -> Iterator[tuple[Reports, Integers]]:
        """Yield the bitmaps of each cohort's reports, and its part of a total."""
        size = self.mechanism.cohort_bytes
        cohorts = read_numbers(reports[:, :size]).astype(np.uint16)
        bitmaps = reports[np.argsort(cohorts, kind="stable"), size:]
        ends = np.bincount(cohorts, minlength=self.mechanism.cohorts).cumsum()
        totals = total.reshape(self.mechanism.cohorts, self.mechanism.bits)
        for cohort in np.unique(cohorts).tolist():
            yield bitmaps[ends[cohort - 1] if cohort else 0 : ends[cohort]], totals[cohort]

    def add_few(self, reports: Reports, total: Integers) -> None:
        """Add checked reports to a total."""
        for bitmaps, counts in self._by_cohort(reports, total):
            counts += count_bits(bitmaps, self.mechanism.bits)

    def add_many(self, reports: Reports, total: Integers) -> int:
        """Check and count reports; return the first invalid row, or -1."""
        row = self.first_invalid(reports)
        if row < 0:
            for bitmaps, counts in self._by_cohort(reports, total):
                kernels.report_counts.count_bitmaps(bitmaps, self.mechanism.bits, counts)
        return row

    def problem(self, aggregate: Integers, n: int) -> str | None:
        """Every report is of one cohort, and sets any of its bits."""
        most = aggregate.reshape(self.mechanism.cohorts, self.mechanism.bits).max(axis=1)
        if aggregate.min() < 0 or aggregate.max() > n or sum(most.tolist()) > n:
            return f"counts must not be negative, nor the largest of each cohort above {n} in all"
        return None
