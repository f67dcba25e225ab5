"""Reports that are packed sets: k of some points, as a bitmap or as k sorted indices.

Whichever is shorter, each set has one encoding, and the order in which it was drawn is gone
(docs/algorithm.md, section 4).
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

from ..base import Mechanism


class Packed(Mechanism):
    """A mechanism whose report is any set of k of its points."""

    points: int
    k: int

    @cached_property
    def index_bits(self) -> int:
        """The bits of a member where a report lists its members, 0 where it is a bitmap."""
        return index_bits(self.points, self.k)

    @cached_property
    def report_bytes(self) -> int:
        """A bitmap of a bit for every point or k sorted indices, whichever is shorter."""
        return (self.k * self.index_bits or self.points) + 7 >> 3

    @property
    def server_steps(self) -> tuple[float, float]:
        """Eight bytes of a report are one step, and there is a counter for every point."""
        return self.report_bytes / 8, self.points

    def members(self, report: bytes) -> list[int]:
        """Return the points in a report, in increasing order."""
        self._check_report(report)
        return self._unpacked(report)

    def packed(self, members: list[int]) -> bytes:
        """Return the report of k different points, in any order."""
        packed = 0
        if width := self.index_bits:
            for member in sorted(members, reverse=True):
                packed = packed << width | member
        else:
            for member in members:
                packed |= 1 << member
        return packed.to_bytes(self.report_bytes, "little")

    def _unpacked(self, report: bytes) -> list[int]:
        packed = int.from_bytes(report, "little")
        if width := self.index_bits:
            return [packed >> at & (1 << width) - 1 for at in range(0, self.k * width, width)]
        return [point for point in range(self.points) if packed >> point & 1]

    def problem(self, report: bytes) -> str | None:
        """Return why bytes are not a report, or None."""
        used = self.k * self.index_bits or self.points
        packed = int.from_bytes(report, "little")
        if packed >> used:
            return f"A bit beyond the first {used} is set."
        if not self.index_bits:
            size = packed.bit_count()
            wrong = f"A report of this survey has {self.k} members. Got {size}."
            return None if size == self.k else wrong
        members = self._unpacked(report)
        if max(members) >= self.points:
            return f"A member must be below {self.points}. Got {max(members)}."
        if any(a >= b for a, b in pairwise(members)):
            return "The members are not in increasing order."
        return None


def index_bits(points: int, k: int) -> int:
    """Return the bits of an index where k of them are shorter than a bitmap in bytes, else 0."""
    width = (points - 1).bit_length()
    return width if k * width + 7 >> 3 < points + 7 >> 3 else 0
