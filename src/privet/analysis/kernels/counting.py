"""How many reports hold each value, for arrays of reports; adder.py has the loops."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .. import kernels


@lru_cache
def _plan(size: int) -> tuple[int, int, int]:
    """Return the rows of a super-row, the depth of its adder, and how many rows to check ahead.

    Super-rows fill two to four lines as well as they can, and one group of them is checked ahead.
    Longer rows are added by eight, because a first-level cache holds only eight lines that are a
    multiple of 4096 bytes apart; where even eight rows crowd it, 256 KB are checked ahead, for the
    second-level cache.
    """
    fitting = [max(1, lines * 64 // size) for lines in (4, 3, 2)]
    times = max(fitting, key=lambda rows: rows * size / -(-rows * size // 64))
    depth = 4 if size <= 256 else 3
    return times, depth, times << depth if size <= 640 else 8 * max(1, 2**15 // size)


@lru_cache
def _masks(size: int, d: int, k: int) -> NDArray[np.uint8]:
    """Return where k ones and where none must be: in a line of rows, in the last line of one row.

    A fifth mask is for the other lines of a row. Without k, no ones are looked for.
    """
    slot, last = max(8, 1 << (min(size, 64) - 1).bit_length()), (size - 1) % 64
    masks = np.zeros((5, 64), np.uint8)
    for start in range(0, 64, slot):
        masks[0, start : start + last + 1] = 255
        masks[1, start + last] = 255 & -2 << (d - 1) % 8
    masks[2:4, :slot] = masks[:2, :slot]
    masks[4] = 255
    if k < 0:
        masks[::2] = 0
    return masks


def _padded(reports: NDArray[np.uint8], group: int) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Split the reports so that whole groups, and a line more, can be read: (first row, rows).

    The last rows are copied in front of zeros.
    """
    n, size = reports.shape
    whole = max(0, (n * size - 64) // (group * size)) * group
    if whole:
        yield 0, np.ascontiguousarray(reports[:whole])
    rest = np.zeros(((n - whole) // group + 1) * group * size + 64, np.uint8)
    rest[: (n - whole) * size] = reports[whole:].reshape(-1)
    yield whole, rest[: (n - whole) * size].reshape(-1, size)


def count_bitmaps(
    reports: NDArray[np.uint8], d: int, counts: NDArray[np.int64], k: int = -1
) -> int:
    """Add to the counts how many bitmaps have each of d bits set; return the first bad row or -1.

    A row is bad that has a bit set beyond the first d, or not k of them, unless k < 0. The counts
    are then of no use.
    """
    size = reports.shape[1]
    times, depth, ahead = _plan(size)
    masks, lines = _masks(size, d, k), -(-times * size // 64)
    state = np.zeros(lines * kernels.STATE_BYTES + 64, np.uint8)
    state = state[-state.ctypes.data % 64 :][: lines * kernels.STATE_BYTES]
    for first, rows in _padded(reports, times << depth):
        shape = rows.ctypes.data, len(rows), size, times, depth, ahead
        checks = max(k, 0), masks.ctypes.data
        bad = kernels.adder.count_columns(*map(np.uint64, (*shape, *checks)), state, counts)
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
    for first, rows in _padded(reports, 1):
        shape = rows.ctypes.data, *rows.shape, d, k, width
        bad = kernels.adder.count_fields(*map(np.uint64, shape), counts)
        if bad >= 0:
            return first + int(bad)
    return -1
