"""Rows dealt to piles, and put in random order."""

from __future__ import annotations

import numpy as np

from .compiled import kernel


@kernel
def deal(rows, pile_of, dealt, ends):
    """Copy the rows pile after pile, each pile's in their order; write where each pile ends.

    `ends` must be zeros.
    """
    for row in range(pile_of.size):
        ends[pile_of[row]] += 1
    begin = 0
    for pile in range(ends.size):
        begin, ends[pile] = begin + ends[pile], begin
    for row in range(pile_of.size):
        place = ends[pile_of[row]]
        ends[pile_of[row]] = place + 1
        for i in range(rows.shape[1]):
            dealt[place, i] = rows[row, i]


@kernel
def permute(rows, left, words, bits):
    """Exchange each of the first `left` rows, from the last on, with one drawn up to it.

    A word is a uniform integer of that many bits. Times m, it falls into one of m stretches, and is
    skipped if it is among the few too many of its stretch (Lemire 2019). Return how many rows are
    still to be placed when no word is left.
    """
    shift, low_bits = np.uint64(bits), (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    for word in words:
        if left <= 1:
            break
        m = np.uint64(left)
        product = np.uint64(word) * m
        rest = product & low_bits
        if rest < m and rest < (low_bits - m + np.uint64(1)) % m:
            continue
        left -= 1
        other = np.int64(product >> shift)
        for i in range(rows.shape[1]):
            rows[left, i], rows[other, i] = rows[other, i], rows[left, i]
    return left
