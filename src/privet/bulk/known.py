"""What is known of a population, from files: the sizes of groups, shares of categories, figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from math import fsum, inf, isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.columns import number_values
from ..analysis.figures import known_figures
from ..device.answers.scale import Scale
from ..device.mechanisms.base import Exclusive
from ..device.survey import Survey
from ..errors import InvalidAnswer, InvalidArgument, InvalidFile
from .counts import whole_number
from .formats import OpenTable, open_table
from .groups import Group, check_by, in_text
from .paths import OnePath, as_paths
from .reading import check_column

# Where it stands, whose it is, and how large it is.
Sizes = Iterator[tuple[str, Group, float]]

__all__ = ["read_figures", "read_known", "read_shares"]

# How far from 1 the sum of shares may be; more is no rounding error of shares with enough digits.
_ROUNDING = 1e-6


def read_known(path: OnePath, by: Sequence[str]) -> dict[Group, float]:
    """Return the size of each group with these values of the columns `by`.

    It is what the file's column "share" says, or "people", where it is a whole number.
    """
    check_by("read_known", by)
    (file,) = as_paths("read_known", path)
    known: dict[Group, float] = {}
    for place, group, size in _sizes(file, by):
        if group in known:
            raise InvalidFile(f"{place}: the group {', '.join(map(str, group))} is there twice.")
        known[group] = size
    return known


def read_shares(path: OnePath, survey: Survey) -> NDArray[np.float64]:
    """Return the share of every category, from a file of any format that answers come in.

    Its columns are "category", and "share" or "people". A file that ends in .json is an object:
    {"tea": 0.5, "coffee": 0.5}. The shares add up to 1, unless people choose several options; there
    are then no "people", because their number does not say how many were asked.
    """
    (file,) = as_paths("read_shares", path)
    adds_up = isinstance(survey.mechanism, Exclusive)
    names = ("share", "people") if adds_up else ("share",)
    found = _in_json(file) if _is_json(file) else _sizes(file, ["category"], names, zero=True)
    shares: dict[int, float] = {}
    for place, (name,), size in found:
        try:
            category = survey.index(name)
        except InvalidAnswer as error:
            raise InvalidFile(error.describe(f"{place}: ")) from None
        if category in shares:
            raise InvalidFile(f"{place}: {name!r} is there twice.")
        shares[category] = size
    for category, name in enumerate(survey.categories):
        if category not in shares:
            raise InvalidFile(f"{file}: the share of {name!r} is missing.")
    if not adds_up:
        if (most := max(shares.values())) > 1:
            name = survey.categories[max(shares, key=lambda place: shares[place])]
            raise InvalidFile(f"{file}: the share of {name!r} must be at most 1, not {most:.9g}.")
        return np.array([shares[category] for category in range(len(shares))])
    whole = fsum(shares.values())
    people = whole > 1 and all(isinstance(size, int) for size in shares.values())
    if not people and abs(whole - 1) > _ROUNDING:
        hint = " (are these percentages?)" if whole > 2 else ""
        raise InvalidFile(f"{file}: the shares must add up to 1, not {whole:.9g}{hint}.")
    return np.array([shares[category] for category in range(len(shares))]) / whole


def read_figures(path: OnePath, scale: Scale) -> dict[str, float]:
    """Return what is known of numbers on a scale, such as their mean, from a file of any format.

    Its columns are "figure" and "value". A file that ends in .json is an object: {"mean": 41.3,
    "0 to 29": 0.35}. Figures are called as in tables: the mean, the median, "10 % are below", and
    the names of bands, whose values are shares.
    """
    (file,) = as_paths("read_figures", path)
    found = _in_json(file, "figure") if _is_json(file) else _figures(file)
    known: dict[str, float] = {}
    for place, (given,), value in found:
        name = given or ""
        try:
            ((figure, number),) = known_figures({name: value}, scale).items()
        except InvalidArgument as error:
            what = f"{name!r} must be {error.rule}. Got {error.value!r:.80} instead."
            raise InvalidFile(f"{place}: {what}") from None
        if figure in known:
            raise InvalidFile(f"{place}: {name!r} is there twice.")
        known[figure] = number
    if not known:
        raise InvalidFile(f"{file}: there are no figures.")
    return known


def _is_json(file: Path) -> bool:
    return file.suffix.lower() == ".json"


def _figures(file: Path) -> Sizes:
    """Yield the rows of a table of figures."""
    row = 0
    with open_table(file) as table:
        for name in ("figure", "value"):
            check_column(table.name, table.columns, name)
        with closing(table.read(["figure", "value"])) as batches:
            for batch in batches:
                places, texts = number_values(batch.column("value"))
                rows, names = in_text(table.name, "figure", batch.column("figure"))
                for at, place in enumerate(places):
                    row += 1
                    value = _number(table.place(row), "value", texts[place])
                    yield table.place(row), (names[rows[at]],), value


def _sizes(
    file: Path, by: Sequence[str], among: Sequence[str] = ("share", "people"), *, zero: bool = False
) -> Sizes:
    """Yield the rows of a table of sizes, which may be 0 or not."""
    row = 0
    with open_table(file) as table:
        size = _column_of_sizes(table, among)
        for name in by:
            check_column(table.name, table.columns, name)
        with closing(table.read([*by, size])) as batches:
            for batch in batches:
                places, texts = number_values(batch.column(size))
                columns = [in_text(table.name, name, batch.column(name)) for name in by]
                for at, place in enumerate(places):
                    row += 1
                    group = tuple(values[rows[at]] for rows, values in columns)
                    number = _size(table.place(row), size, texts[place], zero)
                    yield table.place(row), group, number


def _in_json(file: Path, what: str = "category") -> Sizes:
    """Yield the fields of an object of shares by category, or of numbers by figure."""
    try:
        pairs: Any = json.loads(file.read_text("utf-8-sig"), object_pairs_hook=lambda pairs: pairs)
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{file}: not JSON: {error}.") from None
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        numbers = "shares" if what == "category" else "numbers"
        raise InvalidFile(f"{file}: it must be an object of {numbers} by {what}.")
    for name, number in pairs:
        if what == "category":
            yield str(file), (name,), _size(str(file), "share", number, zero=True)
        else:
            yield str(file), (name,), _number(str(file), str(name), number)


def _column_of_sizes(table: OpenTable, among: Sequence[str]) -> str:
    found = [name for name in among if name in table.columns]
    if len(found) == 2:
        raise InvalidFile(f"{table.name}: there are both 'share' and 'people'; one says it all.")
    return check_column(table.name, table.columns, found[0] if found else "share")


def _size(place: str, column: str, text: object, zero: bool) -> float:
    """Return a size, a whole number if it is of people."""
    if column == "people":
        return whole_number(place, column, text, least=0 if zero else 1)
    number = _float(text)
    if not (zero and number == 0) and not 0 < number < inf:
        rule = f"{column!r} must be a number {'>=' if zero else '>'} 0"
        raise InvalidFile(f"{place}: {rule}. Got {text!r:.80} instead.")
    return number


def _number(place: str, column: str, text: object) -> float:
    """Return a number, which may be negative."""
    number = _float(text)
    if not isfinite(number):
        raise InvalidFile(f"{place}: {column!r} must be a number. Got {text!r:.80} instead.")
    return number


def _float(text: object) -> float:
    """Return a number, or infinity for what is not one."""
    try:
        return float(str(text))
    except ValueError:
        return inf
