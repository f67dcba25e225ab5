"""Answers in columns and lists, as the values that mechanisms randomize.

What a value is, the kind of answer says: a position among the categories, a row of positions with
-1 for none, or a place on a scale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import singledispatch
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from ..device.answers.base import Answers
from ..device.answers.scale import FRACTION_BITS, Scale
from ..device.answers.several import Several
from ..device.survey import Survey
from ..device.values import ArrowColumn, text_of
from ..errors import Clamped, InvalidAnswer, InvalidArgument
from .cleaning import AS_THEY_ARE, MISSING, UNKNOWN, Cleaning
from .columns import (
    ANSWERS,
    VIEWS,
    arrow,
    as_column,
    by_chunk,
    is_column,
    number_values,
    numbers_in,
    wrong_kind,
)

Values = NDArray[np.int64]

__all__ = ["LookedUp", "as_answers", "check_kind", "look_up", "note_outside", "values_of"]

# So many numbers at a time stay in the processor's cache from one step to the next.
_CACHED = 1 << 14
# What stands between the options of one cell of a table.
SEPARATOR = ";"


class LookedUp(NamedTuple):
    """Answers as values.

    `seen` are the categories or options that occur; `missing` and `unknown` are how many rows had
    no answer, or one that is not allowed, and `outside` how many numbers were taken for an end of
    their scale. Where some rows were left out, `known` says which the values are of.
    """

    values: Values
    known: NDArray[np.bool_] | None
    seen: set[int]
    missing: int
    unknown: int
    outside: int = 0

    def filter(self, batch: Any) -> Any:
        """Return those rows of an Arrow record batch."""
        if self.known is None:
            return batch
        columns = [c.dictionary_encode() if str(c.type) in VIEWS else c for c in batch.columns]
        return arrow().record_batch(columns, batch.schema.names).filter(arrow().array(self.known))


class Found(NamedTuple):
    """The values of all rows, which of them mean something else, and what is wrong with those."""

    values: Values
    states: NDArray[np.int8]
    error: Callable[[int], InvalidAnswer]
    seen: set[int]
    outside: int = 0


def look_up(survey: Survey, answers: Any, cleaning: Cleaning = AS_THEY_ARE) -> LookedUp:
    """Look up the answers of an Arrow array, cleaned.

    Where `cleaning` has an error for it, one that is missing or not allowed raises InvalidAnswer
    with its row, counted from 0.
    """
    values, states, error, seen, outside = _find(survey.answers, answers, cleaning)
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
            several = isinstance(survey.answers, Several)
            values[these] = -1 if several else survey.answers.value(choice)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise error(row).at(row)
    rest = seen, counts[MISSING], counts[UNKNOWN], outside
    if not left_out.any():
        return LookedUp(values, None, *rest)
    return LookedUp(values[~left_out], ~left_out, *rest)


def check_kind(answers: Answers | None, kind: Any) -> str | None:
    """Return the name of a column's type if it cannot be that of these answers."""
    if isinstance(answers, Several) and _is_list(kind):
        kind = kind.value_type
    return wrong_kind(kind)


# --- one column -----------------------------------------------------------------------------------


@singledispatch
def _find(answers: Any, column: Any, cleaning: Cleaning) -> Found:
    """Return the value of every row."""
    rows, texts = number_values(column)
    places = np.array([cleaning.place(answers.names, text) for text in texts], dtype=np.int64)
    found, seen = places[rows], {*places.tolist()} - {MISSING, UNKNOWN}
    states = np.minimum(found, 0).astype(np.int8)

    def error(row: int) -> InvalidAnswer:
        answer = texts[rows[row]]
        return InvalidAnswer(answer, nearest=answers.names.nearest(answer))

    return Found(found, states, error, seen)


@_find.register
def _(answers: Several, column: Any, cleaning: Cleaning) -> Found:
    if _is_list(column.type):
        rows, cells = _of_lists(column)
    else:
        rows, texts = number_values(column)
        cells = [_split(cleaning.text(text)) for text in texts]
    values = np.full((len(cells), answers.most), -1, dtype=np.int64)
    states, errors = np.zeros(len(cells), dtype=np.int8), {}
    seen: set[int] = set()
    for i, cell in enumerate(cells):
        if cell is None:
            states[i], errors[i] = MISSING, InvalidAnswer(None, rule=_LIST)
            continue
        try:
            if not isinstance(cell, bytes):  # which are no text
                cell = [cleaning.spelled(answers.names, one) for one in cell]
            chosen = answers.value(cell)
        except InvalidAnswer as error:
            states[i], errors[i] = UNKNOWN, error
            continue
        values[i, : len(chosen)] = chosen
        seen.update(chosen)
    return Found(values[rows], states[rows], lambda row: errors[int(rows[row])], seen)


_LIST = f"a list of options, with {SEPARATOR!r} between them"


def _is_list(kind: Any) -> bool:
    types = arrow().types
    lists = types.is_list, types.is_large_list, types.is_fixed_size_list
    return any(test(kind) for test in lists)


def _split(text: Any) -> Any:
    """Return the options in a text; bytes and what is missing as they are."""
    if not isinstance(text, str):
        return text
    return [part for part in map(str.strip, text.split(SEPARATOR)) if part]


