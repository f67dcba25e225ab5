"""Primes and finite fields, as far as block designs need them.

All numbers here are small, since a tally counts every block of a design: trial division is enough.
A field of p^n elements is known by a primitive recurrence over the integers modulo p,

    s_{i+n} = c_0 s_i + c_1 s_{i+1} + … + c_{n−1} s_{i+n−1}  (mod p),

whose state (s_i, …, s_{i+n−1}), unless all zero, comes back only after p^n − 1 steps: s_i is then
a linear function of the i-th power of a generator of the field (Lidl and Niederreiter, Finite
Fields, chapter 8). A recurrence is written as the number c_0 + c_1 p + c_2 p² + ….
"""

from __future__ import annotations

from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def prime_factors(n: int) -> list[int]:
    """Return the different primes that divide n >= 1, in increasing order.

    >>> prime_factors(360)
    [2, 3, 5]
    """
    found = []
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            found.append(divisor)
            while n % divisor == 0:
                n //= divisor
        divisor += 1
    return [*found, n] if n > 1 else found


def is_prime(n: int) -> bool:
    """Tell whether n >= 1 is prime."""
    return prime_factors(n) == [n]


def primes_between(low: int, high: int) -> NDArray[np.int64]:
    """Return the primes in [low, high), for low >= 2, by Eratosthenes' sieve.

    >>> primes_between(90, 110).tolist()
    [97, 101, 103, 107, 109]
    """
    prime = np.ones(max(high - low, 0), dtype=np.bool_)
    for divisor in range(2, int(high**0.5) + 1):
        prime[max(divisor * divisor, -(-low // divisor) * divisor) - low :: divisor] = False
    return low + np.flatnonzero(prime)


@lru_cache
def prime_powers(high: int) -> dict[int, tuple[int, int]]:
    """Return all p^e below `high` in increasing order, with their prime p and e >= 1.

    >>> prime_powers(10)
    {2: (2, 1), 3: (3, 1), 4: (2, 2), 5: (5, 1), 7: (7, 1), 8: (2, 3), 9: (3, 2)}
    """
    found = {
        p**e: (p, e)
        for p in primes_between(2, high).tolist()
        for e in range(1, high.bit_length())
        if p**e < high
    }
    return dict(sorted(found.items()))


def is_primitive_root(root: int, p: int) -> bool:
    """Tell whether the powers of `root` are all of 1 … p − 1, modulo the prime p."""
    return root % p != 0 and all(pow(root, (p - 1) // f, p) != 1 for f in prime_factors(p - 1))


def primitive_root(p: int) -> int:
    """Return the smallest primitive root modulo the prime p.

    >>> primitive_root(13), primitive_root(41)
    (2, 6)
    """
    return next(root for root in count(1) if is_primitive_root(root, p))


def powers(root: int, p: int) -> NDArray[np.int64]:
    """Return root^0, root^1, …, root^(p − 2) modulo p.

    >>> powers(2, 13).tolist()
    [1, 2, 4, 8, 3, 6, 12, 11, 9, 5, 10, 7]
    """
    result = np.ones(p - 1, dtype=np.int64)
    done = 1
    while done < p - 1:
        more = result[done : 2 * done]
        np.multiply(result[: len(more)], pow(root, done, p), out=more)
        more %= p
        done *= 2
    return result


# --- recurrences ------------------------------------------------------------------------------


def is_primitive(recurrence: int, p: int, n: int) -> bool:
    """Tell whether a recurrence runs through all p^n − 1 states but zero.

    It does if its step, a matrix, has that order: with 0, its powers are then all the polynomials
    in it, a field, so that no two of them take a state other than zero to the same one.
    """
    order = p**n - 1
    step, unchanged = _step(recurrence, p, n), np.eye(n, dtype=np.int64)
    factors = {*prime_factors(p - 1), *prime_factors(order // (p - 1))}
    return np.array_equal(_power(step, order, p), unchanged) and not any(
        np.array_equal(_power(step, order // factor, p), unchanged) for factor in factors
    )


@lru_cache
def primitive_recurrence(p: int, n: int) -> int:
    """Return the first primitive recurrence, for n >= 2.

    The determinant of its step, ±c_0, must generate the integers modulo p, and c_0 is not alone.

    >>> primitive_recurrence(2, 4), primitive_recurrence(3, 2)
    (3, 4)
    """
    return next(
        recurrence
        for recurrence in count(p + 1)
        if is_primitive_root((-1) ** (n + 1) * recurrence % p, p) and is_primitive(recurrence, p, n)
    )


def sequence(recurrence: int, p: int, n: int, length: int) -> NDArray[np.int32]:
    """Return the first terms of a recurrence that begins with n − 1 times 0 and a 1.

    Where h terms are known, a leap of h is one linear map: it doubles them, but for n − 1.

    >>> sequence(3, 2, 4, 15).tolist()
    [0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1]
    """
    terms = np.zeros(max(length, n), dtype=np.int32)
    terms[n - 1] = 1
    known = n
    while known < length:
        leap = _power(_step(recurrence, p, n), known, p)[0]
        more = terms[known : 2 * known - n + 1]
        for i in np.flatnonzero(leap):
            more += int(leap[i]) * terms[i : i + len(more)]
        more %= p
        known += len(more)
    return terms[:length]


def _step(recurrence: int, p: int, n: int) -> NDArray[np.int64]:
    """Return the matrix that takes a state to the next one."""
    step = np.eye(n, k=1, dtype=np.int64)
    step[-1] = [recurrence // p**i % p for i in range(n)]
    return step


def _power(matrix: NDArray[np.int64], exponent: int, p: int) -> NDArray[np.int64]:
    """Return a power of a matrix modulo p."""
    result = np.eye(len(matrix), dtype=np.int64)
    for bit in bin(exponent)[2:]:
        result = result @ result % p
        if bit == "1":
            result = result @ matrix % p
    return result
