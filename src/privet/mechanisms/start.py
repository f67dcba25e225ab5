"""Where sampling a set of a given size starts from: independent coins, or nothing.

Any start gives the same law; a good one leaves few positions to draw one by one. A client takes the
start from its survey, a batch chooses its own. Sizes are those before the last member is drawn.
"""

from __future__ import annotations

from math import ceil, erfc, exp, pi, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

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


def enough_draws(others: int, size: int, numerator: int, bits: int) -> int:
    """Return with how many positions nearly all sets that begin small enough are complete."""
    span = 1 << (others - 1).bit_length()
    p = numerator / (1 << bits)
    rates = [(others - members) / span for members in range(int(others * p), size + 1)]
    spread = others * p * (1 - p) / rates[-1] ** 2 + sum((1 - rate) / rate**2 for rate in rates)
    return ceil(sum(1 / rate for rate in rates) + 2.4 * sqrt(spread))


def best_start(others: int, size: int, cost: Callable[[int, int], float]) -> tuple[int, int]:
    """Return the coins c / 2^b that cost least, among those that expect no more than `size`."""
    starts = [(0, 0)]
    for bits in range(1, _MAX_PLANES + 1):
        starts += [(numerator, bits) for numerator in range(1, (size << bits) // others + 1, 2)]
    return min(starts, key=lambda start: cost(*start))


def cheapest_start(
    others: int, size: int, *, plane: float, add: float, remove: float
) -> tuple[int, int]:
    """Return the start for reports one by one; costs of a plane and a position in nanoseconds."""

    def cost(numerator: int, bits: int) -> float:
        adds, removals = expected_draws(others, size, numerator, bits)
        return bits * plane + adds * add + removals * remove

    return best_start(others, size, cost)


def cheapest_rounds(
    others: int, size: int, *, plane: float, turn: float, finish: float
) -> tuple[int, int, int]:
    """Return the start and the rounds for reports side by side; costs in nanoseconds.

    Sets that begin too large cannot wait for the others, and are finished one by one.
    """

    def cost(numerator: int, bits: int) -> float:
        _, removals = expected_draws(others, size, numerator, bits)
        turns: float = enough_draws(others, size, numerator, bits)
        if not bits:
            turns -= size / 2  # while no set can be complete, a round does less
        return bits * plane + turns * turn + removals * finish

    start = best_start(others, size, cost)
    return *start, enough_draws(others, size, *start)
