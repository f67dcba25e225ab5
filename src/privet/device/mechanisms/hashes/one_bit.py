"""Randomized 1-bit response: one random entry of the value's column of a Hadamard matrix.

The matrix H of order 2^t >= d has as its entry H[row, x] the parity of the binary digits that row
and x share. A report is a uniformly random row and the entry there, kept with probability
E/(E + 1); it supports the values that have the bit in that row. Any two columns agree in exactly
half the rows, so that g = E/(E + 1) and h = 1/2. This is the Hadamard form of the succinct
histogram protocol, and in expectation the (d/2)-subset mechanism (paper, related work).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from ..base import exactly
from ..symmetric import Shrinkable
from .hashed import Hashed


class OneBit(Hashed, Shrinkable):
    """Report a random row of a Hadamard matrix and, most likely, the person's entry in it.

    References
    ----------
    Bassily, Smith: Local, Private, Efficient Protocols for Succinct Histograms, STOC 2015.

    >>> mechanism = OneBit(100, 1.0)
    >>> mechanism.functions, mechanism.report_bytes, mechanism.h
    (128, 1, 0.5)

    """

    name: ClassVar[str] = "one-bit"

    def __init__(self, d: int, epsilon: float) -> None:
        self._settle(*self._check_domain(d, epsilon), ())

    @cached_property
    def functions(self) -> int:
        """One for every row, the smallest power of 2 that is d or more."""
        return 1 << (self.d - 1).bit_length()

    def bucket(self, function: int, value: int) -> int:
        """Return H[row, x] as a bit."""
        return (function & value).bit_count() & 1

    @property
    def server_steps(self) -> tuple[float, float]:
        """A report is counted by its number; then there is one transform."""
        return 1.0, self.functions * self.functions.bit_length()

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly g = E/(E + 1) and h = 1/2."""
        return self.response_rates[0], exactly(1, 2)
