"""Block designs for analysts: batches of block numbers, and the transforms that decode them.

How many reports hold each value is a linear map of the histogram of blocks: a sum of correlations
for difference families, by the fast Fourier transform, and a Walsh–Hadamard transform for Hadamard
designs. The same maps, of real numbers, serve covariances and likelihoods (`privet.sums`).
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from math import log2, sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.subsets.cyclotomic import Cyclotomic
from ..device.mechanisms.subsets.design import Design
from ..device.mechanisms.subsets.difference_family import DifferenceFamily
from ..device.mechanisms.subsets.finite_fields import power_of_x, prime_power
from ..device.mechanisms.subsets.hadamard import Hadamard
from ..device.mechanisms.subsets.projective import Projective
from . import kernels
from .analyst import Analyst, half_of
from .arrays import Floats, Integers
from .counter import NumberCounter
from .estimator import HitRates
from .hadamard import walsh_hadamard
from .placed import PlacedBatches

D = TypeVar("D", bound=Design)

# What is lost in a transform of L numbers is below 7·log2(L) roundings (Higham, Accuracy and
# Stability of Numerical Algorithms, Theorem 24.2), for each of three; and as much to spare.
_ROUNDINGS = 42
_ROUNDING = 2.0**-53


@half_of.register(Hadamard)
def _(mechanism: Hadamard) -> Analyst:
    return Analyst(HitRates(mechanism), ParityBatches(mechanism), ParityCounter(mechanism))


@half_of.register(Cyclotomic)
def _(mechanism: Cyclotomic) -> Analyst:
    return _analyst(mechanism, Classes(mechanism))


@half_of.register(Projective)
def _(mechanism: Projective) -> Analyst:
    return _analyst(mechanism, Hyperplane(mechanism))


def _analyst(mechanism: DifferenceFamily, circle: Classes | Hyperplane) -> Analyst:
    counter = TranslateCounter(mechanism, circle)
    return Analyst(HitRates(mechanism), TranslateBatches(mechanism, circle), counter)


# --- what goes round a circle of points -----------------------------------------------------------


class Classes:
    """The powers of a primitive root, and which classes a base block of a cyclotomic design has."""

    def __init__(self, mechanism: Cyclotomic) -> None:
        self._design = mechanism

    @cached_property
    def elements(self) -> NDArray[np.uint32]:
        """Powers of the root: γ^j lies in D_c where (j − c) mod m is one of 0, …, u − 1."""
        root, p = self._design.root, self._design.p
        powers = np.ones(p - 1, dtype=np.int64)
        done = 1
        while done < p - 1:
            more = powers[done : 2 * done]
            np.multiply(powers[: len(more)], pow(root, done, p), out=more)
            more %= p
            done *= 2
        return powers.astype(np.uint32)

    @cached_property
    def _classes(self) -> NDArray[np.int32]:
        """The class of each point; 0 has one of its own."""
        p, m = self._design.p, self._design.m
        classes = np.full(p, m, dtype=np.int32)
        classes[self.elements] = np.arange(p - 1) % m
        return classes

    def base_block(self, c: int) -> NDArray[np.bool_]:
        """Return which of the points D_c holds."""
        held = np.zeros(self._design.m + 1, dtype=np.bool_)
        held[(c + np.arange(self._design.u)) % self._design.m] = True
        block: NDArray[np.bool_] = held[self._classes]
        return block


class Hyperplane:
    """The points of a projective design's first hyperplane, and then the others."""

    def __init__(self, mechanism: Projective) -> None:
        self._design = mechanism

    @cached_property
    def _held(self) -> NDArray[np.bool_]:
        """Which points lie in D (`Projective.hyperplane`)."""
        design = self._design
        p, e = prime_power(design.q)
        terms = sequence(design.recurrence, p, e * design.t, e * design.points)
        held: NDArray[np.bool_] = (terms.reshape(e, design.points) == 0).all(axis=0)
        return held

    @cached_property
    def elements(self) -> NDArray[np.uint32]:
        """The points of D, and then the others."""
        inside, outside = np.flatnonzero(self._held), np.flatnonzero(~self._held)
        return np.concatenate((inside, outside)).astype(np.uint32)

    def base_block(self, c: int) -> NDArray[np.bool_]:
        """Return which of the points D holds."""
        return self._held


def sequence(recurrence: int, p: int, n: int, length: int) -> NDArray[np.int32]:
    """Return the first terms of a recurrence: `fields.sequence`, millions of them.

    >>> sequence(3, 2, 4, 15).tolist()
    [0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1]
    """
    terms = np.zeros(max(length, n), dtype=np.int32)
    terms[n - 1] = 1
    known = n
    while known < length:
        more = terms[known : 2 * known - n + 1]
        for i, c in enumerate(power_of_x(known, recurrence, p, n)):
            if c:
                more += c * terms[i : i + len(more)]
        more %= p
        known += len(more)
    return terms[:length]


# --- batches --------------------------------------------------------------------------------------


