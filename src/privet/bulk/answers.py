"""Answers from a CSV file, as positions among a survey's categories.

Rows are counted as a spreadsheet shows them: the header is row 1, the first answer row 2. A file
with nothing but a header has no answers, which is no error.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidAnswer, InvalidFile
from .arrow import arrow, reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ..survey import Survey

_FIRST_ROW = 2
_BLOCK_BYTES = 1 << 20
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


def read_answers(
    path: Path, survey: Survey, column: str | None = None
) -> Iterator[NDArray[np.int64]]:
    """Yield chunks of the positions of a CSV column's answers among the survey's categories.

    Without a column name, the file must have a column "answer" or a single one.
    """
    pa, csv = arrow(), arrow("csv")
    with reading(path, "a CSV file with a header row, in UTF-8"):
        try:
            with _open(path, csv) as header:
                column = _choose_column(path, survey, header.schema.names, column)
            kinds = {column: pa.binary()}
            known = {text.encode(): value for value, text in enumerate(survey.categories)}
            row = _FIRST_ROW
            with _open(path, csv, include_columns=[column], column_types=kinds) as batches:
                for batch in batches:
                    yield _positions(path, survey, batch.column(0), known, row)
                    row += len(batch)
        except pa.ArrowInvalid as error:
            if ragged := _RAGGED.search(str(error)):
                number, wanted, got = ragged.groups()
                raise InvalidFile(
                    f"{path}, row {number}: the number of fields is {got}, the header's {wanted}."
                ) from None
            raise


def _open(path: Path, csv: Any, **convert: Any) -> Any:
    return csv.open_csv(
        path,
        # Without threads Arrow counts rows for its messages, and parses no slower.
        read_options=csv.ReadOptions(block_size=_BLOCK_BYTES, use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(strings_can_be_null=False, check_utf8=False, **convert),
    )


def _choose_column(path: Path, survey: Survey, names: Sequence[str], column: str | None) -> str:
    wanted = "answer" if column is None else column
    if names.count(wanted) > 1:
        raise InvalidFile(f"{path}: there is more than one column {wanted!r}.")
    if wanted in names:
        return wanted
    if column is None and len(names) == 1 and names[0]:
        if names[0] in survey.categories:
            raise InvalidFile(f"{path}, row 1: {names[0]!r} is an answer, not a column's name.")
        return names[0]
    hint = " Choose one with --column." if column is None else ""
    raise InvalidFile(
        f"{path}: there is no column {wanted!r}; the columns are "
        f"{', '.join(repr(name) for name in names)}.{hint}"
    )


def _positions(
    path: Path, survey: Survey, answers: Any, known: dict[bytes, int], first_row: int
) -> NDArray[np.int64]:
    """Look up each different answer once; the rows matter only where one is not a category."""
    encoded = answers.dictionary_encode()
    rows = encoded.indices.to_numpy(zero_copy_only=False)
    different = encoded.dictionary.to_pylist()
    positions = np.array([known.get(answer, -1) for answer in different], dtype=np.int64)
    for i in np.flatnonzero(positions < 0):  # in the order in which they first appear
        try:
            positions[i] = survey.index(different[i].decode())
        except (UnicodeDecodeError, InvalidAnswer) as error:
            place = f"{path}, row {first_row + int(np.argmax(rows == i))}: "
            if isinstance(error, InvalidAnswer):
                raise InvalidFile(error.describe(place)) from None
            raise InvalidFile(f"{place}the answer is not UTF-8 text.") from None
    found: NDArray[np.int64] = positions[rows]
    return found
