"""What is known of a population, from files: the sizes of groups, or the shares of categories."""

from __future__ import annotations

import json
from contextlib import closing
from math import fsum, inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.columns import number_values
from ..errors import InvalidAnswer, InvalidFile
from .counts import whole_number
from .formats import open_table
from .groups import check_by, in_text
from .paths import as_paths
from .reading import check_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ..survey import Survey
    from .formats import Table
    from .groups import Group
    from .paths import OnePath

    # Where it stands, whose it is, and how large it is.
    Sizes = Iterator[tuple[str, Group, float]]

__all__ = ["read_known", "read_shares"]

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
    {"tea": 0.5, "coffee": 0.5}.
    """
    (file,) = as_paths("read_shares", path)
    found = (
        _in_json(file) if file.suffix.lower() == ".json" else _sizes(file, ["category"], zero=True)
    )
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
    whole = fsum(shares.values())
    people = whole > 1 and all(isinstance(size, int) for size in shares.values())
    if not people and abs(whole - 1) > _ROUNDING:
        hint = " (are these percentages?)" if whole > 2 else ""
        raise InvalidFile(f"{file}: the shares must add up to 1, not {whole:.9g}{hint}.")
    return np.array([shares[category] for category in range(len(shares))]) / whole


def _sizes(file: Path, by: Sequence[str], *, zero: bool = False) -> Sizes:
    """Yield the rows of a table of sizes, which may be 0 or not."""
    row = 0
    with open_table(file) as table:
        size = _column_of_sizes(table)
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


def _in_json(file: Path) -> Sizes:
    """Yield the fields of an object of shares."""
    try:
        pairs: Any = json.loads(file.read_text("utf-8-sig"), object_pairs_hook=lambda pairs: pairs)
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{file}: not JSON: {error}.") from None
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        raise InvalidFile(f"{file}: it must be an object of shares by category.")
    for name, share in pairs:
        yield str(file), (name,), _size(str(file), "share", share, zero=True)


def _column_of_sizes(table: Table) -> str:
    found = [name for name in ("share", "people") if name in table.columns]
    if len(found) == 2:
        raise InvalidFile(f"{table.name}: there are both 'share' and 'people'; one says it all.")
    return check_column(table.name, table.columns, found[0] if found else "share")


def _size(place: str, column: str, text: object, zero: bool) -> float:
    """Return a size, a whole number if it is of people."""
    if column == "people":
        return whole_number(place, column, text, least=0 if zero else 1)
    try:
        number = float(str(text))
    except ValueError:
        number = inf
    if not (zero and number == 0) and not 0 < number < inf:
        rule = f"{column!r} must be a number {'>=' if zero else '>'} 0"
        raise InvalidFile(f"{place}: {rule}. Got {text!r:.80} instead.")
    return number
