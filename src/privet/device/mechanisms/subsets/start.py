"""Where sampling a set of a given size starts from: independent coins, or nothing.

Any start gives the same law; a good one leaves few positions to draw one by one. A client takes
the start from its survey. Sizes are those before the last member is drawn.
"""

from __future__ import annotations

from math import erfc, exp, pi, sqrt

_MAX_PLANES = 6


def usual_start(others: int, size: int) -> tuple[int, int]:
    """Return the coins [c, b], each 1 with probability c / 2^b, of a new survey.

    This rule is frozen (docs/algorithm.md): a survey's fingerprint depends on it. Of b = 0, …, 6
    with c = ⌊size·2^b / others⌋, it takes the least b·(6 + ⌊(others + 1)/256⌋) + the members that
    are missing, in whole numbers; of equals, the smallest b.

    >>> usual_start(63, 16), usual_start(999, 268), usual_start(99, 11)
    ((1, 2), (1, 2), (0, 0))
    """
    plane = 6 + (others + 1) // 256

    def cost(bits: int) -> int:
        numerator = (size << bits) // others
        return bits * plane + size - (others * numerator >> bits)

    bits = min(range(_MAX_PLANES + 1), key=cost)
    return (size << bits) // others, bits


def takes_long(others: int, size: int, numerator: int, bits: int) -> bool:
    """Tell whether coins leave so many members too many that removing them takes long.

    Each of them takes others / size draws, or thereabouts: 16 for every value are refused.
    """
    excess = (others * numerator >> bits) - size
    return excess * others > 16 * (others + 1) * max(size, 1)


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
