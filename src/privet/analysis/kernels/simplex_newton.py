"""The compiled projection onto the simplex: a few passes over the vector, and no sort.

The projection of v is max(v − τ, 0), where τ solves excess(τ) = Σ max(v_j − τ, 0) = 1. The excess
is convex, decreasing and piecewise linear, so Newton's steps

    τ ← τ + (excess(τ) − 1) / #{j : v_j > τ}

rise to the solution from any start below it, the first step from above it lands below it, and the
solution is reached where a step leaves {j : v_j > τ} as it was (Michelot 1986; Condat 2016, "Fast
projection onto the simplex and the ℓ1 ball"). A step is a pass over v that takes no branches. The
start is the solution for every 64th entry, from where two to six passes do. From any start, a step
divides (excess − 1) × count by four or more, so that log₂ d + 27 passes exhaust the precision.
"""

from __future__ import annotations

import numpy as np

from .compiled import kernel, loop

# The partial sums of a pass: independent, so that the loop over them runs in vector registers.
_LANES = 256
_BLOCK = 256 * _LANES
# One entry in so many is looked at for the start, if that makes enough entries to tell.
_STRIDE = 64
_SAMPLED_FROM = 64 * _STRIDE


@loop
def _two_sum(a, b):
    """Return a + b rounded, and what the rounding lost (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@loop
def _excess(v, base, rest, sums, counts):
    """Return Σ max(v_j − τ, 0) and #{j : v_j > τ} for τ = base + rest.

    Each lane adds up every 256th term of a block, then come the lanes, then the blocks: no sum is
    long, so its rounding is small.
    """
    total, count = 0.0, 0.0
    for begin in range(0, v.size, _BLOCK):
        block = v[begin : begin + _BLOCK]
        sums[:] = 0.0
        counts[:] = 0.0
        for at in range(0, block.size, _LANES):
            row = block[at : at + _LANES]
            for lane in range(row.size):
                above = (row[lane] - base) - rest
                sums[lane] += above if above > 0.0 else 0.0
                counts[lane] += 1.0 if above > 0.0 else 0.0
        block_total = 0.0
        for lane in range(_LANES):
            block_total += sums[lane]
            count += counts[lane]
        total += block_total
    return total, count


@loop
def _threshold(v, base, rest, mass):
    """Return the τ where the excess is `mass`, by Newton's steps from τ = base + rest < max v.

    τ is the unevaluated sum of two numbers: one alone is too coarse where many entries lie near τ
    and τ is not near 0, as their roundings add up.
    """
    sums = np.empty(_LANES)
    counts = np.empty(_LANES)
    last = -1.0
    steps = 0
    while True:
        total, count = _excess(v, base, rest, sums, counts)
        base, rest = _two_sum(base, rest + (total - mass) / count)
        # From the second step on the count can only fall; if it rises, that is rounding.
        if count == last or (steps > 1 and count > last):
            return base, rest
        last = count
        steps += 1


@kernel
def project(v, top, out):
    """Write the projection of v, finite and contiguous, with the maximum `top`, into `out`.

    O(d) for the few passes this usually takes, O(d log d) at worst.
    """
    # The largest of d parts of 1 is top − τ, so it is in [1/d, 1].
    start, end = -1.0, -1.0 / v.size
    if v.size >= _SAMPLED_FROM:
        sample = v[_STRIDE // 2 :: _STRIDE].copy()
        mass = sample.size / v.size
        top_of_sample = sample[0]
        for entry in sample:
            top_of_sample = max(top_of_sample, entry)
        base, rest = _two_sum(top_of_sample, -mass)
        base, rest = _threshold(sample, base, rest, mass)
        start = min(max((base - top) + rest, start), end)
    base, rest = _two_sum(top, start)
    base, rest = _threshold(v, base, rest, 1.0)
    for i in range(v.size):
        above = (v[i] - base) - rest
        out[i] = above if above > 0.0 else 0.0
