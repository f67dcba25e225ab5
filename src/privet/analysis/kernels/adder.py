"""Columns of bits added up, and packed indices counted.

The adder. A full adder turns three bits of one weight into a sum and a carry of twice the weight,

    x + y + z = s + 2c,    s = x ^ y ^ z,    c = majority(x, y, z) = x ^ ((x ^ y) & (x ^ z)),

here for 512 columns at once, each a bit of a line of 64 bytes. A tree of fifteen (Harley and Seal)
adds 16 rows to four planes (plane p holds bit p of every column's count) and leaves one carry of
weight 16. Carries wait in slots: four of them are added to the next two planes, by a tree of three,
and so on up to 16 planes, which become integers only when they are nearly full.

The super-row. A row of 13 bytes would leave most of a line empty. As rows are contiguous, several
make one row of up to 256 bytes, whose columns are folded onto those of a report at the end: every
width, also one that is no multiple of a word, is counted about as fast.

The order. Memory is fastest when it is read in order, but the adder reads 16 rows at once. So rows
are checked first, in order, a few thousand bytes at a time, and then added out of the cache.

What is done to a line is in lines.py.
"""

from __future__ import annotations

import numpy as np

from . import STATE_BYTES
from .compiled import compiled, kernel
from .lines import add_4, add_8, add_16, bad_8, bad_16, bad_32, bad_64, bad_words, ones, word_at

U = np.uint64
LINE = U(64)
SLOTS = U(16 * 64)  # Behind the 16 planes of a line of columns are the slots of its carries:
LEVEL = U(4 * 64)  # four a level,
LEVELS = 6  # for as many levels of two planes as there may be.
STATE = U(STATE_BYTES)
GROUPS = U(4080)  # Groups of 16 rows that fit: 16 · 4080 < 2^16 rows, 15 + 4080 < 4^6 carries.


@compiled
def _bad_row(at, size, k, masks):  # type: ignore[no-untyped-def]
    """Tell if one row is bad."""
    last = (size - U(1)) & ~U(63)
    for offset in range(U(0), last, LINE):
        k -= ones(at + offset, masks + U(4) * LINE)
    return bad_64(at + last, size, masks + U(2) * LINE, k)


@compiled
def _first_bad(at, rows, size, k, masks):  # type: ignore[no-untyped-def]
    """Return the first bad row, or -1: a line of rows at a time, one by one where any is bad."""
    for first in range(U(0), rows, U(256)):
        some, bad = min(U(256), rows - first), U(0)
        start, end = at + first * size, at + (first + some) * size
        if size == U(8):
            for row in range(start, end, U(64)):
                bad |= bad_words(row, size, masks, k)
        elif size < U(8):
            for row in range(start, end, U(8) * size):
                bad |= bad_8(row, size, masks, k)
        elif size <= U(16):
            for row in range(start, end, U(4) * size):
                bad |= bad_16(row, size, masks, k)
        elif size <= U(32):
            for row in range(start, end, U(2) * size):
                bad |= bad_32(row, size, masks, k)
        else:
            for row in range(start, end, size):
                bad |= _bad_row(row, size, k, masks)
        if bad:
            for i in range(some):
                if _bad_row(start + i * size, size, k, masks):
                    return np.int64(first + i)
    return np.int64(-1)


@compiled
def _add_group(at, stride, depth, state, lines, groups):  # type: ignore[no-untyped-def]
    """Add 2^depth super-rows to the planes of all lines, as group number `groups`."""
    for line in range(lines):
        # Lines have a head start of up to 15 carries, so that not all add up theirs at once.
        number, slots = groups + (line & U(15)), state + SLOTS
        if depth == U(3):
            add_8(at, stride, state, slots + (number & U(3)) * LINE)
        else:
            add_16(at, stride, state, slots + (number & U(3)) * LINE)
        planes = state + depth * LINE
        while number & U(3) == U(3):
            number >>= U(2)
            add_4(slots, LINE, planes, slots + LEVEL + (number & U(3)) * LINE)
            slots, planes = slots + LEVEL, planes + U(2) * LINE
        at, state = at + LINE, state + STATE


