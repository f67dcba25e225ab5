"""Block designs: as good as all sets of k values, in reports as short as the number of a block.

A 2-(v, k, λ) design is a list of blocks, each of k of v points, such that all points lie in equally
many blocks and all pairs of points in λ of them. Values are the first d points. Block B is reported
with probability

    Q(B | x) = (E if x in B else 1) · v / (D · blocks),    D = kE + v − k,

where E = odds / 2^scale is at or just below e^ε. How likely a report is to hold the person's value,
or another one, follows from v, k and λ = blocks · k(k − 1) / (v(v − 1)) alone: hit rates, variances
and information are those of all k-subsets of v values (`KSubset`). Only covariances, which ask for
two values besides the person's, are the design's own (Park, Nam and Lee, Exactly optimal and
communication-efficient private estimation via block designs, 2023).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import log2

from ....theory.formulas import item_variances
from ..base import exactly
from ..numbered import Placed, Shape
from .subsets import Subsets

# A tally counts every block: this many take 512 MB.
MOST_BLOCKS = 2**26
# Errors that differ by less than this count as equal where a design is chosen.
_TOLERANCE = 0.0005


def most_blocks(d: int) -> int:
    """Return the most blocks for d values: a survey of few must not cost its readers much."""
    return min(MOST_BLOCKS, 2**16 + 2**12 * d)


def fewest_blocks(d: int, epsilon: float, designs: Sequence[tuple[int, int, int]]) -> int:
    """Return which design (points, k, blocks) to take for d values: the one with fewest blocks.

    Only those compete whose error is within 1/2000 of the least. Where d of v points are in use,
    the squared error of all d frequencies is (g(1 − g) + (d − 1)h(1 − h)) / (n(g − h)²), with the
    hit rates of v points.

    >>> fewest_blocks(5, 1.0, [(5, 1, 20), (5, 2, 10), (7, 2, 21)])
    0
    """
    errors = []
    for points, k, _ in designs:
        own, other = item_variances(points, epsilon, k)
        errors.append(own + (d - 1) * other)
    limit = (1 + _TOLERANCE) * min(errors)
    near = [which for which, error in enumerate(errors) if error <= limit]
    return min(near, key=lambda which: (designs[which][2], errors[which]))


class Design(Subsets, Placed):
    """A mechanism whose report is the number of a block, more likely one that holds the value.

    `_shape` names the integers that say which design it is.
    """

    blocks: int

    @classmethod
    @abstractmethod
    def _sizes(cls, shape: Shape) -> dict[str, int]:
        """Return the number of points, k, and the number of blocks."""

    @abstractmethod
    def _holds(self, block: int, value: int) -> bool:
        """Tell whether a block holds a value."""

    @classmethod
    def _weighed(cls, d: int, shape: Shape) -> tuple[int, int]:
        sizes = cls._sizes(shape)
        return sizes["points"], sizes["k"]

    @property
    def numbers(self) -> int:
        """A report for every block."""
        return self.blocks

    @cached_property
    def holding(self) -> int:
        """How many blocks hold a value."""
        return self.blocks * self.k // self.points

    @property
    def server_steps(self) -> tuple[float, float]:
        """A block is counted in one step; fast transforms of all blocks' numbers decode them."""
        return 1.0, self.blocks * log2(2 * self.points)

    def _chance(self, report: bytes, value: int) -> Fraction:
        held = self._holds(int.from_bytes(report, "little"), value)
        weight = self.odds if held else 1 << self.scale
        return exactly(weight * self.points, self.total * self.blocks)

    def members(self, report: bytes) -> list[int]:
        """Return the values that the reported block holds, in increasing order."""
        self._check_report(report)
        block = int.from_bytes(report, "little")
        return [value for value in range(self.d) if self._holds(block, value)]
