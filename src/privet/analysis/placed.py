"""Reports drawn by their place, for analysts: batches of coins and places."""

from __future__ import annotations

from abc import abstractmethod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.numbered import Placed
from . import kernels
from .batch import Batches, Drawn, Rows, Words
from .counter import read_numbers

P = TypeVar("P", bound=Placed)


class PlacedBatches(Batches[P]):
    """Draws places in the value's own order of reports, and writes the reports there."""

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw a coin and a place for each row."""
        hits, places = words.take_tossed(rows, self.mechanism.coin, 8 * rows)
        return hits, places.view("<u8")

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports until the tail of words for places runs out."""
        values, (hit, words), out = rows
        rest = tail[: len(tail) // 8 * 8].view("<u8")
        sizes = self.mechanism.holding, self.mechanism.numbers
        done, used = kernels.block_numbers.draw_places(hit, words, rest, first, *sizes)
        self.write(values[first:done], words[first:done], out[first:done])
        return done, 8 * used

    def holding(self, value: int) -> NDArray[np.uint64]:
        """Return the numbers of all reports that hold a value, in its own order."""
        places = np.arange(self.mechanism.holding, dtype=np.uint64)
        reports = np.empty((len(places), self.mechanism.report_bytes), dtype=np.uint8)
        self.write(np.full(len(places), value), places, reports)
        return read_numbers(reports)

    @abstractmethod
    def write(
        self, values: NDArray[np.int64], places: NDArray[np.uint64], out: NDArray[np.uint8]
    ) -> None:
        """Write the number of the report at each value's place."""
