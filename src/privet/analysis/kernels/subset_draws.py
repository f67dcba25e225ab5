"""Batches of k-subset reports, from blocks of random words.

The decisions are those of `KSubset.sample`, so its proof holds here too. Only which random word
feeds which decision differs, so that loops run over many reports or many words at once and
vectorise. There are three kinds of loops: reports of up to four words are made 32 at a time, longer
bitmaps one after another, and short lists of members as sorted indices. Kernels take

- `inside`: whether the drawn set gets the person's value, from a coin that was tossed already;
- `planes`: the words that the starting coins are made of, the least significant digit first;
- `tail`: positions that are taken in order of need.

Where the tail runs out, a kernel returns the first report that is not written yet and how much
of the tail the written ones used. The caller keeps the rest of the tail, because what was seen and
dropped would bias what is drawn, and comes back with more.
"""

from __future__ import annotations

import numpy as np

from . import TILE
from .compiled import kernel, loop
from .words import (
    ALL,
    EIGHT,
    LOW_BYTE,
    LOW_SIX,
    ONE,
    SIX,
    THREE,
    TWO,
    ZERO,
    lowest,
    popcount,
    span,
    store_word,
)

# Coins of which one is rarely tossed again.
COINS = 64
# Positions that are not worth trying in bulk.
FEW = 8
# Words of a set that are looked through sooner than one of its members is sorted among the others.
WORDS_A_MEMBER = 64


@kernel
def toss(words, first, heads, total, inside):
    """Toss a coin from each word; one at or above `total` is replaced by the next spare word.

    Spare words follow those of the coins. Return the first coin for which none is left.
    """
    spare = inside.size
    for begin in range(first, inside.size, COINS):
        tosses, coins = words[begin : min(begin + COINS, inside.size)], inside[begin:]
        highest = ZERO
        for i in range(tosses.size):
            coins[i] = tosses[i] < heads
            highest = max(highest, tosses[i])
        if highest >= total:
            for i in range(tosses.size):
                word = tosses[i]
                while word >= total:
                    if spare == words.size:
                        return begin + i
                    word = words[spare]
                    spare += 1
                coins[i] = word < heads
    return inside.size


@kernel
def fill_tiles(values, inside, planes, offers, tail, out, first, d, size, flip, numerator):
    """Write k-subset reports of up to four words as bitmaps, a tile of reports side by side.

    The random words of a tile lie together, step by step: `planes` by (tile, digit, word, lane) and
    `offers`, which are positions, by (tile, round, lane). In each round every report gains one
    position until it is complete; the few that still are not go on with the tail.
    """
    words = 1 if d <= 64 else 2 if d <= 128 else 4
    others = np.uint64(d - 1)
    mask = span(others) - ONE
    masks = _masks(words, d, flip)
    # What is beyond the others counts as taken, until the set is complete.
    full = np.uint64(size) + np.uint64(64 * words) - others
    sets, own = np.empty((words, TILE), np.uint64), np.empty((words, TILE), np.uint64)
    members, lasts = np.empty(TILE, np.uint64), np.empty(TILE, np.uint64)
    answers, hits = np.zeros(TILE, np.uint64), np.zeros(TILE, np.uint64)
    lines, data = sets.reshape(-1), out.reshape(-1)
    at = 0
    for begin in range(first, values.size, TILE):
        tile, count = begin // TILE, min(TILE, values.size - begin)
        _start(planes, tile, numerator, masks, sets)
        lasts[:] = ALL
        if words == 1:
            _gain_of_one(offers, tile, mask, full, lines, lasts)
        elif words == 2:
            _gain_of_two(offers, tile, mask, full, lines, lasts)
        else:
            _gain_of_four(offers, tile, mask, full, lines, lasts)
        _count_members(sets, members)
        used = at
        for lane in range(count):
            if members[lane] <= full or lasts[lane] == ALL:
                last, used = _finish(sets, lane, members[lane], tail, used, mask, full, others)
                if last == ALL:
                    return begin, at
                lasts[lane] = last
        at = used
        for lane in range(count):
            answers[lane], hits[lane] = values[begin + lane], ZERO - np.uint64(inside[begin + lane])
        _settle(answers, hits, masks, sets, lasts, own, members)
        _write_tile(sets, data, begin, count, out.shape[1])
    return values.size, at


