"""Rows of options: checked, asked about one of them, and numbered.

They are in any order, with -1 wherever there is none.
"""

from __future__ import annotations

import numpy as np

from .compiled import kernel
from .designs import LOW_BYTE
from .words import ZERO


@kernel
def first_wrong_set(values, d, most):  # type: ignore[no-untyped-def]
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
def fill_asked(values, truths, options, out):  # type: ignore[no-untyped-def]
    """Write which option each row is asked, and what it answers: `OneOption.sample`."""
    for row in range(values.shape[0]):
        held = False
        for i in range(values.shape[1]):
            held |= values[row, i] == np.int64(options[row])
        number = options[row] + options[row] + np.uint64(held == truths[row])
        for i in range(out.shape[1]):
            out[row, i] = number >> np.uint64(8 * i) & LOW_BYTE


@kernel
def number_sets(values, below):  # type: ignore[no-untyped-def]
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
