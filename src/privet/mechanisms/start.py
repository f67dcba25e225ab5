"""Where sampling a set of a given size starts from: independent coins, or nothing.

Any start gives the same law; a good one leaves few positions to draw one by one. A client takes the
start from its survey, a batch chooses its own.
"""

from __future__ import annotations

from math import erfc, exp, inf, pi, sqrt

_MAX_PLANES = 6


def expected_draws(others: int, size: int, numerator: int, bits: int) -> tuple[float, float]:
    """Return about how many positions must be drawn to mend `numerator / 2^bits` coins to a size.

    The first number is for adding members, the second for removing them.
    """
    span = 1 << (others - 1).bit_length()
    p = numerator / (1 << bits)
    deviation = sqrt(others * p * (1 - p))
    short = size - others * p
    adds = max(short, 0.0)
    if deviation:
        # The mean of a normal variable's positive part.
        z = short / deviation
        density, below = exp(-z * z / 2) / sqrt(2 * pi), erfc(-z / sqrt(2)) / 2
        adds = deviation * density + short * below
    return adds * span / (others - size), (adds - short) * span / max(size, 1)


def choose_start(d: int, k: int, *, plane: float, add: float, remove: float) -> tuple[int, int]:
    """Return the coins c / 2^b that a bitmap starts from, for the least cost in one report.

    Any choice is exact. The costs of a plane and of a position drawn are in nanoseconds.
    """
    others, size = d - 1, min(k, d - k) - 1
    best, start = inf, (0, 0)
    for bits in range(_MAX_PLANES + 1):
        most = (size << bits) // others
        for numerator in range(1, most + 1, 2) if bits else (0,):
            adds, removals = expected_draws(others, size, numerator, bits)
            cost = bits * plane + adds * add + removals * remove
            if cost < best:
                best, start = cost, (numerator, bits)
    return start