@loop
def _masks(words, d, flip):
    """Return the sets of the others, of the last value, and of what is inverted."""
    masks = np.zeros((3, words), np.uint64)
    for position in range(d):
        row = 0 if position < d - 1 else 1
        masks[row, position >> 6] |= ONE << (np.uint64(position) & LOW_SIX)
        masks[2, position >> 6] |= ONE << (np.uint64(position) & LOW_SIX) if flip else ZERO
    return masks


@loop
def _start(planes, tile, numerator, masks, sets):
    """Toss coins of probability numerator / 2^b for every member of every set, from b planes."""
    sets[:] = ZERO
    for w in range(planes.shape[2]):
        # A digit 1 lets a set bit of its plane win, a digit 0 lets a clear one lose.
        for j in range(planes.shape[1]):
            if numerator >> j & 1:
                for lane in range(TILE):
                    sets[w, lane] |= planes[tile, j, w, lane]
            else:
                for lane in range(TILE):
                    sets[w, lane] &= planes[tile, j, w, lane]
    for w in range(sets.shape[0]):
        beyond = ~masks[0, w]
        for lane in range(TILE):
            sets[w, lane] |= beyond


@loop
def _gain_of_one(offers, tile, mask, full, sets, lasts):
    """Add a position to every set of one word in each round, unless it is complete."""
    for turn in range(offers.shape[1]):
        for lane in range(TILE):
            position, last = np.uint64(offers[tile, turn, lane]) & mask, lasts[lane]
            word = sets[lane]
            wants = popcount(word) <= full
            sets[lane] = word | np.uint64(wants) << position
            lasts[lane] = position if wants else last


@loop
def _gain_of_two(offers, tile, mask, full, sets, lasts):
    """Do the same with two words, spelt out because a loop over words would not vectorise."""
    for turn in range(offers.shape[1]):
        for lane in range(TILE):
            position, last = np.uint64(offers[tile, turn, lane]) & mask, lasts[lane]
            a, b = sets[lane], sets[TILE + lane]
            wants = popcount(a) + popcount(b) <= full
            bit, word = np.uint64(wants) << (position & LOW_SIX), position >> SIX
            sets[lane] = a | bit * np.uint64(word == ZERO)
            sets[TILE + lane] = b | bit * np.uint64(word == ONE)
            lasts[lane] = position if wants else last


@loop
def _gain_of_four(offers, tile, mask, full, sets, lasts):
    """Do the same with four words."""
    for turn in range(offers.shape[1]):
        for lane in range(TILE):
            position, last = np.uint64(offers[tile, turn, lane]) & mask, lasts[lane]
            a, b = sets[lane], sets[TILE + lane]
            c, d = sets[2 * TILE + lane], sets[3 * TILE + lane]
            wants = popcount(a) + popcount(b) + popcount(c) + popcount(d) <= full
            bit, word = np.uint64(wants) << (position & LOW_SIX), position >> SIX
            sets[lane] = a | bit * np.uint64(word == ZERO)
            sets[TILE + lane] = b | bit * np.uint64(word == ONE)
            sets[2 * TILE + lane] = c | bit * np.uint64(word == TWO)
            sets[3 * TILE + lane] = d | bit * np.uint64(word == THREE)
            lasts[lane] = position if wants else last


@loop
def _count_members(sets, members):
    members[:] = ZERO
    for w in range(sets.shape[0]):
        for lane in range(TILE):
            members[lane] += popcount(sets[w, lane])


@loop
def _finish(sets, lane, members, tail, at, mask, full, others):
    """Complete one set; return the last position, or ALL where the tail runs out."""
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


