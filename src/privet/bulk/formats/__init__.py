"""Files of rows in any common format, streamed as Arrow batches.

What a file is, its first bytes say. Nothing is written anywhere, so that answers can come through
a pipe without touching a disk. A format is a module with two functions, `recognizes(start)` and
`open_table(source)`; adding one is that file and a name in FORMATS.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from ...errors import InvalidFile
from ..reading import reading
from . import arrow_file, arrow_stream, csv, ndjson, parquet, spreadsheet, unreadable
from .opened import READABLE, OpenTable
from .source import STDIN, Source, open_source

__all__ = ["FORMATS", "STDIN", "OpenTable", "count_rows", "open_table"]


class _Format(Protocol):
    def recognizes(self, start: bytes) -> bool: ...
    def open_table(self, source: Source) -> OpenTable: ...


# Asked in this order.
FORMATS: tuple[_Format, ...] = (
    parquet, arrow_file, arrow_stream, spreadsheet, unreadable, ndjson, csv,
)  # fmt: skip


@contextmanager
def open_table(
    path: Path, delimiter: str | None = None, sheet: str | None = None
) -> Iterator[OpenTable]:
    """Open a file, or standard input (`STDIN`), also packed.

    The delimiter is for CSV alone; a sheet that is named must be there.
    """
    csv.check_delimiter(delimiter)
    with open_source(path, delimiter, sheet) as source:
        with reading(source.name, READABLE):
            opener = next(some for some in FORMATS if some.recognizes(source.start))
            if sheet is not None and opener is not spreadsheet:
                raise InvalidFile(f"{source.name}: no spreadsheet, so there is no sheet {sheet!r}.")
            table = opener.open_table(source)
        yield table


def count_rows(
    paths: Sequence[Path], delimiter: str | None = None, sheet: str | None = None
) -> int | None:
    """Return how many rows files have, if all of them say so before they are read."""
    total = 0
    for path in paths:
        if path == STDIN or not path.is_file():
            return None
        with open_table(path, delimiter, sheet) as table:
            if table.rows is None:
                return None
            total += table.rows
    return total
