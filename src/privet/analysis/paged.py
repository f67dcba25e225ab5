"""Questionnaires, for analysts: pages drawn for many people, and their reports made and counted.

An aggregate is, page after page, how many drew it and the aggregate of their reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import whole
from ..entropy import secure
from ..errors import InvalidArgument, InvalidReport
from ..mechanisms.paged import Paged
from .analyst import Analyst, half_of
from .counter import Counter, read_numbers, sum_problem, write_numbers
from .threads import cores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..entropy import Entropy
    from .counter import Integers, Reports

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


def draw_pages(mechanism: Paged, n: int, entropy: Entropy | None) -> NDArray[np.int64]:
    """Return the page that each of n people draws."""
    stream, total = (entropy or secure()).keystream(), mechanism.ends[-1]
    limit = (1 << 64) // total * total
    words = np.frombuffer(bytearray(stream.read(8 * n)), dtype="<u8")
    while (beyond := words > np.uint64(limit - 1)).any():
        words[beyond] = np.frombuffer(stream.read(8 * int(beyond.sum())), dtype="<u8")
    return np.searchsorted(mechanism.ends, words % np.uint64(total), side="right")


@half_of.register(Paged)
def _(mechanism: Paged) -> Analyst:
    # Shares are estimated from all pages together, by `privet.tables`.
    return Analyst(None, PagedBatches(mechanism), PagedCounter(mechanism))  # type: ignore[arg-type]


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
        out = np.zeros((len(values.pages), mechanism.report_bytes), dtype=np.uint8)
        first = mechanism.number_bytes
        write_numbers(values.pages.astype(np.uint64), out[:, :first])
        for page, (part, some) in enumerate(zip(mechanism.parts, values.values, strict=True)):
            if len(some):
                reports = part.randomize(some, entropy=entropy, workers=threads)
                out[values.pages == page, first : first + part.report_bytes] = reports
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

    @property
    def steps(self) -> tuple[float, float]:
        """Those of the dearest page, and of all together."""
        steps = [counter.steps for counter in self._counters]
        return 1 + max(one[0] for one in steps), sum(one[1] for one in steps)

    def fold(self, reports: Any, total: Integers) -> int:
        """Check the reports; add them all to an aggregate, or none; return their number."""
        array = self.as_array(reports)
        added = np.zeros(self.size, dtype=np.int64)
        first, wrong = self.mechanism.number_bytes, []
        pages = read_numbers(array[:, :first])
        for page, counter in enumerate(self._counters):
            rows = np.flatnonzero(pages == page)
            size, start = counter.mechanism.report_bytes, self._ends[page]
            some = array[rows, first:]
            if (beyond := some[:, size:].any(axis=1)).any():
                wrong.append(rows[np.argmax(beyond)])
            try:
                added[start] = counter.fold(
                    some[:, :size].copy(), added[start + 1 : self._ends[page + 1]]
                )
            except InvalidReport as error:
                wrong.append(rows[error.row or 0])
        if (unknown := pages >= len(self._counters)).any():
            wrong.append(np.argmax(unknown))
        if wrong:
            row = int(min(wrong))
            self._refuse(array[row], row)
        total += added
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
        problem = self.mechanism.problem
        return np.array([problem(report.tobytes()) is not None for report in reports], dtype=bool)

    def add_few(self, reports: Reports, total: Integers) -> None:
        """Add checked reports to a total."""
        self.fold(reports, total)

    def add_many(self, reports: Reports, total: Integers) -> int:
        """Add reports to a total."""
        self.fold(reports, total)
        return -1
