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
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import InvalidSurvey
from .base import read_integer
from .batch import BLOCK_BYTES
from .symmetric import Symmetric

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from ..entropy import Stream
    from .batch import Block, Words

# A tally counts every block: this many take 512 MB.
MOST_BLOCKS = 2**26
# Errors that differ by less than this are taken for equal.
_TOLERANCE = 0.0005


class Design(Symmetric):
    """A mechanism whose report is the number of a block, more likely one that holds the value.

    A design names in `_shape` the integers that say which one it is. For each value it has an order
    of the blocks in which those that hold the value come first: a report is one of these, or one of
    the others, drawn by its place in that order (`_block_at`).
    """

    points: int
    k: int
    blocks: int
    odds: int
    scale: int
    _shape: ClassVar[tuple[str, ...]]

    # --- what a design says of itself -----------------------------------------------------------

    @classmethod
    @abstractmethod
    def _problem(cls, d: int, shape: tuple[int, ...]) -> tuple[str, str, int] | None:
        """Return the first integer that makes these no design of d values: (name, rule, value)."""

    @classmethod
    @abstractmethod
    def _sizes(cls, shape: tuple[int, ...]) -> tuple[int, int, int]:
        """Return the number of points, of points in a block, and of blocks."""

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

    # --- the integers -----------------------------------------------------------------------------

    def _settle(
        self, d: int, epsilon: float, shape: tuple[int, ...], odds: int = 0, scale: int = 0
    ) -> None:
        """Be the design of this shape, with the finest odds unless there are some already."""
        from .odds import finest_odds

        points, k, blocks = self._sizes(shape)
        if not odds:
            odds, scale = finest_odds(type(self).__name__, points, epsilon, k)
        named = dict(zip(self._shape, shape, strict=True), points=points, k=k, blocks=blocks)
        self._freeze(d=d, epsilon=epsilon, odds=odds, scale=scale, **named)

    def __repr__(self) -> str:
        shape = "".join(f", {name}={vars(self)[name]}" for name in self._shape)
        return f"{type(self).__name__}(d={self.d}, epsilon={self.epsilon}{shape})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the integers, not the tables made from them."""
        return type(self).from_parameters, (self.d, self.epsilon, self.parameters)

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with."""
        shape = {name: vars(self)[name] for name in self._shape}
        return {**shape, "odds": str(self.odds), "scale": self.scale}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing integers that are no design or would break the promise of ε."""
        from .odds import floor_exp

        d, epsilon = cls._check_domain(d, epsilon)
        names = *cls._shape, "scale"
        if set(parameters) != {*names, "odds"} or not all(
            type(parameters[name]) is int for name in names
        ):
            raise InvalidSurvey(
                f"The parameters of {cls.name} must be {', '.join(cls._shape)}, odds (a decimal "
                f"string) and scale. Got {dict(parameters)!r:.200}."
            )
        *shape, scale = (parameters[name] for name in names)
        odds = read_integer(parameters["odds"], f"odds of {cls.name}")
        problem = cls._problem(d, tuple(shape))
        if problem is not None:
            name, rule, value = problem
            raise InvalidSurvey(f"The {name} of {cls.name} must be {rule}. Got {value}.")
        if not (0 <= scale <= 60 and 1 << scale < odds <= floor_exp(epsilon, scale)):
            raise InvalidSurvey(
                f"The odds {odds} / 2^{scale} are not in (1, e^epsilon] for epsilon = {epsilon}: "
                "this survey is not as private as it says."
            )
        self = cls.__new__(cls)
        self._settle(d, epsilon, tuple(shape), odds, scale)
        if self._total >= 1 << 64:
            raise InvalidSurvey(f"The odds {odds} / 2^{scale} need more than 64-bit integers.")
        return self

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """Exactly odds / 2^scale."""
        return Fraction(self.odds, 1 << self.scale)

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly g = kE/D and h = (k − g)/(v − 1)."""
        g = Fraction(self.k * self.odds, self._total)
        return g, (self.k - g) / (self.points - 1)

    @cached_property
    def _total(self) -> int:
        """D · 2^scale."""
        return self.k * self.odds + (self.points - self.k << self.scale)

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
    def report_bytes(self) -> int:
        """As many bytes as the largest number of a block has."""
        return (self.blocks - 1).bit_length() + 7 >> 3

    @property
    def stream_bytes(self) -> int:
        """A word for the coin and one for the place."""
        return 16

    @cached_property
    def _holding(self) -> int:
        """How many blocks hold a value."""
        return self.blocks * self.k // self.points

    @cached_property
    def _coin(self) -> tuple[int, int]:
        """Heads and total of the hit, scaled up so that a 64-bit word is rarely redrawn."""
        factor = (2**64 - 1) // self._total
        return factor * self.k * self.odds, factor * self._total

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

    def _fill(
        self,
        values: NDArray[np.int64],
        block: Block,
        tail: NDArray[np.uint8],
        out: NDArray[np.uint8],
        first: int,
    ) -> tuple[int, int]:
        from ..kernels.designs import draw_places

        hit, words = block
        rest = tail[: len(tail) // 8 * 8].view("<u8")
        done, used = draw_places(hit, words, rest, first, self._holding, self.blocks)
        self._write_blocks(values[first:done], words[first:done], out[first:done])
        return done, 8 * used

    @abstractmethod
    def _write_blocks(
        self, values: NDArray[np.int64], places: NDArray[np.uint64], out: NDArray[np.uint8]
    ) -> None:
        """Write the number of the block at each value's place; `_block_at` for a whole array."""

    def _numbers(self, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
        weights = 1 << 8 * np.arange(self.report_bytes)
        numbers: NDArray[np.int64] = reports @ weights
        return numbers

    def _first_problem(self, reports: NDArray[np.uint8]) -> tuple[int, str] | None:
        numbers = self._numbers(reports)
        bad = numbers >= self.blocks
        if not bad.any():
            return None
        row = int(np.argmax(bad))
        last = self.blocks - 1
        return row, f"It names a block that does not exist: {numbers[row]}; the last one is {last}."

    def _aggregate(self, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
        return np.bincount(self._numbers(reports), minlength=self.blocks)

    def _count(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> int:
        from ..kernels.designs import count_blocks

        return int(count_blocks(reports, total))

    @property
    def aggregate_size(self) -> int:
        """An aggregate counts the reports of each block."""
        return self.blocks

    def _draw_counts(
        self, people: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw how many report each block, where that is less work than making the reports."""
        n = int(people.sum())
        if n <= self.d * self._holding:
            return super()._draw_counts(people, rng)
        # With probability v / D a report is any block, and else any of those that hold the value.
        marked = rng.binomial(people, self.k * (self.odds - (1 << self.scale)) / self._total)
        total = rng.multinomial(n - marked.sum(), np.full(self.blocks, 1 / self.blocks))
        places = np.arange(self._holding, dtype=np.uint64)
        reports = np.empty((self._holding, self.report_bytes), dtype=np.uint8)
        shares = np.full(self._holding, 1 / self._holding)
        for value in np.flatnonzero(marked):
            self._write_blocks(np.full(self._holding, value), places, reports)
            total[self._numbers(reports)] += rng.multinomial(marked[value], shares)
        return self.counts(total)

    @property
    def server_steps(self) -> tuple[float, float]:
        """A block is counted in one step; fast transforms of all blocks' numbers decode them."""
        return 1.0, self.blocks * log2(2 * self.points)

    def check_aggregate(self, aggregate: NDArray[np.int64], n: int) -> str | None:
        """Every report is one block."""
        if aggregate.min() < 0:
            return "counts must not be negative"
        total = aggregate.sum(dtype=np.float64)  # exact up to 2^53, which n is far below
        return None if total == n else f"counts must add up to {n}, not {total:.0f}"


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
    from ..theory import item_variance

    own, other = (item_variance(points, epsilon, k, theta, 1) for theta in (1, 0))
    error = np.asarray(own + (d - 1) * other)
    good = np.flatnonzero(error <= (1 + _TOLERANCE) * error.min())
    return int(good[np.lexsort((error[good], np.asarray(blocks)[good]))[0]])
