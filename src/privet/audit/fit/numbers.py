"""Reports that are numbers (blocks, windows, functions and buckets), held against their law."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...analysis.counter import read_numbers
from ...device.mechanisms.hashes.hashed import Hashed
from ...device.mechanisms.numbered import Placed
from ..between import Between, mixture
from ..events import buckets_of, holding
from .base import MOST_CELLS, FitToLaw, Reports, fit_of
from .statistics import Check, binomial, cells

# Into how many parts buckets are divided, where they are more.
_MOST_BUCKETS = 16


@fit_of.register(Placed)
class Places(FitToLaw[Placed]):
    """Looks at hits, and at each number, or at stretches of them by hit and miss.

    Of a number between two centres, the law is a mixture of two cells', which differ in two windows
    alone: one covers the lower cell and not the upper one, and one the reverse. How often each of
    the two comes shows the coin that rounds.
    """

    def __init__(self, mechanism: Placed, value: int | Between) -> None:
        super().__init__(mechanism, value)
        heads, total = mechanism.coin
        hit, numbers = heads / total, mechanism.numbers
        miss = (1 - hit) / max(1, numbers - mechanism.holding)
        self._law, self._holding = np.zeros(numbers), np.zeros(numbers, dtype=np.int64)
        between = mixture(value)
        for i, (cell, part) in enumerate(between):
            held = holding(mechanism, cell)
            self._law += part * np.where(held, hit / mechanism.holding, miss)
            self._holding += held << i
        self._kinds = 1 << len(between)
        self._codes = np.arange(numbers)
        if numbers > MOST_CELLS:
            stretches = self._codes * (MOST_CELLS // self._kinds) // numbers
            self._codes = stretches * self._kinds + self._holding
        self._counts = np.zeros(int(self._codes.max()) + 1, dtype=np.int64)
        self._held = np.zeros(self._kinds, dtype=np.int64)

    def count(self, reports: Reports) -> None:
        """Count hits and numbers."""
        numbers = read_numbers(reports)
        self._held += np.bincount(self._holding[numbers], minlength=self._kinds)
        self._counts += np.bincount(self._codes[numbers], minlength=len(self._counts))

    def checks(self) -> list[Check]:
        """Return the p-value of each look."""
        law = np.bincount(self._codes, weights=self._law, minlength=len(self._counts))
        held = np.bincount(self._holding, weights=self._law, minlength=self._kinds)
        found = [
            Check("hits", binomial(self.n - int(self._held[0]), self.n, 1 - float(held[0]))),
            Check("numbers", cells(self._counts, law)),
        ]
        if self._kinds > 2:
            alone = int(self._held[1] + self._held[2])
            upper = float(held[2] / (held[1] + held[2]))
            found.append(Check("rounding", binomial(int(self._held[2]), alone, upper)))
        return found


@fit_of.register(Hashed)
class Hashes(FitToLaw[Hashed]):
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
