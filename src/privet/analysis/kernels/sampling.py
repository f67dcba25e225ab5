"""Whole batches of reports, from blocks of random words.

The decisions are those of the single-report path (`KSubset.sample`), so its proof is theirs; only
which random word feeds which decision differs, so that loops run over many reports or many words at
once and vectorise. Kernels take

- `inside`: whether the drawn set gets the person's value, from a coin that was tossed already;
- `planes`: the words that the starting coins are made of, the least significant digit first;
- `tail`: positions that are taken in order of need.

Where the tail runs out, a kernel returns the first report that is not written yet and how much
of the tail the written ones used. The caller keeps the rest of the tail, because what was seen and
dropped would bias what is drawn, and comes back with more.
"""

from __future__ import annotations

import numpy as np

from .compiled import compiled, kernel
from .words import ALL, LOW_SIX, ONE, SIX, ZERO, lowest, popcount

# Coins of which one is rarely tossed again.
COINS = 64
# Positions that are not worth trying in bulk.
FEW = 8
# Words of a set that are looked through sooner than one of its members is sorted among the others.
WORDS_A_MEMBER = 64


@kernel
def toss(words, first, heads, total, inside):  # type: ignore[no-untyped-def]
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
def fill_words(values, inside, planes, tail, out, first, d, size, flip, numerator):  # type: ignore[no-untyped-def]
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


@compiled
def _members(drawn):  # type: ignore[no-untyped-def]
    members = ZERO
    for w in range(drawn.size):
        members += popcount(drawn[w])
    return np.int64(members)


@kernel
def fill_single(values, inside, tail, out, first, d):  # type: ignore[no-untyped-def]
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
def fill_indices(values, inside, tail, out, first, d, k, width):  # type: ignore[no-untyped-def]
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


@compiled
def _sort(members, seen):  # type: ignore[no-untyped-def]
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


@compiled
def _pack(members, width, out):  # type: ignore[no-untyped-def]
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


@compiled
def span(n):  # type: ignore[no-untyped-def]
    """Return the smallest power of 2 that is n or more."""
    span = ONE
    while span < n:
        span <<= ONE
    return span
