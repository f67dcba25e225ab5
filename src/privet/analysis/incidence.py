"""Incidence: which values lie in which sets, as a linear map and its adjoint.

The sets are people's reports, or all that could be reported. Likelihoods and covariances need only
θ(z) = Σ_{j in z} θ_j for every set z and, in the other direction, Σ_{z with j} w_z for every
value j.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, singledispatch
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.hashes.local_hash import LocalHash
from ..device.mechanisms.hashes.one_bit import OneBit
from ..device.mechanisms.scales.interval import Interval
from ..device.mechanisms.subsets.design import Design
from ..device.mechanisms.subsets.k_subset import KSubset
from ..device.mechanisms.symmetric import Symmetric
from . import kernels
from .arrays import Floats
from .designs import BlockCounter
from .hadamard import walsh_hadamard
from .subsets import members_of

# Up to this many entries, 8 MB of them, a matrix product is faster than loading compiled code.
_DENSE_ENTRIES = 1 << 20
_ROWS_AT_ONCE = 1 << 16
_BITS_OF_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")


class Incidence(Protocol):
    """A linear map from the values to some sets."""

    def forward(self, theta: Floats) -> Floats:
        """Return Σ_{j in z} θ_j for each set z."""

    def adjoint(self, weights: Floats) -> Floats:
        """Return Σ_{z with j} w_z for each value j."""


class Bitmaps:
    """Sets as rows of bits, the lowest first, uint8 (sets, (d + 7) // 8)."""

    def __init__(self, bitmaps: NDArray[np.uint8], d: int) -> None:
        self.bitmaps = bitmaps
        self.d = d

    @cached_property
    def _matrix(self) -> Floats | None:
        """The bits as numbers, if there are few."""
        if len(self.bitmaps) * self.d > _DENSE_ENTRIES:
            return None
        bits = np.unpackbits(self.bitmaps, axis=1, count=self.d, bitorder="little")
        return bits.astype(np.float64)

    def forward(self, theta: Floats) -> Floats:
        """Return Σ_{j in z} θ_j for each set z."""
        if self._matrix is not None:
            return self._matrix @ theta
        whole_bytes = np.zeros(8 * self.bitmaps.shape[1])
        whole_bytes[: self.d] = theta
        out = np.empty(len(self.bitmaps))
        tables = whole_bytes.reshape(-1, 8) @ _BITS_OF_BYTES.T
        kernels.member_sums.sum_bitmaps(self.bitmaps, tables, out)
        return out

    def adjoint(self, weights: Floats) -> Floats:
        """Return Σ_{z with j} w_z for each value j."""
        if self._matrix is not None:
            return weights @ self._matrix
        tables = np.zeros((self.bitmaps.shape[1], 256))
        kernels.member_sums.spread_bitmaps(self.bitmaps, weights, tables)
        sums: Floats = tables @ _BITS_OF_BYTES.astype(np.float64)
        return sums.ravel()[: self.d]


class Members:
    """Sets with k members each, int32 (sets, k)."""

    def __init__(self, members: NDArray[np.int32], d: int) -> None:
        self.members = members
        self.d = d

    def forward(self, theta: Floats) -> Floats:
        """Return Σ_{j in z} θ_j for each set z."""
        if self.members.size <= _DENSE_ENTRIES:
            sums: Floats = theta[self.members].sum(axis=1)
            return sums
        out = np.empty(len(self.members))
        kernels.member_sums.sum_members(self.members, theta, out)
        return out

    def adjoint(self, weights: Floats) -> Floats:
        """Return Σ_{z with j} w_z for each value j."""
        if self.members.size <= _DENSE_ENTRIES:
            each = np.repeat(weights, self.members.shape[1])
            spread = np.bincount(self.members.ravel(), each, minlength=self.d)
            return spread.astype(np.float64, copy=False)
        out = np.zeros(self.d)
        kernels.member_sums.spread_members(self.members, weights, out)
        return out


def blocks_of(design: Design) -> Incidence:
    """Return all blocks of a design, in the order of its aggregate, by its own fast transforms."""
    return cast("BlockCounter[Design]", design.analyst.counter)


class Windows:
    """All windows of neighbouring cells, in the order of their numbers."""

    def __init__(self, mechanism: Interval) -> None:
        self.mechanism = mechanism

    def forward(self, theta: Floats) -> Floats:
        """Return Σ_{j in z} θ_j for each window z, of every column if there are several."""
        width, sums = self.mechanism.window, np.cumsum(theta, axis=0)
        first, last = np.zeros_like(sums[:1]), sums[-1:]
        upper = np.concatenate((sums, np.repeat(last, width - 1, axis=0)))
        lower = np.concatenate((np.repeat(first, width, axis=0), sums[:-1]))
        return upper - lower

    def adjoint(self, weights: Floats) -> Floats:
        """Return Σ_{z that cover j} w_z for each cell j."""
        sums = np.concatenate(([0.0], np.cumsum(weights)))
        return sums[self.mechanism.window :] - sums[: self.mechanism.d]


class HadamardRows:
    """The values with a 0 in each row of a Hadamard matrix, and then those with a 1."""

    def __init__(self, mechanism: OneBit) -> None:
        self.mechanism = mechanism

    def forward(self, theta: Floats) -> Floats:
        """Return Σ_{j with the bit} θ_j for each row and bit."""
        signs = np.zeros(self.mechanism.functions)
        signs[: len(theta)] = theta
        signs = walsh_hadamard(signs)
        return np.concatenate((theta.sum() + signs, theta.sum() - signs)) / 2

    def adjoint(self, weights: Floats) -> Floats:
        """Return Σ_{rows and bits that j has} w for each value j."""
        zeros, ones = weights.reshape(2, -1)
        sums: Floats = (weights.sum() + walsh_hadamard(zeros - ones)) / 2
        return sums[: self.mechanism.d]


class Intervals:
    """The values x with (a·x + b) mod p < length, for some a and all b in [0, p)."""

    def __init__(self, d: int, p: int, a: NDArray[np.int64], length: int) -> None:
        self.d, self.p, self.a, self.length = d, p, a, length

    @property
    def _places(self) -> NDArray[np.int64]:
        """Where each value is, once multiplied by each a."""
        return self.a[:, None] * np.arange(self.d) % self.p

    def _windows(self, rows: Floats) -> Floats:
        """Return the sums of `length` neighbours, from each place of each circle on."""
        around = np.concatenate((rows, rows[:, : self.length - 1]), axis=1)
        ends = np.zeros((len(rows), around.shape[1] + 1))
        np.cumsum(around, axis=1, out=ends[:, 1:])
        return ends[:, self.length :] - ends[:, : -self.length]

    def forward(self, theta: Floats) -> Floats:
        """Return Σ_{j in z} θ_j for each interval z."""
        circles = np.zeros((len(self.a), self.p))
        np.put_along_axis(circles, self._places, theta[None], axis=1)
        return self._windows(circles).reshape(-1)

    def adjoint(self, weights: Floats) -> Floats:
        """Return Σ_{z with j} w_z for each value j."""
        sums = self._windows(weights.reshape(-1, self.p))
        first = (self._places - self.length + 1) % self.p
        spread: Floats = np.take_along_axis(sums, first, axis=1).sum(axis=0)
        return spread


@singledispatch
def reported_sets(mechanism: Symmetric) -> Iterable[tuple[Incidence, int]]:
    """Return all that can be reported, some sets at a time, and how many reports each set is."""
    raise TypeError(f"{mechanism!r} reports more sets than can be listed.")


@reported_sets.register
def _(mechanism: Design) -> Iterable[tuple[Incidence, int]]:
    return [(blocks_of(mechanism), 1)]


@reported_sets.register
def _(mechanism: OneBit) -> Iterable[tuple[Incidence, int]]:
    return [(HadamardRows(mechanism), 1)]


@reported_sets.register
def _of_hashes(mechanism: LocalHash) -> Iterator[tuple[Intervals, int]]:
    """Yield all that local hashing can report, some at a time, and how many reports each set is.

    Modulo p, the residues of a bucket are every m-th number from its first on, for m buckets.
    Divided by m, they are neighbours. So are their images under x -> a·x + b, which are those of
    −a as well: over all functions, the sets of a bucket with n residues are all intervals of n.
    """
    p, (each, more) = mechanism.prime, divmod(mechanism.prime, mechanism.buckets)
    lengths = ((each, mechanism.buckets - more), (each + 1, more))
    mirrored = 2 if p > 2 else 1
    some = max(1, _DENSE_ENTRIES // p)
    for at in range(1, p // 2 + 1, some):
        a = np.arange(at, min(at + some, p // 2 + 1))
        for length, buckets in lengths:
            if buckets:
                yield Intervals(mechanism.d, p, a, length), mirrored * buckets


def of_reports(mechanism: KSubset, reports: NDArray[np.uint8]) -> Incidence:
    """Return the incidence of checked reports of the k-subset mechanism."""
    if not mechanism.index_bits:
        return Bitmaps(np.ascontiguousarray(reports), mechanism.d)
    members = np.empty((len(reports), mechanism.k), dtype=np.int32)
    for at in range(0, len(reports), _ROWS_AT_ONCE):
        members[at : at + _ROWS_AT_ONCE] = members_of(mechanism, reports[at : at + _ROWS_AT_ONCE])
    return Members(members, mechanism.d)
