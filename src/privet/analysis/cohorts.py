"""Cohorts for analysts: reports made in batches and counted by cell, decoded by regression.

Regression: the shares of values, from the cells of cohorts that reports name.

With A[cell, x] = 1 where x has the cell, over the cells of all C cohorts, and r[cell] the number of
reports that name it, the support of the values is f = Aᵀr, whose mean is

    E f / n = q·diag(K) + (p − q)·K θ,    K = AᵀA / C,

where K[x, x'] is the mean number of cells that x and x' share. Least squares therefore estimates
θ by W(f/n − q·diag(K)) with W = K⁻¹/(p − q), without bias. One report is worth the row sums of
B = AW over the cells that it names; what these vary by is the variance. It is linear, so that the
same sums give the variance of any weighted sum of shares (`Regression.spread`), and covariances.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.hashes.cohorts import PRIME, Cohorts, coefficients
from ..device.mechanisms.hashes.hashed_rr import HashedRR
from ..device.mechanisms.hashes.rappor import Rappor
from . import kernels
from .analyst import Analyst, half_of
from .arrays import Floats, Integers
from .batch import STRETCH_BYTES, Batches, Drawn, Rows, Words, words_of
from .bits import PLANES
from .counter import (
    Counter,
    NumberCounter,
    Reports,
    count_bits,
    padded,
    read_numbers,
    write_numbers,
)
from .estimator import Estimator
from .hashes import HashBatches
from .refine.simplex import project_simplex

C = TypeVar("C", bound=Cohorts)


@half_of.register(HashedRR)
def _(mechanism: HashedRR) -> Analyst:
    cells = Cells(mechanism)
    batches = HashBatches(mechanism, cells.of)
    return Analyst(BucketRegression(mechanism, cells), batches, BucketCounter(mechanism, cells))


@half_of.register(Rappor)
def _(mechanism: Rappor) -> Analyst:
    cells = Cells(mechanism)
    batches = FilterBatches(mechanism, cells)
    return Analyst(FilterRegression(mechanism, cells), batches, FilterCounter(mechanism, cells))


class CellCounter(Counter[C]):
    """Counts the cells that reports name, and decodes how many support each value."""

    def __init__(self, mechanism: C, cells: Cells) -> None:
        super().__init__(mechanism)
        self._cells = cells

    def counts(self, aggregate: Integers) -> Integers:
        """Return the support of each value."""
        return self._cells.support(aggregate)


class BucketCounter(CellCounter[HashedRR], NumberCounter[HashedRR]):
    """Counts cohorts and buckets."""


class FilterBatches(Batches[Rappor]):
    """Draws cohorts, and flips the bits of Bloom filters."""

    def __init__(self, mechanism: Rappor, cells: Cells) -> None:
        super().__init__(mechanism)
        self._cells = cells

    @property
    def rows(self) -> int:
        """As many rows as a stretch of planes is for."""
        return max(1, STRETCH_BYTES // (8 + 8 * PLANES * words_of(self.mechanism.bits)))

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw the planes and the cohorts."""
        shape = PLANES, rows, words_of(self.mechanism.bits)
        planes, cohorts = words.take(8 * prod(shape), 8 * rows)
        return planes.view("<u8").reshape(PLANES, -1), words.below(cohorts, self.mechanism.cohorts)

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports until the tail of further digits runs out."""
        values, (planes, cohorts), out = rows
        m = self.mechanism
        rest = tail[: len(tail) // 8 * 8].view("<u8")
        functions = cohorts.astype(np.int64)[:, None] * m.hashes + np.arange(m.hashes)
        places = self._cells.of(functions, values.view(np.uint64)[:, None]).astype(np.int64)
        bits = np.empty((len(values), words_of(m.bits)), dtype="<u8")
        own = np.ascontiguousarray(places[:, 0])
        integers = first, m.bits, np.uint64(m.flip)
        done, used = kernels.entry_draws.fill_flips(own, planes, rest, bits.reshape(-1), *integers)
        bits ^= self._further_bits(places)
        size, new = m.cohort_bytes, slice(first, done)
        write_numbers(cohorts[new], out[new, :size])
        kernels.entry_draws.narrow(bits[new], out[new, size:])
        return done, 8 * used

    def _further_bits(self, places: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the filters of values with these places, but for the first place."""
        filters = np.zeros((len(places), words_of(self.mechanism.bits)), dtype=np.uint64)
        rows = np.arange(len(places))
        bits = np.uint64(1) << (places & 63).astype(np.uint64)
        for i in range(1, self.mechanism.hashes):
            filters[rows, places[:, i] >> 6] |= bits[:, i]
        filters[rows, places[:, 0] >> 6] &= ~bits[:, 0]
        return filters


