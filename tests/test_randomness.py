"""The words that samplers use look uniform: a short form of what `make randomness` does.

Four tests of 10^7 bytes, each of which uniform bytes fail with a chance of 10^-9. Each refuses a
control that is 1 % off.
"""

import numpy as np
import pytest
from scipy import stats

import random_words

ALPHA = 1e-9


def monobit(bits):
    """The number of ones."""
    return 2 * stats.norm.sf(abs(bits.sum() - bits.size / 2) / np.sqrt(bits.size / 4))


def runs(bits):
    """The number of neighbours that differ."""
    changes = np.count_nonzero(bits[1:] != bits[:-1])
    return 2 * stats.norm.sf(abs(changes - (bits.size - 1) / 2) / np.sqrt((bits.size - 1) / 4))


def serial(bits):
    """How often each pair of bytes comes."""
    return both(stats.chisquare(np.bincount(np.packbits(bits).view("<u2"), minlength=2**16)).pvalue)


def byte_counts(bits):
    """How often each byte comes."""
    return both(stats.chisquare(np.bincount(np.packbits(bits), minlength=256)).pvalue)


def both(p):
    """A p-value that is small where counts are too even as well as too uneven."""
    return 2 * min(p, 1 - p)


def bits_of(source, size=10**7):
    data = bytearray()
    pieces = source()
    while len(data) < size:
        data += next(pieces)
    return np.unpackbits(np.frombuffer(data, dtype=np.uint8, count=size))


@pytest.mark.parametrize(
    ("source", "size"),
    [
        (random_words.batches, 10**7),
        (random_words.counter, 10**7),
        (random_words.draws, 10**7),
        (random_words.people, 10**6),  # each takes a key, which takes longer
    ],
)
def test_words_look_uniform(source, size):
    bits = bits_of(source, size)
    found = {test.__name__: test(bits) for test in (monobit, runs, serial, byte_counts)}
    assert min(found.values()) >= ALPHA, found


def test_words_of_which_51_percent_are_ones_do_not():
    bits = bits_of(random_words.biased)
    assert all(test(bits) < ALPHA for test in (monobit, serial, byte_counts))


def test_words_of_which_51_percent_of_neighbours_differ_do_not():
    assert runs(np.bitwise_xor.accumulate(bits_of(random_words.biased))) < ALPHA


def test_counts_that_are_too_even_do_not():
    """As those of a counter are."""
    bits = np.unpackbits(np.arange(2**16, dtype="<u2").view(np.uint8))
    assert serial(bits) < ALPHA
    assert byte_counts(bits) < ALPHA
