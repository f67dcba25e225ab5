"""Answers from files, as the values that mechanisms randomize."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from ..analysis.cleaning import AS_THEY_ARE, Cleaning
from ..analysis.columns import ANSWERS, number_values, ordered_levels
from ..analysis.kinds.base import Values
from ..analysis.lookup import check_cleaning, check_kind
from ..analysis.paged import OnPages
from ..analysis.progress import Progress, no_progress
from ..analysis.questions import look_up_columns
from ..device.contract import Contract
from ..device.survey import Survey
from ..device.values import in_order, plainly
from ..device.wording import slug
from ..errors import InvalidAnswer, InvalidArgument, InvalidFile
from .counts import people_in
from .formats import OpenTable, open_table
from .groups import check_apart
from .paths import Paths, as_paths
from .reading import check_column

__all__ = ["AnswersOfFile", "CountedAnswers", "check_for_survey", "count_answers", "read_answers"]


class AnswersOfFile(NamedTuple):
    """A chunk of a file: the values of its answers, and the columns that groups are made by.

    `people` is how many gave each answer, None where it is one each. `column` is the answers',
    `seen` which categories occur, None where they are not kept; `missing` and `unknown` are how
    many rows had no answer, or one that is not allowed, and `outside` how many numbers were beyond
    an end of their scale. Where rows were dropped, `values`, `people` and `by` lack them.
    """

    values: Values | OnPages
    people: NDArray[np.int64] | None
    by: Any
    column: str
    seen: set[int] | None
    missing: int
    unknown: int
    outside: int


class CountedAnswers(NamedTuple):
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
    contract: Contract,
    column: str | None = None,
    *,
    count: str | None = None,
    by: Sequence[str] = (),
    cleaning: Cleaning = AS_THEY_ARE,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Generator[AnswersOfFile, None, None]:
    """Yield chunks of the answers in a column of files, in their order.

    Without a column name, a file must have a column "answer" or a single one; the column `count`
    says how many people gave a row's answer. The answers to a questionnaire are in the columns that
    its questions' ids name. `cleaning` says what becomes of rows without an answer, and of answers
    that are not allowed. The columns `by` come along as an Arrow record batch.
    """
    check_for_survey(contract, column=column, count=count)
    for question in contract.surveys:
        check_cleaning("randomize", cleaning, question)
    for path in as_paths("read_answers", paths):
        with open_table(path, delimiter, sheet) as table:
            columns = _columns_of(table, contract, column, count)
            yield from _looked_up(table, contract, columns, count, by, cleaning)


def check_for_survey(contract: Contract, **options: str | None) -> None:
    """Refuse options that questionnaires have no use for: their ids are columns, a row a person."""
    for parameter, given in options.items():
        if given is not None and contract.only is None:
            rule = "left out for a questionnaire"
            raise InvalidArgument("randomize", parameter, rule, given)


def _columns_of(
    table: OpenTable, contract: Contract, column: str | None, count: str | None
) -> dict[str, Survey]:
    """Return the columns with the answers: a survey's, or those that the questions' ids name."""
    if (survey := contract.only) is not None:
        return {_choose_column(table, column, count, survey): survey}
    slugs = {slug(name, ""): name for name in reversed(table.columns)}
    found = {}
    for question in contract.surveys:
        name = question.id if question.id in table.columns else slugs.get(question.id, question.id)
        found[check_column(table.name, table.columns, name)] = question
    return found


def _looked_up(
    table: OpenTable,
    contract: Contract,
    columns: Mapping[str, Survey],
    count: str | None,
    by: Sequence[str],
    cleaning: Cleaning,
) -> Generator[AnswersOfFile, None, None]:
    check_apart(columns, by)
    for name in by:
        check_column(table.name, table.columns, name)
    for row, batch in _batches(table, columns, count, by):
        people = None if count is None else people_in(table, row, batch, count)
        try:
            by_id = {question.id: batch.column(name) for name, question in columns.items()}
            found = look_up_columns(contract, by_id, len(batch), cleaning)
        except InvalidAnswer as error:
            place = table.place(row + (error.row or 0))
            asked = contract.only or contract[error.question or ""]
            remedy = cleaning.remedy(asked.answers.names, error.answer)
            raise InvalidFile(error.describe(f"{place}: "), parameter=remedy) from None
        others = found.filter(batch.select(list(by))) if by else None
        if people is not None and found.known is not None:
            people = people[found.known]
        rest = found.seen, found.missing, found.unknown, found.outside
        yield AnswersOfFile(found.values, people, others, ", ".join(columns), *rest)


def count_answers(
    paths: Paths,
    column: str | None = None,
    *,
    count: str | None = None,
    cleaning: Cleaning = AS_THEY_ARE,
    delimiter: str | None = None,
    sheet: str | None = None,
    progress: Progress = no_progress,
) -> CountedAnswers:
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
                for row, batch in _batches(table, {name: None}, count):
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
    return CountedAnswers(
        " or ".join(names), _spelled_once(counts, cleaning, order), missing, total
    )


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
    table: OpenTable,
    columns: Mapping[str, Survey | None],
    count: str | None = None,
    by: Sequence[str] = (),
) -> Generator[tuple[int, Any], None, None]:
    """Yield the number of a batch's first row, and the batch."""
    row = 1
    wanted = dict.fromkeys([*columns, *by, *filter(None, [count])])
    with closing(table.read([*wanted])) as batches:
        for batch in batches:
            for column, question in columns.items():
                answers = question.answers if question else None
                if wrong := check_kind(answers, batch.column(column).type):
                    said = f"the column {column!r} is {wrong}; answers are {ANSWERS}"
                    raise InvalidFile(f"{table.name}: {said}.")
            yield row, batch
            row += len(batch)


def _choose_column(
    table: OpenTable, column: str | None, count: str | None, survey: Survey | None = None
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