@compiled
def _settle(state, first, depth, number):  # type: ignore[no-untyped-def]
    """Add the carries still in slots: their number's digits in base 4 say how many a level."""
    planes, slots, base = first + depth * LINE, first + SLOTS, U(state.ctypes.data)
    for level in range(LEVELS):
        taken = (number & U(3)) + U(level > 0)
        state[slots + taken * LINE : slots + LEVEL] = 0
        number >>= U(2)
        above = slots + LEVEL
        add_4(base + slots, LINE, base + planes, base + above + (number & U(3)) * LINE)
        slots, planes = above, planes + U(2) * LINE


@compiled
def _transpose(words, first):  # type: ignore[no-untyped-def]
    """Turn 8 planes of bits into bytes: then byte b of plane i is the count of bit i of byte b."""
    for step, mask in (
        (U(4), U(0x0F0F0F0F0F0F0F0F)),
        (U(2), U(0x3333333333333333)),
        (U(1), U(0x5555555555555555)),
    ):
        for word in range(U(64)):
            if not word & U(8) * step:
                low, high = first + word, first + word + U(8) * step
                swap = (words[low] >> step ^ words[high]) & mask
                words[high] ^= swap
                words[low] ^= swap << step


@compiled
def _fold(state, lines, depth, groups, size, stride, counts):  # type: ignore[no-untyped-def]
    """Add what the planes hold to the counts, super-row onto row, and clear them."""
    words = state.view(U)
    for line in range(lines):
        first = line * STATE
        _settle(state, first, depth, groups + (line & U(15)))
        _transpose(words, first >> U(3))
        _transpose(words, (first >> U(3)) + U(64))
        for byte in range(line * LINE, min(line * LINE + LINE, stride)):
            column, at = U(8) * (byte % size), first + byte % LINE
            for bit in range(min(U(8), U(counts.size) - column)):
                low, high = state[at + bit * LINE], state[at + (U(8) + bit) * LINE]
                counts[column + bit] += np.int64(low) + 256 * np.int64(high)
    state[:] = 0


@kernel
def count_columns(at, rows, size, times, depth, ahead, k, masks, state, counts):  # type: ignore[no-untyped-def]
    """Add rows to the counts up to the first bad one; return it, or -1."""
    stride, group, groups = times * size, times << depth, U(0)
    lines = (stride + U(63)) // LINE
    for first in range(U(0), rows, ahead):
        end = min(first + ahead, rows)
        bad = _first_bad(at, end - first, size, k, masks)
        if bad >= 0:
            return np.int64(first) + bad
        for _ in range(first, end, group):
            _add_group(at, stride, depth, U(state.ctypes.data), lines, groups)
            at += group * size
            groups += U(1)
            if groups == GROUPS:
                _fold(state, lines, depth, groups, size, stride, counts)
                groups = U(0)
    _fold(state, lines, depth, groups, size, stride, counts)
    return np.int64(-1)


@kernel
def count_fields(at, rows, size, d, k, width, counts):  # type: ignore[no-untyped-def]
    """Count every field of the rows; return the first row that is no set of k values, or -1.

    The last field is read with the bits left over: where one is set, it is 2^width >= d or more.
    """
    last = (k - U(1)) * width
    field, rest = (U(1) << width) - U(1), (U(1) << (U(8) * size - last)) - U(1)
    for row in range(rows):
        least = U(0)
        for bit in range(U(0), last, width):
            value = word_at(at + (bit >> U(3))) >> (bit & U(7)) & field
            if value < least or value >= d:
                return np.int64(row)
            counts[value] += 1
            least = value + U(1)
        value = word_at(at + (last >> U(3))) >> (last & U(7)) & rest
        if value < least or value >= d:
            return np.int64(row)
        counts[value] += 1
        at += size
    return np.int64(-1)
