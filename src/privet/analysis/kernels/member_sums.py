"""Sums over the members of many sets at once: of shares, for each set, and of weights, back.

For bitmaps a byte at a time: the sum over any 8 values is looked up in a table of 256 (the method
of the Four Russians), d/8 steps a set instead of d.
"""

from __future__ import annotations

from .compiled import kernel


@kernel
def sum_bitmaps(bitmaps, tables, out):
    """Write Σ_b tables[b, byte b] for each bitmap."""
    for i in range(bitmaps.shape[0]):
        total = 0.0
        for b in range(bitmaps.shape[1]):
            total += tables[b, bitmaps[i, b]]
        out[i] = total


@kernel
def spread_bitmaps(bitmaps, weights, tables):
    """Add each bitmap's weight to tables[b, byte b] for all b."""
    for i in range(bitmaps.shape[0]):
        for b in range(bitmaps.shape[1]):
            tables[b, bitmaps[i, b]] += weights[i]


@kernel
def sum_members(members, theta, out):
    """Write the sum of theta over each row's members."""
    for i in range(members.shape[0]):
        total = 0.0
        for j in range(members.shape[1]):
            total += theta[members[i, j]]
        out[i] = total


@kernel
def spread_members(members, weights, out):
    """Add each row's weight to all its members."""
    for i in range(members.shape[0]):
        for j in range(members.shape[1]):
            out[members[i, j]] += weights[i]
