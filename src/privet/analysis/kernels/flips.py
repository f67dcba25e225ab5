"""Bitmaps of which every bit is flipped or not: binary and unary responses, and RAPPOR's.

Planes and tail are as in sampling.py, except that the first plane has the most significant digit,
because not all digits have a plane, and that the tail has words instead of positions.
"""

from __future__ import annotations

import numpy as np

from .compiled import kernel
from .words import ALL, LOW_SIX, ONE, SIX, ZERO

# Words of flips that are decided together; they stay in the first-level cache.
FLIPS = 256


@kernel
def fill_flips(values, planes, tail, out, first, d, flip):  # type: ignore[no-untyped-def]
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
def narrow(words, out):  # type: ignore[no-untyped-def]
    """Copy the first bytes of each row of words."""
    as_bytes = words.view(np.uint8)
    for row in range(out.shape[0]):
        for i in range(out.shape[1]):
            out[row, i] = as_bytes[row, i]


@kernel
def toss_own_bits(values, coins, out, first, end):  # type: ignore[no-untyped-def]
    """Add a fair coin, the low bit of a byte, to each row's own bit, which is inverted already."""
    for row in range(first, end):
        value = values[row]
        out[row, value >> 3] ^= (~coins[row] & 1) << (value & 7)
