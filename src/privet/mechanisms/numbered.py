"""Reports that are a number: of a block, or of a function and what it says.

A report is the number in as few whole bytes as hold the largest one, the lowest byte first. An
aggregate counts the reports of each number.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..analysis import kernels
from ..errors import InvalidSurvey
from .base import Mechanism

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from numpy.typing import NDArray

    Shape = tuple[int, ...]


class Numbered(Mechanism):
    """A mechanism whose report is a number.

    `_shape` names the integers that say which one it is, besides the odds.
    """

    odds: int
    scale: int
    _shape: ClassVar[tuple[str, ...]] = ()

    @property
    @abstractmethod
    def _numbers(self) -> int:
        """How many different reports there are."""

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> tuple[str, str, Any] | None:
        """Return the first integer that makes no mechanism for d values: name, rule, value."""
        return None

    @classmethod
    @abstractmethod
    def _weighed(cls, shape: Shape) -> tuple[int, int]:
        """Return how many cases a response chooses from, and how many of them the odds favour."""

    @classmethod
    def _sizes(cls, shape: Shape) -> dict[str, int]:
        """Return what else follows from the shape and is worth a name."""
        return {}

    # --- the integers ---------------------------------------------------------------------------

    def _settle(self, d: int, epsilon: float, shape: Shape, odds: int = 0, scale: int = 0) -> None:
        """Be the mechanism of this shape, with the finest odds unless there are some already."""
        from .odds import finest_odds

        if not odds:
            cases, favoured = self._weighed(shape)
            odds, scale = finest_odds(type(self).__name__, cases, epsilon, favoured)
        named = dict(zip(self._shape, shape, strict=True)) | self._sizes(shape)
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
        """Rebuild, refusing integers of no mechanism or that would break the promise of ε."""
        from .odds import read_odds

        d, epsilon = cls._check_domain(d, epsilon)
        names = *cls._shape, "scale"
        if set(parameters) != {*names, "odds"} or not all(
            type(parameters[name]) is int for name in names
        ):
            raise InvalidSurvey(
                f"The parameters of {cls.name} must be {', '.join(names)} (integers) and odds (a "
                f"decimal string). Got {dict(parameters)!r:.200}."
            )
        *integers, scale = (parameters[name] for name in names)
        shape = tuple(integers)
        problem = cls._problem(d, shape)
        if problem is not None:
            name, rule, value = problem
            raise InvalidSurvey(f"The {name} of {cls.name} must be {rule}. Got {value}.")
        odds = read_odds(cls.name, epsilon, *cls._weighed(shape), parameters["odds"], scale)
        self = cls.__new__(cls)
        self._settle(d, epsilon, shape, odds, scale)
        return self

    # --- reports ----------------------------------------------------------------------------------

    @cached_property
    def report_bytes(self) -> int:
        """As many bytes as the largest number has."""
        return (self._numbers - 1).bit_length() + 7 >> 3

    @property
    def stream_bytes(self) -> int:
        """A word for a coin and one for a uniform integer."""
        return 16

    def _first_problem(self, reports: NDArray[np.uint8]) -> tuple[int, str] | None:
        numbers = read_numbers(reports)
        bad = numbers >= self._numbers
        if not bad.any():
            return None
        row = int(np.argmax(bad))
        return row, f"There is no report {numbers[row]}; the last one is {self._numbers - 1}."

    def _aggregate(self, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
        return np.bincount(read_numbers(reports).view(np.int64), minlength=self._numbers)

    def _fold(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> None:
        np.add.at(total, read_numbers(reports).view(np.int64), 1)

    def _count(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> int:
        return int(kernels.count_blocks(reports, total))

    @property
    def aggregate_size(self) -> int:
        """An aggregate counts the reports of each number."""
        return self._numbers

    def check_aggregate(self, aggregate: NDArray[np.int64], n: int) -> str | None:
        """Every report has one number."""
        if aggregate.min() < 0 or aggregate.max() > n:
            return f"counts must be in [0, {n}]"
        total = aggregate.sum(dtype=np.float64)  # exact up to 2^53, which n is far below
        return None if total == n else f"counts must add up to {n}, not {total:.0f}"


def read_numbers(columns: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the numbers that rows of up to 8 bytes are, the lowest byte first."""
    wide = np.zeros((len(columns), 8), dtype=np.uint8)
    wide[:, : columns.shape[1]] = columns
    return wide.view("<u8")[:, 0]


def write_numbers(numbers: NDArray[np.uint64], columns: NDArray[np.uint8]) -> None:
    """Write numbers as rows of bytes, the lowest byte first."""
    wide = numbers.astype("<u8").view(np.uint8).reshape(-1, 8)
    columns[:] = wide[:, : columns.shape[1]]
