"""Directed rounding: integers that stand for e^ε and never exceed it.

A float probability is not a proof of privacy. Mechanisms draw with integers instead, chosen so
that every likelihood ratio is a rational number at or below e^ε. Integers find them, too: e^ε
becomes E = odds / 2^scale, the finest such fraction at or below it whose total fits in 56 bits.

A survey carries these integers, so no client computes e^ε, old surveys keep those that their
reports were drawn with, and the estimator divides by the very same, which makes it exactly
unbiased. A survey whose integers promise more than ε is refused when it is read.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import inf, log, nextafter

from ...errors import InvalidArgument, InvalidSurvey

# The binary digits that e^ε is computed to, behind the point, and how often ε is halved for it.
_BITS, _HALVINGS = 512, 16

# A hit is drawn below k·odds + (d−k)·2^scale, kept under this so that a 64-bit word is redrawn
# less than once in 256 times.
_MAX_TOTAL = 2**56


def floor_exp(epsilon: float, scale: int, root: int = 1) -> int:
    """Return floor(e^{ε/root} · 2^scale), or one less where 480 bits cannot tell: never more.

    >>> floor_exp(1.0, 32)
    11674931554
    """
    return _lower_exp(epsilon, root) >> _BITS - scale


@lru_cache(64)
def _lower_exp(epsilon: float, root: int) -> int:
    """Return e^{ε/root} · 2^512, rounded down in every step: a power series, and then squares."""
    numerator, denominator = epsilon.as_integer_ratio()
    denominator *= root << _HALVINGS
    power = term = 1 << _BITS
    place = 0
    while term:
        place += 1
        term = term * numerator // (denominator * place)
        power += term
    for _ in range(_HALVINGS):
        power = power * power >> _BITS
    return power


def finest_odds(owner: str, d: int, epsilon: float, k: int) -> tuple[int, int]:
    """Return the finest odds / 2^scale <= e^ε that sets of k of d values can be drawn with.

    >>> finest_odds("KSubset", 100, 1.0, 27)
    (765128314358509, 48)
    """
    limit = log((_MAX_TOTAL - (d - k)) / k)
    if epsilon > limit:
        rule = f"at most {limit:.2f} for d = {d} and k = {k}, to be drawn with 64-bit integers"
        raise InvalidArgument(owner, "epsilon", rule, epsilon)
    finest = floor_exp(epsilon, 60)
    for scale in range(60, -1, -1):
        odds = finest >> (60 - scale)
        if k * odds + (d - k << scale) <= _MAX_TOTAL:
            break
    if odds <= 1 << scale:
        rule = f"large enough to differ from 0 in steps of 2^-{scale}, at d = {d}"
        raise InvalidArgument(owner, "epsilon", rule, epsilon)
    return odds, scale


def read_odds(name: str, epsilon: float, d: int, k: int, digits: object, scale: int) -> int:
    """Return the odds of a survey's JSON, refusing any that would break the promise of ε."""
    odds = read_integer(digits, f"odds of {name}")
    if not (0 <= scale <= 60 and 1 << scale < odds <= floor_exp(epsilon, scale)):
        raise InvalidSurvey(
            f"The odds {odds} / 2^{scale} are not in (1, e^epsilon] for epsilon = {epsilon}: "
            "this survey is not as private as it says."
        )
    if k * odds + (d - k << scale) >= 1 << 64:
        raise InvalidSurvey(f"The odds {odds} / 2^{scale} need more than 64-bit integers.")
    return odds


def read_integer(digits: object, what: str) -> int:
    """Read an integer of a survey's JSON that is written as a decimal string."""
    if not (
        isinstance(digits, str) and len(digits) <= 40 and digits.isascii() and digits.isdecimal()
    ):
        raise InvalidSurvey(f"The {what} must be a decimal string. Got {digits!r:.60}.")
    return int(digits)


def floor_log(ratio: Fraction) -> float:
    """Return the largest float at or below ln(ratio), for ratio >= 1.

    >>> from fractions import Fraction
    >>> floor_log(Fraction(3))
    1.0986122886681096
    """
    context = Context(prec=124, rounding=ROUND_FLOOR)
    quotient = context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    # ln is correctly rounded to nearest, so one step down is a lower bound.
    lower = context.next_minus(context.ln(quotient))
    nearest = float(lower)
    return nextafter(nearest, -inf) if Decimal(nearest) > lower else nearest
