"""Directed rounding: integers that stand for e^ε and never exceed it.

A float probability is not a proof of privacy. Mechanisms draw with integers instead, chosen so
that every likelihood ratio is a rational number at or below e^ε. Only the standard library's
correctly rounded `decimal` is trusted here.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import inf, nextafter

# Wide enough for e^ε at ε = 100 (44 digits) times 2**64 (20 digits) with 60 digits to spare.
_CONTEXT = Context(prec=124, rounding=ROUND_FLOOR)


def floor_exp(epsilon: float | Fraction, scale: int) -> int:
    """Return floor(e^ε · 2^scale), or one less where 120 digits cannot tell: never more.

    >>> floor_exp(1.0, 32)
    11674931554
    """
    exponent = _as_decimal(epsilon)
    # exp is correctly rounded to nearest, so one step down is a lower bound.
    lower = _CONTEXT.next_minus(_CONTEXT.exp(exponent))
    return int(_CONTEXT.multiply(lower, Decimal(2**scale)))


def floor_log(ratio: Fraction) -> float:
    """Return the largest float at or below ln(ratio), for ratio >= 1.

    >>> floor_log(Fraction(3))
    1.0986122886681096
    """
    quotient = _CONTEXT.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    lower = _CONTEXT.next_minus(_CONTEXT.ln(quotient))
    nearest = float(lower)
    return nextafter(nearest, -inf) if Decimal(nearest) > lower else nearest


def _as_decimal(number: float | Fraction) -> Decimal:
    """Convert to 124 digits, rounding down; every float above 1e-15 converts exactly."""
    exact = Fraction(number)
    return _CONTEXT.divide(Decimal(exact.numerator), Decimal(exact.denominator))
