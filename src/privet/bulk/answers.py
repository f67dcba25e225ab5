"""Answers from files, as positions among a survey's categories."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..analysis.columns import different, positions, wrong_kind
from ..errors import InvalidAnswer, InvalidArgument, InvalidFile
from .formats import open_table
from .progress import no_progress

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ..survey import Survey
    from .formats import Table
    from .progress import Progress

__all__ = ["Answers", "count_answers", "read_answers"]

_MOST_NAMES = 20


class Answers(NamedTuple):
    """A chunk of a file: the positions of its answers, and the columns kept beside them.

    `unknown` is how many answers were no categories: `positions` lacks them if they were dropped.
    """

    positions: NDArray[np.int64]
    kept: Any
    unknown: int


def read_answers(
    path: Path,
    survey: Survey,
    column: str | None = None,
    *,
    by: Sequence[str] = (),
    unknown: str = "error",
    delimiter: str | None = None,
) -> Generator[Answers, None, None]:
    """Yield chunks of the answers in a column of a file, in their order.

    Without a column name, the file must have a column "answer" or a single one. What is no category
    is an error, is dropped, or counts as the category that `unknown` names. The columns `by` are
    kept, as an Arrow record batch.
    """
    _check_unknown(survey, unknown)
    with open_table(path, delimiter) as table:
        column = _choose_column(table, column, survey)
        if column in by:
            rule = f"other columns than {column!r}: the answers would be in the clear"
            raise InvalidArgument("randomize", "by", rule, list(by))
        for name in by:
            _check_column(table, name)
        row = table.first_row
        with closing(table.read([column, *by])) as batches:
            for batch in batches:
                yield _look_up(table, survey, batch, column, by, unknown, row)
                row += len(batch)


def count_answers(
    paths: Iterable[Path],
    column: str | None = None,
    *,
    delimiter: str | None = None,
    progress: Progress = no_progress,
) -> tuple[Counter[str], int]:
    """Return how often each answer occurs in a column of files, and how many rows have none."""
    counts: Counter[str] = Counter()
    missing = 0
    with progress("Reading") as advance:
        for path in paths:
            with open_table(path, delimiter) as table:
                name = _choose_column(table, column)
                row = table.first_row
                with closing(table.read([name])) as batches:
                    for batch in batches:
                        found = _different(table, name, batch.column(name), row)
                        missing += found.pop(None, 0)
                        counts.update(found)
                        row += len(batch)
                        advance(len(batch))
    return counts, missing


def _different(table: Table, name: str, answers: Any, first_row: int) -> dict[Any, int]:
    """Return how often each answer occurs in a chunk, under None what is missing or empty."""
    _check_kind(table, name, answers)
    counts: Counter[Any] = Counter()
    for answer, count in different(answers):
        if isinstance(answer, bytes):
            rule = "there is an answer that is not UTF-8 text"
            raise InvalidFile(f"{table.name}, from row {first_row} on: {rule}.")
        counts[answer or None] += count
    return counts


def _check_unknown(survey: Survey, unknown: str) -> None:
    """Refuse what is neither "error" nor "drop" nor a category."""
    if unknown not in ("error", "drop") and survey.place(unknown) < 0:
        rule = "'error', 'drop' or a category of the survey"
        raise InvalidArgument("randomize", "unknown", rule, unknown)


def _choose_column(table: Table, column: str | None, survey: Survey | None = None) -> str:
    """Return the column that is asked for, or else "answer", or else the only one."""
    if column is not None or "answer" in table.columns or len(table.columns) != 1:
        return _check_column(table, column or "answer", hint=column is None)
    (only,) = table.columns
    if survey is not None and only in survey.categories:
        raise InvalidFile(f"{table.name}, row 1: {only!r} is an answer, not a column's name.")
    return only or _check_column(table, "answer", hint=True)


def _check_column(table: Table, name: str, *, hint: bool = False) -> str:
    """Refuse the name of no column, and of several."""
    count = list(table.columns).count(name)
    if count == 1:
        return name
    if count:
        raise InvalidFile(f"{table.name}: there is more than one column {name!r}.")
    shown = ", ".join(repr(other) for other in table.columns[:_MOST_NAMES]) or "none"
    more = f" and {rest:,} more" if (rest := len(table.columns) - _MOST_NAMES) > 0 else ""
    choose = " Choose one with --column." if hint else ""
    raise InvalidFile(
        f"{table.name}: there is no column {name!r}; the columns are {shown}{more}.{choose}"
    )


def _look_up(
    table: Table,
    survey: Survey,
    batch: Any,
    column: str,
    by: Sequence[str],
    unknown: str,
    first_row: int,
) -> Answers:
    _check_kind(table, column, batch.column(column))
    try:
        found = positions(survey, batch.column(column), "error" if unknown == "error" else "drop")
    except InvalidAnswer as error:
        place = f"{table.name}, row {first_row + (error.row or 0)}: "
        raise InvalidFile(error.describe(place)) from None
    kept = batch.select(list(by)) if by else None
    missing = found < 0
    count = int(np.count_nonzero(missing))
    if count and unknown == "drop":
        found = found[~missing]
        kept = kept.filter(~missing) if kept is not None else None
    elif count:
        found[missing] = survey.index(unknown)
    return Answers(found, kept, count)


def _check_kind(table: Table, column: str, answers: Any) -> None:
    if wrong := wrong_kind(answers.type):
        raise InvalidFile(
            f"{table.name}: the column {column!r} is {wrong}; answers are text or whole numbers."
        )
