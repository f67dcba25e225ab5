"""Answers from files, as positions among a survey's categories."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

import numpy as np

from ..analysis.cleaning import Cleaning
from ..analysis.columns import ANSWERS, number_values, ordered_levels, wrong_kind
from ..analysis.lookup import look_up
from ..errors import InvalidAnswer, InvalidArgument, InvalidFile
from ..values import in_order, plainly
from .counts import people_in
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

__all__ = ["Answers", "Counted", "count_answers", "read_answers"]

_AS_THEY_ARE = Cleaning()


class Answers(NamedTuple):
    """A chunk of a file: the positions of its answers, and the columns that groups are made by.

    `people` is how many gave each answer, None where it is one each. `column` is the answers',
    `seen` which positions occur, and `missing` and `unknown` how many rows had no answer, or one
    that was no category. Where these were dropped, `positions`, `people` and `by` lack their rows.
    """

    positions: NDArray[np.int64]
    people: NDArray[np.int64] | None
    by: Any
    column: str
    seen: set[int]
    missing: int
    unknown: int


class Counted(NamedTuple):
    """How often each answer occurs in a column, and how many rows have none.

    The answers are in order: that of ordered categories, or numbers as numbers, and then text.
    Where a column says how many people a row stands for, these are counted; `rows` are all rows.
    """

    column: str
    counts: Counter[str]
    missing: int
    rows: int


def read_answers(
    paths: Paths,
    survey: Survey,
    column: str | None = None,
    *,
    count: str | None = None,
    by: Sequence[str] = (),
    cleaning: Cleaning = _AS_THEY_ARE,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Generator[Answers, None, None]:
    """Yield chunks of the answers in a column of files, in their order.

    Without a column name, a file must have a column "answer" or a single one; the column `count`
    says how many people gave a row's answer. `cleaning` says what becomes of rows without an
    answer, and of answers that are no category. The columns `by` come along as an Arrow record
    batch.
    """
    cleaning.check("randomize", survey)
    for path in as_paths("read_answers", paths):
        with open_table(path, delimiter, sheet) as table:
            name = _choose_column(table, column, count, survey)
            yield from _looked_up(table, survey, name, count, by, cleaning)


def _looked_up(
    table: Table,
    survey: Survey,
    column: str,
    count: str | None,
    by: Sequence[str],
    cleaning: Cleaning,
) -> Generator[Answers, None, None]:
    if column in by:
        rule = f"other columns than {column!r}: the answers would be in the clear"
        raise InvalidArgument("randomize", "by", rule, list(by))
    for name in by:
        check_column(table.name, table.columns, name)
    for row, batch in _batches(table, column, count, by):
        people = None if count is None else people_in(table, row, batch, count)
        try:
            found = look_up(survey, batch.column(column), cleaning)
        except InvalidAnswer as error:
            place = table.place(row + (error.row or 0))
            remedy = cleaning.remedy(survey.answers.names, error.answer)
            raise InvalidFile(error.describe(f"{place}: "), parameter=remedy) from None
        others = found.filter(batch.select(list(by))) if by else None
        if people is not None and found.known is not None:
            people = people[found.known]
        rest = column, found.seen, found.missing, found.unknown
        yield Answers(found.values, people, others, *rest)


def count_answers(
    paths: Paths,
    column: str | None = None,
    *,
    count: str | None = None,
    cleaning: Cleaning = _AS_THEY_ARE,
    delimiter: str | None = None,
    sheet: str | None = None,
    progress: Progress = no_progress,
) -> Counted:
    """Count the answers in a column of files, cleaned; or the people of the column `count`.

    Letters that are written in two ways are one answer, and so are answers that differ in case
    alone where that is ignored, by their most frequent spelling.
    """
    counts: Counter[str | None] = Counter()
    orders: set[tuple[str, ...]] = set()
    names: dict[str, None] = {}
    total = 0
    with progress("Reading") as advance:
        for path in as_paths("count_answers", paths):
            with open_table(path, delimiter, sheet) as table:
                name = _choose_column(table, column, count)
                names[name] = None
                for row, batch in _batches(table, name, count):
                    values = batch.column(name)
                    rows, answers = number_values(values)
                    if any(isinstance(answer, bytes) for answer in answers):
                        rule = "there is an answer that is not UTF-8 text"
                        raise InvalidFile(f"{table.name}, from row {row} on: {rule}.")
                    people = None if count is None else people_in(table, row, batch, count)
                    of_rows = np.bincount(rows, minlength=len(answers)).tolist()
                    times = np.bincount(rows, people, len(answers)).tolist()
                    for answer, some, often in zip(answers, of_rows, times, strict=True):
                        text = cleaning.text(answer)
                        counts[text] += some if text is None else int(often)
                    total += len(batch)
                    orders.add(tuple(ordered_levels(values) or ()))
                    advance(len(batch))
    missing = counts.pop(None, 0)
    (order,) = orders if len(orders) == 1 else [()]
    return Counted(" or ".join(names), _spelled_once(counts, cleaning, order), missing, total)


def _spelled_once(counts: Counter[Any], cleaning: Cleaning, order: Sequence[str]) -> Counter[str]:
    """Return the counts with one spelling of each answer, in order."""
    spellings: dict[str, Counter[str]] = {}
    for answer, spelled in zip(counts, plainly([*counts]), strict=True):
        text = normalize("NFC", spelled)
        spellings.setdefault(cleaning.fold(text), Counter())[text] += counts[answer]
    found = {
        min(texts, key=lambda text: (-texts[text], text)): texts.total()
        for texts in spellings.values()
    }
    ordered = [level for level in order if level in found]
    ordered = ordered if len(ordered) == len(found) else in_order(found)
    return Counter({answer: found[answer] for answer in ordered})


def _batches(
    table: Table, column: str, count: str | None = None, by: Sequence[str] = ()
) -> Generator[tuple[int, Any], None, None]:
    """Yield the number of a batch's first row, and the batch."""
    row = 1
    wanted = dict.fromkeys([column, *by, *filter(None, [count])])
    with closing(table.read([*wanted])) as batches:
        for batch in batches:
            if wrong := wrong_kind(batch.column(column).type):
                rule = f"the column {column!r} is {wrong}; answers are {ANSWERS}"
                raise InvalidFile(f"{table.name}: {rule}.")
            yield row, batch
            row += len(batch)


def _choose_column(
    table: Table, column: str | None, count: str | None, survey: Survey | None = None
) -> str:
    """Return the column that is asked for, or else "answer", or else the only one but `count`."""
    if count is not None:
        check_column(table.name, table.columns, count)
        if count == (column or "answer"):
            raise InvalidFile(f"{table.name}: {count!r} is the column of answers, not of counts.")
    if column is not None:
        return check_column(table.name, table.columns, column)
    others = [name for name in table.columns if name != count]
    only = others[0] if len(others) == 1 else ""
    if only and survey is not None and only in survey.categories:
        raise InvalidFile(f"{table.name}: the header {only!r} is an answer, not a column's name.")
    return only or check_column(table.name, table.columns, "answer", parameter="column")
