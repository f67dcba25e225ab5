"""Binary randomized response (BRR, SUE, basic RAPPOR): flip every bit of the one-hot answer.

Each of d bits is flipped with probability flip / 2^64, the smallest such number at or above
1/(e^{ε/2} + 1). Two values differ in two bits, so the likelihood ratio is at most
((2^64 − flip) / flip)^2 <= e^ε (paper, eq. 7).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from ...entropy import Stream
from ..base import exactly
from ..flips import FLIP_BITS, ONE
from .unary import Unary


class BinaryRR(Unary):
    """Report every bit of the one-hot answer, each kept with probability e^{ε/2}/(e^{ε/2} + 1).

    >>> BinaryRR(16, 2.0).g  # doctest: +ELLIPSIS
    0.731058...
    """

    name: ClassVar[str] = "binary-rr"
    _power: ClassVar[int] = 2

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly g = 1 − flip / 2^64 and h = flip / 2^64."""
        h = exactly(self.flip, ONE)
        return 1 - h, h

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d); docs/algorithm.md is its specification."""
        flips = stream.coins(self.d, self.flip, FLIP_BITS)
        return (flips ^ 1 << value).to_bytes(self.report_bytes, "little")
