"""Reports that are a number: of a block, or of a function and the bucket it reports.

A report is the number in as few whole bytes as hold the largest one, the lowest byte first.

Numbered reports of which some are likelier than the others, and equally so: one coin, one place.

For each value there is an order of all reports in which those that hold it come first. A report is
one of these, or one of the others, drawn by its place in that order.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from ..entropy import Stream
from .base import Mechanism, Problem, exactly
from .odds import finest_odds, read_odds

Shape = tuple[int, ...]


class Numbered(Mechanism):
    """A mechanism whose report is a number.

    `_shape` names the integers that say which one it is, besides the odds.
    """

    odds: int
    scale: int

    @property
    @abstractmethod
    def numbers(self) -> int:
        """How many different reports there are."""

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> Problem | None:
        """Return the first invalid integer for d values: name, rule, value."""
        return None

    @classmethod
    @abstractmethod
    def _weighed(cls, d: int, shape: Shape) -> tuple[int, int]:
        """Return how many cases a response chooses from, and how many of them the odds favour."""

    @classmethod
    def _sizes(cls, shape: Shape) -> dict[str, int]:
        """Return what else follows from the shape and is worth a name."""
        return {}

    def _choose(self, d: int, epsilon: float, shape: tuple[Any, ...]) -> None:
        """Be the mechanism of this shape, or raise."""
        self._forbid(self._problem(d, shape))
        self._settle(d, epsilon, tuple(map(int, shape)))

    def _settle(self, d: int, epsilon: float, shape: Shape, odds: int = 0, scale: int = 0) -> None:
        """Be the mechanism of this shape, with the finest odds unless there are some already."""
        if not odds:
            cases, favoured = self._weighed(d, shape)
            odds, scale = finest_odds(type(self).__name__, cases, epsilon, favoured)
        named = dict(zip(self._shape, shape, strict=True)) | self._sizes(shape)
        self._freeze(d=d, epsilon=epsilon, odds=odds, scale=scale, **named)

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with."""
        shape = {name: vars(self)[name] for name in self._shape}
        return {**shape, "odds": str(self.odds), "scale": self.scale}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing invalid integers and those that would break the promise of ε."""
        d, epsilon = cls._check_domain(d, epsilon)
        names = *cls._shape, "scale"
        *integers, scale = cls._check_names(parameters, integers=names, digits="odds")
        shape = tuple(integers)
        cls._refuse(cls._problem(d, shape))
        odds = read_odds(cls.name, epsilon, *cls._weighed(d, shape), parameters["odds"], scale)
        self = cls.__new__(cls)
        self._settle(d, epsilon, shape, odds, scale)
        return self

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """Exactly odds / 2^scale."""
        return exactly(self.odds, 1 << self.scale)

    @cached_property
    def _weights(self) -> tuple[int, int]:
        """What the cases that the odds favour weigh together, and what the others do."""
        cases, favoured = self._weighed(self.d, tuple(vars(self)[name] for name in self._shape))
        return favoured * self.odds, cases - favoured << self.scale

    @cached_property
    def total(self) -> int:
        """What all cases weigh together."""
        return sum(self._weights)

    @cached_property
    def coin(self) -> tuple[int, int]:
        """Heads and total of the truth, scaled up so that a 64-bit word is rarely redrawn."""
        factor = (2**64 - 1) // self.total
        return factor * self._weights[0], factor * self.total

    @cached_property
    def report_bytes(self) -> int:
        """As many bytes as the largest number has."""
        return (self.numbers - 1).bit_length() + 7 >> 3

    @property
    def stream_bytes(self) -> int:
        """A word for a coin and one for a uniform integer."""
        return 16

    def problem(self, report: bytes) -> str | None:
        """Return why bytes are not a report, or None."""
        number = int.from_bytes(report, "little")
        if number < self.numbers:
            return None
        return f"There is no report {number}; the last one is {self.numbers - 1}."


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
