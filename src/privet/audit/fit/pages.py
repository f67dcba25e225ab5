"""Reports of a questionnaire: how often each page is drawn, and each page's reports by its law."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device.mechanisms.paged import Paged
from ..events import on_pages
from .base import FitToLaw, Reports, fit_of
from .statistics import Check, cells


@fit_of.register(Paged)
class Pages(FitToLaw[Paged]):
    """Looks at pages, and at their reports as their mechanisms do."""

    def __init__(self, mechanism: Paged, value: Any) -> None:
        super().__init__(mechanism, value)
        parts = zip(mechanism.parts, value, strict=True)
        self._parts = [fit_of(part, own) for part, own in parts]

    def count(self, reports: Reports) -> None:
        """Count each page's reports."""
        for number, rows in on_pages(self.mechanism, reports):
            self._parts[number].add(rows)

    def checks(self) -> list[Check]:
        """Return the p-value of each look, at pages and at their reports."""
        weights = np.array(self.mechanism.weights, dtype=float)
        drawn = np.array([part.n for part in self._parts])
        found = [Check("pages", cells(drawn, weights / weights.sum()))]
        for number, part in enumerate(self._parts):
            if part.n:
                found += [Check(f"page {number}: {what}", p) for what, p in part.checks()]
        return found
