"""Known shares from files: a census to compare a survey with."""

from __future__ import annotations

import csv
import json
from math import fsum, isfinite
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidAnswer, InvalidFile

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from ..survey import Survey

__all__ = ["read_shares"]

_NAMES = "category", "share"
# How far from 1 the sum may be; more is no rounding error of shares with enough digits.
_ROUNDING = 1e-6


def read_shares(path: Path, survey: Survey) -> NDArray[np.float64]:
    """Return the share of every category from a CSV file, or one that ends in .json.

    A CSV file has the columns category and share, JSON is an object: {"tea": 0.5, "coffee": 0.5}.
    """
    try:
        text = path.read_text("utf-8-sig")
        pairs = _json(text) if path.suffix.lower() == ".json" else _csv(text)
    except (ValueError, csv.Error, RecursionError) as error:
        raise InvalidFile(f"{path}: not a file of shares: {error}.") from None
    shares = np.full(len(survey.categories), np.nan)
    for where, name, value in pairs:
        try:
            place = survey.index(name)
        except InvalidAnswer as error:
            raise InvalidFile(error.describe(f"{path}{where}: ")) from None
        if not np.isnan(shares[place]):
            raise InvalidFile(f"{path}{where}: {name!r} is given twice.")
        shares[place] = _share(value, f"{path}{where}")
    for name, share in zip(survey.categories, shares, strict=True):
        if np.isnan(share):
            raise InvalidFile(f"{path}: the share of {name!r} is missing.")
    if abs(total := fsum(shares) - 1) > _ROUNDING:
        hint = " (are these percentages?)" if total > 1 else ""
        raise InvalidFile(f"{path}: the shares must add up to 1, not {1 + total:.9g}{hint}.")
    return shares


def _csv(text: str) -> Iterable[tuple[str, str, object]]:
    rows = list(csv.reader(text.splitlines(), strict=True))
    header = rows[0] if rows else []
    if not set(_NAMES) <= set(header):
        raise ValueError("its columns must be category and share")
    name, share = (header.index(each) for each in _NAMES)
    for at, row in enumerate(rows[1:], start=2):
        if row and len(row) != len(header):
            raise ValueError(f"row {at} has {len(row)} fields, the header {len(header)}")
    return [(f", row {at}", row[name], row[share]) for at, row in enumerate(rows[1:], 2) if row]


def _json(text: str) -> Iterable[tuple[str, str, object]]:
    pairs = json.loads(text, object_pairs_hook=lambda pairs: pairs)
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        raise ValueError("it must be an object of shares by category")
    return [("", name, value) for name, value in pairs]


def _share(value: object, where: str) -> float:
    try:
        share = float(value) if isinstance(value, (int, float, str)) else float("nan")
    except ValueError:
        share = float("nan")
    if isinstance(value, bool) or not isfinite(share) or share < 0:
        raise InvalidFile(f"{where}: a share is a number from 0 to 1. Got {value!r:.80}.")
    return share