class FilterCounter(CellCounter[Rappor]):
    """Counts the bits of filters, cohort by cohort."""

    @property
    def size(self) -> int:
        """A counter for every bit of every cohort."""
        return self.mechanism.cohorts * self.mechanism.bits

    @property
    def entries(self) -> int:
        """A filter is unpacked bit by bit."""
        return self.mechanism.bits

    def invalid(self, reports: Reports) -> NDArray[np.bool_]:
        """Return which rows have a bit too many, or name no cohort."""
        m = self.mechanism
        cohorts = read_numbers(reports[:, : m.cohort_bytes])
        return padded(reports, 8 * m.cohort_bytes + m.bits) | (cohorts >= m.cohorts)

    def _by_cohort(self, reports: Reports, total: Integers) -> Iterator[tuple[Reports, Integers]]:
        """Yield the bitmaps of each cohort's reports, and its part of a total."""
        size = self.mechanism.cohort_bytes
        cohorts = read_numbers(reports[:, :size]).astype(np.uint16)
        bitmaps = reports[np.argsort(cohorts, kind="stable"), size:]
        ends = np.bincount(cohorts, minlength=self.mechanism.cohorts).cumsum()
        totals = total.reshape(self.mechanism.cohorts, self.mechanism.bits)
        for cohort in np.unique(cohorts).tolist():
            yield bitmaps[ends[cohort - 1] if cohort else 0 : ends[cohort]], totals[cohort]

    def add_few(self, reports: Reports, total: Integers) -> None:
        """Add checked reports to a total."""
        for bitmaps, counts in self._by_cohort(reports, total):
            counts += count_bits(bitmaps, self.mechanism.bits)

    def add_many(self, reports: Reports, total: Integers) -> int:
        """Check and count reports; return the first invalid row, or -1."""
        row = self.first_invalid(reports)
        if row < 0:
            for bitmaps, counts in self._by_cohort(reports, total):
                kernels.report_counts.count_bitmaps(bitmaps, self.mechanism.bits, counts)
        return row

    def problem(self, aggregate: Integers, n: int) -> str | None:
        """Every report is of one cohort, and sets any of its bits."""
        most = aggregate.reshape(self.mechanism.cohorts, self.mechanism.bits).max(axis=1)
        if aggregate.min() < 0 or aggregate.max() > n or sum(most.tolist()) > n:
            return f"counts must not be negative, nor the largest of each cohort above {n} in all"
        return None


_ENTRIES_AT_ONCE = 1 << 22
# A smaller pivot of K is nothing but rounding.
_LEAST_PIVOT = 1e-9


