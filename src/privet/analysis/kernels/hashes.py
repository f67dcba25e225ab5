"""Reports that are a hash function and a bucket, counted for every value."""

from __future__ import annotations

import numpy as np

from .compiled import kernel

# Reports whose hashes of one value are taken together.
REPORTS = 512


@kernel
def count_hashed(multipliers, offsets, reported, prime, buckets, counts):  # type: ignore[no-untyped-def]
    """Add to the counts how many functions map each value to the bucket that was reported.

    From one value to the next, the residue a·x + b mod p grows by a, or by a − p, and its bucket
    accordingly: there is nothing to divide.
    """
    residues = np.empty(REPORTS, np.int64)
    places = np.empty(REPORTS, np.int64)
    steps = np.empty(REPORTS, np.int64)
    turn = prime % buckets
    for begin in range(0, reported.size, REPORTS):
        size = min(REPORTS, reported.size - begin)
        a, goal = multipliers[begin : begin + size], reported[begin : begin + size]
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
