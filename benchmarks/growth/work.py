"""What a stage works on: a survey, answers, reports and counts of one size."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from privet import Survey, simulate
from privet.analysis.estimate import Estimate

from .clock import Clock

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from . import Size

_CHUNK_ROWS, _CHUNK_BYTES = 1 << 20, 1 << 26


class Work:
    """One size of the work, a folder for its files, and the clock that it is measured by.

    People beyond a million go through memory a million at a time, and each million makes the same
    reports: what a stage does with them does not depend on what they say.
    """

    def __init__(self, size: Size, folder: Path) -> None:
        self.n, self.d = size.n, size.d
        self.folder, self.clock = folder, Clock()
        names = [f"c{i}" for i in range(size.d)]
        self.survey = Survey("Which?", names, 1.0, mechanism=size.mechanism, id="growth")
        self.mechanism = self.survey.mechanism
        most = min(_CHUNK_ROWS, max(1, _CHUNK_BYTES // self.mechanism.report_bytes))
        left = [self.n % most] if self.n % most else []
        self.chunks = [most] * (self.n // most) + left

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        weights = 1 / np.arange(1, self.d + 1)  # Zipf's law
        return weights / weights.sum()

    @cached_property
    def answers(self) -> NDArray[np.int64]:
        """The answers of a chunk."""
        return np.random.default_rng(1).choice(self.d, self.chunks[0], p=self._shares)

    @cached_property
    def reports(self) -> NDArray[np.uint8]:
        """The reports of a chunk."""
        return self.mechanism.randomize(self.answers)

    @cached_property
    def aggregate(self) -> NDArray[np.int64]:
        """What a tally of everybody holds; of bitmaps it is simulated, by the exact law."""
        if self.mechanism.name != "k-subset":
            tally = self.survey.tally()
            for rows in self.chunks:
                tally.update(self.reports[:rows])
            return tally.aggregated()[1]
        truth = np.random.default_rng(1).multinomial(self.n, self._shares)
        return simulate.counts(self.mechanism, truth, seed=1)

    @property
    def estimate(self) -> Estimate:
        """A new estimate of everybody."""
        return Estimate(self.survey, self.n, self.mechanism.counts(self.aggregate))
