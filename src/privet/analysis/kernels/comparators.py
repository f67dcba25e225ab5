"""Loops of the mechanisms that the k-subset mechanism is compared with."""

from __future__ import annotations

import numpy as np

from .compiled import compiled

# Reports whose hashes of one value are taken together.
REPORTS = 512


@compiled
def toss_own_bits(values, coins, out, first, end):  # type: ignore[no-untyped-def]
    """Add a fair coin, the low bit of a byte, to each row's own bit, which is inverted already."""
    for row in range(first, end):
        value = values[row]
        out[row, value >> 3] ^= (~coins[row] & 1) << (value & 7)


@compiled
def count_hashed(multipliers, offsets, told, prime, buckets, counts):  # type: ignore[no-untyped-def]
    """Add to the counts how many functions map each value to the bucket that was told.

    From one value to the next, the residue a·x + b mod p grows by a, or by a − p, and its bucket
    accordingly: there is nothing to divide.
    """
    residues = np.empty(REPORTS, np.int64)
    places = np.empty(REPORTS, np.int64)
    steps = np.empty(REPORTS, np.int64)
    turn = prime % buckets
    for begin in range(0, told.size, REPORTS):
        size = min(REPORTS, told.size - begin)
        a, goal = multipliers[begin : begin + size], told[begin : begin + size]
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


@compiled
def fill_noise(values, tail, out, first, flip, rest, limit):  # type: ignore[no-untyped-def]
    """Write one-hot answers with two-sided geometric noise, entry by entry; GeometricNoise.sample.

    Words of the tail are coins, in order of need. Return the first row that is not written, and how
    many words the others took.
    """
    at = 0
    for row in range(first, values.size):
        begin = at
        for entry in range(out.shape[1]):
            if at == tail.size:
                return row, begin
            up = (tail[at] < flip) != (entry == values[row])
            at += 1
            steps = 0
            while steps < limit:
                if at == tail.size:
                    return row, begin
                word = tail[at]
                at += 1
                if word < flip:
                    steps += 1
                elif word < rest:
                    break
            out[row, entry] = limit + 1 + steps if up else limit - steps
    return values.size, at
