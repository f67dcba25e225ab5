"""Hashed answers for analysts: batches of functions and buckets, and what they support."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.hashes.hashed import Hashed
from ..device.mechanisms.hashes.local_hash import LocalHash
from ..device.mechanisms.hashes.one_bit import OneBit
from . import kernels
from .analyst import Analyst, half_of
from .arrays import Integers
from .batch import STRETCH_BYTES, Batches, Drawn, Rows, Words
from .counter import Counter, NumberCounter, Reports, read_numbers, write_numbers
from .estimator import HitRates
from .hadamard import walsh_hadamard

# Where functions map values, entry by entry.
Bucket = Callable[[NDArray[np.uint64], NDArray[np.uint64]], NDArray[np.uint64]]

_PAIRS_AT_ONCE = 1 << 20


@half_of.register(LocalHash)
def _(mechanism: LocalHash) -> Analyst:
    batches = HashBatches(mechanism, mechanism.bucket)  # type: ignore[arg-type]
    return Analyst(HitRates(mechanism), batches, SupportCounter(mechanism))


@half_of.register(OneBit)
def _(mechanism: OneBit) -> Analyst:
    def bucket(functions: Any, values: Any) -> Any:
        return np.bitwise_count(functions & values) & 1

    return Analyst(HitRates(mechanism), HashBatches(mechanism, bucket), RowCounter(mechanism))


class HashBatches(Batches[Hashed]):
    """Draws a function for each row, and a response to the bucket of its value."""

    def __init__(self, mechanism: Hashed, bucket: Bucket) -> None:
        super().__init__(mechanism)
        self.bucket = bucket

    @property
    def rows(self) -> int:
        """Two random words a report, and all that is made of them."""
        return STRETCH_BYTES // 64

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw whether each row is true, its function, and how far a lie is from the truth."""
        truths, drawn = words.take_tossed(rows, self.mechanism.coin, 8 * rows)
        return truths, words.below(drawn, self.mechanism.functions * (self.mechanism.buckets - 1))

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write all reports, which needs no tail."""
        values, (truths, drawn), out = rows
        buckets = np.uint64(self.mechanism.buckets)
        functions, shifts = np.divmod(drawn, buckets - np.uint64(1))
        own = self.bucket(functions, values.view(np.uint64))
        lies = (own + shifts + np.uint64(1)) % buckets
        write_numbers(functions * buckets + np.where(truths, own, lies), out)
        return len(values), 0


class SupportCounter(Counter[LocalHash]):
    """Counts support directly, as there are more functions than anybody has reports."""

    def invalid(self, reports: Reports) -> NDArray[np.bool_]:
        """Return which rows are not reports: numbers that are too large."""
        invalid: NDArray[np.bool_] = read_numbers(reports) >= self.mechanism.numbers
        return invalid

    def _split(self, reports: Reports) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the functions and the buckets of reports."""
        return np.divmod(read_numbers(reports), np.uint64(self.mechanism.buckets))

    def add_few(self, reports: Reports, total: Integers) -> None:
        """Add checked reports to a total."""
        functions, buckets = (part[:, None] for part in self._split(reports))
        values = np.arange(self.mechanism.d, dtype=np.uint64)
        rows = max(1, _PAIRS_AT_ONCE // self.mechanism.d)
        for at in range(0, len(reports), rows):
            some = slice(at, at + rows)
            mapped: Any = self.mechanism.bucket(functions[some], values)  # type: ignore[arg-type]
            total += (mapped == buckets[some]).sum(axis=0)

    def add_many(self, reports: Reports, total: Integers) -> int:
        """Check and count reports; return the first invalid row, or -1."""
        row = self.first_invalid(reports)
        if row < 0:
            m = self.mechanism
            functions, buckets = self._split(reports)
            a, b = np.divmod(functions, np.uint64(m.prime))
            lines = (part.astype(np.int64) for part in (a + np.uint64(1), b, buckets))
            kernels.report_counts.count_hashed(*lines, m.prime, m.buckets, total)
        return row


class RowCounter(NumberCounter[OneBit]):
    """Counts rows of the Hadamard matrix and their bits, decoded by one transform."""

    def counts(self, aggregate: Integers) -> Integers:
        """Return how many reports support each value: (n + Σ_row ±(zeros − ones)) / 2."""
        zeros, ones = aggregate.reshape(-1, 2).T
        counts: Integers = (aggregate.sum() + walsh_hadamard(zeros - ones)[: self.mechanism.d]) // 2
        return counts

    @property
    def steps(self) -> tuple[float, float]:
        """A report is counted by its number; then there is one transform."""
        return 1, self.mechanism.functions * self.mechanism.functions.bit_length()
