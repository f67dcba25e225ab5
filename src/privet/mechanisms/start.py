"""Where sampling a set of a given size starts from: independent coins, or nothing.

Any start gives the same law; a good one leaves few positions to draw one by one. A client takes the
start from its survey, a batch chooses its own.
"""

from __future__ import annotations

from math import erfc, exp, inf, pi, sqrt

_MAX_PLANES = 8


def expected_draws(others: int, size: int, numerator: int, bits: int) -> float:
    """Return about how many positions it takes to mend `numerator / 2^bits` coins to a size."""
    span = 1 << (others - 1).bit_length()
    p = numerator / (1 << bits)
    deviation = (others * p * (1 - p)) ** 0.5
    short = size - others * p
    if deviation == 0:
        adds, removals = max(short, 0.0), max(-short, 0.0)
    else:
        z = short / deviation
        density, below = exp(-z * z / 2) / sqrt(2 * pi), erfc(-z / sqrt(2)) / 2
        adds = deviation * density + short * below
        removals = adds - short
    return adds * span / (others - size) + removals * span / max(size, 1)


def choose_start(d: int, k: int, plane: float, position: float) -> tuple[int, int]:
    """Return the coins c / 2^b that a bitmap starts from, for the least cost in one report.

    Any choice is exact. The costs of a plane and of a position are in nanoseconds.
    """
    others, size = d - 1, min(k, d - k) - 1
    best, start = inf, (0, 0)
    for bits in range(_MAX_PLANES + 1):
        numerator = (size << bits) // others
        if bits and not numerator & 1:
            continue
        draws = expected_draws(others, size, numerator, bits)
        cost = bits * plane + position * draws
        if cost < best:
            best, start = cost, (numerator, bits)
    return start
