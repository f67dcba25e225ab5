"""Regression: the shares of values, from the cells of cohorts that reports name.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.hashes.cohorts import PRIME, Cohorts, coefficients
from .arrays import Floats, Integers
from .estimator import Estimator
from .refine.simplex import project_simplex

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
