"""Optimized local hashing (OLH): every person draws a hash function.

The functions are h_{a,b}(x) = ((a·x + b) mod p) mod buckets for 1 <= a < p and 0 <= b < p, with the
smallest prime p at or above d and buckets. A random one maps two different values to a uniform pair
of different residues mod p, so that they collide with probability

    c = Σ_y n_y (n_y − 1) / (p(p − 1)),    n_y residues mod p being in bucket y,

exactly: a report supports any other value with probability h = q + (g − q)·c, with the chances g
and q that it names the value's bucket and any one other. About e^ε + 1 buckets are best; the
variance of a rare value's share is then about 4e^ε / (n(e^ε − 1)²), in reports of 2 log₂ d + ε
bits. Which values a report supports takes a look at all d of them.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import ClassVar

from ..base import Problem, exactly
from ..numbered import Shape
from ..odds import floor_exp
from ..subsets.finite_fields import is_prime
from ..symmetric import Shrinkable
from .hashed import Hashed

_LARGEST_EPSILON = 14


class LocalHash(Hashed, Shrinkable):
    """Report a random hash function and, most likely, the bucket of the person's value.

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
        odds = exactly(floor_exp(epsilon, 60), 1 << 60)
        near = int(odds) + 1
        buckets = max((near, near + 1), key=lambda buckets: _precision(d, odds, buckets))
        self._choose(d, epsilon, (buckets, _prime(d, buckets)))

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> Problem | None:
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

    def bucket(self, function: int, value: int) -> int:
        """Return ((a·x + b) mod p) mod buckets, where the function is number (a − 1)·p + b."""
        a, b = divmod(function, self.prime)
        return ((a + 1) * value + b) % self.prime % self.buckets

    @property
    def server_steps(self) -> tuple[float, float]:
        """A report is compared with every value."""
        return self.d, self.d

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly g = E/(E + buckets − 1) and h = q + (g − q)·c."""
        return _hit_rates(self.likelihood_ratio, self.buckets, self.prime)


def _prime(d: int, buckets: int) -> int:
    """Return the smallest prime at or above both."""
    return next(number for number in count(max(d, buckets)) if is_prime(number))


def _hit_rates(odds: Fraction, buckets: int, prime: int) -> tuple[Fraction, Fraction]:
    each, more = divmod(prime, buckets)  # residues a bucket, and buckets that have one more
    pairs = more * (each + 1) * each + (buckets - more) * each * (each - 1)
    g, q = odds / (odds + buckets - 1), 1 / (odds + buckets - 1)
    return g, q + (g - q) * exactly(pairs, prime * (prime - 1))


def _precision(d: int, odds: Fraction, buckets: int) -> Fraction:
    """Return 1 / (n times the expected squared ℓ2 error of all frequencies)."""
    g, h = _hit_rates(odds, buckets, _prime(d, buckets))
    return (g - h) ** 2 / (g * (1 - g) + (d - 1) * h * (1 - h))