@loop
def _settle(answers, hits, masks, sets, lasts, own, stands_in):
    """Turn positions among the others into values, as at the end of KSubset.sample.

    `own` and `stands_in` are scratch space: for the bit of each respondent's value, and for whether
    the last value replaces it.
    """
    stands_in[:] = ZERO
    for w in range(sets.shape[0]):
        word, others = np.uint64(w), masks[0, w]
        for lane in range(TILE):
            value, last = answers[lane], lasts[lane]
            bit = np.uint64(value >> SIX == word) << (value & LOW_SIX)
            replaced = np.uint64(last >> SIX == word) << (last & LOW_SIX) & hits[lane]
            drawn = sets[w, lane] & others ^ replaced
            own[w, lane], sets[w, lane] = bit, drawn
            stands_in[lane] |= ZERO - np.uint64(drawn & bit != ZERO)
    for w in range(sets.shape[0]):
        last_value, inverted = masks[1, w], masks[2, w]
        for lane in range(TILE):
            bit = own[w, lane]
            drawn = (sets[w, lane] | last_value & stands_in[lane]) & ~bit
            sets[w, lane] = (drawn | bit & hits[lane]) ^ inverted


@loop
def _write_tile(sets, data, begin, count, size):
    """Write sets as rows of bytes, in order: what a word writes beyond its row is replaced."""
    end = np.uint64(data.size)
    for lane in range(count):
        at = np.uint64((begin + lane) * size)
        for w in range((size + 7) >> 3):
            place = at + np.uint64(8 * w)
            if place + EIGHT <= end:
                store_word(data, place, sets[w, lane])
            else:
                for i in range(end - place):
                    data[place + i] = sets[w, lane] >> EIGHT * i & LOW_BYTE


@kernel
def fill_words(values, inside, planes, tail, out, first, d, size, flip, numerator):
    """Write k-subset reports of any d as bitmaps, one report after another.

    A set is an array of words. Positions may exceed the domain, up to a power of 2: while members
    are added, everything there counts as taken.
    """
    others = np.uint64(d - 1)
    mask = span(others) - ONE
    bits, words = planes.shape[1], planes.shape[2]
    used_bits = (ONE << (others - (np.uint64(words - 1) << SIX))) - ONE
    drawn = np.zeros(max(words, np.int64(mask >> SIX) + 1), np.uint64)
    full = size + 1 + 64 * drawn.size - (d - 1)
    as_bytes = drawn.view(np.uint8)
    at, end = ZERO, np.uint64(tail.size)
    for row in range(first, values.size):
        begin = at
        for w in range(words):
            drawn[w] = planes[row, 0, w] if bits and numerator & 1 else ZERO
        for j in range(1, bits):
            if numerator >> j & 1:
                for w in range(words):
                    drawn[w] |= planes[row, j, w]
            else:
                for w in range(words):
                    drawn[w] &= planes[row, j, w]
        drawn[words - 1] &= used_bits
        for w in range(words, drawn.size):
            drawn[w] = ZERO
        # Positions are tried in bulk while there are many to find, and then one by one, with
        # arithmetic instead of a branch that nobody could predict.
        surplus = _members(drawn) - size
        while surplus > FEW and at + np.uint64(surplus) <= end:
            for _ in range(surplus):
                position = np.uint64(tail[at]) & mask
                at += ONE
                drawn[position >> SIX] &= ~(ONE << (position & LOW_SIX))
            surplus = _members(drawn) - size
        while surplus > 0 and at < end:
            position = np.uint64(tail[at]) & mask
            at += ONE
            word = drawn[position >> SIX]
            taken = word >> (position & LOW_SIX) & ONE
            drawn[position >> SIX] = word ^ taken << (position & LOW_SIX)
            surplus -= np.int64(taken)
        if surplus > 0:
            return row, np.int64(begin)
        drawn[words - 1] |= ~used_bits
        for w in range(words, drawn.size):
            drawn[w] = ALL
        missing = 1 - surplus
        while missing > FEW and at + np.uint64(missing) <= end:
            for _ in range(missing - 1):
                position = np.uint64(tail[at]) & mask
                at += ONE
                drawn[position >> SIX] |= ONE << (position & LOW_SIX)
            missing = full - _members(drawn)
        last = ZERO
        while missing > 0 and at < end:
            last = np.uint64(tail[at]) & mask
            at += ONE
            word = drawn[last >> SIX]
            free = ~word >> (last & LOW_SIX) & ONE
            drawn[last >> SIX] = word | free << (last & LOW_SIX)
            missing -= np.int64(free)
        if missing > 0:
            return row, np.int64(begin)
        drawn[words - 1] &= used_bits
        # Positions among the others become values, as at the end of KSubset.sample.
        value, hit = np.uint64(values[row]), np.uint64(inside[row])
        drawn[last >> SIX] ^= hit << (last & LOW_SIX)
        stand_in = drawn[value >> SIX] >> (value & LOW_SIX) & ONE
        drawn[others >> SIX] |= stand_in << (others & LOW_SIX)
        own = drawn[value >> SIX] & ~(ONE << (value & LOW_SIX))
        drawn[value >> SIX] = own | hit << (value & LOW_SIX)
        if flip:
            for w in range(words):
                drawn[w] = ~drawn[w]
            drawn[words - 1] &= used_bits << ONE | ONE
        for i in range(out.shape[1]):
            out[row, i] = as_bytes[i]
    return values.size, np.int64(at)


