"""Words of 64 bits, as sets of positions.

Numba compiles a kernel again when the kernel's own file changes, but not when this file does. So
these functions may be written in another way, but what they return may never change.
"""

from __future__ import annotations

import numpy as np

from .compiled import loop

ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
SIX, SEVEN, LOW_SIX = np.uint64(6), np.uint64(7), np.uint64(63)
ALL = np.uint64(2**64 - 1)
EIGHT, LOW_BYTE = np.uint64(8), np.uint64(255)
_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_BYTES, _EACH = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_FOUR, _TOP = np.uint64(4), np.uint64(56)


@loop
def popcount(word):
    """Return the number of set bits; LLVM recognises these steps and uses one instruction."""
    word -= word >> ONE & _PAIRS
    word = (word & _FOURS) + (word >> TWO & _FOURS)
    word = word + (word >> _FOUR) & _BYTES
    return word * _EACH >> _TOP


@loop
def lowest(word):
    """Return the position of the lowest set bit of a word other than 0."""
    return popcount(~word & (word - ONE))


@loop
def span(n):
    """Return the smallest power of 2 that is n or more."""
    power = ONE
    while power < n:
        power <<= ONE
    return power


@loop
def word_at(data, at):
    """Return the 8 bytes of an array from `at` on, the lowest first.

    Spelt out, because this is what LLVM recognises as one load; it does not in a loop.
    """
    low = _byte(data, at, 0) | _byte(data, at, 1) | _byte(data, at, 2) | _byte(data, at, 3)
    high = _byte(data, at, 4) | _byte(data, at, 5) | _byte(data, at, 6) | _byte(data, at, 7)
    return low | high


@loop
def _byte(data, at, i):
    return np.uint64(data[at + np.uint64(i)]) << np.uint64(8 * i)


@loop
def store_word(data, at, word):
    """Write a word as the 8 bytes of an array from `at` on, the lowest first."""
    for i in range(8):
        data[at + np.uint64(i)] = word >> np.uint64(8 * i) & LOW_BYTE
