"""Choosing designs: the primes they are made from."""

from privet.plan.designs import primes_between

PRIMES = [n for n in range(2, 2000) if all(n % i for i in range(2, n))]


def test_primes_between():
    assert primes_between(2, 2000).tolist() == PRIMES
    for low in (2, 3, 4, 97, 98, 1000):
        assert primes_between(low, 1500).tolist() == [p for p in PRIMES if low <= p < 1500]
    assert primes_between(24, 29).tolist() == []
    assert primes_between(10**6, 10**6 + 40).tolist() == [1000003, 1000033, 1000037, 1000039]
