"""Covariates: what is known of people in the clear, as the columns of a regression.

Numbers and truth values are a column as they are; text, dates and categories become a column of
zeros and ones for each level but the baseline, which the others are compared with: the first, or
the one that is asked for. Levels have their text's order (`device.values.in_order`), or
their own if a column says that it is ordered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...device.values import in_order, text_of
from ...errors import InvalidArgument
from ..arrays import Floats
from ..columns import arrow, is_column, number_values, ordered_levels, wrong_kind

__all__ = ["MOST_LEVELS", "Covariates", "Term", "check_independent", "weights_of"]

INTERCEPT = "intercept"
_RULE = "rows of numbers or text, a mapping of names to columns, or a table"
# Text with more levels than this identifies people, or is a number in disguise.
MOST_LEVELS = 100
# A column that is so near to a sum of others, compared with its length, is one.
_DEPENDENT = 1e-9


@dataclass(frozen=True)
class Term:
    """A covariate: a number, or the levels of which all but the first have a column."""

    name: str
    levels: tuple[str, ...] | None = None

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        if self.levels is None:
            return [self.name]
        return [f"{self.name} = {level}" for level in self.levels[1:]]

    def led_by(self, owner: str, baseline: str) -> Term:
        """Return the same with another level first."""
        if baseline not in (self.levels or ()):
            levels = ", ".join(map(repr, self.levels)) if self.levels else "none, but numbers"
            rule = f"one of the levels of {self.name!r}, which are {levels}"
            raise InvalidArgument(owner, "baselines", rule, baseline)
        others = (level for level in self.levels or () if level != baseline)
        return Term(self.name, (baseline, *others))


@dataclass(frozen=True)
class Covariates:
    """The covariates of a fit, by which those of other people are read as well."""

    terms: tuple[Term, ...]
    named: bool

    @classmethod
    def read(
        cls, owner: str, covariates: Any, n: int, baselines: Mapping[str, str] | None = None
    ) -> tuple[Covariates, Floats]:
        """Return the covariates of n people, and the columns, the intercept first: (n, 1 + p).

        `baselines` are the levels that others are compared with, by covariate.
        """
        baselines = baselines or {}
        named, columns = _columns(owner, covariates)
        for name in baselines:
            if name not in columns:
                rule = f"names of covariates, which are {', '.join(columns)}"
                raise InvalidArgument(owner, "baselines", rule, name)
        terms, pieces = [], [np.ones((n, 1))]
        for name, data in columns.items():
            column = _Column.of(owner, name, data)
            if column.rows != n:
                rule = f"one row for each of the {n} reports"
                raise InvalidArgument(owner, "covariates", rule, f"{column.rows} rows ({name})")
            if len(column.term.levels or ()) > MOST_LEVELS:
                rule = f"text of at most {MOST_LEVELS} levels: {name!r} has more"
                raise InvalidArgument(owner, "covariates", rule, len(column.term.levels or ()))
            if column.term.columns in ([], [INTERCEPT]):
                rule = f"columns that differ between people, not called {INTERCEPT}"
                raise InvalidArgument(owner, "covariates", f"{rule}: {name!r} is not", column.term)
            term = column.term.led_by(owner, baselines[name]) if name in baselines else column.term
            terms.append(term)
            pieces.append(column.under(owner, term))
        return cls(tuple(terms), named), np.hstack(pieces)

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return [INTERCEPT, *(name for term in self.terms for name in term.columns)]

    def matrix(self, owner: str, covariates: Any) -> Floats:
        """Return the same columns for other people."""
        _, columns = _columns(owner, covariates)
        names = [term.name for term in self.terms]
        fits = columns.keys() >= {*names} if self.named else len(columns) == len(names)
        if not fits:
            rule = f"those of the fit: {', '.join(names)}"
            raise InvalidArgument(owner, "covariates", rule, [*columns])
        data = [columns[name] for name in names] if self.named else columns.values()
        pieces = [
            _Column.of(owner, term.name, column).under(owner, term)
            for term, column in zip(self.terms, data, strict=True)
        ]
        if len({len(piece) for piece in pieces}) != 1:
            rule = "one or more columns of the same length"
            raise InvalidArgument(owner, "covariates", rule, [len(piece) for piece in pieces])
        return np.hstack([np.ones((len(pieces[0]), 1)), *pieces])


def check_independent(owner: str, scaled: Floats, names: list[str]) -> None:
    """Raise if a column is a sum of those before it; `scaled` have about the same length."""
    if len(scaled) <= len(names):
        rule = f"fewer columns than there are reports, {len(scaled)}"
        raise InvalidArgument(owner, "covariates", rule, names)
    left = np.abs(np.diagonal(np.linalg.qr(scaled, mode="r")))
    dependent = left <= _DEPENDENT * np.linalg.norm(scaled, axis=0)
    if dependent.any():
        first = names[int(np.argmax(dependent))]
        rule = "columns that do not follow from others, nor are constant"
        raise InvalidArgument(owner, "covariates", rule, first)


def weights_of(owner: str, weights: Any, n: int) -> Floats:
    """Return survey weights of n people with mean 1, or raise if they are not numbers above 0."""
    rule = f"a number above 0 for each of the {n} reports"
    if isinstance(weights, str | bytes) or not (
        is_column(weights) or isinstance(weights, Iterable)
    ):
        raise InvalidArgument(owner, "weights", rule, weights)
    data = next(iter(_of_table(weights)[1].values())) if is_column(weights) else weights
    column = _Column.unchecked(owner, "weights", data)
    numbers = column.numbers
    if numbers is None or len(numbers) != n:
        kind = "text" if numbers is None else "numbers"
        raise InvalidArgument(owner, "weights", rule, f"{column.rows} values, {kind}")
    wrong = ~(np.isfinite(numbers) & (numbers > 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidArgument(
            owner, "weights", f"numbers above 0: row {row} is not", float(numbers[row])
        )
    scaled: Floats = numbers / numbers.mean()
    return scaled


def _columns(owner: str, covariates: Any) -> tuple[bool, dict[str, Any]]:
    """Return whether covariates have names of their own, and their columns by name."""
    if isinstance(covariates, Mapping):
        return True, {str(name): column for name, column in covariates.items()}
    if is_column(covariates):
        return _of_table(covariates)
    if isinstance(covariates, str | bytes) or not isinstance(covariates, Iterable):
        raise InvalidArgument(owner, "covariates", _RULE, covariates)
    if not isinstance(covariates, np.ndarray):
        covariates = _of_rows(owner, list(covariates))
    if covariates.ndim == 1:
        covariates = covariates[:, None]
    if covariates.ndim != 2:
        raise InvalidArgument(owner, "covariates", _RULE, f"an array {covariates.shape}")
    return False, {f"x{j + 1}": column for j, column in enumerate(covariates.T)}


def _of_table(table: Any) -> tuple[bool, dict[str, Any]]:
    """Return the columns of whatever hands over Arrow data; a single column has no name."""
    pa = arrow()
    stream = hasattr(table, "__arrow_c_stream__")
    data = pa.chunked_array(table if stream else [pa.array(table)])
    if not pa.types.is_struct(data.type):
        return False, {"x1": data}
    # pandas hands over an index that is more than row numbers as a column of that name.
    fields = [(i, one) for i, one in enumerate(data.type) if not one.name.startswith("__index")]
    return True, {
        one.name: pa.chunked_array([part.field(i) for part in data.chunks], one.type)
        for i, one in fields
    }


def _of_rows(owner: str, rows: list[Any]) -> NDArray[Any]:
    """Return a list of rows as an array of what they hold."""
    deep = [isinstance(row, Iterable) and not isinstance(row, str | bytes) for row in rows]
    rows = [list(row) if is_row else [row] for row, is_row in zip(rows, deep, strict=True)]
    width = len(rows[0]) if rows else 0
    for place, row in enumerate(rows):
        if len(row) != width:
            rule = f"rows of the same length, {width}: row {place} is not"
            raise InvalidArgument(owner, "covariates", rule, row)
    array = np.empty((len(rows), width), dtype=object)
    array[:] = rows if width else array
    return array


@dataclass(frozen=True)
class _Column:
    """A column: its numbers, or each row's place among the texts that occur, None if missing."""

    name: str
    numbers: Floats | None = None
    places: NDArray[np.int64] | None = None
    texts: tuple[str | None, ...] = ()
    order: tuple[str, ...] | None = None

    @classmethod
    def of(cls, owner: str, name: str, data: Any) -> _Column:
        """Return a column as numbers if they are such, and else as text; refuse missing ones."""
        column = cls.unchecked(owner, name, data)
        if column.numbers is not None:
            wrong = ~np.isfinite(column.numbers)
        else:
            wrong = np.array([not isinstance(text, str) for text in column.texts])[column.places]
        if wrong.any():
            row = int(np.argmax(wrong))
            rule = f"finite numbers or text in every row: {name!r} has none in row {row}"
            got = "nothing" if column.numbers is None else float(column.numbers[row])
            raise InvalidArgument(owner, "covariates", rule, got)
        return column

    @classmethod
    def unchecked(cls, owner: str, name: str, data: Any) -> _Column:
        """Return a column as numbers if they are such, and else as text."""
        of = cls._of_arrow if is_column(data) else cls._of_list
        return of(owner, name, data)

    @classmethod
    def _of_arrow(cls, owner: str, name: str, data: Any) -> _Column:
        pa = arrow()
        data = data if isinstance(data, pa.ChunkedArray) else pa.chunked_array(data)
        if wrong := wrong_kind(data.type):
            rule = f"numbers, text, truth values or dates: {name!r} is not"
            raise InvalidArgument(owner, "covariates", rule, wrong)
        is_a = pa.types
        kinds = (is_a.is_integer, is_a.is_floating, is_a.is_boolean, is_a.is_decimal)
        if any(is_kind(data.type) for is_kind in kinds):
            return cls(name, data.cast(pa.float64(), safe=False).to_numpy())
        whole = data.combine_chunks()
        order = ordered_levels(whole)
        places, texts = number_values(whole)
        return cls(name, None, places, tuple(texts), None if order is None else tuple(order))

    @classmethod
    def _of_list(cls, owner: str, name: str, data: Any) -> _Column:
        if isinstance(data, Iterable) and not isinstance(data, np.ndarray):
            data = np.array([*data], dtype=object)
        if not isinstance(data, np.ndarray) or data.ndim != 1:
            raise InvalidArgument(owner, "covariates", f"columns of values: {name!r} is not", data)
        if data.dtype.kind in "biuf":
            return cls(name, data.astype(np.float64))
        values = [None if text_of(value) is None else value for value in data]
        if all(value is None or isinstance(value, Real | Decimal) for value in values):
            return cls(name, np.array(values, dtype=np.float64))
        texts = [text if isinstance(text, str) else None for text in map(text_of, values)]
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        rows = np.array([places[text] for text in texts], dtype=np.int64)
        return cls(name, None, rows, tuple(places))

    @property
    def rows(self) -> int:
        return len(self.places if self.numbers is None else self.numbers)  # type: ignore[arg-type]

    @cached_property
    def term(self) -> Term:
        """The covariate that the column is of."""
        if self.numbers is not None:
            return Term(self.name)
        seen = {text for text in self.texts if text is not None}
        order = in_order(seen) if self.order is None else [t for t in self.order if t in seen]
        return Term(self.name, tuple(order))

    def under(self, owner: str, term: Term) -> Floats:
        """Return the columns of a term, (n, columns), or raise if it is another kind of column."""
        if (self.numbers is None) != (term.levels is not None):
            kind = "text" if term.levels else "numbers"
            rule = f"those of the fit, where {term.name!r} is {kind}"
            raise InvalidArgument(owner, "covariates", rule, self.term)
        if self.numbers is not None:
            return self.numbers[:, None]
        levels = {level: place for place, level in enumerate(term.levels or ())}
        found = np.array([levels.get(text or "", -1) for text in self.texts])[self.places]
        if (found < 0).any():
            row = int(np.argmax(found < 0))
            rule = f"levels of {term.name!r} that the fit has seen, in every row: row {row} is not"
            level = self.texts[self.places[row]]  # type: ignore[index]
            raise InvalidArgument(owner, "covariates", rule, level)
        columns: Floats = (found[:, None] == np.arange(1, len(levels))).astype(np.float64)
        return columns
