"""Answers from a CSV file, as positions among a survey's categories.

Rows are counted as a spreadsheet shows them: the header is row 1, the first answer row 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidAnswer, InvalidFile
from .arrow import arrow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ..survey import Survey

_FIRST_ROW = 2
_BLOCK_BYTES = 1 << 22


def read_answers(
    path: Path, survey: Survey, column: str | None = None
) -> Iterator[NDArray[np.int64]]:
    """Yield chunks of the positions of a CSV column's answers among the survey's categories.

    Without a column name, the file must have a single column or one that is called "answer".
    """
    pa, csv = arrow(), arrow("csv")
    try:
        names = _open(path, csv).schema.names
        column = _choose_column(path, names, column)
        reader = _open(path, csv, include_columns=[column], column_types={column: pa.binary()})
        categories = pa.array([category.encode() for category in survey.categories], pa.binary())
        row = _FIRST_ROW
        for batch in reader:
            yield _positions(path, survey, batch.column(0), categories, row)
            row += len(batch)
    except pa.ArrowInvalid as error:
        raise InvalidFile(f"{path}: not a CSV file with a header row: {error}") from None


def _open(path: Path, csv: Any, **convert: Any) -> Any:
    return csv.open_csv(
        path,
        read_options=csv.ReadOptions(block_size=_BLOCK_BYTES),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(strings_can_be_null=False, check_utf8=False, **convert),
    )


def _choose_column(path: Path, names: Sequence[str], column: str | None) -> str:
    if column is None and len(names) == 1:
        return names[0]
    wanted = "answer" if column is None else column
    if wanted not in names:
        hint = " Choose one with --column." if column is None else ""
        raise InvalidFile(
            f"{path}: there is no column {wanted!r}; the columns are "
            f"{', '.join(repr(name) for name in names)}.{hint}"
        )
    return wanted


def _positions(
    path: Path, survey: Survey, answers: Any, categories: Any, first_row: int
) -> NDArray[np.int64]:
    found = arrow("compute").index_in(answers, value_set=categories)
    positions: NDArray[np.int64] = (
        found.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    )
    for i in np.flatnonzero(positions < 0):
        place = f"{path}, row {first_row + i}: "
        try:
            positions[i] = survey.index(answers[int(i)].as_py().decode())
        except UnicodeDecodeError as error:
            raise InvalidFile(f"{place}not UTF-8 text ({error.reason}).") from None
        except InvalidAnswer as error:
            raise InvalidFile(error.describe(place)) from None
    return positions
