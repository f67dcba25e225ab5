"""Hashed answers: a public function, drawn at random, maps all values to a few buckets.

The report tells the function and, by multivariate randomized response, the bucket:

    Q(function, bucket | x) = (E if function(x) = bucket else 1) / (functions · (E + buckets − 1)),

where E = odds / 2^scale is the largest such rational at or below e^ε. It supports the values that
the function maps to the bucket. A report is the number function · buckets + bucket, and the
aggregate counts the reports of each number.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import InvalidSurvey
from .base import Mechanism
from .batch import BLOCK_BYTES
from .multivariate_rr import MultivariateRR
from .odds import finest_odds

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction
    from typing import Self

    from numpy.typing import NDArray

    from ..entropy import Stream
    from .batch import Block, Words


class Hashed(Mechanism):
    """A mechanism whose report is a function and a randomized response to the value's bucket.

    In `_shape` it names the integers that say which functions these are.
    """

    buckets: int = 2
    odds: int
    scale: int
    _shape: ClassVar[tuple[str, ...]] = ()

    # --- what it says of its functions ----------------------------------------------------------

    @property
    @abstractmethod
    def functions(self) -> int:
        """How many functions there are."""

    @abstractmethod
    def bucket(self, function: Any, value: Any) -> Any:
        """Return where a function maps a value; also of arrays, entry by entry."""

    @classmethod
    def _problem(cls, d: int, shape: Mapping[str, int]) -> tuple[str, str, int] | None:
        """Return the first integer that makes these no functions of d values: name, rule, value."""
        return None

    # --- the integers -----------------------------------------------------------------------------

    def _settle(self, d: int, epsilon: float, **shape: int) -> None:
        """Be the mechanism with these functions and the finest odds."""
        problem = self._problem(d, shape)
        if problem is not None:
            raise self._error(*problem)
        buckets = shape.get("buckets", self.buckets)
        odds, scale = finest_odds(type(self).__name__, buckets, epsilon, 1)
        whole = {name: int(value) for name, value in shape.items()}
        self._freeze(d=d, epsilon=epsilon, **whole, odds=odds, scale=scale)

    def __repr__(self) -> str:
        shape = "".join(f", {name}={vars(self)[name]}" for name in self._shape)
        return f"{type(self).__name__}(d={self.d}, epsilon={self.epsilon}{shape})"

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with."""
        shape = {name: vars(self)[name] for name in self._shape}
        return {**shape, "odds": str(self.odds), "scale": self.scale}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing integers that are no functions or would break the promise of ε."""
        d, epsilon = cls._check_domain(d, epsilon)
        shape: dict[str, Any] = {name: parameters.get(name) for name in cls._shape}
        names = ", ".join((*cls._shape, "scale"))
        if set(parameters) != {*shape, "odds", "scale"} or not all(
            type(value) is int for value in (*shape.values(), parameters["scale"])
        ):
            raise InvalidSurvey(
                f"The parameters of {cls.name} must be {names} (integers) and odds (a decimal "
                f"string). Got {dict(parameters)!r:.200}."
            )
        problem = cls._problem(d, shape)
        if problem is not None:
            name, rule, value = problem
            raise InvalidSurvey(f"The {name} of {cls.name} must be {rule}. Got {value}.")
        buckets = shape.get("buckets", cls.buckets)
        odds = _response(buckets, epsilon, parameters["odds"], parameters["scale"]).odds
        self = cls.__new__(cls)
        self._freeze(d=d, epsilon=epsilon, **shape, odds=odds, scale=parameters["scale"])
        return self

    @cached_property
    def response(self) -> MultivariateRR:
        """How a bucket is told."""
        return _response(self.buckets, self.epsilon, str(self.odds), self.scale)

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """Exactly odds / 2^scale."""
        return self.response.likelihood_ratio

    def probability(self, report: bytes, value: int) -> Fraction:
        """Return Q(report | value), exactly."""
        self.check(report)
        value = self._check_value(value)
        function, told = divmod(int.from_bytes(report, "little"), self.buckets)
        own, other = self.response.hit_rates
        return (own if self.bucket(function, value) == told else other) / self.functions

    # --- one report -------------------------------------------------------------------------------

    @cached_property
    def _numbers(self) -> int:
        """How many different reports there are."""
        return self.functions * self.buckets

    @cached_property
    def report_bytes(self) -> int:
        """As many bytes as the largest report's number has."""
        return (self._numbers - 1).bit_length() + 7 >> 3

    @property
    def stream_bytes(self) -> int:
        """A word for the coin, and one for the function and another bucket."""
        return 16

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d).

        The truth and a lie make the same draws: a coin, and a uniform integer for the function and
        how far the lie is from the truth.
        """
        truth = stream.coin(*self.response._coin)
        lies = self.buckets - 1
        function, shift = divmod(stream.below(self.functions * lies), lies)
        own = int(self.bucket(function, value))
        told = own if truth else (own + 1 + shift) % self.buckets
        return (function * self.buckets + told).to_bytes(self.report_bytes, "little")

    # --- many reports -----------------------------------------------------------------------------

    @property
    def _block_rows(self) -> int:
        return BLOCK_BYTES // 64  # for two random words, and all that is made of them

    def _block(self, rows: int, words: Words) -> Block:
        coins, drawn = words.take(8 * (rows + rows // 64 + 16), 8 * rows)
        truths = words.toss(coins, rows, self.response._coin)
        return truths, words.below(drawn, self.functions * (self.buckets - 1))

    def _fill(
        self,
        values: NDArray[np.int64],
        block: Block,
        tail: NDArray[np.uint8],
        out: NDArray[np.uint8],
        first: int,
    ) -> tuple[int, int]:
        truths, drawn = block
        functions, shifts = np.divmod(drawn, np.uint64(self.buckets - 1))
        own = self.bucket(functions, values.view(np.uint64))
        lies = (own + shifts + np.uint64(1)) % np.uint64(self.buckets)
        numbers = functions * np.uint64(self.buckets) + np.where(truths, own, lies)
        write_numbers(numbers, out)
        return len(values), 0

    def _split(self, reports: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the functions and the buckets of reports."""
        return np.divmod(read_numbers(reports), np.uint64(self.buckets))

    def _first_problem(self, reports: NDArray[np.uint8]) -> tuple[int, str] | None:
        numbers = read_numbers(reports)
        bad = numbers >= self._numbers
        if not bad.any():
            return None
        row = int(np.argmax(bad))
        return row, f"A report is a number below {self._numbers}. Got {numbers[row]}."

    def _aggregate(self, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
        return np.bincount(read_numbers(reports).view(np.int64), minlength=self._numbers)

    def _count(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> int:
        from ..kernels.designs import count_blocks

        return int(count_blocks(reports, total))

    @property
    def aggregate_size(self) -> int:
        """An aggregate counts the reports of each number."""
        return self._numbers

    def check_aggregate(self, aggregate: NDArray[np.int64], n: int) -> str | None:
        """Every report has one number."""
        if aggregate.min() < 0 or aggregate.max() > n:
            return f"counts must be in [0, {n}]"
        total = int(aggregate.sum())
        return None if total == n else f"counts must add up to {n}, not {total}"


def _response(buckets: int, epsilon: float, odds: str, scale: int) -> MultivariateRR:
    """Return the response to a bucket, refusing odds that would break the promise of ε."""
    integers = {"k": 1, "odds": odds, "scale": scale, "start": [0, 0]}
    return MultivariateRR.from_parameters(buckets, epsilon, integers)


def read_numbers(columns: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the numbers that rows of up to 8 bytes are, the lowest byte first."""
    wide = np.zeros((len(columns), 8), dtype=np.uint8)
    wide[:, : columns.shape[1]] = columns
    return wide.view("<u8")[:, 0]


def write_numbers(numbers: NDArray[np.uint64], columns: NDArray[np.uint8]) -> None:
    """Write numbers as rows of bytes, the lowest byte first."""
    wide = numbers.astype("<u8").view(np.uint8).reshape(-1, 8)
    columns[:] = wide[:, : columns.shape[1]]
