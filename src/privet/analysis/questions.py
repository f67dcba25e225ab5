"""Answers in columns into values, and values into reports, for all kinds of contract.

The values of a survey are those of its kind of answer. For a questionnaire, a page is drawn for
each row, and the values are `OnPages`; only the answers on a row's page are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..device.contract import Contract
from ..device.entropy import Entropy
from ..device.pages import Page
from ..device.questionnaire import Questionnaire
from ..device.survey import Survey
from ..errors import InvalidAnswer, InvalidArgument
from .cleaning import Cleaning
from .columns import ANSWERS, arrow, is_column
from .kinds import kind_of
from .kinds.base import Values
from .lookup import LookedUp, as_answers, check_kind, look_up, values_of
from .paged import OnPages, draw_pages

# A question's answers in some rows.
Take = Callable[[Survey, NDArray[np.intp]], LookedUp[Values]]

__all__ = ["look_up_columns", "randomize", "values_of_table"]


def randomize(
    contract: Contract,
    values: Values | OnPages,
    entropy: Entropy | None = None,
    workers: int | None = None,
) -> NDArray[np.uint8]:
    """Return one report per row of values, which each kind of answer settles first."""
    if entropy is not None and not isinstance(entropy, Entropy):
        rule = "an Entropy, such as privet.entropy.seeded(1)"
        raise InvalidArgument("randomize_batch", "entropy", rule, entropy)
    settled = _settled(contract, values, entropy)
    return contract.mechanism.randomize(settled, entropy=entropy, workers=workers)


def _settled(
    contract: Contract, values: Values | OnPages, entropy: Entropy | None
) -> Values | OnPages:
    """Return what the mechanism randomizes."""
    if not isinstance(values, OnPages):
        return kind_of(contract.pages[0].answers).settled(values, entropy)
    pages = zip(contract.pages, values.values, strict=True)
    parts = (kind_of(page.answers).settled(some, entropy) for page, some in pages)
    return OnPages(values.pages, tuple(parts))


def look_up_columns(
    contract: Contract, columns: Mapping[str, Any], n: int, cleaning: Cleaning
) -> LookedUp[Values] | LookedUp[OnPages]:
    """Look up the answers in n rows, as `look_up` does: to a survey, or on a page drawn for each.

    Each question's column is an Arrow array, by its id.
    """
    if (survey := contract.only) is not None:
        return look_up(survey, columns[survey.id], cleaning)

    def take(question: Survey, rows: NDArray[np.intp]) -> LookedUp[Values]:
        return look_up(question, _taken(columns[question.id], rows), cleaning)

    return _drawn(contract, n, take, None)


def values_of_table(questionnaire: Questionnaire, answers: Any, entropy: Entropy | None) -> OnPages:
    """Draw a page for each row of a mapping or a table, and return the values of its answers."""
    columns = _columns(questionnaire, answers)

    def take(question: Survey, rows: NDArray[np.intp]) -> LookedUp[Values]:
        if question.id not in columns:
            raise InvalidAnswer(None).at(0)
        column = columns[question.id]
        if not isinstance(column, list):
            found = look_up(question, _taken(column, rows))
            kind_of(question.answers).note_outside(found.outside)
            return found
        return LookedUp(values_of(question, [column[row] for row in rows]), None, None, 0, 0)

    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) != 1:
        rule = "columns of one length"
        raise InvalidArgument("Questionnaire.randomize_batch", "answers", rule, lengths)
    return _drawn(questionnaire, max(lengths.values()), take, entropy).values


def _drawn(contract: Contract, n: int, take: Take, entropy: Entropy | None) -> LookedUp[OnPages]:
    pages = draw_pages([page.weight for page in contract.pages], n, entropy)
    known, values = np.ones(n, dtype=bool), []
    missing = unknown = outside = 0
    errors: list[InvalidAnswer] = []
    for page in contract.pages:
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
    return LookedUp(drawn, None if known.all() else known, None, missing, unknown, outside)


def _joined(page: Page, found: list[LookedUp[Values]], kept: NDArray[np.bool_]) -> Values:
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
