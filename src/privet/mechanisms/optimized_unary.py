"""Optimized unary encoding (OUE): a fair coin for the own bit, rare ones for all others.

The own bit is set with probability 1/2, any other with flip / 2^64, the smallest such number at or
above 1/(e^ε + 1). Of the bits that tell two values apart, the own one is as likely set as not: the
likelihood ratio is (2^64 − flip) / flip <= e^ε, and all of ε goes to keeping the many zeros. The
variance of a rare value's share is 4e^ε / (n(e^ε − 1)²).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, ClassVar

from ..analysis import kernels
from .unary import FLIP_BITS, PLANES, Unary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..entropy import Stream
    from .batch import Block, Rows, Words


class OptimizedUnary(Unary):
    """Report a bit for every value: the own one set with probability 1/2, others with 1/(e^ε + 1).

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
        return Fraction(1, 2), Fraction(self.flip, 1 << FLIP_BITS)

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d).

        Any bit and a fair coin, added modulo 2, are a fair coin.
        """
        bits = stream.coins(self.d, self.flip, FLIP_BITS)
        return (bits ^ stream.coins(1, 1, 1) << value).to_bytes(self.report_bytes, "little")

    def _block(self, rows: int, words: Words) -> Block:
        shape = self._planes(rows)
        planes, coins = words.take(8 * prod(shape), rows)
        return planes.view("<u8").reshape(PLANES, -1), coins

    def _fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        done, used = super()._fill(rows, tail, first)
        kernels.toss_own_bits(rows.values, rows.words[1], rows.out, first, done)
        return done, used
