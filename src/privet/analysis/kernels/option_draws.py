"""Rows of options, in any order and with -1 for none: checked, numbered, and made into reports.

`SetSubset.sample` describes the decisions for a report, and subset_draws.py the random words and
the tail. Positions that the sampler draws and does not use are not drawn here.
"""

from __future__ import annotations

import numpy as np

from .compiled import kernel, loop
from .words import EIGHT, LOW_BYTE, LOW_SIX, ONE, SIX, ZERO, lowest, span

LAST = np.uint64(1 << 63)


@kernel
def pick(words, leads, first, picked):
    """Count the leads below each word; return the first word that is one of them, or their number.

    `Stream.pick`, as far as the first words tell.
    """
    for row in range(first, words.size):
        place = 0
        while place < leads.size and leads[place] < words[row]:
            place += 1
        if place < leads.size and leads[place] == words[row]:
            return row
        picked[row] = place
    return words.size


@kernel
def fill_sets(values, overlaps, tail, out, first, d, most, k, width):
    """Write reports that hold `overlaps` points of the person's; `width` bits an index, or 0.

    A set is an array of words, with one more, in which what must not be drawn counts as taken.
    """
    points = d + most
    own_mask, mask = span(np.uint64(most)) - ONE, span(np.uint64(d)) - ONE
    last = (max(points + most - 1, np.int64(mask)) >> 6) + 1
    taken = np.uint64(last << 6)
    beyond, drawn = np.zeros(last, np.uint64), np.zeros(last + 1, np.uint64)
    for position in range(d, np.int64(mask) + 1):
        beyond[position >> 6] |= ONE << (np.uint64(position) & LOW_SIX)
    own = np.full(max(most, np.int64(own_mask)) + 1, taken)
    as_bytes = drawn.view(np.uint8)
    at = 0
    for row in range(first, values.shape[0]):
        begin = at
        for w in range(last):
            drawn[w] = beyond[w]
        drawn[last] = ONE
        missing = k - overlaps[row]
        while missing > 0 and at < tail.size:
            missing -= _add(drawn, np.uint64(tail[at]) & mask)
            at += 1
        for w in range(last):
            drawn[w] &= ~beyond[w]
        count = _list_options(values, row, own)
        # Positions leave out the person's points: the last ones stand in for them.
        for i in range(most):
            point, stand_in = np.uint64(d + i) - count, np.uint64(points + i) - count
            point = own[i] = own[i] if np.uint64(i) < count else point
            held = drawn[point >> SIX] >> (point & LOW_SIX) & ONE
            drawn[point >> SIX] ^= held << (point & LOW_SIX)
            drawn[stand_in >> SIX] |= held << (stand_in & LOW_SIX)
        own[most] = taken
        missing += overlaps[row]
        while missing > 0 and at < tail.size:
            missing -= _add(drawn, own[np.uint64(tail[at]) & own_mask])
            at += 1
        if missing > 0:
            return row, begin
        if width:
            _write_members(drawn, last, width, out, row)
        else:
            for i in range(out.shape[1]):
                out[row, i] = as_bytes[i]
    return values.shape[0], at


@loop
def _add(drawn, point):
    """Add a point to a set; return 1 if it is new and else 0."""
    word = drawn[point >> SIX]
    fresh = ~word >> (point & LOW_SIX) & ONE
    drawn[point >> SIX] = word | fresh << (point & LOW_SIX)
    return np.int64(fresh)


@loop
def _list_options(values, row, own):
    """List the options of a row, and write to the place behind the last; return their number."""
    count = ZERO
    for i in range(values.shape[1]):
        own[count] = values[row, i]
        count += np.uint64(values[row, i] >= 0)
    return count


@loop
def _write_members(drawn, words, width, out, row):
    """Write the members of a set in `width` bits each, from the lowest bits up."""
    pending, filled, place = ZERO, ZERO, 0
    for w in range(words):
        word = drawn[w]
        while word:
            pending |= (np.uint64(w << 6) + lowest(word)) << filled
            word &= word - ONE
            filled += np.uint64(width)
            while filled >= EIGHT:
                out[row, place] = pending & LOW_BYTE
                pending >>= EIGHT
                filled -= EIGHT
                place += 1
    if filled:
        out[row, place] = pending & LOW_BYTE


