"""Randomized 1-bit response: one random entry of the value's column of a Hadamard matrix.

The matrix H of order 2^t >= d has as its entry H[row, x] the parity of the binary digits that row
and x share. A report is a uniformly random row and the entry there, kept with probability
E/(E + 1); it supports the values that have the bit in that row. Any two columns agree in exactly
half the rows, so that g = E/(E + 1) and h = 1/2. This is the Hadamard form of the succinct
histogram protocol, and in expectation the (d/2)-subset mechanism (paper, related work). The counts
of all values take one fast Walsh-Hadamard transform of the reports' histogram, in integers.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .hashed import Hashed
from .symmetric import Symmetric

if TYPE_CHECKING:
    from numpy.typing import NDArray


class OneBit(Hashed, Symmetric):
    """Report a random row of a Hadamard matrix and, most likely, the own value's entry in it.

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

    def bucket(self, function: Any, value: Any) -> Any:
        """Return H[row, x] as a bit."""
        return np.bitwise_count(function & value) & 1

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly g = E/(E + 1) and h = 1/2."""
        return self.response.hit_rates[0], Fraction(1, 2)

    def counts(self, aggregate: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many reports support each value: (n + Σ_row ±(zeros − ones)) / 2."""
        zeros, ones = aggregate.reshape(-1, 2).T
        n = aggregate.sum()
        counts: NDArray[np.int64] = (n + walsh_hadamard(zeros - ones)[: self.d]) // 2
        return counts

    @property
    def server_steps(self) -> tuple[float, float]:
        """A report is counted by its number; then there is one transform."""
        return 1, self.functions * self.functions.bit_length()


def walsh_hadamard(vector: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return Σ_i (−1)^(digits that i and j share) · v_i for every j; the length is a power of 2.

    >>> walsh_hadamard(np.array([5, 1, 0, 2])).tolist()
    [8, 2, 4, 6]
    """
    result = vector.copy()
    half = 1
    while half < len(result):
        low, high = result.reshape(-1, 2, half).swapaxes(0, 1)
        low += high
        high *= -2
        high += low
        half *= 2
    return result
