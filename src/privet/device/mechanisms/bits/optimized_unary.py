"""Optimized unary encoding (OUE): the bit of the person's value is a fair coin, the others rare.

That bit is set with probability 1/2, any other with flip / 2^64, the smallest such number at or
above 1/(e^ε + 1). Of the bits that tell two values apart, the person's is as likely set as not: the
likelihood ratio is (2^64 − flip) / flip <= e^ε, and all of ε goes to keeping the many zeros. The
variance of a rare value's share is 4e^ε / (n(e^ε − 1)²).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from ...entropy import Stream
from ..base import exactly
from ..flips import FLIP_BITS, ONE
from .unary import Unary


class OptimizedUnary(Unary):
    """Report a bit for every value: the person's set with probability 1/2, others with 1/(e^ε + 1).

    References
    ----------
    Wang, Blocki, Li, Jha: Locally Differentially Private Protocols for Frequency Estimation,
    USENIX Security 2017.

    >>> OptimizedUnary(16, 1.0).h  # doctest: +ELLIPSIS
    0.268941...

    """

    name: ClassVar[str] = "optimized-unary"
    _power: ClassVar[int] = 1

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly g = 1/2 and h = flip / 2^64."""
        return exactly(1, 2), exactly(self.flip, ONE)

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d).

        Any bit and a fair coin, added modulo 2, are a fair coin.
        """
        bits = stream.coins(self.d, self.flip, FLIP_BITS)
        return (bits ^ stream.coins(1, 1, 1) << value).to_bytes(self.report_bytes, "little")
