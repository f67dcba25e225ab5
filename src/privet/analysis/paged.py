"""Questionnaires, for analysts: pages drawn for many people, and their reports made and counted.

An aggregate is, page after page, how many drew it and the aggregate of their reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..device.entropy import Entropy, secure
from ..device.mechanisms.paged import Paged
from ..errors import InvalidArgument, InvalidReport
from ..errors.arguments import whole
from .analyst import Counting, half_of
from .arrays import Integers
from .counter import Counter, Reports, read_numbers, sum_problem
from .threads import cores

__all__ = ["OnPages", "PagedCounter", "draw_pages"]


@dataclass(frozen=True)
class OnPages:
    """Which page each person drew, and the values of those who drew each page, in their order."""

    pages: NDArray[np.int64]
    values: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.pages)

    def __getitem__(self, rows: slice) -> OnPages:
        """Return the people of some neighbouring rows."""
        start, end, _ = rows.indices(len(self))
        before = np.bincount(self.pages[:start], minlength=len(self.values))
        some = np.bincount(self.pages[start:end], minlength=len(self.values))
        parts = zip(self.values, before.tolist(), some.tolist(), strict=True)
        return OnPages(self.pages[start:end], tuple(v[at : at + many] for v, at, many in parts))


def draw_pages(weights: Sequence[int], n: int, entropy: Entropy | None) -> NDArray[np.int64]:
    """Return the page that each of n people draws, by the pages' weights."""
    ends = [*accumulate(weights)]
    stream, total = (entropy or secure()).keystream(), ends[-1]
    limit = (1 << 64) // total * total
    words = np.frombuffer(bytearray(stream.read(8 * n)), dtype="<u8")
    while (beyond := words > np.uint64(limit - 1)).any():
        words[beyond] = np.frombuffer(stream.read(8 * int(beyond.sum())), dtype="<u8")
    return np.searchsorted(ends, words % np.uint64(total), side="right")


