"""The compiled loops: whole batches of reports from a buffer of random bytes.

Each loop follows docs/algorithm.md byte by byte, so its plain twin is the single-report path: the
same bytes give the same reports. A loop stops where the bytes run out in the middle of a report
and returns how many reports are written and how many bytes those used; the caller keeps the rest
of the bytes (dropping them would bias what is drawn) and comes back with more.
"""

from __future__ import annotations

import numpy as np

from .compiled import compiled

_OUT_OF_BYTES = -1


@compiled
def _coin(data, at, heads, total):  # type: ignore[no-untyped-def]
    """Return (heads?, next position); Stream.coin."""
    while at + 8 <= data.size:
        value = np.uint64(0)
        for i in range(8):
            value |= np.uint64(data[at + i]) << np.uint64(8 * i)
        at += 8
        if value < total:
            return value < heads, at
    return False, _OUT_OF_BYTES


@compiled
def _coins(data, at, count, numerator, bits, ones, undecided):  # type: ignore[no-untyped-def]
    """Write `count` coins into the bytes of `ones`; Stream.coins."""
    size = ones.size
    ones[:] = 0
    undecided[:] = 255
    if count & 7:
        undecided[size - 1] = (1 << (count & 7)) - 1
    pending = True
    while bits > 0 and pending:
        bits -= 1
        if at + size > data.size:
            return _OUT_OF_BYTES
        left = np.uint8(0)
        if numerator >> np.uint64(bits) & np.uint64(1):
            for i in range(size):
                agree = undecided[i] & data[at + i]
                ones[i] |= agree
                undecided[i] ^= agree
                left |= undecided[i]
        else:
            for i in range(size):
                undecided[i] &= data[at + i]
                left |= undecided[i]
        pending = left != 0
        at += size
    return at


@compiled
def _position(data, at, size, mask):  # type: ignore[no-untyped-def]
    """Return (position, next position in the bytes); Stream._positions."""
    if at + size > data.size:
        return np.int64(0), _OUT_OF_BYTES
    word = np.int64(0)
    for i in range(size):
        word |= np.int64(data[at + i]) << (8 * i)
    return word & mask, at + size


@compiled
def _position_word(n):  # type: ignore[no-untyped-def]
    """Return the bytes and the mask of a position in [0, n)."""
    mask = np.int64(1)
    while mask < n:
        mask <<= 1
    size = 1 if n <= 1 << 8 else 2 if n <= 1 << 16 else 4
    return size, mask - 1


@compiled
def fill_bitmaps(values, data, out, d, k, heads, total, numerator, bits):  # type: ignore[no-untyped-def]
    """Write k-subset reports as bitmaps; KSubset.sample."""
    others = d - 1
    flip = 2 * k > d
    size = (d - k if flip else k) - 1
    word, mask = _position_word(others)
    start_bytes = (others + 7) >> 3
    undecided = np.empty(start_bytes, np.uint8)
    drawn = np.zeros((d + 7) >> 3, np.uint8)
    at = 0
    for row in range(values.size):
        begin = at
        hit, at = _coin(data, at, heads, total)
        if at < 0:
            return row, begin
        inside = hit != flip
        drawn[drawn.size - 1] = 0
        at = _coins(data, at, others, numerator, bits, drawn[:start_bytes], undecided)
        if at < 0:
            return row, begin
        missing = size
        for i in range(start_bytes):
            byte = drawn[i]
            while byte:
                byte &= byte - 1
                missing -= 1
        removing = missing < 0
        needed = -missing if removing else missing + 1
        position = np.int64(0)
        while True:
            while needed:
                position, at = _position(data, at, word, mask)
                if at < 0:
                    return row, begin
                if position >= others:
                    continue
                bit = np.uint8(1 << (position & 7))
                if (drawn[position >> 3] & bit != 0) == removing:
                    drawn[position >> 3] ^= bit
                    needed -= 1
            if not removing:
                break
            removing = False
            needed = 1
        if inside:
            drawn[position >> 3] ^= np.uint8(1 << (position & 7))
        value = values[row]
        own = np.uint8(1 << (value & 7))
        if drawn[value >> 3] & own:
            drawn[others >> 3] |= np.uint8(1 << (others & 7))
        if inside:
            drawn[value >> 3] |= own
        else:
            drawn[value >> 3] &= ~own
        if flip:
            for i in range(drawn.size):
                out[row, i] = ~drawn[i]
            if d & 7:
                out[row, drawn.size - 1] &= (1 << (d & 7)) - 1
        else:
            out[row] = drawn
    return values.size, at


@compiled
def fill_indices(values, data, out, d, k, heads, total, width):  # type: ignore[no-untyped-def]
    """Write k-subset reports as sorted packed indices; KSubset._sample_indices."""
    others = d - 1
    word, mask = _position_word(others)
    seen = np.zeros((d + 7) >> 3, np.uint8)
    members = np.empty(k, np.int64)
    at = 0
    for row in range(values.size):
        begin = at
        inside, at = _coin(data, at, heads, total)
        count = 0
        while at >= 0 and count < k:
            position, at = _position(data, at, word, mask)
            bit = np.uint8(1 << (position & 7))
            if at >= 0 and position < others and not seen[position >> 3] & bit:
                seen[position >> 3] |= bit
                members[count] = position
                count += 1
        for i in range(count):
            seen[members[i] >> 3] = 0
        if at < 0:
            return row, begin
        for i in range(k):
            if members[i] == values[row]:
                members[i] = others
        if inside:
            members[k - 1] = values[row]
        members.sort()
        byte, filled, place = np.uint64(0), 0, 0
        for i in range(k):
            byte |= np.uint64(members[i]) << np.uint64(filled)
            filled += width
            while filled >= 8:
                out[row, place] = byte & np.uint64(255)
                byte >>= np.uint64(8)
                filled -= 8
                place += 1
        if filled:
            out[row, place] = byte & np.uint64(255)
    return values.size, at


@compiled
def fill_flips(values, data, out, d, flip):  # type: ignore[no-untyped-def]
    """Write binary randomized responses; BinaryRR.sample."""
    undecided = np.empty(out.shape[1], np.uint8)
    at = 0
    for row in range(values.size):
        begin = at
        at = _coins(data, at, d, flip, 64, out[row], undecided)
        if at < 0:
            return row, begin
        out[row, values[row] >> 3] ^= np.uint8(1 << (values[row] & 7))
    return values.size, at
