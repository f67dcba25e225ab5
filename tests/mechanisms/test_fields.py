"""Primes, roots and recurrences against their definitions."""

import pytest

from privet.analysis import designs
from privet.device.mechanisms.subsets import finite_fields as fields

PRIMES = [n for n in range(2, 2000) if all(n % i for i in range(2, n))]


def test_primes_and_their_powers():
    assert [n for n in range(1, 2000) if fields.is_prime(n)] == PRIMES
    powers = {p**e: (p, e) for p in PRIMES for e in range(1, 12) if p**e < 2000}
    found = {q: fields.prime_power(q) for q in range(2, 2000)}
    assert {q: power for q, power in found.items() if power[1]} == powers
    assert fields.prime_powers(2000) == [powers[q] for q in sorted(powers)]


def test_primes_between():
    assert fields.primes_between(2, 2000) == PRIMES
    for low in (2, 3, 4, 97, 98, 1000):
        assert fields.primes_between(low, 1500) == [p for p in PRIMES if low <= p < 1500]
    assert fields.primes_between(24, 29) == fields.primes_between(29, 24) == []
    assert fields.primes_between(10**6, 10**6 + 40) == [1000003, 1000033, 1000037, 1000039]


def test_divisors_up_to():
    for n in range(1, 200):
        for limit in (1, 2, 7, 14, 100, 300):
            expected = [i for i in range(1, min(n, limit) + 1) if n % i == 0]
            assert fields.divisors_up_to(limit, n) == expected


def test_prime_factors():
    assert fields.prime_factors(1) == []
    for n in range(2, 500):
        assert fields.prime_factors(n) == [p for p in PRIMES if n % p == 0]
    assert fields.prime_factors(2**26 - 1) == [3, 2731, 8191]


@pytest.mark.parametrize("p", PRIMES[:60])
def test_primitive_roots(p):
    generators = [r for r in range(1, p) if len({pow(r, j, p) for j in range(p - 1)}) == p - 1]
    assert [r for r in range(-1, p + 1) if fields.is_primitive_root(r, p) and 0 < r < p] == (
        generators
    )
    assert fields.primitive_root(p) == generators[0]


def period(recurrence, p, n):
    """How long a recurrence takes to come back to 0, …, 0, 1, walking; 0 if it never does."""
    digits = [recurrence // p**i % p for i in range(n)]
    start = state = (0,) * (n - 1) + (1,)
    for steps in range(1, p**n):
        state = (*state[1:], sum(c * s for c, s in zip(digits, state, strict=True)) % p)
        if state == start:
            return steps
    return 0


@pytest.mark.parametrize(
    ("p", "n"), [(2, 2), (2, 3), (2, 6), (2, 8), (3, 2), (3, 4), (5, 3), (11, 2)]
)
def test_primitive_recurrences_are_those_of_full_period(p, n):
    full = [c for c in range(p**n) if period(c, p, n) == p**n - 1]
    assert [c for c in range(p**n) if fields.is_primitive(c, p, n)] == full
    assert fields.primitive_recurrence(p, n) == full[0]


@pytest.mark.parametrize(("p", "n"), [(2, 2), (2, 5), (3, 3), (7, 2), (13, 3)])
def test_sequences_are_walked(p, n):
    recurrence = fields.primitive_recurrence(p, n)
    digits = [recurrence // p**i % p for i in range(n)]
    terms = [0] * (n - 1) + [1]
    while len(terms) < 700:
        terms.append(sum(c * s for c, s in zip(digits, terms[-n:], strict=True)) % p)
    for length in (1, n - 1, n, n + 1, 100, 700):
        assert fields.sequence(recurrence, p, n, length) == terms[:length]
        assert designs.sequence(recurrence, p, n, length).tolist() == terms[:length]


def test_every_field_that_a_design_may_ask_for_has_a_recurrence():
    for p, n in [(2, 26), (8191, 3), (8191, 2), (2, 39), (3, 16)]:
        assert fields.is_primitive(fields.primitive_recurrence(p, n), p, n)
