"""Reports that are numbers of blocks: drawn, written and counted.

A block is drawn by its place in an order in which the blocks that hold the value come first
(`mechanisms/design.py`). Numbers are written and read byte by byte, the lowest first.
"""

from __future__ import annotations

import numpy as np

from .compiled import kernel, loop
from .words import ALL, EIGHT, LOW_BYTE, ONE, popcount


@kernel
def draw_places(hit, words, tail, first, holding, blocks):
    """Turn each word into a place: below `holding` on a hit, from there to `blocks` on a miss.

    A word from the last multiple of their number on is replaced by the next of the tail. Return the
    first row for which none is left, and how many words the others took.
    """
    starts = np.array([holding, 0], np.uint64)
    sizes = np.array([blocks - holding, holding], np.uint64)
    lasts = ALL - (ALL % sizes + ONE) % sizes
    used = 0
    for row in range(first, words.size):
        begin, side, word = used, np.uint64(hit[row]), words[row]
        while word > lasts[side]:
            if used == tail.size:
                return row, begin
            word = tail[used]
            used += 1
        words[row] = starts[side] + word % sizes[side]
    return words.size, used


@kernel
def write_translates(values, places, out, elements, points, base_blocks):
    """Write the blocks at these places of a difference family; DifferenceFamily._number_at."""
    points, base_blocks, period = map(np.uint64, (points, base_blocks, elements.size))
    for row in range(values.size):
        turn = places[row] // period
        j = places[row] - turn * period
        element = np.uint64(elements[j]) if turn < base_blocks else np.uint64(0)
        c = (j + base_blocks - turn) % base_blocks
        b = (element + points - np.uint64(values[row])) % points
        _write(c * points + b, out[row])


@kernel
def write_parities(values, places, out, t):
    """Write the blocks at these places of a Hadamard design; Hadamard._number_at."""
    half = ONE << np.uint64(t - 1)
    for row in range(values.size):
        point, number = np.uint64(values[row]) + ONE, places[row] + ONE
        pivot = point & (~point + ONE)
        rest = number & (half - ONE)
        low = rest & (pivot - ONE)
        block = (rest - low) << ONE | low
        odd = popcount(block & point) & ONE
        wanted = number >> np.uint64(t - 1)
        _write((block | pivot * (odd ^ wanted)) - ONE, out[row])


@loop
def _write(number, out):
    for i in range(out.size):
        out[i] = number & LOW_BYTE
        number >>= EIGHT


@kernel
def count_blocks(reports, total):
    """Count the reports of each block; return the first that names no block, or -1."""
    blocks = np.uint64(total.size)
    for row in range(reports.shape[0]):
        number = np.uint64(0)
        for i in range(reports.shape[1]):
            number |= np.uint64(reports[row, i]) << np.uint64(8 * i)
        if number >= blocks:
            return row
        total[number] += 1
    return -1
