"""Primes and finite fields, as far as block designs need them.

All numbers here are small, since a tally counts every block of a design: trial division is enough.
A field of p^n elements is known by a primitive recurrence over the integers modulo p,

    s_{i+n} = c_0 s_i + c_1 s_{i+1} + … + c_{n−1} s_{i+n−1}  (mod p),

whose state (s_i, …, s_{i+n−1}), unless all zero, comes back only after p^n − 1 steps: s_i is then
a linear function of the i-th power of a generator of the field, the class of x among polynomials
modulo x^n − c_{n−1} x^{n−1} − … − c_0 (Lidl and Niederreiter, Finite Fields, chapter 8). A
recurrence is written as the number c_0 + c_1 p + c_2 p² + …, a polynomial as its coefficients, the
lowest first.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import compress, count
from math import isqrt, log


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
        divisor += 1 if divisor == 2 else 2
    return [*found, n] if n > 1 else found


def is_prime(n: int) -> bool:
    """Tell whether n >= 1 is prime."""
    return prime_factors(n) == [n]


def primes_between(low: int, high: int) -> list[int]:
    """Return the primes in [low, high), for low >= 2, by Eratosthenes' sieve.

    >>> primes_between(90, 110)
    [97, 101, 103, 107, 109]
    """
    numbers = range(low, high)
    prime = bytearray(b"\1") * len(numbers)
    for divisor in range(2, isqrt(high) + 1):
        first = max(divisor * divisor, -(-low // divisor) * divisor) - low
        if first < len(prime):
            prime[first::divisor] = bytes(len(range(first, len(prime), divisor)))
    return [*compress(numbers, prime)]


@lru_cache
def prime_powers(high: int) -> list[tuple[int, int]]:
    """Return p and e of all powers p^e of primes below `high`, in increasing order of p^e.

    >>> prime_powers(10)
    [(2, 1), (3, 1), (2, 2), (5, 1), (7, 1), (2, 3), (3, 2)]
    """
    powers = {}
    for p in primes_between(2, high):
        power, e = p, 1
        while power < high:
            powers[power] = p, e
            power, e = power * p, e + 1
    return [powers[power] for power in sorted(powers)]


def divisors_up_to(limit: int, n: int) -> list[int]:
    """Return the divisors of n >= 1 that are at most `limit`, in increasing order.

    >>> divisors_up_to(10, 36), divisors_up_to(3, 36)
    ([1, 2, 3, 4, 6, 9], [1, 2, 3])
    """
    small = [divisor for divisor in range(1, min(isqrt(n), limit) + 1) if n % divisor == 0]
    large = (n // divisor for divisor in reversed(small) if divisor * divisor < n)
    return [*small, *(divisor for divisor in large if divisor <= limit)]


@lru_cache
def prime_power(q: int) -> tuple[int, int]:
    """Return the prime p and the e >= 1 with p^e = q >= 2; where there are none, e is 0.

    >>> prime_power(8), prime_power(9), prime_power(12)
    ((2, 3), (3, 2), (2, 0))
    """
    p, *others = prime_factors(q)
    return p, 0 if others else round(log(q, p))


def is_primitive_root(root: int, p: int) -> bool:
    """Tell whether the powers of `root` are all of 1 … p − 1, modulo the prime p."""
    return root % p != 0 and all(pow(root, (p - 1) // f, p) != 1 for f in prime_factors(p - 1))


def primitive_root(p: int) -> int:
    """Return the smallest primitive root modulo the prime p.

    >>> primitive_root(13), primitive_root(41)
    (2, 6)
    """
    return next(root for root in count(1) if is_primitive_root(root, p))


# --- recurrences ------------------------------------------------------------------------------


def is_primitive(recurrence: int, p: int, n: int) -> bool:
    """Tell whether a recurrence runs through all p^n − 1 states but zero: if x has that order."""
    order, one = p**n - 1, [1] + [0] * (n - 1)
    factors = {*prime_factors(p - 1), *prime_factors(order // (p - 1))}
    return power_of_x(order, recurrence, p, n) == one and not any(
        power_of_x(order // factor, recurrence, p, n) == one for factor in factors
    )


@lru_cache
def primitive_recurrence(p: int, n: int) -> int:
    """Return the first primitive recurrence, for n >= 2.

    The norm of x, ±c_0, must generate the integers modulo p, and c_0 is not alone.

    >>> primitive_recurrence(2, 4), primitive_recurrence(3, 2)
    (3, 4)
    """
    return next(
        recurrence
        for recurrence in count(p + 1)
        if is_primitive_root((-1) ** (n + 1) * recurrence % p, p) and is_primitive(recurrence, p, n)
    )


def sequence(recurrence: int, p: int, n: int, length: int) -> list[int]:
    """Return the first terms of a recurrence that begins with n − 1 times 0 and a 1.

    A sum to the power p is, modulo p, the sum of the powers: what the recurrence says of x, it says
    of x^p, x^{p²}, … too. So it also holds of terms that lie p, p², … steps apart, and gives as
    many at once.

    >>> sequence(3, 2, 4, 15)
    [0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1]
    """
    taps = _taps(recurrence, p, n)
    ahead = n - taps[-1][0]
    terms, step = [0] * (n - 1) + [1], 1
    while len(terms) < length:
        if len(terms) >= n * step * p:
            step *= p
        room = min(ahead * step, length - len(terms))
        starts = ((len(terms) - (n - i) * step, c) for i, c in taps)
        parts = [_times(c, terms[start : start + room]) for start, c in starts]
        terms += [sum(column) % p for column in zip(*parts, strict=True)]
    return terms[:length]


def power_of_x(exponent: int, recurrence: int, p: int, n: int) -> list[int]:
    """Return x^exponent among the polynomials of the recurrence: what a leap of so many is.

    >>> power_of_x(4, 3, 2, 4)  # x^4 = 1 + x
    [1, 1, 0, 0]
    """
    taps = _taps(recurrence, p, n)
    result = [1] + [0] * (n - 1)
    for bit in bin(exponent)[2:]:
        product = [0] * (2 * n)
        terms = [(i, a) for i, a in enumerate(result) if a]
        for i, a in terms:
            for j, b in terms:
                product[i + j] += a * b
        if bit == "1":
            product = [0, *product[:-1]]
        for i in range(2 * n - 1, n - 1, -1):
            carried = product[i] % p
            if carried:
                for j, c in taps:
                    product[i - n + j] += carried * c
        result = [a % p for a in product[:n]]
    return result


def _taps(recurrence: int, p: int, n: int) -> list[tuple[int, int]]:
    """Return the coefficients other than 0, each with its place, the lowest first."""
    return [(i, c) for i in range(n) if (c := recurrence // p**i % p)]


def _times(c: int, terms: list[int]) -> list[int]:
    return terms if c == 1 else [c * term for term in terms]
