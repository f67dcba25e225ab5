"""Reports of few words, side by side: a tile of them goes through every step at once.

The random words of a tile lie together, step by step: `planes` by (tile, digit, word, lane), the
least significant digit first, and `offers` by (tile, round, lane). In each round every report gains
one position, until it is complete; the few that still are not go on with the tail.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from . import MOST_WORDS, TILE
from .compiled import compiled, kernel
from .lines import I64, VECTOR, count_ones, load, splat, store
from .sampling import span
from .words import ALL, LOW_SIX, ONE, SIX, ZERO, instruction, lowest, popcount


def _gainer(words: int) -> Any:
    """Return the rounds for sets of so many words, which stay in registers throughout.

    In the first rounds, which are sure, no set can be complete already. The result tells which
    lanes are not complete at the end, as bits. Where a set began with more than it may have before
    the last position, no position is its last.
    """

    @instruction
    def gain(builder, sets, lasts, offers, sure, rounds, mask, size):  # type: ignore[no-untyped-def]
        mask, size = splat(builder, mask), splat(builder, size)
        vectors = range(TILE // 8)
        lanes = [[cgutils.alloca_once(builder, VECTOR) for _ in range(words)] for _ in vectors]
        last = [cgutils.alloca_once(builder, VECTOR) for _ in vectors]
        for i in vectors:
            builder.store(_constant(2**64 - 1), last[i])
            for w in range(words):
                builder.store(load(builder, sets, i=w * len(vectors) + i), lanes[i][w])

        def short(i: int) -> Any:
            """Return which lanes want one position or more."""
            members = _constant(0)
            for word in lanes[i]:
                members = builder.add(members, count_ones(builder, builder.load(word), 1))
            return builder.icmp_unsigned("<=", members, size)

        def offer(turn: Any, wanting: Any, i: int) -> None:
            offered = builder.add(offers, builder.mul(turn, ir.Constant(I64, TILE)))
            drawn = load(builder, offered, ir.Constant(I64, 8), i, _BYTES)
            position = builder.and_(builder.zext(drawn, VECTOR), mask)
            kept = builder.select(wanting, position, builder.load(last[i]))
            builder.store(kept, last[i])
            place = builder.and_(position, _constant(63)) if words > 1 else position
            bit, where = builder.shl(_constant(1), place), builder.lshr(position, _constant(6))
            for w, word in enumerate(lanes[i]):
                here = builder.icmp_unsigned("==", where, _constant(w))
                gains = builder.and_(wanting, here) if words > 1 else wanting
                old = builder.load(word)
                builder.store(builder.select(gains, builder.or_(old, bit), old), word)

        with cgutils.for_range(builder, sure) as loop:
            for i in vectors:
                offer(loop.index, _ALL_LANES, i)
        with cgutils.for_range(builder, rounds, sure) as loop:
            for i in vectors:
                offer(loop.index, short(i), i)

        waiting = ir.Constant(I64, 0)
        for i in vectors:
            store(builder, builder.load(last[i]), lasts, i)
            for w in range(words):
                store(builder, builder.load(lanes[i][w]), sets, w * len(vectors) + i)
            never = builder.icmp_unsigned("==", builder.load(last[i]), _constant(2**64 - 1))
            bits = builder.bitcast(builder.or_(short(i), never), ir.IntType(8))
            bits = builder.shl(builder.zext(bits, I64), ir.Constant(I64, 8 * i))
            waiting = builder.or_(waiting, bits)
        return waiting

    return gain


def _settler(words: int) -> Any:
    """Return what turns positions among the others into values: the end of KSubset.sample.

    For each word, `masks` has the positions of the others, the last value and what is inverted.
    Rows are written in order, so that what a word writes beyond its row, the next row replaces.
    """

    def settle(builder, sets, lasts, masks, values, inside, row, width):  # type: ignore[no-untyped-def]
        zero, bytes_apart = _constant(0), ir.Constant(I64, 8)

        def mask(row: int, w: int) -> Any:
            place = builder.add(masks, ir.Constant(I64, 8 * (row * words + w)))
            return splat(builder, load(builder, place, kind=I64))

        def bit_of(position: Any) -> list[Any]:
            """Return, word by word, the set of one position."""
            bit = builder.shl(_constant(1), builder.and_(position, _constant(63)))
            where = builder.lshr(position, _constant(6))
            here = [builder.icmp_unsigned("==", where, _constant(w)) for w in range(words)]
            return [builder.select(word, bit, zero) for word in here]

        for i in range(TILE // 8):
            own, last = (bit_of(load(builder, place, i=i)) for place in (values, lasts))
            coin = load(builder, inside, bytes_apart, i, _BYTES)
            hit = builder.icmp_unsigned("!=", coin, ir.Constant(_BYTES, [0] * 8))
            drawn, found = [], zero
            for w in range(words):
                line = load(builder, sets, i=w * (TILE // 8) + i)
                line = builder.and_(line, mask(0, w))
                line = builder.select(hit, builder.xor(line, last[w]), line)
                found = builder.or_(found, builder.and_(line, own[w]))
                drawn.append(line)
            stands_in = builder.icmp_unsigned("!=", found, zero)
            for w, line in enumerate(drawn):
                line = builder.select(stands_in, builder.or_(line, mask(1, w)), line)
                without = builder.and_(line, builder.not_(own[w]))
                line = builder.select(hit, builder.or_(line, own[w]), without)
                drawn[w] = builder.xor(line, mask(2, w))
            for lane in range(8):
                for w, line in enumerate(drawn):
                    word = builder.extract_element(line, ir.Constant(I64, lane))
                    store(builder, word, row, w)
                row = builder.add(row, width)

    return instruction(settle, types.void)


_BYTES = ir.VectorType(ir.IntType(8), 8)
_ALL_LANES = ir.Constant(ir.VectorType(ir.IntType(1), 8), [1] * 8)
_gain_1, _gain_2, _gain_3, _gain_4 = (_gainer(words) for words in range(1, MOST_WORDS + 1))
_settle_1, _settle_2, _settle_3, _settle_4 = (_settler(words) for words in range(1, MOST_WORDS + 1))


def _constant(number: int) -> Any:
    return ir.Constant(VECTOR, [number] * 8)


@kernel
def fill_lanes(values, inside, planes, offers, tail, out, first, d, size, flip, numerator):  # type: ignore[no-untyped-def]
    """Write k-subset reports as bitmaps; `size` members are drawn before the last one."""
    words = planes.shape[2]
    rounds = np.uint64(offers.shape[1])
    # A set that begins empty is not complete before it had that many positions.
    sure = ZERO if planes.shape[1] else min(np.uint64(size), rounds)
    others = np.uint64(d - 1)
    mask = span(others) - ONE
    masks = _masks(words, d, flip)
    # What is beyond the others counts as taken, until the set is complete.
    full = np.uint64(size) + np.uint64(64 * words) - others
    sets, lasts = np.empty((words, TILE), np.uint64), np.empty(TILE, np.uint64)
    # Addresses, because slices would take longer than what is done to them.
    places = np.uint64(sets.ctypes.data), np.uint64(lasts.ctypes.data)
    offered, marks = np.uint64(offers.ctypes.data), np.uint64(masks.ctypes.data)
    answers, hits = np.uint64(values.ctypes.data), np.uint64(inside.ctypes.data)
    reports, width = np.uint64(out.ctypes.data), np.uint64(out.shape[1])
    spill = 8 * words - out.shape[1]
    at = 0
    for begin in range(first, values.size, TILE):
        row = np.uint64(begin)
        end = min(begin + TILE, values.size)
        _start(planes, begin // TILE, numerator, masks, sets)
        waiting = _gain(words, *places, offered + row * rounds, sure, rounds, mask, full)
        waiting &= ALL >> np.uint64(64 - (end - begin))
        used = at
        while waiting:
            lane = lowest(waiting)
            waiting &= waiting - ONE
            last, used = _finish(sets, lane, tail, used, mask, full, others)
            if last == ALL:
                return begin, at
            lasts[lane] = last
        at = used
        if (begin + TILE) * out.shape[1] + spill <= out.size:
            tile = answers + row * np.uint64(8), hits + row, reports + row * width
            _settle(words, *places, marks, *tile, width)
        else:
            _settle_last(words, *places, marks, values[begin:], inside[begin:], out[begin:end])
    return values.size, at


@compiled
def _masks(words, d, flip):  # type: ignore[no-untyped-def]
    """Return the sets of the others, of the last value, and of what is inverted."""
    masks = np.zeros((3, words), np.uint64)
    for position in range(d):
        row = 0 if position < d - 1 else 1
        masks[row, position >> 6] |= ONE << (np.uint64(position) & LOW_SIX)
        masks[2, position >> 6] |= ONE << (np.uint64(position) & LOW_SIX) if flip else ZERO
    return masks


@compiled
def _start(planes, tile, numerator, masks, sets):  # type: ignore[no-untyped-def]
    """Toss coins of probability numerator / 2^b for every member of every set, from b planes."""
    for w in range(sets.shape[0]):
        beyond = ~masks[0, w]
        for lane in range(TILE):
            sets[w, lane] = ZERO
        # A digit 1 lets a set bit of its plane win, a digit 0 lets a clear one lose.
        for j in range(planes.shape[1]):
            if numerator >> j & 1:
                for lane in range(TILE):
                    sets[w, lane] |= planes[tile, j, w, lane]
            else:
                for lane in range(TILE):
                    sets[w, lane] &= planes[tile, j, w, lane]
        for lane in range(TILE):
            sets[w, lane] |= beyond


@compiled
def _gain(words, sets, lasts, offers, sure, rounds, mask, full):  # type: ignore[no-untyped-def]
    """Go through all rounds; return which lanes are not complete."""
    if words == 1:
        return _gain_1(sets, lasts, offers, sure, rounds, mask, full)
    if words == 2:
        return _gain_2(sets, lasts, offers, sure, rounds, mask, full)
    if words == 3:
        return _gain_3(sets, lasts, offers, sure, rounds, mask, full)
    return _gain_4(sets, lasts, offers, sure, rounds, mask, full)


@compiled
def _finish(sets, lane, tail, at, mask, full, others):  # type: ignore[no-untyped-def]
    """Complete one set; return the last position, or ALL where the tail runs out."""
    members = ZERO
    for w in range(sets.shape[0]):
        members += popcount(sets[w, lane])
    while at < tail.size:
        position = np.uint64(tail[at]) & mask
        at += 1
        if position >= others:
            continue
        place, bit = position >> SIX, ONE << (position & LOW_SIX)
        taken = sets[place, lane] & bit != ZERO
        if members > full and taken:
            sets[place, lane] ^= bit
            members -= ONE
        elif members <= full and not taken:
            sets[place, lane] |= bit
            members += ONE
            if members > full:
                return position, at
    return ALL, at


@compiled
def _settle(words, sets, lasts, masks, values, inside, rows, width):  # type: ignore[no-untyped-def]
    if words == 1:
        _settle_1(sets, lasts, masks, values, inside, rows, width)
    elif words == 2:
        _settle_2(sets, lasts, masks, values, inside, rows, width)
    elif words == 3:
        _settle_3(sets, lasts, masks, values, inside, rows, width)
    else:
        _settle_4(sets, lasts, masks, values, inside, rows, width)


@compiled
def _settle_last(words, sets, lasts, masks, values, inside, out):  # type: ignore[no-untyped-def]
    """Settle a tile that is not whole, or has no room behind it, on the side."""
    answers, hits = np.zeros(TILE, np.int64), np.zeros(TILE, np.bool_)
    rows = np.empty((TILE, 8 * words), np.uint8)
    count = out.shape[0]
    for row in range(count):
        answers[row], hits[row] = values[row], inside[row]
    tile = np.uint64(answers.ctypes.data), np.uint64(hits.ctypes.data), np.uint64(rows.ctypes.data)
    _settle(words, sets, lasts, masks, *tile, np.uint64(rows.shape[1]))
    for row in range(count):
        for i in range(out.shape[1]):
            out[row, i] = rows[row, i]
