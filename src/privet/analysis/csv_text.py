"""Tables as CSV that no spreadsheet runs."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

__all__ = ["csv_text"]

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


def csv_text(columns: Mapping[str, Sequence[Any]], *, exact: bool = False) -> tuple[str, int]:
    """Return columns as CSV, and how many cells a spreadsheet would have run.

    Those get an apostrophe in front, unless the table is to be `exact`.
    """
    rows = [[*columns], *zip(*columns.values(), strict=True)]
    unsafe = 0 if exact else sum(_is_formula(cell) for row in rows for cell in row)
    if unsafe:
        rows = [[f"'{cell}" if _is_formula(cell) else cell for cell in row] for row in rows]
    file = StringIO(newline="")
    csv.writer(file).writerows(rows)
    return file.getvalue(), unsafe


def _is_formula(cell: object) -> bool:
    """Say whether a spreadsheet would run a cell, which it does with text that begins like this.

    >>> [_is_formula(cell) for cell in ("=1+1", "@home", "-1,5", "+3 or more", "tea", -1)]
    [True, True, False, True, False, False]
    """
    return isinstance(cell, str) and cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell)
