"""Reports that are numbers (blocks, windows, functions and buckets), held against their law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...analysis.counter import read_numbers
from ...mechanisms.hashes.hashed import Hashed
from ...mechanisms.placed import Placed
from ..events import buckets_of, holding
from .base import MOST_CELLS, Fit, fit_of
from .statistics import Check, binomial, cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .base import Reports

# Into how many parts buckets are divided, where they are more.
_MOST_BUCKETS = 16


@fit_of.register(Placed)
class Places(Fit[Placed]):
    """Looks at hits, and at each number, or at stretches of them by hit and miss."""

    def __init__(self, mechanism: Placed, value: int) -> None:
        super().__init__(mechanism, value)
        self._held = holding(mechanism, value)
        numbers = mechanism.numbers
        self._cells = np.arange(numbers)
        if numbers > MOST_CELLS:
            self._cells = self._cells * (MOST_CELLS // 2) // numbers * 2 + self._held
        self._counts = np.zeros(int(self._cells.max()) + 1, dtype=np.int64)
        self._hits = 0

    def count(self, reports: Reports) -> None:
        """Count hits and numbers."""
        numbers = read_numbers(reports)
        self._hits += int(self._held[numbers].sum())
        self._counts += np.bincount(self._cells[numbers], minlength=len(self._counts))

    def checks(self) -> list[Check]:
        """Return the p-value of each look."""
        m = self.mechanism
        heads, total = m.coin
        hit = heads / total
        each = np.where(self._held, hit / m.holding, (1 - hit) / max(1, m.numbers - m.holding))
        law = np.bincount(self._cells, weights=each, minlength=len(self._counts))
        return [
            Check("hits", binomial(self._hits, self.n, hit)),
            Check("numbers", cells(self._counts, law)),
        ]


@fit_of.register(Hashed)
class Hashes(Fit[Hashed]):
    """Looks at functions and at how far buckets are from the value's own, together."""

    def __init__(self, mechanism: Hashed, value: Any) -> None:
        super().__init__(mechanism, value)
        self._lies = min(mechanism.buckets - 1, _MOST_BUCKETS)
        self._parts = min(mechanism.functions, max(1, MOST_CELLS // (self._lies + 1)))
        self._counts = np.zeros((self._parts, self._lies + 1), dtype=np.int64)

    def count(self, reports: Reports) -> None:
        """Count functions and buckets."""
        m = self.mechanism
        functions, buckets = np.divmod(read_numbers(reports), np.uint64(m.buckets))
        own = buckets_of(m, functions, self.value)
        shifts = (buckets + np.uint64(m.buckets) - own).astype(np.int64) % m.buckets
        lies = (shifts - 1) * self._lies // (m.buckets - 1) + 1
        ends = self._ends()
        parts = np.searchsorted(ends, functions, side="right")
        codes = parts * (self._lies + 1) + np.where(shifts > 0, lies, 0)
        self._counts += np.bincount(codes, minlength=self._counts.size).reshape(self._counts.shape)

    def _ends(self) -> NDArray[np.uint64]:
        """Return where the parts of the functions end, but for the last."""
        ends = [self.mechanism.functions * i // self._parts for i in range(1, self._parts)]
        return np.array(ends, dtype=np.uint64)

    def checks(self) -> list[Check]:
        """Return the p-value of each look."""
        m = self.mechanism
        own = float(m.response_rates[0])
        sizes = np.diff([0, *self._ends().tolist(), m.functions]) / m.functions
        ends = [1 + -(-(m.buckets - 1) * i // self._lies) for i in range(self._lies + 1)]
        lies = np.diff(ends) / (m.buckets - 1)
        law = sizes[:, None] * np.concatenate([[own], (1 - own) * lies])
        return [
            Check("hits", binomial(int(self._counts[:, 0].sum()), self.n, own)),
            Check("functions and buckets", cells(self._counts, law)),
        ]
