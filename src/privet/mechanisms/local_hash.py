"""Optimized local hashing (OLH): everybody draws a hash function of their own.

The functions are h_{a,b}(x) = ((a·x + b) mod p) mod buckets for 1 <= a < p and 0 <= b < p, with the
smallest prime p at or above d and buckets. A random one maps two different values to a uniform pair
of different residues mod p, so that they collide with probability

    c = Σ_y n_y (n_y − 1) / (p(p − 1)),    n_y residues mod p being in bucket y,

exactly: a report supports any other value with probability h = q + (g − q)·c, with the chances g
and q of telling the own bucket and any one other. About e^ε + 1 buckets are best; the variance of a
rare value's share is then about 4e^ε / (n(e^ε − 1)²), in reports of 2 log₂ d + ε bits. Which values
a report supports takes a look at all d of them.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..analysis import kernels
from .fields import is_prime
from .hashed import Hashed
from .odds import floor_exp
from .symmetric import Symmetric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .numbered import Shape

_LARGEST_EPSILON = 14
_PAIRS_AT_ONCE = 1 << 20


class LocalHash(Hashed, Symmetric):
    """Report a random hash function and, most likely, the bucket that it maps the own value to.

    References
    ----------
    Wang, Blocki, Li, Jha: Locally Differentially Private Protocols for Frequency Estimation,
    USENIX Security 2017.

    >>> LocalHash(100, 1.0)
    LocalHash(d=100, epsilon=1.0, buckets=4, prime=101)

    """

    name: ClassVar[str] = "local-hash"
    _shape: ClassVar[tuple[str, ...]] = ("buckets", "prime")
    prime: int

    def __init__(self, d: int, epsilon: float) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        if epsilon > _LARGEST_EPSILON:
            rule = f"at most {_LARGEST_EPSILON}, for hashes to e^ε buckets of 64-bit integers"
            raise self._error("epsilon", rule, epsilon)
        odds = Fraction(floor_exp(epsilon, 60), 1 << 60)
        near = int(odds) + 1
        buckets = max((near, near + 1), key=lambda buckets: _precision(d, odds, buckets))
        self._choose(d, epsilon, (buckets, _prime(d, buckets)))

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> tuple[str, str, Any] | None:
        buckets, prime = shape
        if buckets < 2:
            return "buckets", "an int >= 2", buckets
        if max(d, buckets) ** 2 * buckets >= 1 << 62:
            largest = ("d", d) if d >= buckets else ("buckets", buckets)
            return largest[0], "less, for reports of 64-bit integers", largest[1]
        least = _prime(d, buckets)
        if prime != least:
            return "prime", f"{least}, the smallest at or above d and buckets", prime
        return None

    @cached_property
    def functions(self) -> int:
        """A function for every a in [1, p) and b in [0, p)."""
        return self.prime * (self.prime - 1)

    def bucket(self, function: Any, value: Any) -> Any:
        """Return ((a·x + b) mod p) mod buckets, where the function is number (a − 1)·p + b."""
        a, b = divmod(function, self.prime)
        return ((a + 1) * value + b) % self.prime % self.buckets

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly g = E/(E + buckets − 1) and h = q + (g − q)·c."""
        return _hit_rates(self.likelihood_ratio, self.buckets, self.prime)

    # --- an aggregate is the counts -------------------------------------------------------------

    @property
    def aggregate_size(self) -> int:
        """One counter a value, as there are more functions than anybody has reports."""
        return self.d

    @property
    def server_steps(self) -> tuple[float, float]:
        """A report is held against every value."""
        return self.d, self.d

    def _aggregate(self, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
        functions, told = (part[:, None] for part in self._split(reports))
        values = np.arange(self.d, dtype=np.uint64)
        counts = np.zeros(self.d, dtype=np.int64)
        rows = max(1, _PAIRS_AT_ONCE // self.d)
        for at in range(0, len(reports), rows):
            some = slice(at, at + rows)
            counts += (self.bucket(functions[some], values) == told[some]).sum(axis=0)
        return counts

    def _fold(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> None:
        total += self._aggregate(reports)

    def _count(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> int:
        problem = self._first_problem(reports)
        if problem is not None:
            return problem[0]
        functions, told = self._split(reports)
        a, b = np.divmod(functions, np.uint64(self.prime))
        lines = (part.astype(np.int64) for part in (a + np.uint64(1), b, told))
        kernels.count_hashed(*lines, self.prime, self.buckets, total)
        return -1

    def check_aggregate(self, aggregate: NDArray[np.int64], n: int) -> str | None:
        """Any count up to n can occur."""
        if aggregate.min() < 0 or aggregate.max() > n:
            return f"counts must be in [0, {n}]"
        return None


def _prime(d: int, buckets: int) -> int:
    """Return the smallest prime at or above both."""
    return next(number for number in count(max(d, buckets)) if is_prime(number))


def _hit_rates(odds: Fraction, buckets: int, prime: int) -> tuple[Fraction, Fraction]:
    each, more = divmod(prime, buckets)  # residues a bucket, and buckets that have one more
    pairs = more * (each + 1) * each + (buckets - more) * each * (each - 1)
    g, q = odds / (odds + buckets - 1), 1 / (odds + buckets - 1)
    return g, q + (g - q) * Fraction(pairs, prime * (prime - 1))


def _precision(d: int, odds: Fraction, buckets: int) -> Fraction:
    """Return 1 / (n times the expected squared ℓ2 error of all frequencies)."""
    g, h = _hit_rates(odds, buckets, _prime(d, buckets))
    return (g - h) ** 2 / (g * (1 - g) + (d - 1) * h * (1 - h))
