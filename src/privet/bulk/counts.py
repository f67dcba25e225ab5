"""Columns of whole numbers: how many people a row stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.columns import number_values
from ..errors import InvalidFile
from .formats import OpenTable

__all__ = ["people_in", "whole_number"]

# More people than there are.
_MOST = 10**10


def whole_number(place: str, column: str, text: object, least: int = 0) -> int:
    """Return the number that a text is, or raise InvalidFile for what is at this place.

    >>> whole_number("a.csv, row 1", "people", "12.0")
    12
    """
    try:
        number = float(str(text))
    except ValueError:
        number = -1.0
    if not (least <= number <= _MOST and number.is_integer()):
        rule = f"{column!r} must be a whole number from {least} to {_MOST:,}"
        got = "nothing" if text in (None, "") else repr(text)
        raise InvalidFile(f"{place}: {rule}. Got {got} instead.")
    return int(number)


def people_in(table: OpenTable, row: int, batch: Any, column: str) -> NDArray[np.int64]:
    """Return how many people each row of a batch stands for; `row` is the number of its first."""
    rows, texts = number_values(batch.column(column))
    found = np.zeros(len(texts), dtype=np.int64)
    for at in np.sort(np.unique(rows, return_index=True)[1]).tolist():  # the first wrong one first
        found[rows[at]] = whole_number(table.place(row + at), column, texts[rows[at]])
    people: NDArray[np.int64] = found[rows]
    return people
