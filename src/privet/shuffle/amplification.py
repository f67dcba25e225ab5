"""Amplification: the central ε of n shuffled reports, and the local one for a wanted central."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import exp, inf, log, log1p, nextafter, sqrt

from ..device.mechanisms.base import Randomizer
from ..errors import InvalidArgument
from ..errors.arguments import is_finite, positive, whole
from .blankets import blanket
from .bound import FINE, certified_delta

__all__ = ["DELTA", "amplify", "closed_form", "delta_at", "if_shuffled", "local_epsilon"]

DELTA = 1e-6  # what plans are for

MOST_PEOPLE = 10**12
_COUNTED = 10**9  # grids are fine enough for as many people; more can only hide each other better
_MOST_LOCAL = 20.0
_ROUGH = 2**15  # steps of a grid that says where to look
_NONE = 1e-12  # an ε that is as good as none


def amplify(mechanism: Randomizer, n: int, delta: float) -> float:
    """Return the central ε at δ of n people's shuffled reports: certified, never below the truth.

    It is that of the privacy blanket, for the pair of values that can be told apart best, whatever
    the other n − 1 people answered, and never more than the mechanism's own level. Known for
    subsets and block designs, several choices, scales, and questionnaires of these.

    Parameters
    ----------
    mechanism : Mechanism
        How each report is made, such as `survey.mechanism`.
    n : int in [1, 10^12]
        How many people send one report each. Only those count who cannot be told apart: with
        groups in the clear, the people of one group.
    delta : float in (0, 1)
        The probability that is left out; well below 1/n.

    >>> from privet.mechanisms import KSubset
    >>> round(amplify(KSubset(100, 1.0), 10_000, 1e-6), 4)
    0.0299

    """
    n, delta = _people("amplify", n), _probability("amplify", delta)
    law, most = blanket(mechanism), _own_level(mechanism)

    def excess(epsilon: float, steps: int) -> float:
        if epsilon >= most:
            return -inf
        return log(certified_delta(law, n, epsilon, steps) / delta)

    high = _lowest(partial(excess, steps=_ROUGH), most, 0.01)
    return high if high == most else _lowest(partial(excess, steps=FINE), high, 1e-4)


def if_shuffled(mechanism: Randomizer, n: int, delta: float = DELTA) -> float | None:
    """Return the central ε at δ of n people's shuffled reports, or None where it is not known."""
    try:
        blanket(mechanism)
    except InvalidArgument:
        return None
    return amplify(mechanism, n, delta)


def delta_at(mechanism: Randomizer, n: int, epsilon: float) -> float:
    """Return a δ at which n people's shuffled reports have the central ε: never below the truth.

    >>> from privet.mechanisms import KSubset
    >>> delta_at(KSubset(100, 1.0), 10_000, 0.03) < 1e-6
    True
    """
    n = _people("delta_at", n)
    if not is_finite(epsilon) or epsilon < 0:
        raise InvalidArgument("delta_at", "epsilon", "a finite number >= 0", epsilon)
    law = blanket(mechanism)
    return 0.0 if epsilon >= _own_level(mechanism) else certified_delta(law, n, float(epsilon))


def local_epsilon(
    build: Callable[[float], Randomizer], central: float, n: int, delta: float
) -> float:
    """Return nearly the largest local ε, at most 20, whose reports have a central ε once shuffled.

    `build` makes the mechanism of a local ε. The result is certified as by `amplify`; where the
    mechanism changes with ε, a little more might do here and there.

    >>> from privet.mechanisms import KSubset
    >>> local = local_epsilon(lambda epsilon: KSubset(100, epsilon), 0.1, 10_000, 1e-6)
    >>> round(local, 2)
    2.32
    """
    central = positive("local_epsilon", "central", central)
    n, delta = _people("local_epsilon", n), _probability("local_epsilon", delta)

    def over(local: float) -> bool:
        mechanism = build(local)
        if central >= _own_level(mechanism):
            return False
        return certified_delta(blanket(mechanism), n, central) > delta

    low = high = min(central, _MOST_LOCAL)
    while high < _MOST_LOCAL and not over(high := min(2 * low, _MOST_LOCAL)):
        low = high
    while high / low > 1 + 1e-4:
        middle = sqrt(low * high)
        low, high = (low, middle) if over(middle) else (middle, high)
    return low


def closed_form(epsilon0: float, n: int, delta: float) -> float:
    """Return the central ε by the bound that is known best, of the local ε0 alone.

    It holds for every ε0-private mechanism, and is several times what `amplify` certifies: Feldman,
    McMillan and Talwar, Hiding among the clones, 2021, Theorem 3.1. Where ε0 is above
    log(n / (16 log(2/δ))) the theorem says nothing, and ε0 itself is returned.

    >>> round(closed_form(1.0, 10_000, 1e-6), 6)
    0.214026
    >>> closed_form(4.0, 10_000, 1e-6)
    4.0
    """
    epsilon0 = positive("closed_form", "epsilon0", epsilon0)
    n, delta = _people("closed_form", n), _probability("closed_form", delta)
    if epsilon0 > log(n / (16 * log(2 / delta))):
        return epsilon0
    ratio = exp(epsilon0)
    spread = 8 * sqrt(ratio * log(4 / delta) / n) + 8 * ratio / n
    return min(epsilon0, log1p((ratio - 1) / (ratio + 1) * spread))


def _own_level(mechanism: Randomizer) -> float:
    """Return a level that the mechanism has without shuffling, rounded up."""
    return nextafter(mechanism.realized_epsilon, inf)


def _lowest(excess: Callable[[float], float], high: float, near: float) -> float:
    """Return about the least ε at which a falling function is at most 0, at most as large as high.

    The function is between −near and 0 there, unless it jumps.
    """
    below, low, factor = excess(high), high, 0.95
    while (above := excess(low := low * factor)) <= 0:
        if low < _NONE:
            return low
        high, below, factor = low, above, factor**2
    stayed = 0  # how often the lower end moved in turn, or, if negative, the upper one
    while below < -near and high - low > near / 10 * high:
        by_halves = below == -inf or abs(stayed) > 1
        part = 0.5 if by_halves else min((above + near / 2) / (above - below), 0.99)
        middle = low + part * (high - low)
        value = excess(middle)
        if value > 0:
            low, above, stayed = middle, value, max(stayed, 0) + 1
        else:
            high, below, stayed = middle, value, min(stayed, 0) - 1
    return high


def _people(owner: str, n: object) -> int:
    """Return how many people are counted on."""
    return min(whole(owner, "n", n, 1, MOST_PEOPLE), _COUNTED)


def _probability(owner: str, delta: object) -> float:
    if not is_finite(delta) or not 0 < delta < 1:
        raise InvalidArgument(owner, "delta", "a number in (0, 1)", delta)
    return float(delta)
