"""Answers in columns and lists, as the values that mechanisms randomize."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..device.answers.base import Answers
from ..device.survey import Survey
from ..device.values import ArrowColumn
from ..errors import InvalidArgument
from .cleaning import AS_THEY_ARE, MISSING, UNKNOWN, Cleaning
from .columns import ANSWERS, VIEWS, arrow, as_column, by_chunk, is_column, is_list, wrong_kind
from .kinds import kind_of
from .kinds.base import Values
from .paged import OnPages

__all__ = ["LookedUp", "as_answers", "check_cleaning", "check_kind", "look_up", "values_of"]


V = TypeVar("V", bound=Values | OnPages)


@dataclass(frozen=True)
class LookedUp(Generic[V]):
    """Answers as values.

    `seen` are the categories or options that occur, None where they are not kept; `missing` and
    `unknown` are how many rows had no answer, or one that is not allowed, and `outside` how many
    numbers were taken for an end of their scale. Where some rows were left out, `known` says which
    the values are of.
    """

    values: V
    known: NDArray[np.bool_] | None
    seen: set[int] | None
    missing: int
    unknown: int
    outside: int = 0

    def filter(self, batch: Any) -> Any:
        """Return those rows of an Arrow record batch."""
        if self.known is None:
            return batch
        columns = [c.dictionary_encode() if str(c.type) in VIEWS else c for c in batch.columns]
        return arrow().record_batch(columns, batch.schema.names).filter(arrow().array(self.known))


def look_up(survey: Survey, answers: Any, cleaning: Cleaning = AS_THEY_ARE) -> LookedUp[Values]:
    """Look up the answers of an Arrow array, cleaned.

    Where `cleaning` has an error for it, one that is missing or not allowed raises InvalidAnswer
    with its row, counted from 0.
    """
    kind = kind_of(survey.answers)
    values, states, error, seen, outside = kind.find(answers, cleaning)
    if not states.any():
        return LookedUp(values, None, seen, 0, 0, outside)
    wrong, left_out = np.zeros(len(states), dtype=bool), np.zeros(len(states), dtype=bool)
    counts = {}
    for state, choice in ((MISSING, cleaning.missing), (UNKNOWN, cleaning.unknown)):
        these = states == state
        counts[state] = int(np.count_nonzero(these))
        if choice == "error":
            wrong |= these
        elif choice == "drop":
            left_out |= these
        else:
            values[these] = kind.value(choice)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise error(row).at(row)
    rest = seen, counts[MISSING], counts[UNKNOWN], outside
    if not left_out.any():
        return LookedUp(values, None, *rest)
    return LookedUp(values[~left_out], ~left_out, *rest)


def check_cleaning(owner: str, cleaning: Cleaning, survey: Survey[Any]) -> None:
    """Refuse a cleaning that does not go with the survey."""
    kind = kind_of(survey.answers)
    for parameter, choice in (("missing", cleaning.missing), ("unknown", cleaning.unknown)):
        if choice not in ("error", "drop") and not kind.may_become(parameter, choice):
            raise InvalidArgument(owner, parameter, kind.choices, choice)
    cleaning.check(owner, survey)


def check_kind(answers: Answers[Any] | None, kind: Any) -> str | None:
    """Return the name of a column's type if it cannot be that of these answers."""
    if answers is not None and kind_of(answers).takes_lists and is_list(kind):
        return wrong_kind(kind.value_type)
    return wrong_kind(kind)


def values_of(survey: Survey[Any], answers: Iterable[object] | ArrowColumn) -> Values:
    """Return the values of a list, an array or a column, or raise InvalidAnswer with the row."""
    if is_column(answers):
        column = as_answers(answers)
        if not isinstance(column, list):
            return _of_column(survey, column)
        answers = column
    if isinstance(answers, str) or not isinstance(answers, Iterable):
        raise InvalidArgument("Survey.randomize_batch", "answers", "a sequence", answers)
    given = answers if isinstance(answers, np.ndarray) else list(answers)
    return kind_of(survey.answers).values(given)


def as_answers(data: Any) -> Any:
    """Return a pyarrow ChunkedArray of a column of answers, or a list if it mixes their types."""
    owner, parameter = "Survey.randomize_batch", "answers"
    try:
        return as_column(owner, parameter, data)
    except arrow().ArrowException as error:
        if not hasattr(data, "to_list"):
            rule = "a column that Arrow can hold"
            raise InvalidArgument(owner, parameter, rule, str(error)) from None
        return data.to_list()


def _of_column(survey: Survey, column: Any) -> Values:
    if wrong := check_kind(survey.answers, column.type):
        raise InvalidArgument("Survey", "answers", ANSWERS, wrong)
    outside = 0

    def values(chunk: Any) -> Values:
        nonlocal outside
        found = look_up(survey, chunk)
        outside += found.outside
        return found.values

    found = by_chunk(column, values)
    kind_of(survey.answers).note_outside(outside)
    return found