@loop
def _members(drawn):
    members = ZERO
    for w in range(drawn.size):
        members += popcount(drawn[w])
    return np.int64(members)


@kernel
def fill_single(values, inside, tail, out, first, d):
    """Write k-subset reports of one member, an index in whole bytes; KSubset._sample_indices.

    Each position is written to its row, and the next row begins only if it was in range.
    """
    others = np.uint64(d - 1)
    mask = span(others) - ONE
    row, at = np.uint64(first), ZERO
    while row < values.size and at < tail.size:
        position = np.uint64(tail[at]) & mask
        at += ONE
        value = np.uint64(values[row])
        member = value if inside[row] else others if position == value else position
        for i in range(out.shape[1]):
            out[row, i] = member >> np.uint64(8 * i)
        row += np.uint64(position < others)
    return np.int64(row), np.int64(at)


@kernel
def fill_indices(values, inside, tail, out, first, d, k, width):
    """Write k-subset reports as sorted packed indices; KSubset._sample_indices."""
    others = np.uint64(d - 1)
    mask = span(others) - ONE
    seen = np.zeros(((d - 1) >> 6) + 1, np.uint64)
    members = np.empty(k, np.uint64)
    at = 0
    for row in range(first, values.size):
        begin = at
        count = 0
        while count < k and at < tail.size:
            position = np.uint64(tail[at]) & mask
            at += 1
            bit = ONE << (position & LOW_SIX)
            if position < others and not seen[position >> SIX] & bit:
                seen[position >> SIX] |= bit
                members[count] = position
                count += 1
        for i in range(count):
            seen[members[i] >> SIX] = ZERO
        if count < k:
            return row, begin
        value = np.uint64(values[row])
        for i in range(k):
            if members[i] == value:
                members[i] = others
        if inside[row]:
            members[k - 1] = value
        _sort(members, seen)
        _pack(members, width, out[row])
    return values.size, at


@loop
def _sort(members, seen):
    """Sort different members, with a set that is empty before and after.

    Many are read off the set; few are moved over gaps that shrink (Shell).
    """
    if seen.size < WORDS_A_MEMBER * members.size:
        for member in members:
            seen[member >> SIX] |= ONE << (member & LOW_SIX)
        count = 0
        for w in range(seen.size):
            word, seen[w] = seen[w], ZERO
            while word:
                members[count] = np.uint64(w << 6) + lowest(word)
                word &= word - ONE
                count += 1
        return
    gap = members.size
    while gap > 1:
        gap = max(1, 5 * gap // 11)
        for i in range(gap, members.size):
            member, place = members[i], i
            while place >= gap and members[place - gap] > member:
                members[place] = members[place - gap]
                place -= gap
            members[place] = member


@loop
def _pack(members, width, out):
    """Write the members in `width` bits each, from the lowest bits up."""
    pending, filled, place = ZERO, 0, 0
    for member in members:
        pending |= member << np.uint64(filled)
        filled += width
        while filled >= 8:
            out[place] = pending & np.uint64(255)
            pending >>= np.uint64(8)
            filled -= 8
            place += 1
    if filled:
        out[place] = pending & np.uint64(255)