@kernel
def fill_small_sets(values, overlaps, tail, out, first, d, most, k, width):
    """Do the same where d + 2·most is below 128, and k indices are at most 64 bits.

    A set is two words, which stay in registers; their last bit is for what must not be drawn.
    """
    own_mask, mask = span(np.uint64(most)) - ONE, span(np.uint64(d)) - ONE
    beyond_low, beyond_high = ZERO, ZERO
    for position in range(d, 128):
        low, high = _pair(np.uint64(position))
        beyond_low |= low
        beyond_high |= high
    taken = np.uint64(127)
    own = np.full(max(most, np.int64(own_mask)) + 1, taken)
    at = 0
    for row in range(first, values.shape[0]):
        begin = at
        low, high = beyond_low, beyond_high
        missing = k - overlaps[row]
        while missing > 0 and at < tail.size:
            bit, high_bit = _pair(np.uint64(tail[at]) & mask)
            missing -= np.int64(low & bit | high & high_bit == ZERO)
            low, high = low | bit, high | high_bit
            at += 1
        low, high = low & ~beyond_low, high & ~beyond_high
        count = _list_options(values, row, own)
        for i in range(most):
            point = np.uint64(d + i) - count
            point = own[i] = own[i] if np.uint64(i) < count else point
            bit, high_bit = _pair(point)
            held = ZERO - np.uint64(low & bit | high & high_bit != ZERO)
            low, high = low & ~bit, high & ~high_bit
            bit, high_bit = _pair(np.uint64(d + most + i) - count)
            low, high = low | bit & held, high | high_bit & held
        own[most] = taken
        high |= LAST
        missing += overlaps[row]
        while missing > 0 and at < tail.size:
            bit, high_bit = _pair(own[np.uint64(tail[at]) & own_mask])
            missing -= np.int64(low & bit | high & high_bit == ZERO)
            low, high = low | bit, high | high_bit
            at += 1
        high ^= LAST
        if missing > 0:
            return row, begin
        if width:
            low, high = _pack_pair(low, high, np.uint64(width)), ZERO
        for i in range(out.shape[1]):
            out[row, i] = (low if i < 8 else high) >> np.uint64(8 * i & 63)
    return values.shape[0], at


@loop
def _pair(point):
    """Return the two words of a set of one point below 128."""
    bit, is_high = ONE << (point & LOW_SIX), point >> SIX
    return bit & (is_high - ONE), bit & (ZERO - is_high)


@loop
def _pack_pair(low, high, width):
    """Return the members of a set of two words in `width` bits each, from the lowest bits up."""
    packed, filled = ZERO, ZERO
    while low:
        packed |= lowest(low) << filled
        low &= low - ONE
        filled += width
    while high:
        packed |= lowest(high) + np.uint64(64) << filled
        high &= high - ONE
        filled += width
    return packed


@kernel
def first_wrong_set(values, d, most):
    """Return the first row that is not at most `most` different options below d, or -1."""
    last_row = np.full(d + 1, -1)
    for row in range(values.shape[0]):
        count, wrong = ZERO, False
        for i in range(values.shape[1]):
            option = values[row, i]
            is_option = np.uint64(option) < np.uint64(d)
            place = option if is_option else d
            wrong |= is_option & (last_row[place] == row) | (is_option == (option == -1))
            last_row[place] = row
            count += np.uint64(is_option)
        if wrong | (count > np.uint64(most)):
            return row
    return -1


@kernel
def fill_asked(values, truths, options, out):
    """Write which option each row is asked, and what it answers: `OneOption.sample`."""
    for row in range(values.shape[0]):
        held = False
        for i in range(values.shape[1]):
            held |= values[row, i] == np.int64(options[row])
        number = options[row] + options[row] + np.uint64(held == truths[row])
        for i in range(out.shape[1]):
            out[row, i] = number >> np.uint64(8 * i) & LOW_BYTE


@kernel
def number_sets(values, below):
    """Return the numbers of the sets of rows: `ListedSets.number`."""
    most = below.shape[0] - 1
    numbers = np.empty(values.shape[0], np.int64)
    for row in range(values.shape[0]):
        number = 0
        for i in range(values.shape[1]):
            option = values[row, i]
            larger = 0
            for j in range(values.shape[1]):
                larger += values[row, j] > option
            if option >= 0:
                number += below[most - larger, option]
        numbers[row] = number
    return numbers