def by_page(pages: NDArray[np.int64], count: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the rows in the order of their pages, and where each page's rows begin and end.

    >>> [part.tolist() for part in by_page(np.array([1, 0, 1]), 2)]
    [[1, 0, 2], [0, 1, 3]]
    """
    small = pages.astype(np.uint8 if count <= 1 << 8 else np.uint16)  # which sort quickly
    ends = np.cumsum(np.bincount(pages.clip(0, count), minlength=count + 1)[:count])
    return np.argsort(small, kind="stable"), np.concatenate([[0], ends])


def _whole_rows(array: NDArray[np.uint8]) -> NDArray[np.void]:
    """Return each row as one thing, which moves as such."""
    return array.view(f"V{array.shape[1]}")[:, 0]


@half_of.register(Paged)
def _(mechanism: Paged) -> Counting:
    return Counting(PagedBatches(mechanism), PagedCounter(mechanism))


class PagedBatches:
    """Makes reports of one page for each person."""

    def __init__(self, mechanism: Paged) -> None:
        self.mechanism = mechanism

    def randomize(
        self, values: OnPages, entropy: Entropy | None = None, workers: int | None = None
    ) -> NDArray[np.uint8]:
        """Return one report per row, uint8 (n, report_bytes)."""
        mechanism = self.mechanism
        if not isinstance(values, OnPages):
            raise InvalidArgument("Paged", "values", "pages and the values on them", values)
        threads = cores() if workers is None else whole("Paged", "workers", workers, 1)
        order, ends = by_page(values.pages, len(mechanism.parts))
        sorted_out = np.zeros((len(values.pages), mechanism.report_bytes), dtype=np.uint8)
        first = mechanism.number_bytes
        for page, (part, some) in enumerate(zip(mechanism.parts, values.values, strict=True)):
            rows = sorted_out[ends[page] : ends[page + 1]]
            if len(rows):
                rows[:, :first] = np.frombuffer(page.to_bytes(first, "little"), dtype=np.uint8)
                reports = part.randomize(some, entropy=entropy, workers=threads)
                rows[:, first : first + part.report_bytes] = reports
        out = np.empty_like(sorted_out)
        _whole_rows(out)[order] = _whole_rows(sorted_out)
        return out


class PagedCounter(Counter[Paged]):
    """Counts each page's reports by its own counter."""

    def __init__(self, mechanism: Paged) -> None:
        super().__init__(mechanism)
        self._counters = [part.analyst.counter for part in mechanism.parts]
        self._ends = [0, *accumulate(1 + counter.size for counter in self._counters)]

    @property
    def size(self) -> int:
        """For each page, how many drew it, and an aggregate."""
        return self._ends[-1]

    def fold(self, reports: Any, total: Integers) -> int:
        """Check the reports; add them all to an aggregate, or none; return their number."""
        array = np.ascontiguousarray(self.as_array(reports))
        first, wrong, added = self.mechanism.number_bytes, [], {}
        pages = read_numbers(array[:, :first]).view(np.int64)
        if (unknown := pages >= len(self._counters)).any():
            wrong.append(np.argmax(unknown))
        order, ends = by_page(pages, len(self._counters))
        in_order = _whole_rows(array)[order].view(np.uint8).reshape(array.shape)
        for page, counter in enumerate(self._counters):
            rows, some = order[ends[page] : ends[page + 1]], in_order[ends[page] : ends[page + 1]]
            end = first + counter.mechanism.report_bytes
            if not len(rows):
                continue
            if (beyond := some[:, end:].any(axis=1)).any():
                wrong.append(rows[np.argmax(beyond)])
            try:
                added[page] = counter.aggregate(some[:, first:end].copy())
            except InvalidReport as error:
                wrong.append(rows[error.row or 0])
        if wrong:
            row = int(min(wrong))
            self._refuse(array[row], row)
        for page, (drew, aggregate) in added.items():
            total[self._ends[page]] += drew
            total[self._ends[page] + 1 : self._ends[page + 1]] += aggregate
        return len(array)

    def parts(self, aggregate: Integers) -> list[tuple[int, Integers]]:
        """Return how many drew each page, and the aggregate of their reports."""
        bounds = zip(self._ends, self._ends[1:], strict=False)
        return [(int(aggregate[start]), aggregate[start + 1 : end]) for start, end in bounds]

    def counts(self, aggregate: Integers) -> Integers:
        """Return how many reports support each value, page after page."""
        found = zip(self._counters, self.parts(aggregate), strict=True)
        return np.concatenate([counter.counts(part) for counter, (_, part) in found])

    def problem(self, aggregate: Integers, n: int) -> str | None:
        """Return why no `n` reports can have this aggregate, or None."""
        if aggregate.min() < 0:
            return f"counts must be in [0, {n}]"
        parts = self.parts(aggregate)
        if said := sum_problem(np.array([drew for drew, _ in parts]), n):
            return f"those who drew each page: {said}"
        for page, (counter, (drew, part)) in enumerate(zip(self._counters, parts, strict=True)):
            if said := counter.problem(part, drew):
                return f"page {page}: {said}"
        return None

    def invalid(self, reports: Reports) -> NDArray[np.bool_]:
        """Return which rows are not reports."""
        first = self.mechanism.number_bytes
        pages = read_numbers(reports[:, :first])
        invalid: NDArray[np.bool_] = pages >= len(self._counters)
        for page, counter in enumerate(self._counters):
            rows, end = np.flatnonzero(pages == page), first + counter.mechanism.report_bytes
            some = np.ascontiguousarray(reports[rows, first:end])
            invalid[rows] = counter.invalid(some) | reports[rows, end:].any(axis=1)
        return invalid

    def add_few(self, reports: Reports, total: Integers) -> None:
        """Add checked reports to a total."""
        self.fold(reports, total)
