"""The answers to a questionnaire's pages, in columns: a page drawn for each row, and its values.

Only the answers on a row's page are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..device.entropy import Entropy
from ..device.pages import Page
from ..device.questionnaire import Questionnaire
from ..device.survey import Survey
from ..errors import InvalidAnswer, InvalidArgument
from .cleaning import Cleaning
from .columns import ANSWERS, arrow, is_column
from .kinds import kind_of
from .lookup import LookedUp, as_answers, check_kind, look_up, values_of
from .paged import OnPages, draw_pages

# A question's answers in some rows.
Take = Callable[[Survey, NDArray[np.intp]], LookedUp]

__all__ = ["look_up_columns", "values_of_table"]


def look_up_columns(
    contract: Survey | Questionnaire, columns: Mapping[str, Any], n: int, cleaning: Cleaning
) -> LookedUp:
    """Look up the answers in n rows, as `look_up` does: to a survey, or on a page drawn for each.

    Each question's column is an Arrow array, by its id.
    """
    if isinstance(contract, Survey):
        return look_up(contract, columns[contract.id], cleaning)

    def take(question: Survey, rows: NDArray[np.intp]) -> LookedUp:
        return look_up(question, _taken(columns[question.id], rows), cleaning)

    return _drawn(contract, n, take, None)


def values_of_table(questionnaire: Questionnaire, answers: Any, entropy: Entropy | None) -> OnPages:
    """Draw a page for each row of a mapping or a table, and return the values of its answers."""
    columns = _columns(questionnaire, answers)

    def take(question: Survey, rows: NDArray[np.intp]) -> LookedUp:
        if question.id not in columns:
            raise InvalidAnswer(None).at(0)
        column = columns[question.id]
        if not isinstance(column, list):
            found = look_up(question, _taken(column, rows))
            kind_of(question.answers).note_outside(found.outside)
            return found
        return LookedUp(values_of(question, [column[row] for row in rows]), None, set(), 0, 0)

    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) != 1:
        rule = "columns of one length"
        raise InvalidArgument("Questionnaire.randomize_batch", "answers", rule, lengths)
    found = _drawn(questionnaire, max(lengths.values()), take, entropy)
    drawn: OnPages = found.values  # type: ignore[assignment]
    return drawn


def _drawn(questionnaire: Questionnaire, n: int, take: Take, entropy: Entropy | None) -> LookedUp:
    pages = draw_pages(questionnaire.mechanism, n, entropy)
    known, values = np.ones(n, dtype=bool), []
    missing = unknown = outside = 0
    errors: list[InvalidAnswer] = []
    for page in questionnaire.pages:
        rows = np.flatnonzero(pages == page.number)
        found = []
        for question in page.questions:
            try:
                found.append(take(question, rows))
            except InvalidAnswer as error:
                row = int(rows[error.row or 0]) if len(rows) else 0
                errors.append(error.at(row, question.id))
        if errors:
            continue
        kept = np.ones(len(rows), dtype=bool)
        for one in found:
            kept &= True if one.known is None else one.known
            missing, unknown = missing + one.missing, unknown + one.unknown
            outside += one.outside
        known[rows[~kept]] = False
        values.append(_joined(page, found, kept))
    if errors:
        raise min(errors, key=lambda error: error.row or 0)
    drawn = OnPages(pages[known], tuple(values))
    return LookedUp(drawn, None if known.all() else known, set(), missing, unknown, outside)  # type: ignore[arg-type]


def _joined(page: Page, found: list[LookedUp], kept: NDArray[np.bool_]) -> Any:
    """Return the values of a page, of the rows in which all of its questions have one."""
    columns = [one.values[kept if one.known is None else kept[one.known]] for one in found]
    if len(columns) == 1:
        return columns[0]
    value = np.zeros(int(kept.sum()), dtype=np.int64)
    for question, size, column in zip(page.questions, page.sizes, columns, strict=True):
        value = value * size + kind_of(question.answers).in_tables(column)
    return value


def _taken(column: Any, rows: NDArray[np.intp]) -> Any:
    return column.take(arrow().array(rows))


def _columns(questionnaire: Questionnaire, answers: Any) -> dict[str, Any]:
    """Return the columns of a mapping or a table, each an Arrow array or a list."""
    owner = "Questionnaire.randomize_batch"
    if not isinstance(answers, Mapping):
        if not is_column(answers):
            rule = "a mapping of question ids to columns, or a table"
            raise InvalidArgument(owner, "answers", rule, answers)
        table = arrow().table(answers)
        ids = [one.id for one in questionnaire.surveys if one.id in table.column_names]
        answers = {name: table.column(name) for name in ids}
    questionnaire.check_ids(owner, answers)
    return {
        name: _column(owner, f"answers[{name!r}]", questionnaire[name], column)
        for name, column in answers.items()
    }


def _column(owner: str, parameter: str, question: Survey, column: Any) -> Any:
    """Return a column of answers as an Arrow array, or as a list."""
    if is_column(column):
        column = as_answers(column)
        if isinstance(column, list):
            return column
        if wrong := check_kind(question.answers, column.type):
            raise InvalidArgument(owner, parameter, ANSWERS, wrong)
        column = column.combine_chunks()
        if hasattr(column, "chunks"):
            column = arrow().concat_arrays(column.chunks)
        # Arrow takes no rows of views.
        return arrow().array(column.to_pylist()) if "_view" in str(column.type) else column
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        raise InvalidArgument(owner, parameter, "a column of answers", column)
    return list(column)
