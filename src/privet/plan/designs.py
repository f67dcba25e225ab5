"""Which block design to take: the fewest blocks, of those whose error is next to the least."""

from __future__ import annotations

from functools import cache
from math import log
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidArgument
from ..mechanisms.subsets.design import most_blocks
from ..mechanisms.subsets.projective import MOST_Q, Projective
from ..theory import item_variance

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["cyclotomic_classes", "fewest_blocks", "projective_space"]

# Errors that differ by less than this are taken for equal.
_TOLERANCE = 0.0005
# How far and among how many primes to look for one that suits, and for how many classes at most,
# in multiples of p / k.
_FARTHEST, _MOST_PRIMES, _MOST_TIMES = 4096, 200, 32


def cyclotomic_classes(d: int, epsilon: float) -> tuple[int, int, int]:
    """Return p, m and u of a cyclotomic design of nearly the least error, with few blocks."""
    most_of_all = most_blocks(d)
    primes = primes_between(max(d, 3), d + min(d + 16, _FARTHEST))[:_MOST_PRIMES]
    primes = primes[2 * primes <= most_of_all]
    if not len(primes):
        rule = f"small enough for a prime in [d, {most_of_all // 2}]"
        raise InvalidArgument("Cyclotomic", "d", rule, d)
    best = _best_size(d, epsilon, primes)
    most = min(primes[-1] - 1, most_of_all // primes[0], _MOST_TIMES * max(primes / best))
    divisors = np.arange(2, int(most) + 1)
    rows, columns = np.nonzero(primes[:, None] % divisors == 1)
    p, m = np.tile(primes[rows], 2), np.tile(divisors[columns], 2)
    below = np.floor(best[rows] * divisors[columns] / (primes[rows] - 1))
    u = np.clip(np.concatenate((below, below + 1)), 1, m - 1).astype(np.int64)
    fitting = np.flatnonzero(p * m <= most_of_all)
    p, m, u = p[fitting], m[fitting], u[fitting]
    chosen = fewest_blocks(d, epsilon, p, u * ((p - 1) // m), p * m)
    return int(p[chosen]), int(m[chosen]), int(u[chosen])


def projective_space(d: int, epsilon: float, q: int | None = None) -> tuple[int, int]:
    """Return q and t of a projective design of nearly the least error, with few blocks."""
    orders = [order for order in _prime_powers(MOST_Q) if q in (None, order)]
    if not orders:
        raise InvalidArgument("Projective", "q", f"a power of a prime below {MOST_Q}", q)
    spaces = [(order, _least_dimension(d, order)) for order in orders]
    spaces = [space for space in spaces if Projective.fits(d, *space)]
    if not spaces:
        raise InvalidArgument("Projective", "d", "a number of values that some space suits", d)
    order, t = np.array(spaces, dtype=np.int64).T
    points = (order**t - 1) // (order - 1)
    best = fewest_blocks(d, epsilon, points, (points - 1) // order, points)
    return spaces[best]


@cache
def _prime_powers(high: int) -> list[int]:
    """Return all powers of primes below `high`, in increasing order."""
    primes = primes_between(2, high).tolist()
    return sorted(p**e for p in primes for e in range(1, 1 + int(log(high - 0.5, p))))


def fewest_blocks(
    d: int, epsilon: float, points: ArrayLike, k: ArrayLike, blocks: ArrayLike
) -> int:
    """Return which of some designs to take for d values: the one with the fewest blocks.

    Of those, that is, whose error is within 1/2000 of the least. Where d of v points are in use,
    the squared error of all d frequencies is (g(1 − g) + (d − 1)h(1 − h)) / (n(g − h)²), with the
    hit rates of v points.

    >>> fewest_blocks(5, 1.0, [5, 5, 7], [1, 2, 2], [20, 10, 21])
    0
    """
    own, other = (item_variance(points, epsilon, k, theta, 1) for theta in (1, 0))
    error = np.asarray(own + (d - 1) * other)
    good = np.flatnonzero(error <= (1 + _TOLERANCE) * error.min())
    return int(good[np.lexsort((error[good], np.asarray(blocks)[good]))[0]])


def primes_between(low: int, high: int) -> NDArray[np.int64]:
    """Return the primes in [low, high), for low >= 2, by Eratosthenes' sieve.

    >>> primes_between(90, 110).tolist()
    [97, 101, 103, 107, 109]
    """
    prime = np.ones(max(high - low, 0), dtype=np.bool_)
    for divisor in range(2, int(high**0.5) + 1):
        prime[max(divisor * divisor, -(-low // divisor) * divisor) - low :: divisor] = False
    return low + np.flatnonzero(prime)


def _least_dimension(d: int, q: int) -> int:
    """Return the least dimension t >= 2 of at least d points over a field of q elements."""
    t, points = 2, q + 1
    while points < d:
        t, points = t + 1, points * q + 1
    return t


def _best_size(d: int, epsilon: float, points: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the size of block, a real number >= 1, with the least error for d of the points.

    v / (1 + √(E((v − d) + (d − 1)vE) / (E(v − d) + v(d − 1)))), in q = 1/E so as not to overflow;
    v / (1 + E) where d = v (paper, Theorem 3.1).
    """
    q = np.exp(-epsilon)
    unused = points - d
    inside = np.sqrt(unused * q + (d - 1) * points)
    outside = np.sqrt((unused + (d - 1) * points * q) * q)
    size: NDArray[np.float64] = np.maximum(points * outside / (inside + outside), 1)
    return size
