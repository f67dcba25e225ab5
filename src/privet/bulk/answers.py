"""Answers from files, as positions among a survey's categories."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..analysis.columns import ANSWERS, check_unknown, look_up, number_values, wrong_kind
from ..errors import InvalidAnswer, InvalidArgument, InvalidFile
from .formats import open_table
from .paths import as_paths
from .progress import no_progress
from .reading import check_column

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from numpy.typing import NDArray

    from ..survey import Survey
    from .formats import Table
    from .paths import Paths
    from .progress import Progress

__all__ = ["Answers", "count_answers", "read_answers"]


class Answers(NamedTuple):
    """A chunk of a file: the positions of its answers, and the columns that groups are made by.

    `unknown` is how many answers were no category. Where these were dropped, both lack their rows.
    """

    positions: NDArray[np.int64]
    by: Any
    unknown: int


def read_answers(
    paths: Paths,
    survey: Survey,
    column: str | None = None,
    *,
    by: Sequence[str] = (),
    unknown: str = "error",
    delimiter: str | None = None,
) -> Generator[Answers, None, None]:
    """Yield chunks of the answers in a column of files, in their order.

    Without a column name, a file must have a column "answer" or a single one. An answer that is
    no category is an error, is dropped, or counts as the category that `unknown` names. The columns
    `by` come along as an Arrow record batch.
    """
    check_unknown("randomize", survey, unknown)
    for path in as_paths("read_answers", paths):
        with open_table(path, delimiter) as table:
            name = _choose_column(table, column, survey)
            yield from _looked_up(table, survey, name, by, unknown)


def _looked_up(
    table: Table, survey: Survey, column: str, by: Sequence[str], unknown: str
) -> Generator[Answers, None, None]:
    if column in by:
        rule = f"other columns than {column!r}: the answers would be in the clear"
        raise InvalidArgument("randomize", "by", rule, list(by))
    for name in by:
        check_column(table.name, table.columns, name)
    for row, batch in _batches(table, column, by):
        try:
            found = look_up(survey, batch.column(column), unknown)
        except InvalidAnswer as error:
            place = table.place(row + (error.row or 0))
            raise InvalidFile(error.describe(f"{place}: ")) from None
        others = found.filter(batch.select(list(by))) if by else None
        yield Answers(found.positions, others, found.unknown)


def count_answers(
    paths: Paths,
    column: str | None = None,
    *,
    delimiter: str | None = None,
    progress: Progress = no_progress,
) -> tuple[Counter[str], int]:
    """Return how often each answer occurs in a column of files, and how many rows have none."""
    counts: Counter[str] = Counter()
    with progress("Reading") as advance:
        for path in as_paths("count_answers", paths):
            with open_table(path, delimiter) as table:
                name = _choose_column(table, column)
                for row, batch in _batches(table, name):
                    rows, answers = number_values(batch.column(name))
                    if any(isinstance(answer, bytes) for answer in answers):
                        rule = "there is an answer that is not UTF-8 text"
                        raise InvalidFile(f"{table.name}, from row {row} on: {rule}.")
                    times = np.bincount(rows, minlength=len(answers)).tolist()
                    for answer, count in zip(answers, times, strict=True):
                        counts[answer or ""] += count
                    advance(len(batch))
    return counts, counts.pop("", 0)


def _batches(
    table: Table, column: str, by: Sequence[str] = ()
) -> Generator[tuple[int, Any], None, None]:
    """Yield the number of a batch's first row, and the batch."""
    row = 1
    with closing(table.read([column, *by])) as batches:
        for batch in batches:
            if wrong := wrong_kind(batch.column(column).type):
                rule = f"the column {column!r} is {wrong}; answers are {ANSWERS}"
                raise InvalidFile(f"{table.name}: {rule}.")
            yield row, batch
            row += len(batch)


def _choose_column(table: Table, column: str | None, survey: Survey | None = None) -> str:
    """Return the column that is asked for, or else "answer", or else the only one."""
    if column is not None:
        return check_column(table.name, table.columns, column)
    only = table.columns[0] if len(table.columns) == 1 else ""
    if only and survey is not None and only in survey.categories:
        raise InvalidFile(f"{table.name}: the header {only!r} is an answer, not a column's name.")
    return only or check_column(table.name, table.columns, "answer", parameter="column")
