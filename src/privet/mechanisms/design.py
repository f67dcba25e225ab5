"""Block designs: as good as all sets of k values, in reports as short as the number of a block.

A 2-(v, k, λ) design is a list of blocks, each of k of v points, such that all points lie in equally
many blocks and all pairs of points in λ of them. Values are the first d points. Block B is reported
with probability

    Q(B | x) = (E if x in B else 1) · v / (D · blocks),    D = kE + v − k,

where E = odds / 2^scale is at or just below e^ε. How likely a report is to hold the own value, or
another one, follows from v, k and λ = blocks · k(k − 1) / (v(v − 1)) alone: hit rates, variances
and information are those of all k-subsets of v values (`KSubset`). Only covariances, which ask for
two values beside the own one, are the design's own (Park, Nam and Lee, Exactly optimal and
communication-efficient private estimation via block designs, 2023).
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from math import log2
from typing import TYPE_CHECKING

import numpy as np

from ..analysis import kernels
from .batch import BLOCK_BYTES
from .numbered import Numbered, read_numbers
from .subsets import Subsets

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..entropy import Stream
    from .batch import Block, Rows, Words
    from .numbered import Shape

# A tally counts every block: this many take 512 MB.
MOST_BLOCKS = 2**26
# Errors that differ by less than this are taken for equal.
_TOLERANCE = 0.0005


class Design(Numbered, Subsets):
    """A mechanism whose report is the number of a block, more likely one that holds the value.

    `_shape` names the integers that say which design it is. For each value it has an order of the
    blocks in which those that hold the value come first: a report is one of these, or one of
    the others, drawn by its place in that order (`_block_at`).
    """

    blocks: int

    # --- what a design says of itself -----------------------------------------------------------

    @classmethod
    @abstractmethod
    def _sizes(cls, shape: Shape) -> dict[str, int]:
        """Return the number of points, k, and the number of blocks."""

    @abstractmethod
    def _block_at(self, value: int, place: int) -> int:
        """Return the block at a place in the value's own order: those that hold it come first."""

    @abstractmethod
    def _holds(self, block: int) -> NDArray[np.bool_]:
        """Return which of the d values a block holds."""

    @abstractmethod
    def counts(self, aggregate: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many of the reported blocks hold each value."""

    @abstractmethod
    def _forward(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Σ_{x in B} θ_x for each block B."""

    @abstractmethod
    def _adjoint(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Σ_{B holding x} w_B for each value x: `counts` of real numbers, nearly."""

    @classmethod
    def _weighed(cls, shape: Shape) -> tuple[int, int]:
        sizes = cls._sizes(shape)
        return sizes["points"], sizes["k"]

    @property
    def _numbers(self) -> int:
        return self.blocks

    def probability(self, report: bytes, value: int) -> Fraction:
        """Return Q(report | value), exactly."""
        self.check(report)
        value = self._check_value(value)
        held = self._holds(int.from_bytes(report, "little"))[value]
        weight = self.odds if held else 1 << self.scale
        return Fraction(weight * self.points, self._total * self.blocks)

    def members(self, report: bytes) -> list[int]:
        """Return the values that the reported block holds, in increasing order."""
        self.check(report)
        members: list[int] = np.flatnonzero(self._holds(int.from_bytes(report, "little"))).tolist()
        return members

    # --- one report -------------------------------------------------------------------------------

    @cached_property
    def _holding(self) -> int:
        """How many blocks hold a value."""
        return self.blocks * self.k // self.points

    @cached_property
    def _plan(self) -> tuple[int, int, int, int, int]:
        """All that `sample` needs, at hand in one look-up."""
        return *self._coin, self._holding, self.blocks - self._holding, self.report_bytes

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d); docs/designs.md is its specification."""
        heads, total, holding, others, size = self._plan
        hit = stream.coin(heads, total)
        place = stream.below(holding) if hit else holding + stream.below(others)
        return self._block_at(value, place).to_bytes(size, "little")

    # --- many reports -----------------------------------------------------------------------------

    @property
    def _block_rows(self) -> int:
        return BLOCK_BYTES // 16

    def _block(self, rows: int, words: Words) -> Block:
        coins, places = words.take(8 * (rows + rows // 64 + 16), 8 * rows)
        return words.toss(coins, rows, self._coin), places.view("<u8")

    def _fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        values, (hit, words), out = rows
        rest = tail[: len(tail) // 8 * 8].view("<u8")
        done, used = kernels.draw_places(hit, words, rest, first, self._holding, self.blocks)
        self._write_blocks(values[first:done], words[first:done], out[first:done])
        return done, 8 * used

    @abstractmethod
    def _write_blocks(
        self, values: NDArray[np.int64], places: NDArray[np.uint64], out: NDArray[np.uint8]
    ) -> None:
        """Write the number of the block at each value's place; `_block_at` for a whole array."""

    def _draw_counts(
        self, people: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw how many report each block, where that is less work than making the reports."""
        n = int(people.sum())
        if n <= self.d * self._holding:
            return super()._draw_counts(people, rng)
        marked = rng.binomial(people, self._marked)
        total = rng.multinomial(n - marked.sum(), np.full(self.blocks, 1 / self.blocks))
        places = np.arange(self._holding, dtype=np.uint64)
        reports = np.empty((self._holding, self.report_bytes), dtype=np.uint8)
        shares = np.full(self._holding, 1 / self._holding)
        for value in np.flatnonzero(marked):
            self._write_blocks(np.full(self._holding, value), places, reports)
            total[read_numbers(reports)] += rng.multinomial(marked[value], shares)
        return self.counts(total)

    @property
    def server_steps(self) -> tuple[float, float]:
        """A block is counted in one step; fast transforms of all blocks' numbers decode them."""
        return 1.0, self.blocks * log2(2 * self.points)


def fewest_blocks(
    d: int, epsilon: float, points: ArrayLike, k: ArrayLike, blocks: ArrayLike
) -> int:
    """Return which of some designs to take for d values: the one with the fewest blocks.

    Of those, that is, whose error is within 1/2000 of the least. Where d of v points are in use,
    the squared error of all d frequencies is (g(1 − g) + (d − 1)h(1 − h)) / (n(g − h)²), with the
    hit rates of v points.

    >>> fewest_blocks(5, 1.0, [5, 5, 7], [1, 2, 2], [20, 10, 21])
    0
    """
    from ..theory.formulas import item_variance

    own, other = (item_variance(points, epsilon, k, theta, 1) for theta in (1, 0))
    error = np.asarray(own + (d - 1) * other)
    good = np.flatnonzero(error <= (1 + _TOLERANCE) * error.min())
    return int(good[np.lexsort((error[good], np.asarray(blocks)[good]))[0]])