def _of_lists(column: Any) -> tuple[NDArray[np.int64], list[Any]]:
    """Return each row's number among the different lists of a column, and these."""
    different: dict[Any, int] = {}
    found = (None if one is None else tuple(one) for one in column.to_pylist())
    rows = [different.setdefault(one, len(different)) for one in found]
    return np.array(rows, dtype=np.int64), [*different]


@_find.register
def _(answers: Scale, column: Any, cleaning: Cleaning) -> Found:
    types, kind = arrow().types, column.type
    if types.is_integer(kind) or types.is_floating(kind):
        floats = column.cast(arrow().float64(), safe=False)  # integers beyond 2^53 are rounded
        numbers = numbers_in(floats, np.float64, np.nan)
        absent = np.isnan(numbers)
    else:
        rows, words = number_values(column)
        cleaned = [cleaning.text(word) for word in words]
        parsed = np.array([_parsed(word) for word in cleaned])
        numbers = parsed[rows]
        absent = np.array([word is None for word in cleaned], dtype=bool)[rows]
    states = np.zeros(len(numbers), dtype=np.int8)
    states[~np.isfinite(numbers)] = UNKNOWN
    if answers.whole:
        states[np.isfinite(numbers) & (numbers != np.floor(numbers))] = UNKNOWN
    states[absent] = MISSING
    values, outside = places(answers, np.where(states == 0, numbers, answers.low))

    def error(row: int) -> InvalidAnswer:
        answer = None
        if states[row] != MISSING:
            answer = column[row].as_py()
            answer = cleaning.text(text_of(answer)) if isinstance(answer, bytes | str) else answer
        try:
            answers.number(answer)
        except InvalidAnswer as known:
            return known
        return InvalidAnswer(answer, rule="a number")

    return Found(values, states, error, set(), outside)


def _parsed(word: Any) -> float:
    try:
        return Scale.as_number(word)
    except InvalidAnswer:
        return np.nan


def places(scale: Scale, numbers: NDArray[np.float64]) -> tuple[Values, int]:
    """Return numbers as places on a scale, as `Scale.value` does, and how many lie outside."""
    found, outside = np.empty(len(numbers), dtype=np.int64), 0
    for at in range(0, len(numbers), _CACHED):
        some = numbers[at : at + _CACHED]
        inside = some.clip(scale.low, scale.high)
        outside += int(np.count_nonzero(inside != some))
        inside -= scale.low
        inside *= scale.cells - 1
        inside /= scale.high - scale.low
        np.minimum(inside, scale.cells - 1.0, out=inside)
        inside *= 1 << FRACTION_BITS
        found[at : at + _CACHED] = inside
    return found, outside


# --- answers of any form --------------------------------------------------------------------------


def values_of(survey: Survey[Any], answers: Iterable[object] | ArrowColumn) -> Values:
    """Return the values of a list, an array or a column, or raise InvalidAnswer with the row."""
    if is_column(answers):
        column = as_answers(answers)
        if not isinstance(column, list):
            return _of_column(survey, column)
        answers = column
    if isinstance(answers, str) or not isinstance(answers, Iterable):
        raise InvalidArgument("Survey.randomize_batch", "answers", "a sequence", answers)
    kind, given = survey.answers, answers if isinstance(answers, np.ndarray) else list(answers)
    if isinstance(kind, Scale):
        return _numbers(kind, given)
    if not isinstance(kind, Several):
        try:
            places = kind.names.positions
            return np.array([places[one] for one in given], dtype=np.int64)  # type: ignore[index]
        except (KeyError, TypeError):
            return np.array(_one_by_one(kind, given), dtype=np.int64)
    rows = _one_by_one(kind, given)
    values = np.full((len(rows), kind.most), -1, dtype=np.int64)
    for row, chosen in enumerate(rows):
        values[row, : len(chosen)] = chosen
    return values


def _one_by_one(kind: Answers, answers: Iterable[object]) -> list[Any]:
    values = []
    for row, answer in enumerate(answers):
        try:
            values.append(kind.value(answer))
        except InvalidAnswer as error:
            raise error.at(row) from None
    return values


def _numbers(scale: Scale, answers: Any) -> Values:
    try:
        numbers = np.asarray(answers)
    except ValueError:  # rows of different lengths
        numbers = np.empty(0, dtype=object)
    good = numbers.ndim == 1 and numbers.dtype.kind in "iuf" and bool(np.isfinite(numbers).all())
    if isinstance(answers, list):  # in which numpy takes truth values for numbers
        good = good and {bool, np.bool_}.isdisjoint(map(type, answers))
    if not good or (scale.whole and (numbers != np.floor(numbers)).any()):
        given = answers if isinstance(answers, list) else answers.tolist()
        return np.array(_one_by_one(scale, given), dtype=np.int64)
    values, outside = places(scale, numbers.astype(np.float64, copy=False))
    note_outside(scale, outside)
    return values


def note_outside(scale: Any, outside: int) -> None:
    """Warn of numbers that were taken for an end of their scale; other answers have none."""
    if outside:
        many = "1 answer lies" if outside == 1 else f"{outside:,} answers lie"
        note = f"{many} outside {scale.low:g} to {scale.high:g}, and count as the nearer end."
        warn(note, Clamped, stacklevel=2)


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
    note_outside(survey.answers, outside)
    return found
