"""The known sizes of a population's groups, from a file: a row each, with a share or its people."""

from __future__ import annotations

from contextlib import closing
from math import inf
from typing import TYPE_CHECKING

from ..analysis.columns import number_values
from ..errors import InvalidFile
from .counts import whole_number
from .formats import open_table
from .groups import check_by, in_text
from .paths import as_paths
from .reading import check_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .formats import Table
    from .groups import Group
    from .paths import OnePath

__all__ = ["read_known"]


def read_known(path: OnePath, by: Sequence[str]) -> dict[Group, float]:
    """Return the size of each group with these values of the columns `by`.

    It is what the file's column "share" says, or "people", where it is a whole number.
    """
    check_by("read_known", by)
    known: dict[Group, float] = {}
    row = 0
    (file,) = as_paths("read_known", path)
    with open_table(file) as table:
        size = _column_of_sizes(table)
        for name in by:
            check_column(table.name, table.columns, name)
        with closing(table.read([*by, size])) as batches:
            for batch in batches:
                places, texts = number_values(batch.column(size))
                columns = [in_text(table.name, name, batch.column(name)) for name in by]
                for at, place in enumerate(places):
                    row += 1
                    group = tuple(values[rows[at]] for rows, values in columns)
                    if group in known:
                        said = ", ".join(map(str, group))
                        raise InvalidFile(f"{table.place(row)}: the group {said} is there twice.")
                    known[group] = _size(table.place(row), size, texts[place])
    return known


def _column_of_sizes(table: Table) -> str:
    found = [name for name in ("share", "people") if name in table.columns]
    if len(found) == 2:
        raise InvalidFile(f"{table.name}: there are both 'share' and 'people'; one says it all.")
    return check_column(table.name, table.columns, found[0] if found else "share")


def _size(place: str, column: str, text: object) -> float:
    """Return a size, a whole number if it is of people."""
    if column == "people":
        return whole_number(place, column, text, least=1)
    try:
        number = float(str(text))
    except ValueError:
        number = 0.0
    if not 0 < number < inf:
        raise InvalidFile(f"{place}: {column!r} must be a number > 0. Got {text!r} instead.")
    return number
