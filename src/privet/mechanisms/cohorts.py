"""Cohorts: public hash functions that are fixed beforehand, and regression on what they tell.

Everybody belongs to a uniformly random cohort, whose hash functions map a value to some of the
cohort's cells. A report tells the cells: the value's own with probability p, any other with q. With
A[cell, x] = 1 where x has the cell, over the cells of all C cohorts, and r[cell] the number of
reports that tell it, the support of the values is f = Aᵀr, whose mean is

    E f / n = q·diag(K) + (p − q)·K θ,    K = AᵀA / C,

where K[x, x'] is the mean number of cells that x and x' share. Least squares therefore estimates
θ by W(f/n − q·diag(K)) with W = K⁻¹/(p − q), without bias. One report is worth the row sums of
B = AW over the cells that it tells; what these vary by is the variance.

Function number i is x -> ((a·x + b) mod (2^31 − 1)) mod cells, with a and b from the SHA-256 of
"privet cohort i": its first 8 bytes, little-endian, modulo 2^31 − 2, plus 1, are a; its next 8,
modulo 2^31 − 1, are b. A cohort's functions follow one another.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from .base import Mechanism

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from .base import Target

    Floats = NDArray[np.float64]

# Regression solves d equations, and takes time that grows like d³.
MOST_VALUES = 2048
MOST_COHORTS, MOST_CELLS = 2**14, 2**12
# With so many times more cells than values, the regression costs about a sixth in variance.
CELLS_A_VALUE = 8

_PRIME = 2**31 - 1
_BLOCK_ENTRIES = 1 << 22
# A smaller pivot of K is nothing but rounding.
_LEAST_PIVOT = 1e-9


class CohortRegression(Mechanism):
    """A mechanism whose reports are decoded by least squares over the cells of cohorts."""

    cohorts: int
    hashes: int = 1

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many cells a cohort has."""

    @property
    @abstractmethod
    def telling_rates(self) -> tuple[Fraction, Fraction]:
        """How likely a report tells a cell of the own value (p) and any other cell (q), exactly."""

    @abstractmethod
    def _squares(self, cells: Floats, worth: Floats) -> Floats:
        """Return E[worth²] of a report of value x about the share of j, summed over some cohorts.

        `cells` are the rows of A and `worth` those of B, both (cohorts, cells, d).
        """

    # --- hash functions -------------------------------------------------------------------------

    @cached_property
    def _functions(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """All a, and all b."""
        digests = b"".join(
            sha256(b"privet cohort %d" % i).digest()[:16] for i in range(self.cohorts * self.hashes)
        )
        a, b = np.frombuffer(digests, dtype="<u8").reshape(-1, 2).T
        return a % np.uint64(_PRIME - 1) + np.uint64(1), b % np.uint64(_PRIME)

    def cell(self, function: Any, value: Any) -> Any:
        """Return the cell that a function maps a value to; also of arrays, entry by entry."""
        a, b = self._functions
        return (a[function] * value + b[function]) % _PRIME % self.cells

    def _rows(self) -> Iterator[Floats]:
        """Yield A, some cohorts at a time: (cohorts, cells, d)."""
        values = np.arange(self.d, dtype=np.uint64)
        some = max(1, _BLOCK_ENTRIES // (self.cells * self.d))
        for at in range(0, self.cohorts, some):
            end = min(at + some, self.cohorts)
            functions = np.arange(at * self.hashes, end * self.hashes)[:, None]
            places = self.cell(functions, values).reshape(end - at, self.hashes, self.d)
            rows = np.zeros((end - at, self.cells, self.d))
            np.put_along_axis(rows, places.astype(np.int64), 1.0, axis=1)
            yield rows

    # --- regression -----------------------------------------------------------------------------

    @cached_property
    def _shared(self) -> Floats:
        """K."""
        shared = np.zeros((self.d, self.d))
        for rows in self._rows():
            flat = rows.reshape(-1, self.d)
            shared += flat.T @ flat
        return shared / self.cohorts

    @cached_property
    def _weights(self) -> Floats:
        """W, or an error where different shares of the values can look the same."""
        from scipy.linalg import LinAlgError, cho_factor, cho_solve

        try:
            factor = cho_factor(self._shared)
            least = np.square(np.diag(factor[0])).min()
        except LinAlgError:
            least = 0.0
        if least < _LEAST_PIVOT:
            raise self._error(*self._too_few(self.d, self.cohorts, self.cells))
        p, q = self.telling_rates
        inverse: Floats = cho_solve(factor, np.eye(self.d))
        return inverse / float(p - q)

    @cached_property
    def _offset(self) -> Floats:
        """W·q·diag(K), what is worth nothing."""
        offset: Floats = self._weights @ np.diag(self._shared) * float(self.telling_rates[1])
        return offset

    @cached_property
    def _spread(self) -> Floats:
        """The variance of what a report of value x is worth about the share of value j: [x, j]."""
        squares = np.zeros((self.d, self.d))
        for rows in self._rows():
            worth = rows.reshape(-1, self.d) @ self._weights
            squares += self._squares(rows, worth.reshape(rows.shape))
        return squares / self.cohorts - (np.eye(self.d) + self._offset) ** 2

    def frequencies(self, counts: NDArray[np.int64], n: int) -> Floats:
        """Return the unbiased estimate W(f/n − q·diag(K))."""
        frequencies: Floats = self._weights @ (counts / n) - self._offset
        return frequencies

    def variance(self, theta: Floats, n: int, target: Target = "population") -> Floats:
        """Return the variance of each estimated frequency where the true ones are theta.

        The noise depends, a little, on all of theta, which is made to sum to 1 for it: estimates
        that are clipped to [0, 1] do not.
        """
        shares = theta / theta.sum() if theta.any() else np.full(self.d, 1 / self.d)
        noise: Floats = shares @ self._spread / n
        return noise + theta * (1 - theta) / n if target == "population" else noise

    # --- aggregates -----------------------------------------------------------------------------

    @property
    def aggregate_size(self) -> int:
        """An aggregate counts the reports that tell each cell."""
        return self.cohorts * self.cells

    def counts(self, aggregate: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the support of each value: how many times a report tells one of its cells."""
        told = aggregate.reshape(self.cohorts, self.cells).astype(np.float64)
        support = np.zeros(self.d)  # of whole numbers below 2^53
        at = 0
        for rows in self._rows():
            support += told[at : at + len(rows)].reshape(-1) @ rows.reshape(-1, self.d)
            at += len(rows)
        return support.astype(np.int64)

    @property
    def server_steps(self) -> tuple[float, float]:
        """Cells are counted; then come a look at the cells of all values, and d equations."""
        return self.report_bytes / 8, self.cohorts * self.hashes * self.d + self.d**3 / 3

    @classmethod
    def _out_of_range(cls, d: int, **integers: tuple[Any, int, int]) -> tuple[str, str, Any] | None:
        """Return the first of (value, least, most) that is out of range: name, rule, value."""
        if d > MOST_VALUES:
            return "d", f"at most {MOST_VALUES}, for regression", d
        for name, (value, least, most) in integers.items():
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if not whole or not least <= value <= most:
                return name, f"an int in [{least}, {most}]", value
        return None

    @classmethod
    def _too_few(cls, d: int, cohorts: int, cells: int) -> tuple[str, str, int]:
        rule = f"enough to tell the shares of {d} values apart, with {cells} cells each"
        return "cohorts", rule, cohorts
