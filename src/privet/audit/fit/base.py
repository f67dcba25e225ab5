"""What holds reports against a law, and the plainest way: counting every different report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from functools import singledispatch
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...device.mechanisms.base import Randomizer
from .statistics import Check, cells

Reports = NDArray[np.uint8]

__all__ = ["MOST_CELLS", "FitToLaw", "fit_of"]

M = TypeVar("M", bound=Randomizer)

# Of so many different reports, or parts of them, each is counted by itself.
MOST_CELLS = 1024


class FitToLaw(ABC, Generic[M]):
    """Counts what valid reports of one value are, and says how odd that is."""

    def __init__(self, mechanism: M, value: Any) -> None:
        self.mechanism, self.value = mechanism, value
        self.n = 0

    def add(self, reports: Reports) -> None:
        """Count some reports."""
        if len(reports):
            self.n += len(reports)
            self.count(reports)

    @abstractmethod
    def count(self, reports: Reports) -> None:
        """Count what the reports are."""

    @abstractmethod
    def checks(self) -> list[Check]:
        """Return the p-value of each look."""


@singledispatch
def fit_of(mechanism: Randomizer, value: Any) -> FitToLaw[Any]:
    """Return who holds the reports of a value against a mechanism's law."""
    return Outcomes(mechanism, value)


class Outcomes(FitToLaw[Randomizer]):
    """Counts all different reports, as far as they are few."""

    def __init__(self, mechanism: Randomizer, value: Any) -> None:
        super().__init__(mechanism, value)
        self._seen: Counter[bytes] = Counter()

    def count(self, reports: Reports) -> None:
        """Count each report by itself."""
        if len(self._seen) <= MOST_CELLS:
            self._seen.update(map(bytes, reports))

    def checks(self) -> list[Check]:
        """Compare the counts with the exact chances."""
        if len(self._seen) > MOST_CELLS:
            return []
        counts = np.array([*self._seen.values(), 0])
        chances = [float(self.mechanism.probability(z, self.value)) for z in self._seen]
        chances.append(max(0.0, 1 - sum(chances)))
        return [Check("how often each report is made", cells(counts, chances))]
