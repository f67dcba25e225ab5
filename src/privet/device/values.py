"""The text of a value, whatever holds it: lists, numpy, pandas, Arrow and files agree on it.

Categories are text, and answers often are not: pandas makes 1.0 of 1 where a column has gaps, and a
date becomes a midnight. One value has one text:

    1, 1.0, Decimal("1.00"), an Enum whose value is 1       "1"
    True                                                    "true"
    date(2024, 12, 31), or midnight of that day             "2024-12-31"
    datetime(2024, 12, 31, 9, 30)                           "2024-12-31 09:30:00"
    None, NaN, NaT                                          none: the value is missing
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, time
from decimal import Decimal
from enum import Enum
from numbers import Integral, Real
from typing import Any, Protocol

__all__ = ["ArrowColumn", "in_order", "is_number", "plain", "plainly", "text_of"]

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"(-?[0-9]+)\.0+")
_MOMENT = re.compile(
    r"(?:([0-9]{4}-[0-9]{2}-[0-9]{2})[T ])?([0-9]{2}:[0-9]{2})(?:(:[0-9]{2})(?:(\.[0-9]*?)0*)?)?"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})?"
)
# Beyond it, a float that is whole need not be the number that was meant.
_EXACT = 1 << 53
# Known by name: numpy and pandas are not imported for it.
_TRUTH, _MISSING = ("bool", "bool_"), ("NoneType", "NAType", "NaTType")


class ArrowColumn(Protocol):
    """A column of pandas, polars, pyarrow or duckdb, or a query's result with one column."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand the data over, by the Arrow PyCapsule interface."""


def text_of(value: Any) -> Any:
    r"""Return the text of a value, None for a missing one, and what has no text as it is.

    >>> text_of(1.0), text_of(0.5), text_of(True), text_of(date(2024, 12, 31)), text_of(b"tea")
    ('1', '0.5', 'true', '2024-12-31', 'tea')
    >>> text_of(float("nan")), text_of(b"caf\xe9"), text_of([1])
    (None, b'caf\xe9', [1])
    """
    if isinstance(value, Enum):
        return text_of(value.value)
    name = type(value).__name__
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return _decoded(value)
    if name in _MISSING:
        return None
    if name in _TRUTH:
        return "true" if value else "false"
    if name == "timedelta64":  # which numpy takes for an integer
        return value
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Decimal):
        return None if value.is_nan() else _of_decimal(value)
    if isinstance(value, float) or (isinstance(value, Real) and hasattr(value, "dtype")):
        return _of_float(float(str(value)))  # a short float's own digits, not those of a double
    if isinstance(value, date | time) or name == "datetime64":
        said = str(value)
        return None if said == "NaT" else plain(said)
    return value


def plain(text: str) -> str:
    """Return the one spelling of what programs spell in several ways; other text as it is.

    >>> [plain(text) for text in ("1.0", "1.10", "True", "2024-12-31T00:00:00.000", "tea")]
    ['1', '1.10', 'true', '2024-12-31', 'tea']
    >>> plain("2024-12-31 09:30:00.500+0100"), plain("2024-12-31T00:00:00Z")
    ('2024-12-31 09:30:00.5+01:00', '2024-12-31 00:00:00+00:00')
    """
    if whole := _WHOLE.fullmatch(text):
        return whole[1]
    if moment := _MOMENT.fullmatch(text):
        day, minute, second, fraction, zone = moment.groups()
        clock = f"{minute}{second or ':00'}{(fraction or '').rstrip('.')}"
        if day is None:
            return text if second is None or zone else clock
        if zone is None:
            return day if clock == "00:00:00" else f"{day} {clock}"
        return f"{day} {clock}{'+00:00' if zone == 'Z' else f'{zone[:3]}:{zone[-2:]}'}"
    folded = text.lower()
    return folded if folded in ("true", "false") else text


def is_number(text: str) -> bool:
    """Return whether a text is a decimal number."""
    return _NUMBER.fullmatch(text) is not None


def in_order(texts: Iterable[str]) -> list[str]:
    """Return texts sorted: numbers as numbers, and then the others.

    >>> in_order(["10", "9", "refused", "2.5"])
    ['2.5', '9', '10', 'refused']
    """
    return sorted(texts, key=lambda t: (0, float(t), t) if is_number(t) else (1, 0.0, t))


def plainly(texts: Sequence[str]) -> list[str]:
    """Return texts with whole numbers as such, if all numbers among them are whole.

    >>> plainly(["1.0", "2.0", "refused"]), plainly(["1.0", "1.1"])
    (['1', '2', 'refused'], ['1.0', '1.1'])
    """
    if all(plain(text).lstrip("-").isdigit() for text in texts if is_number(text)):
        return [plain(text) if is_number(text) else text for text in texts]
    return [*texts]


def _decoded(value: bytes) -> str | bytes:
    """Return the text that bytes are, or the bytes where they are not UTF-8."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def _of_decimal(value: Decimal) -> str:
    """Return all digits, which `normalize` would round, but for zeros at the end."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _of_float(value: float) -> str | None:
    if value != value:
        return None
    return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(value)
