"""What every format opens: a table, read as Arrow batches of the columns that are asked for."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from ...errors import InvalidFile
from ..reading import reading

# Closed after use: what Arrow still reads when the interpreter ends keeps it from ending.
Batches = Generator[Any, None, None]

READABLE = "a table in UTF-8 that can be read"
MOST_ROW_BYTES = 1 << 21
LONG_ROW = "straddling object"  # what Arrow says of a longer row of text


class OpenTable(NamedTuple):
    """An open file of rows.

    `header` says that a row of names comes before the first. `rows` is how many there are, where
    the format says so before it is read.
    """

    name: str
    columns: Sequence[str]
    batches: Callable[[list[str]], Batches]
    header: bool = False
    rows: int | None = None

    def place(self, row: int) -> str:
        """Return the words for a row, of which the first is 1 in every format."""
        return place(self.name, row, header=self.header)

    def read(self, columns: list[str]) -> Batches:
        """Yield batches of these columns, in this order; to be closed."""
        with reading(self.name, READABLE), closing(self.batches(columns)) as batches:
            for batch in batches:
                yield batch.select(columns)


def place(name: str, row: int, *, header: bool) -> str:
    """Return the words for a row of a file.

    >>> place("a.parquet", 7, header=False), place("a.csv", 7, header=True)
    ('a.parquet, row 7', 'a.csv, row 7 (8 with the header)')
    """
    return f"{name}, row {row:d}" + (f" ({row + 1:d} with the header)" if header else "")


def too_long(name: str, row: int, hint: str = ".") -> InvalidFile:
    """Return the error for a row of text that is too long."""
    most = MOST_ROW_BYTES >> 20
    return InvalidFile(f"{name}, from row {row} on: there is a row of more than {most} MB{hint}")
