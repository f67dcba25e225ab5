"""Hashed answers: a public function, drawn at random, maps all values to a few buckets.

The report names the function and, by multivariate randomized response, the bucket:

    Q(function, bucket | x) = (E if function(x) = bucket else 1) / (functions · (E + buckets − 1)),

where E = odds / 2^scale is the largest such rational at or below e^ε. It supports the values that
the function maps to the bucket. A report is the number function · buckets + bucket.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property

from ...entropy import Stream
from ..base import exactly
from ..numbered import Numbered, Shape


class Hashed(Numbered):
    """A mechanism whose report is a function and a randomized response to the value's bucket.

    `_shape` names the integers that say which functions these are.
    """

    buckets: int = 2

    @property
    @abstractmethod
    def functions(self) -> int:
        """How many functions there are."""

    @abstractmethod
    def bucket(self, function: int, value: int) -> int:
        """Return where a function maps a value."""

    @classmethod
    def _weighed(cls, d: int, shape: Shape) -> tuple[int, int]:
        named = dict(zip(cls._shape, shape, strict=True))
        return named.get("buckets", cls.buckets), 1

    @property
    def numbers(self) -> int:
        """A report for every function and bucket."""
        return self.functions * self.buckets

    @cached_property
    def response_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly how likely a report names the value's bucket, and any one other."""
        return exactly(self.odds, self.total), exactly(1 << self.scale, self.total)

    def _chance(self, report: bytes, value: int) -> Fraction:
        function, bucket = divmod(int.from_bytes(report, "little"), self.buckets)
        own, other = self.response_rates
        return (own if self.bucket(function, value) == bucket else other) / self.functions

    def members(self, report: bytes) -> list[int]:
        """Return the values that a report supports, in increasing order."""
        self._check_report(report)
        function, bucket = divmod(int.from_bytes(report, "little"), self.buckets)
        return [value for value in range(self.d) if self.bucket(function, value) == bucket]

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d).

        The truth and a lie make the same draws: a coin, and a uniform integer for the function and
        how far the lie is from the truth.
        """
        truth = stream.coin(*self.coin)
        lies = self.buckets - 1
        function, shift = divmod(stream.below(self.functions * lies), lies)
        own = self.bucket(function, value)
        bucket = ((own + 1 + shift) % self.buckets, own)[truth]  # the same work, whichever it is
        return (function * self.buckets + bucket).to_bytes(self.report_bytes, "little")
