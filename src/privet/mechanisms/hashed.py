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
from typing import TYPE_CHECKING, Any

import numpy as np

from .batch import BLOCK_BYTES
from .multivariate_rr import MultivariateRR
from .numbered import Numbered, read_numbers, write_numbers

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from ..entropy import Stream
    from .batch import Block, Rows, Words
    from .numbered import Shape


class Hashed(Numbered):
    """A mechanism whose report is a function and a randomized response to the value's bucket.

    `_shape` names the integers that say which functions these are.
    """

    buckets: int = 2

    # --- what it says of its functions ----------------------------------------------------------

    @property
    @abstractmethod
    def functions(self) -> int:
        """How many functions there are."""

    @abstractmethod
    def bucket(self, function: Any, value: Any) -> Any:
        """Return where a function maps a value; also of arrays, entry by entry."""

    @classmethod
    def _weighed(cls, shape: Shape) -> tuple[int, int]:
        named = dict(zip(cls._shape, shape, strict=True))
        return named.get("buckets", cls.buckets), 1

    def _choose(self, d: int, epsilon: float, shape: tuple[Any, ...]) -> None:
        """Be the mechanism with these functions, or raise."""
        problem = self._problem(d, shape)
        if problem is not None:
            raise self._error(*problem)
        self._settle(d, epsilon, tuple(map(int, shape)))

    # --- the response -----------------------------------------------------------------------------

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

    def _fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        values, (truths, drawn), out = rows
        functions, shifts = np.divmod(drawn, np.uint64(self.buckets - 1))
        own = self.bucket(functions, values.view(np.uint64))
        lies = (own + shifts + np.uint64(1)) % np.uint64(self.buckets)
        numbers = functions * np.uint64(self.buckets) + np.where(truths, own, lies)
        write_numbers(numbers, out)
        return len(values), 0

    def _split(self, reports: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the functions and the buckets of reports."""
        return np.divmod(read_numbers(reports), np.uint64(self.buckets))


def _response(buckets: int, epsilon: float, odds: str, scale: int) -> MultivariateRR:
    """Return the response to a bucket, refusing odds that would break the promise of ε."""
    integers = {"k": 1, "odds": odds, "scale": scale, "start": [0, 0]}
    return MultivariateRR.from_parameters(buckets, epsilon, integers)
