"""The chance to flip a bit, flip / 2^64, rounded up so that the likelihood ratio never exceeds e^ε.

Where two answers differ in `power` bits, each flipped by itself, the largest likelihood ratio is
((2^64 − flip) / flip)^power.
"""

from __future__ import annotations

from ...errors import InvalidArgument, InvalidSurvey
from .odds import floor_exp, read_integer

FLIP_BITS = 64
ONE = 1 << FLIP_BITS
# The largest flip that an estimate can tell from 1/2, in double precision.
MOST_FLIP = ONE - 2**20 >> 1


def choose_flip(owner: str, epsilon: float, power: int) -> int:
    """Return the smallest flip with ((2^64 − flip) / flip)^power <= e^ε, or raise.

    >>> choose_flip("BinaryRR", 2.0, 2) / 2**64  # 1/(e + 1)
    0.2689414213699951
    """
    flip = _least_flip(epsilon, power)
    if flip < 2 or flip > MOST_FLIP:
        rule = f"in [1e-12, {min(43 * power, 100)}], to be drawn with 64-bit integers"
        raise InvalidArgument(owner, "epsilon", rule, epsilon)
    return flip


def read_flip(name: str, digits: object, epsilon: float, power: int) -> int:
    """Read a flip of a survey's JSON, refusing one that would break the promise of ε."""
    flip = read_integer(digits, f"flip of {name}")
    if not _least_flip(epsilon, power) <= flip <= MOST_FLIP:
        raise InvalidSurvey(
            f"The flip {flip} / 2^{FLIP_BITS} is not in [1/(e^(epsilon/{power}) + 1), 1/2) for "
            f"epsilon = {epsilon}: this survey is not as private as it says."
        )
    return flip


def _least_flip(epsilon: float, power: int) -> int:
    """Return ceil(2^64 / (e^{ε/power} + 1)), or more where 480 bits cannot tell: never less."""
    root = floor_exp(epsilon, FLIP_BITS, power)
    return -(-ONE * ONE // (root + ONE))
