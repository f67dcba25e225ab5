"""Spreadsheets: Excel's (.xlsx, .xls, .xlsb) and OpenDocument's (.ods), by calamine."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import Any

from ...analysis.columns import arrow
from ...device.values import text_of
from ...errors import InvalidFile
from ...errors.extras import require
from .opened import Batches, OpenTable
from .source import Source

_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"


def recognizes(start: bytes) -> bool:
    """Return whether a file that begins like this may be a spreadsheet."""
    return start.startswith((_ZIP, _OLD_EXCEL))


def open_table(source: Source) -> OpenTable:
    """Open a sheet, by default the first; its first row has the names of the columns."""
    calamine = require("python_calamine", "sheets", "Reading a spreadsheet")
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(source.stream.read()))
        sheet = _choose(source, book.sheet_names)
        cells = book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    except calamine.PasswordError:
        raise InvalidFile(f"{source.name}: a spreadsheet behind a password.") from None
    except calamine.CalamineError:
        what = "a ZIP archive, or a spreadsheet that cannot be read; unpack it, or save it as CSV"
        raise InvalidFile(f"{source.name}: {what}.") from None
    # A cell's value, None where it is empty; empty rows at the end are only formatted.
    rows = [[_cell(cell) for cell in row] for row in cells]
    while rows and not any(cell is not None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise InvalidFile(f"{source.name}: the sheet {sheet!r} is empty.")
    names = [name or "" for name in rows.pop(0)]

    def batches(columns: list[str]) -> Batches:
        places, text = [names.index(name) for name in columns], arrow().string()
        arrays = [arrow().array([row[place] for row in rows], text) for place in places]
        yield arrow().record_batch(arrays, columns)

    return OpenTable(source.name, names, batches, header=True, rows=len(rows))


def _choose(source: Source, sheets: Sequence[str]) -> str:
    """Return the sheet that is asked for, or else the first, which is said if there are others."""
    if source.sheet is not None:
        if source.sheet not in sheets:
            named = ", ".join(map(repr, sheets))
            raise InvalidFile(f"{source.name}: there is no sheet {source.sheet!r}, but {named}.")
        return source.sheet
    if len(sheets) > 1:
        said = f"{source.name}: of {len(sheets)} sheets, the first, {sheets[0]!r}, is read."
        warnings.warn(said, stacklevel=2)
    return sheets[0] if sheets else ""


def _cell(value: Any) -> str | None:
    """Return the text of a cell: numbers are floats there, 1.0 for 1."""
    text = text_of(value)
    return str(text) if text not in (None, "") else None
