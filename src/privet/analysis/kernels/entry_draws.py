"""One-hot answers of which every entry is perturbed: bits that may be flipped, or added noise.

Bits are flipped for binary and unary responses, and for RAPPOR. Planes and tail are as in
subset_draws.py, with two differences. The first plane has the most significant digit, because not
all digits have a plane, and the tail has words instead of positions.
"""

from __future__ import annotations

import numpy as np

from .compiled import kernel
from .words import ALL, LOW_SIX, ONE, SIX, ZERO

# Words of flips that are decided together; they stay in the first-level cache.
FLIPS = 256


@kernel
def fill_flips(values, planes, tail, out, first, d, flip):
    """Write binary randomized responses as rows of words, one behind the other, as in each plane.

    The planes decide nearly all bits of a tile of reports at once; each of the others compares a
    word of the tail with the digits of flip / 2^64 that are left.
    """
    digits, words = planes.shape[0], ((d - 1) >> 6) + 1
    rest = flip << np.uint64(digits)
    rows = max(1, FLIPS // words)
    used_bits = np.full(rows * words, ALL)
    used_bits[words - 1 :: words] = ALL >> np.uint64(64 * words - d)
    waiting = np.empty(rows * words, np.uint64)
    at = 0
    for begin in range(first, values.size, rows):
        count = min(rows, values.size - begin)
        tile = out[begin * words : (begin + count) * words]
        for i in range(tile.size):
            tile[i] = ZERO
            waiting[i] = used_bits[i]
        for j in range(digits):
            plane = planes[j, begin * words : (begin + count) * words]
            if flip >> np.uint64(63 - j) & ONE:
                for i in range(tile.size):
                    agree = waiting[i] & plane[i]
                    tile[i] |= agree
                    waiting[i] ^= agree
            else:
                for i in range(tile.size):
                    waiting[i] &= plane[i]
        used = at
        for i in range(tile.size):
            left = waiting[i]
            while left:
                if used == tail.size:
                    return begin, at
                bit = left & (~left + ONE)
                tile[i] |= bit if tail[used] < rest else ZERO
                left ^= bit
                used += 1
        at = used
        for row in range(begin, begin + count):
            value = np.uint64(values[row])
            out[np.uint64(row * words) + (value >> SIX)] ^= ONE << (value & LOW_SIX)
    return values.size, at


@kernel
def narrow(words, out):
    """Copy the first bytes of each row of words."""
    as_bytes = words.view(np.uint8)
    for row in range(out.shape[0]):
        for i in range(out.shape[1]):
            out[row, i] = as_bytes[row, i]


@kernel
def toss_own_bits(values, coins, out, first, end):
    """Add a fair coin, the low bit of a byte, to each row's own bit, which is inverted already."""
    for row in range(first, end):
        value = values[row]
        out[row, value >> 3] ^= (~coins[row] & 1) << (value & 7)


@kernel
def fill_noise(values, tail, out, first, flip, rest, limit):
    """Write one-hot answers with two-sided geometric noise, entry by entry; GeometricNoise.sample.

    Words of the tail are coins, in order of need. Return the first row that is not written, and how
    many words the others took.
    """
    at = 0
    for row in range(first, values.size):
        begin = at
        for entry in range(out.shape[1]):
            if at == tail.size:
                return row, begin
            up = (tail[at] < flip) != (entry == values[row])
            at += 1
            steps = 0
            while steps < limit:
                if at == tail.size:
                    return row, begin
                word = tail[at]
                at += 1
                if word < flip:
                    steps += 1
                elif word < rest:
                    break
            out[row, entry] = limit + 1 + steps if up else limit - steps
    return values.size, at
