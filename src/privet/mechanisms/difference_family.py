"""Difference families: designs that are a few base blocks, moved along a circle of points.

Points are the integers modulo v. Base blocks D_0, …, D_{m−1}, of k points each, are a difference
family if every difference but 0 occurs among their members equally often. Their translates

    B_{c,b} = {x : (x + b) mod v in D_c},    number c·v + b,

are then a design of m·v blocks: a pair of points lies in as many as its difference occurs. How
many reports hold each value is a sum of m correlations, by the fast Fourier transform.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from math import log2, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis import kernels
from .design import Design

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What is lost in a transform of L numbers is below 7·log2(L) roundings (Higham, Accuracy and
# Stability of Numerical Algorithms, Theorem 24.2), for each of three; and as much to spare.
_ROUNDINGS = 42
_ROUNDING = 2.0**-53


class DifferenceFamily(Design):
    """A design of translates.

    Elements and base blocks go round together: with N elements t_0, …, t_{N−1}, place o·N + j is
    for t_j, as a point of D_c where c = (j − o) mod m. What is left, from m·N on, is for 0.
    """

    @property
    @abstractmethod
    def base_blocks(self) -> int:
        """How many blocks all others are translates of, m."""

    @property
    @abstractmethod
    def _elements(self) -> NDArray[np.uint32]:
        """The points in the order that makes the first places those of members of a base block."""

    @abstractmethod
    def _base_block(self, c: int) -> NDArray[np.bool_]:
        """Return which of the points D_c holds."""

    @cached_property
    def _circle(self) -> tuple[memoryview, int, int, int]:
        """All that `_block_at` needs: elements, their number, base blocks, points."""
        return self._elements.data, len(self._elements), self.base_blocks, self.points

    def _block_at(self, value: int, place: int) -> int:
        elements, period, base_blocks, points = self._circle
        turn, j = divmod(place, period)
        element = elements[j] if turn < base_blocks else 0
        return (j - turn) % base_blocks * points + (element - value) % points

    def _write_blocks(
        self, values: NDArray[np.int64], places: NDArray[np.uint64], out: NDArray[np.uint8]
    ) -> None:
        kernels.write_translates(values, places, out, self._elements, self.points, self.base_blocks)

    def _holds(self, block: int) -> NDArray[np.bool_]:
        c, b = divmod(block, self.points)
        held: NDArray[np.bool_] = np.roll(self._base_block(c), -b)[: self.d]
        return held

    # --- sums over blocks and values -------------------------------------------------------------

    def counts(self, aggregate: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return Σ_c Σ_b aggregate[c, b] · [x + b in D_c] for each value x, exactly.

        Rounded from floats that are less than 1/4 off: where so many reports might be off by more,
        numbers are split into high and low digits.
        """
        roundings = _ROUNDINGS * log2(self._length) + self.base_blocks
        if _ROUNDING * roundings * sqrt(2 * self.k) * float(aggregate.sum()) < 1 / 4:
            return np.rint(self._adjoint(aggregate)).astype(np.int64)
        digits = int(aggregate.max()).bit_length() // 2
        high, low = aggregate >> digits, aggregate & (1 << digits) - 1
        return (self.counts(high) << digits) + self.counts(low)

    def _adjoint(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        from scipy.fft import irfft, rfft

        total = np.zeros(self._length // 2 + 1, dtype=np.complex128)
        for c, row in enumerate(weights.reshape(self.base_blocks, -1)):
            total += self._spectrum(c) * rfft(row.astype(np.float64), self._length).conj()
        sums: NDArray[np.float64] = irfft(total, self._length)[: self.d]
        return sums

    def _forward(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.fft import irfft, rfft

        image = rfft(theta, self._length).conj()
        sums = np.empty((self.base_blocks, self.points))
        for c in range(self.base_blocks):
            sums[c] = irfft(self._spectrum(c) * image, self._length)[: self.points]
        return sums.reshape(-1)

    @cached_property
    def _length(self) -> int:
        """A length for which transforms are fast, and b + x never comes round the circle."""
        from scipy.fft import next_fast_len

        return int(next_fast_len(self.points + self.d - 1, real=True))

    def _spectrum(self, c: int) -> NDArray[np.complex128]:
        """Return the transform of D_c, unrolled for the translates of every value."""
        from scipy.fft import rfft

        circle = self._base_block(c)
        unrolled = np.concatenate((circle, circle[: self.d - 1])).astype(np.float64)
        spectrum: NDArray[np.complex128] = rfft(unrolled, self._length)
        return spectrum
