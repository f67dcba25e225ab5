"""Counters: reports checked and folded into an aggregate, an integer vector that adds.

An aggregate is what a tally keeps. For most mechanisms it is the counts themselves, for numbered
reports a histogram of the numbers, decoded once at the end. Compiled code checks and counts reports
in one pass over memory; short arrays are counted with numpy, because loading numba takes longer.
Which of the two runs depends on the amount of work alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidReport
from . import kernels
from .arrays import Integers
from .batch import M, is_masked
from .columns import as_column, as_reports, is_column

Reports = NDArray[np.uint8]

__all__ = ["Counter", "NumberCounter", "count_bits", "padded", "read_numbers", "write_numbers"]

# Each chunk ends with a pass over all counters, so it has many rows, however long they are.
_CHUNK_BYTES, _CHUNK_ROWS = 1 << 24, 1 << 10
# Numpy counts an array of up to 2 KB sooner than compiled code is called. It counts larger arrays
# too, up to 2^25 entries in all, because loading numba takes longer.
PLAIN_BYTES, PLAIN_ENTRIES = 1 << 11, 1 << 25
# Entries that numpy has in memory at once.
_ENTRIES_AT_ONCE = 1 << 22


class Counter(ABC, Generic[M]):
    """Checks and counts the reports of one mechanism."""

    def __init__(self, mechanism: M) -> None:
        self.mechanism = mechanism
        self._looked_at = 0

    # --- what a mechanism's counter says --------------------------------------------------------

    @property
    def size(self) -> int:
        """The length of an aggregate; by default a counter for every value."""
        return self.mechanism.d

    @property
    def entries(self) -> int:
        """How many entries of a report numpy looks at; by default one for every value."""
        return self.mechanism.d

    @abstractmethod
    def invalid(self, reports: Reports) -> NDArray[np.bool_]:
        """Return which rows are not reports."""

    @abstractmethod
    def add_few(self, reports: Reports, total: Integers) -> None:
        """Add checked reports to a total, without compiled code."""

    def add_many(self, reports: Reports, total: Integers) -> int:
        """Check many reports and add them to a total; return the first invalid row, or -1.

        By default as few are.
        """
        row = self.first_invalid(reports)
        if row < 0:
            self.add_few(reports, total)
        return row

    def counts(self, aggregate: Integers) -> Integers:
        """Return how many reports support each value."""
        return aggregate.copy()

    def problem(self, aggregate: Integers, n: int) -> str | None:
        """Return why no `n` reports can have this aggregate, or None."""
        if aggregate.min() < 0 or aggregate.max() > n:
            return f"counts must be in [0, {n}]"
        return None

    # --- the same for every mechanism -----------------------------------------------------------

    def first_invalid(self, reports: Reports) -> int:
        """Return the first row that is not a report, or -1."""
        invalid = self.invalid(reports)
        return int(np.argmax(invalid)) if invalid.any() else -1

    def aggregate(self, reports: Any) -> tuple[int, Integers]:
        """Check the reports; return their number and their aggregate."""
        total = np.zeros(self.size, dtype=np.int64)
        return self.fold(reports, total), total

    def fold(self, reports: Any, total: Integers) -> int:
        """Check the reports; add them all to an aggregate, or none; return their number."""
        array = self.as_array(reports)
        if self._are_few(array):
            self._fold_few(array, total)
        else:
            total += self._many(array)
        return len(array)

    def _are_few(self, reports: Reports) -> bool:
        if reports.nbytes <= PLAIN_BYTES:
            return True
        self._looked_at += len(reports) * self.entries
        return self._looked_at <= PLAIN_ENTRIES

    def _fold_few(self, reports: Reports, total: Integers) -> None:
        rows = max(1, _ENTRIES_AT_ONCE // max(self.entries, self.mechanism.report_bytes))
        chunks = [reports[at : at + rows] for at in range(0, len(reports), rows)]
        for number, chunk in enumerate(chunks):
            row = self.first_invalid(chunk)
            if row >= 0:
                self._refuse(chunk[row], number * rows + row)
        for chunk in chunks:
            self.add_few(chunk, total)

    def _many(self, reports: Reports) -> Integers:
        total = np.zeros(self.size, dtype=np.int64)
        rows = max(_CHUNK_ROWS, _CHUNK_BYTES // self.mechanism.report_bytes)
        for at in range(0, len(reports), rows):
            chunk = np.ascontiguousarray(reports[at : at + rows])
            row = self.add_many(chunk, total)
            if row >= 0:
                self._refuse(chunk[row], at + row)
        return total

    def _refuse(self, report: Reports, row: int) -> None:
        raise InvalidReport(self.mechanism.problem(report.tobytes()) or "Invalid.", row=row)

    def as_array(self, reports: Any) -> Reports:
        """Return reports of any form as uint8 (n, report_bytes), not yet checked."""
        size = self.mechanism.report_bytes
        if isinstance(reports, np.ndarray):
            if reports.dtype != np.uint8 or reports.ndim != 2 or reports.shape[1] != size:
                raise InvalidReport(
                    f"An array of reports must be uint8 of shape (n, {size}). "
                    f"Got {reports.dtype} of shape {reports.shape} instead."
                )
            if is_masked(reports):
                raise InvalidReport("An array of reports must have no masked entries.")
            return np.asarray(reports)
        if is_column(reports):
            return as_reports(as_column("Tally.update", "reports", reports), size)
        one = isinstance(reports, bytes | bytearray | memoryview)
        if not one and not isinstance(reports, Iterable):
            raise InvalidReport(f"Reports are bytes or an array. Got {type(reports).__name__}.")
        pieces = [reports] if one else list(reports)
        for row, piece in enumerate(pieces):
            if not isinstance(piece, bytes | bytearray | memoryview):
                raise InvalidReport(f"A report is bytes. Got {type(piece).__name__}.", row=row)
            length = piece.nbytes if isinstance(piece, memoryview) else len(piece)
            if length != size:
                raise InvalidReport(
                    f"A report of this survey has {size} bytes. Got {length}.",
                    row=None if one else row,
                )
        data = b"".join(bytes(piece) for piece in pieces)
        return np.frombuffer(data, dtype=np.uint8).reshape(-1, size)


class NumberCounter(Counter[M]):
    """Counts reports that are numbers: an aggregate is a histogram of them."""

    @property
    def size(self) -> int:
        """A counter for every number."""
        return int(self.mechanism.numbers)  # type: ignore[attr-defined]

    @property
    def entries(self) -> int:
        """A number is one entry."""
        return 1

    def invalid(self, reports: Reports) -> NDArray[np.bool_]:
        """Return which rows are not reports: numbers that are too large."""
        invalid: NDArray[np.bool_] = read_numbers(reports) >= self.size
        return invalid

    def add_few(self, reports: Reports, total: Integers) -> None:
        """Add checked reports to a total."""
        numbers = read_numbers(reports).view(np.int64)
        if len(numbers) < len(total):
            np.add.at(total, numbers, 1)
        else:
            total += np.bincount(numbers, minlength=len(total))

    def add_many(self, reports: Reports, total: Integers) -> int:
        """Check and count reports; return the first invalid row, or -1."""
        return int(kernels.block_numbers.count_blocks(reports, total))

    def problem(self, aggregate: Integers, n: int) -> str | None:
        """Every report has one number."""
        return super().problem(aggregate, n) or sum_problem(aggregate, n)


def sum_problem(aggregate: Integers, expected: int) -> str | None:
    """Return why counts do not add up to what they should, in whole numbers of any size."""
    high, low = int((aggregate >> 32).sum()), int((aggregate & 0xFFFFFFFF).sum())
    total = (high << 32) + low
    return None if total == expected else f"counts must add up to {expected}, not {total}"


def read_numbers(columns: Reports) -> NDArray[np.uint64]:
    """Return the numbers that rows of up to 8 bytes are, the lowest byte first."""
    wide = np.zeros((len(columns), 8), dtype=np.uint8)
    wide[:, : columns.shape[1]] = columns
    return wide.view("<u8")[:, 0]


def write_numbers(numbers: NDArray[np.uint64], columns: Reports) -> None:
    """Write numbers as rows of bytes, the lowest byte first."""
    size = columns.shape[1]
    width = 1 << (size - 1).bit_length()
    wide = numbers.astype(f"<u{width}").view(np.uint8).reshape(-1, width)
    columns[:] = wide[:, :size]


def padded(reports: Reports, bits: int) -> NDArray[np.bool_]:
    """Return which rows have a bit set beyond the first `bits`."""
    spare = 8 * reports.shape[1] - bits
    return reports[:, -1] >> (8 - spare) != 0 if spare else np.zeros(len(reports), np.bool_)


def count_bits(reports: Reports, d: int) -> Integers:
    """Return how many bitmaps have each of the first d bits set."""
    bits = np.unpackbits(reports, axis=1, count=d, bitorder="little")
    counts: Integers = bits.sum(axis=0, dtype=np.int64)
    return counts
