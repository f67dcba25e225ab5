"""How many reports hold each value: bitmaps, packed indices, and hashed answers.

Bitmaps are counted by adding up columns of bits. A full adder turns three bits of one weight into a
sum and a carry of twice the weight,

    x + y + z = s + 2c,    s = x ^ y ^ z,    c = majority(x, y, z) = x ^ ((x ^ y) & (x ^ z)),

here for all columns of a line at once, which are the bits of 32 words. Seven of them add 8 rows to
planes of weight 1, 2 and 4 and leave one carry of weight 8 (Harley and Seal). On each level above,
the first carry waits in a slot, and the second is added to it and to that level's plane, which
leaves a carry for the next level, like the digits of a binary counter. Planes become integers when
the top level is full, and at the end.

A row of 13 bytes would leave most of a line empty. Rows are contiguous, so as many as fit make one
super-row, whose columns are folded onto those of a report at the end. Rows are checked a few
thousand bytes at a time, in order, and then added out of the cache.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .compiled import kernel, loop
from .words import ALL, ONE, SEVEN, THREE, ZERO, popcount, word_at

# A line has 32 words: loops over them have constant length, so that they vectorise.
WORDS, LINE = 32, 256
# How many rows are added at once, and how many carries the levels take.
ROWS, LEVELS = 8, 12
MOST_CARRIES = 2**LEVELS - 1
# The state of a line: the rows, planes of weight 1, 2 and 4, the carry of weight 8, and for each
# level a plane and a slot. These are the first words of each.
PLANES = ROWS * WORDS
CARRY = PLANES + 3 * WORDS
LEVEL = CARRY + WORDS
STATE = LEVEL + 2 * LEVELS * WORDS

# Reports whose hashes of one value are taken together.
HASHES = 512


def count_bitmaps(
    reports: NDArray[np.uint8], d: int, counts: NDArray[np.int64], k: int = -1
) -> int:
    """Add to the counts how many bitmaps have each of d bits set; return the first bad row or -1.

    A row is bad that has a bit set beyond the first d, or not k of them, unless k < 0. The counts
    are then of no use.
    """
    size = reports.shape[1]
    group = ROWS * max(1, LINE // size)
    for first, n, data in _with_room(reports, group):
        bad = count_columns(data, n, size, d, k, counts)
        if bad >= 0:
            return first + int(bad)
    return -1


def count_indices(
    reports: NDArray[np.uint8], d: int, k: int, width: int, counts: NDArray[np.int64]
) -> int:
    """Add to the counts how many reports hold each value; return the first bad row or -1.

    A report is k increasing values below d, of `width` bits each, the lowest bits first, and bits
    left over are zero; any other row is bad. The counts are then of no use.
    """
    for first, n, data in _with_room(reports, 1):
        bad = count_fields(data, n, reports.shape[1], d, k, width, counts)
        if bad >= 0:
            return first + int(bad)
    return -1


def _with_room(
    reports: NDArray[np.uint8], group: int
) -> Iterator[tuple[int, int, NDArray[np.uint8]]]:
    """Yield the first row, the number of rows and the bytes of one or two parts.

    A line more than whole groups of rows can be read from each, so the last rows are copied in
    front of zeros. Both parts are read-only, because numba compiles again for writable ones.
    """
    n, size = reports.shape
    whole = max(0, (n * size - LINE) // (group * size)) * group
    data = np.ascontiguousarray(reports).reshape(-1).view()
    last = np.zeros(((n - whole) // group + 1) * group * size + LINE, np.uint8)
    last[: (n - whole) * size] = data[whole * size :]
    data.flags.writeable = last.flags.writeable = False
    if whole:
        yield 0, whole, data
    yield whole, n - whole, last


@kernel
def count_columns(data, n, size, d, k, counts):
    """Add rows to the counts up to the first bad one; return it, or -1."""
    stride = max(1, LINE // size) * size
    group = ROWS * stride // size
    lines = (stride + LINE - 1) // LINE
    state = np.zeros((lines, STATE), np.uint64)
    carries = 0
    for first in range(0, n, group):
        bad = _first_bad(data, first, min(first + group, n), size, d, k)
        if bad >= 0:
            return bad
        for line in range(lines):
            _gather(data, first * size + line * LINE, stride, state[line])
            _add_rows(state[line])
            _add_carry(state[line], carries)
        carries += 1
        if carries == MOST_CARRIES:
            _fold(state, carries, size, stride, counts)
            carries = 0
    _fold(state, carries, size, stride, counts)
    return -1


@loop
def _first_bad(data, first, end, size, d, k):
    """Return the first row that has a bit beyond the first d, or not k ones; -1 if none has."""
    last = (size - 1) // 8 * 8
    inside = ALL >> np.uint64(64 - (d - 8 * last))
    row_end = ALL >> np.uint64(64 - 8 * (size - last))
    outside = row_end ^ inside
    expected = np.uint64(max(k, 0))
    is_counted = np.uint64(k >= 0)
    for row in range(first, end):
        at, ones = np.uint64(row * size), ZERO
        for place in range(0, last, 8):
            ones += popcount(word_at(data, at + np.uint64(place)))
        word = word_at(data, at + np.uint64(last))
        ones += popcount(word & inside)
        if (word & outside) | is_counted * (ones ^ expected):
            return row
    return -1


@loop
def _gather(data, at, stride, state):
    """Copy a line of each row; what is read beyond a row is in columns that nobody looks at."""
    for row in range(ROWS):
        start = np.uint64(at + row * stride)
        for i in range(WORDS):
            state[row * WORDS + i] = word_at(data, start + np.uint64(8 * i))


@loop
def _add(x, y, z):
    """Return the sum and the carry of three words of bits."""
    differ = x ^ y
    return differ ^ z, x ^ differ & (x ^ z)


@loop
def _add_rows(state):
    """Add 8 rows to the planes of weight 1, 2 and 4; write the carry of weight 8."""
    for i in range(WORDS):
        ones, twos = state[PLANES + i], state[PLANES + WORDS + i]
        ones, carry = _add(ones, state[i], state[WORDS + i])
        ones, other = _add(ones, state[2 * WORDS + i], state[3 * WORDS + i])
        twos, first = _add(twos, carry, other)
        ones, carry = _add(ones, state[4 * WORDS + i], state[5 * WORDS + i])
        ones, other = _add(ones, state[6 * WORDS + i], state[7 * WORDS + i])
        twos, second = _add(twos, carry, other)
        fours, carry = _add(state[PLANES + 2 * WORDS + i], first, second)
        state[PLANES + i], state[PLANES + WORDS + i] = ones, twos
        state[PLANES + 2 * WORDS + i], state[CARRY + i] = fours, carry


@loop
def _add_carry(state, carries):
    """Add a carry to the levels above; `carries` is how many they had before."""
    at = LEVEL
    while carries & 1:
        level = state[at : at + 2 * WORDS]
        for i in range(WORDS):
            level[i], state[CARRY + i] = _add(level[i], level[WORDS + i], state[CARRY + i])
        carries >>= 1
        at += 2 * WORDS
    for i in range(WORDS):
        state[at + WORDS + i] = state[CARRY + i]


@loop
def _fold(state, carries, size, stride, counts):
    """Add what the planes hold to the counts, super-row onto row, and clear them."""
    columns = np.empty(8 * LINE, np.int64)
    for line in range(state.shape[0]):
        columns[:] = 0
        planes = state[line]
        for p in range(3):
            _add_plane(planes[PLANES + p * WORDS :], 1 << p, columns)
        at, weight, left = LEVEL, ROWS, carries
        while left:
            _add_plane(planes[at:], weight, columns)
            if left & 1:
                _add_plane(planes[at + WORDS :], weight, columns)
            at, weight, left = at + 2 * WORDS, 2 * weight, left >> 1
        for column in range(min(8 * LINE, 8 * (stride - line * LINE))):
            value = (line * 8 * LINE + column) % (8 * size)
            if value < counts.size:
                counts[value] += columns[column]
    state[:] = 0


@loop
def _add_plane(plane, weight, columns):
    """Add a weight to the columns of which the plane has a bit."""
    for w in range(WORDS):
        word, some = plane[w], columns[64 * w :]
        for bit in range(64):
            some[bit] += np.int64(word >> np.uint64(bit) & ONE) * weight


@kernel
def count_fields(data, n, size, d, k, width, counts):
    """Count every field of the rows; return the first row that is no set of k values, or -1.

    The last field is read with the bits left over: where one is set, it is 2^width >= d or more.
    """
    last = (k - 1) * width
    field, rest = (ONE << np.uint64(width)) - ONE, (ONE << np.uint64(8 * size - last)) - ONE
    for row in range(n):
        at, least = np.uint64(8 * row * size), np.int64(0)
        for bit in range(0, last, width):
            value = np.int64(_bits_at(data, at + np.uint64(bit)) & field)
            if value < least or value >= d:
                return row
            counts[value] += 1
            least = value + np.int64(1)
        value = np.int64(_bits_at(data, at + np.uint64(last)) & rest)
        if value < least or value >= d:
            return row
        counts[value] += 1
    return -1


@loop
def _bits_at(data, bit):
    """Return at least 57 bits from this one on."""
    return word_at(data, bit >> THREE) >> (bit & SEVEN)


@kernel
def count_hashed(multipliers, offsets, reported, prime, buckets, counts):
    """Add to the counts how many functions map each value to the bucket that was reported.

    From one value to the next, the residue a·x + b mod p grows by a, or by a − p, and its bucket
    accordingly: there is nothing to divide.
    """
    residues = np.empty(HASHES, np.int64)
    places = np.empty(HASHES, np.int64)
    steps = np.empty(HASHES, np.int64)
    turn = prime % buckets
    for begin in range(0, reported.size, HASHES):
        size = min(HASHES, reported.size - begin)
        a, goal = multipliers[begin : begin + size], reported[begin : begin + size]
        for i in range(size):
            residues[i] = offsets[begin + i]
            places[i] = residues[i] % buckets
            steps[i] = a[i] % buckets
        for value in range(counts.size):
            hits = 0
            for i in range(size):
                hits += places[i] == goal[i]
                residue = residues[i] + a[i] - prime
                wrapped = residue >= 0
                residues[i] = residue if wrapped else residue + prime
                place = places[i] + steps[i] - (turn if wrapped else 0)
                place += buckets if place < 0 else 0
                places[i] = place - buckets if place >= buckets else place
            counts[value] += hits