class TranslateBatches(PlacedBatches[DifferenceFamily]):
    """Writes translates of base blocks."""

    def __init__(self, mechanism: DifferenceFamily, circle: Classes | Hyperplane) -> None:
        super().__init__(mechanism)
        self._circle = circle

    def write(
        self, values: NDArray[np.int64], places: NDArray[np.uint64], out: NDArray[np.uint8]
    ) -> None:
        """Write the number of the block at each value's place."""
        sizes = self.mechanism.points, self.mechanism.base_blocks
        kernels.block_numbers.write_translates(values, places, out, self._circle.elements, *sizes)


class ParityBatches(PlacedBatches[Hadamard]):
    """Writes blocks that parities cut out."""

    def write(
        self, values: NDArray[np.int64], places: NDArray[np.uint64], out: NDArray[np.uint8]
    ) -> None:
        """Write the number of the block at each value's place."""
        kernels.block_numbers.write_parities(values, places, out, self.mechanism.t)


# --- counting -------------------------------------------------------------------------------------


class BlockCounter(NumberCounter[D]):
    """Counts blocks, and decodes how many hold each value."""

    @abstractmethod
    def forward(self, theta: Floats) -> Floats:
        """Return Σ_{x in B} θ_x for each block B, of every column if there are several."""

    @abstractmethod
    def adjoint(self, weights: NDArray[Any]) -> Floats:
        """Return Σ_{B holding x} w_B for each value x: `counts` of real numbers, nearly."""


class TranslateCounter(BlockCounter[DifferenceFamily]):
    """Decodes translates of base blocks by correlations."""

    def __init__(self, mechanism: DifferenceFamily, circle: Classes | Hyperplane) -> None:
        super().__init__(mechanism)
        self._circle = circle

    def counts(self, aggregate: Integers) -> Integers:
        """Return Σ_c Σ_b aggregate[c, b] · [x + b in D_c] for each value x, exactly.

        Rounded from floats that are less than 1/4 off: where so many reports might be off by more,
        numbers are split into high and low digits.
        """
        design = self.mechanism
        roundings = _ROUNDINGS * log2(self._length) + design.base_blocks
        if _ROUNDING * roundings * sqrt(2 * design.k) * float(aggregate.sum()) < 1 / 4:
            return np.rint(self.adjoint(aggregate)).astype(np.int64)
        digits = int(aggregate.max()).bit_length() // 2
        high, low = aggregate >> digits, aggregate & (1 << digits) - 1
        return (self.counts(high) << digits) + self.counts(low)

    def adjoint(self, weights: NDArray[Any]) -> Floats:
        """Return Σ_{B holding x} w_B for each value x."""
        from scipy.fft import irfft, rfft

        total = np.zeros(self._length // 2 + 1, dtype=np.complex128)
        for c, row in enumerate(weights.reshape(self.mechanism.base_blocks, -1)):
            total += self._spectrum(c) * rfft(row.astype(np.float64), self._length).conj()
        sums: Floats = irfft(total, self._length)[: self.mechanism.d]
        return sums

    def forward(self, theta: Floats) -> Floats:
        """Return Σ_{x in B} θ_x for each block B, of every column if there are several."""
        from scipy.fft import irfft, rfft

        points, blocks = self.mechanism.points, self.mechanism.base_blocks
        image = rfft(theta.T, self._length).conj()
        sums = np.empty((*theta.T.shape[:-1], blocks, points))
        for c in range(blocks):
            sums[..., c, :] = irfft(self._spectrum(c) * image, self._length)[..., :points]
        return sums.reshape(*theta.T.shape[:-1], -1).T

    @cached_property
    def _length(self) -> int:
        """A length for which transforms are fast, and b + x never comes round the circle."""
        from scipy.fft import next_fast_len

        return int(next_fast_len(self.mechanism.points + self.mechanism.d - 1, real=True))

    def _spectrum(self, c: int) -> NDArray[np.complex128]:
        """Return the transform of D_c, unrolled for the translates of every value."""
        from scipy.fft import rfft

        circle = self._circle.base_block(c)
        unrolled = np.concatenate((circle, circle[: self.mechanism.d - 1])).astype(np.float64)
        spectrum: NDArray[np.complex128] = rfft(unrolled, self._length)
        return spectrum


class ParityCounter(BlockCounter[Hadamard]):
    """Decodes parities by a Walsh–Hadamard transform."""

    def counts(self, aggregate: Integers) -> Integers:
        """Return how many of the reported blocks hold each value, exactly."""
        counts: Integers = self._twice_sums(aggregate)[: self.mechanism.d] // 2
        return counts

    def adjoint(self, weights: NDArray[Any]) -> Floats:
        """Return Σ_{B holding x} w_B for each value x."""
        sums: Floats = self._twice_sums(weights)[: self.mechanism.d] / 2
        return sums

    def forward(self, theta: Floats) -> Floats:
        """Return Σ_{x in B} θ_x for each block B, of every column if there are several."""
        sums: Floats = self._twice_sums(theta) / 2
        return sums

    def _twice_sums(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return Σ_a numbers[a] ± numbers[a] for each y: plus where popcount(a & y) is even."""
        signed = np.zeros((2**self.mechanism.t, *numbers.shape[1:]), dtype=numbers.dtype)
        signed[1 : len(numbers) + 1] = numbers
        transformed = walsh_hadamard(signed)
        sums: NDArray[Any] = transformed[0] + transformed[1:]
        return sums
