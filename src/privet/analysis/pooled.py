"""One question's shares from several pages of a questionnaire."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.mechanisms.forwards import Target
from ..device.survey import Survey
from .arrays import Floats
from .shown import Shown
from .tables.table import Margin

__all__ = ["Pooled"]


class Pooled(Shown):
    """The shares of one question, from all pages that ask it."""

    def __init__(self, survey: Survey, margin: Margin) -> None:
        n = sum(page.n for page in margin.pages)
        super().__init__(survey, n, np.zeros(len(margin.frequencies), dtype=np.int64))
        self.took_part = margin.combined.people
        self.margin = margin

    @property
    def frequencies(self) -> Floats:
        """The unbiased estimate of each share."""
        return self.margin.frequencies

    @property
    def standard_errors(self) -> Floats:
        """The standard error of each frequency."""
        return self.margin.standard_errors

    def interval(
        self, level: float = 0.95, *, target: Target = "population", simultaneous: bool = False
    ) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of a confidence interval for each category."""
        return self.margin.interval(level, target=target, simultaneous=simultaneous)

    @property
    def p_values(self) -> Floats:
        """How likely so large an estimate or a larger one is, if nobody holds the category."""
        return self.margin.p_values

    @property
    def can_shrink(self) -> bool:
        """Shares are not shrunk."""
        return False

    def shrink(self) -> Floats:
        """Return the nearest distribution."""
        return self.project()

    def columns(self, level: float = 0.95, **options: Any) -> dict[str, Any]:
        """Return the table that every output format is made from, without counts of reports."""
        columns = super().columns(level, **options)
        del columns["count"]
        return columns

    def __repr__(self) -> str:
        lines = [f"Estimate from {self.n:,} reports: {self.survey.question}"]
        low, high = self.interval()
        for i, name in enumerate(self.survey.categories):
            ends = f"[{low[i]:.4f}, {high[i]:.4f}]"
            lines.append(f"  {name:<20}  {self.frequencies[i]:8.4f}  {ends}")
        return "\n".join(lines)
