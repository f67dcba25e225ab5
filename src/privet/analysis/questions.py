"""The answers to a questionnaire's pages, in columns: a page drawn for each row, and its values.

Only the answers on a row's page are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..answers.scale import Scale
from ..errors import InvalidAnswer, InvalidArgument
from .columns import ANSWERS, arrow, is_column
from .lookup import LookedUp, as_answers, check_kind, look_up, note_outside, values_of
from .paged import OnPages, draw_pages

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..entropy import Entropy
    from ..pages import Page
    from ..questionnaire import Questionnaire
    from ..survey import Survey
    from .cleaning import Cleaning

    # A question's answers in some rows.
    Take = Callable[[Survey, NDArray[np.intp]], LookedUp]

__all__ = ["look_up_pages", "values_of_table"]


def look_up_pages(
    questionnaire: Questionnaire, columns: Mapping[str, Any], n: int, cleaning: Cleaning
) -> LookedUp:
    """Draw a page for each of n rows, and look up the answers on it, as `look_up` does.

    Each question's column is an Arrow array, by its id.
    """

    def take(question: Survey, rows: NDArray[np.intp]) -> LookedUp:
        return look_up(question, _taken(columns[question.id], rows), cleaning)

    return _drawn(questionnaire, n, take, None)


def values_of_table(questionnaire: Questionnaire, answers: Any, entropy: Entropy | None) -> OnPages:
    """Draw a page for each row of a mapping or a table, and return the values of its answers."""
    columns = _columns(questionnaire, answers)

    def take(question: Survey, rows: NDArray[np.intp]) -> LookedUp:
        if question.id not in columns:
            raise InvalidAnswer(None).at(0)
        column = columns[question.id]
        if not isinstance(column, list):
            found = look_up(question, _taken(column, rows))
            if isinstance(question.answers, Scale):
                note_outside(question.answers, found.outside)
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
    pages = draw_pages(questionnaire.mechanism, n, entropy)  # type: ignore[arg-type]
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
    columns = []
    for one in found:
        if one.known is None:
            columns.append(one.values[kept])
        else:
            columns.append(one.values[kept[one.known]])
    if len(columns) == 1:
        return columns[0]
    value = np.zeros(int(kept.sum()), dtype=np.int64)
    for question, size, column in zip(page.questions, page.sizes, columns, strict=True):
        if isinstance(question.answers, Scale):
            column = np.searchsorted(question.answers.band_places, column, side="right")
        value = value * size + column
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
    columns = {}
    for name, column in answers.items():
        if is_column(column):
            column = as_answers(column)
        if not isinstance(column, list) and hasattr(column, "combine_chunks"):
            if wrong := check_kind(questionnaire[name].answers, column.type):
                raise InvalidArgument(owner, f"answers[{name!r}]", ANSWERS, wrong.partition(";")[0])
            column = column.combine_chunks()
            if hasattr(column, "chunks"):
                column = arrow().concat_arrays(column.chunks)
            if "_view" in str(column.type):  # of which Arrow takes no rows
                column = arrow().array(column.to_pylist())
        elif not isinstance(column, list):
            if isinstance(column, str | bytes) or not isinstance(column, Iterable):
                raise InvalidArgument(owner, f"answers[{name!r}]", "a column of answers", column)
            column = list(column)
        columns[name] = column
    return columns