def spreads_of(spread: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Return the variances of what a report is worth about a value, of holders and of others.

    The others are taken to be as estimated, with one person more who may hold any value.
    """
    crowd = project_simplex(shares) + 1 / len(shares) ** 2
    inside = np.diag(spread)
    outside = (crowd @ spread - crowd * inside) / (crowd.sum() - crowd)
    return np.maximum(inside, 0), np.maximum(outside, 0)


class Cells:
    """Which cells values have, over all cohorts."""

    def __init__(self, mechanism: Cohorts) -> None:
        self.mechanism = mechanism

    @cached_property
    def _coefficients(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """All a, and all b."""
        functions = range(self.mechanism.cohorts * self.mechanism.hashes)
        a, b = np.array([coefficients(i) for i in functions], dtype=np.uint64).T
        return a, b

    def of(self, functions: Any, values: Any) -> Any:
        """Return the cells that functions map values to, entry by entry."""
        a, b = self._coefficients
        return (a[functions] * values + b[functions]) % PRIME % self.mechanism.cells

    def rows(self) -> Iterator[Floats]:
        """Yield A, some cohorts at a time: (cohorts, cells, d)."""
        m = self.mechanism
        some = max(1, _ENTRIES_AT_ONCE // (m.cells * m.d))
        if some >= m.cohorts:
            yield self._all
            return
        for at in range(0, m.cohorts, some):
            yield self._between(at, min(at + some, m.cohorts))

    @cached_property
    def _all(self) -> Floats:
        """A, where it is small enough to keep."""
        return self._between(0, self.mechanism.cohorts)

    def _between(self, at: int, end: int) -> Floats:
        m = self.mechanism
        functions = np.arange(at * m.hashes, end * m.hashes)[:, None]
        values = np.arange(m.d, dtype=np.uint64)
        places = self.of(functions, values).reshape(end - at, m.hashes, m.d)
        rows = np.zeros((end - at, m.cells, m.d))
        np.put_along_axis(rows, places.astype(np.int64), 1.0, axis=1)
        return rows

    def support(self, named: Integers) -> Integers:
        """Return f: how many times a report names one of the cells of each value."""
        m = self.mechanism
        by_cohort = named.reshape(m.cohorts, m.cells).astype(np.float64)
        support = np.zeros(m.d)  # of whole numbers below 2^53
        at = 0
        for rows in self.rows():
            support += by_cohort[at : at + len(rows)].reshape(-1) @ rows.reshape(-1, m.d)
            at += len(rows)
        return support.astype(np.int64)


# --- regression -----------------------------------------------------------------------------------


class Regression(Estimator):
    """Least squares over the cells of cohorts."""

    def __init__(self, mechanism: Cohorts, cells: Cells) -> None:
        self._cells = cells
        self._d, self._cohorts = mechanism.d, mechanism.cohorts
        p, q = mechanism.telling_rates
        self._p, self._q, self._gain = float(p), float(q), float(p - q)

    @abstractmethod
    def _squares(self, rows: Floats, worth: Floats) -> Floats:
        """Return E[worth²] of a report of value x about each of c sums, added over some cohorts.

        `rows` are those of A, (cohorts, cells, d), and `worth` what each cell is worth about each
        sum, (cohorts, cells, c).
        """

    @abstractmethod
    def _products(self, rows: Floats, theta: Floats, worth: Floats) -> Floats:
        """Return E[named · worth] of a report of one person from theta, for some cohorts.

        `named` says of each cell whether it is named, `worth` adds up what these are worth.
        """

    @cached_property
    def _shared(self) -> Floats:
        """K."""
        shared = np.zeros((self._d, self._d))
        for rows in self._cells.rows():
            flat = rows.reshape(-1, self._d)
            shared += flat.T @ flat
        return shared / self._cohorts

    @cached_property
    def factor(self) -> Any:
        """K's Cholesky factor, or None where K has no inverse."""
        from scipy.linalg import LinAlgError, cho_factor

        try:
            factor = cho_factor(self._shared)
        except LinAlgError:
            return None
        return factor if np.square(np.diag(factor[0])).min() >= _LEAST_PIVOT else None

    @cached_property
    def _weights(self) -> Floats:
        """W."""
        from scipy.linalg import cho_solve

        self._cells.mechanism.check_estimable()
        inverse: Floats = cho_solve(self.factor, np.eye(self._d))
        return inverse / self._gain

    @cached_property
    def _offset(self) -> Floats:
        """W·q·diag(K), what is worth nothing."""
        offset: Floats = self._weights @ np.diag(self._shared) * self._q
        return offset

    @cached_property
    def _spread(self) -> Floats:
        """The variance of what a report of value x is worth about the share of value j: [x, j]."""
        return self.spread(np.eye(self._d))

    def spread(self, sums: Floats) -> Floats:
        """Return the variance of what a report of value x is worth about each weighted sum: [x, c].

        `sums` has the weights of all values in its columns, (d, c).
        """
        weights = self._weights @ sums
        squares = np.zeros(sums.shape)
        for rows in self._cells.rows():
            worth = rows.reshape(-1, self._d) @ weights  # one product, as many small ones are slow
            squares += self._squares(rows, worth.reshape(*rows.shape[:2], -1))
        spread: Floats = squares / self._cohorts - (sums + self._offset @ sums) ** 2
        return spread

    def covariance(self, theta: Floats) -> Callable[[Floats], Floats]:
        """Return u ↦ Σu, where Σ is the covariance of what one report from theta is worth."""
        support = self._q * np.diag(self._shared) + self._gain * (self._shared @ theta)

        def apply(u: Floats) -> Floats:
            weights = self._weights @ u
            second = -self._cohorts * (support @ weights) * support
            for rows in self._cells.rows():
                products = self._products(rows, theta, rows @ weights)
                second += products.reshape(-1) @ rows.reshape(-1, self._d)
            product: Floats = self._weights @ second / self._cohorts
            return product

        return apply

    def frequencies(self, counts: Integers, n: int) -> Floats:
        """Return the unbiased estimate W(f/n − q·diag(K))."""
        frequencies: Floats = self._weights @ (counts / n) - self._offset
        return frequencies

    def noise(self, theta: Floats) -> Floats:
        """Return n times the variance of each estimated share, which depends on all of theta.

        Shares that do not sum to 1, such as clipped estimates, are made to.
        """
        noise: Floats = project_simplex(theta) @ self._spread
        return noise

    def spreads(self, shares: Floats) -> tuple[Floats, Floats]:
        """Return each value's variance if everybody holds it, and if all hold other values."""
        return spreads_of(self._spread, shares)


class BucketRegression(Regression):
    """One cell is named: its worth squared, times its probability."""

    def _squares(self, rows: Floats, worth: Floats) -> Floats:
        flat, squared = (part.reshape(-1, part.shape[2]) for part in (rows, worth**2))
        squares: Floats = self._q * squared.sum(axis=0) + self._gain * flat.T @ squared
        return squares

    def _products(self, rows: Floats, theta: Floats, worth: Floats) -> Floats:
        return (self._q + self._gain * (rows @ theta)) * worth


class FilterRegression(Regression):
    """Bits are independent: their mean worth squared, and the variance of each."""

    def _squares(self, rows: Floats, worth: Floats) -> Floats:
        each = self._p * self._q * np.square(worth).sum(axis=(0, 1))
        squares = np.tile(each, (self._d, 1))
        for filters, worths in zip(rows, worth, strict=True):
            squares += np.square(self._q * worths.sum(axis=0) + self._gain * filters.T @ worths)
        return squares

    def _products(self, rows: Floats, theta: Floats, worth: Floats) -> Floats:
        # The mean of what is named given x, times the mean worth given x; and bits' own variances.
        means = self._q * worth.sum(axis=1, keepdims=True)
        means = theta * (means + self._gain * (worth[:, None] @ rows)[:, 0])
        together = self._q * means.sum(axis=1, keepdims=True)
        together = together + self._gain * (rows @ means[:, :, None])[:, :, 0]
        products: Floats = together + self._p * self._q * worth
        return products
