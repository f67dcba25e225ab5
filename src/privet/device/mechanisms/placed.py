"""Numbered reports of which some are likelier than the others, and equally so: one coin, one place.

For each value there is an order of all reports in which those that hold it come first. A report is
one of these, or one of the others, drawn by its place in that order.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

from ..entropy import Stream
from .numbered import Numbered


class Placed(Numbered):
    """A mechanism that draws a coin, and a place among the reports that hold a value or do not."""

    @property
    @abstractmethod
    def holding(self) -> int:
        """How many reports hold a value."""

    @abstractmethod
    def _number_at(self, value: int, place: int) -> int:
        """Return the report at a place in the value's own order: those that hold it come first."""

    @cached_property
    def _plan(self) -> tuple[int, int, int, tuple[int, int], int]:
        """All that `sample` needs: the coin, and how many places there are, by miss and hit."""
        sizes = self.numbers - self.holding, self.holding
        return *self.coin, self.holding, sizes, self.report_bytes

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d), as docs/designs.md and algorithm.md specify.

        A hit and a miss are both made ready, and the coin says which of them is sent: the time that
        it takes tells nothing.
        """
        heads, total, holding, sizes, report_bytes = self._plan
        hit = stream.coin(heads, total)
        outside, inside = stream.below_either(sizes, hit)
        ready = (
            self._number_at(value, holding + outside).to_bytes(report_bytes, "little"),
            self._number_at(value, inside).to_bytes(report_bytes, "little"),
        )
        return ready[hit]
