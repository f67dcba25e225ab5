"""Reports together with the columns that are kept beside them in the clear, row by row.

Files made by `privet randomize --by` keep every column as text. A column in which each value is a
number is one of numbers, unless it is asked for as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.progress import Progress, no_progress
from ..device.contract import Contract
from ..device.values import is_number
from ..errors import InvalidFile
from .groups import check_by, in_text
from .paths import Paths, as_paths
from .reports import ReportsFile
from .tallying import is_tally

__all__ = ["Kept", "read_with"]


@dataclass(frozen=True)
class Kept:
    """Reports whose columns all have a value, these columns, and how many reports were left out.

    Attributes
    ----------
    reports : array
        Reports, uint8 (n, report_bytes).
    columns : dict
        By name, an array of numbers or of text.
    missing : dict
        How many reports have no value in a column, by name; only names with some.
    left_out : int
        How many reports have no value in at least one column.

    """

    reports: NDArray[np.uint8]
    columns: dict[str, NDArray[Any]]
    missing: dict[str, int]
    left_out: int


def read_with(
    paths: Paths,
    survey: Contract,
    columns: Sequence[str],
    *,
    text: Sequence[str] = (),
    progress: Progress = no_progress,
) -> Kept:
    """Return all reports of some files with these columns; those of `text` are text in any case.

    A row without a value in one of the columns, or with an empty one, is left out.
    """
    check_by("read_with", columns)
    files = []
    for path in as_paths("read_with", paths):
        if is_tally(path):
            names = ", ".join(columns)
            raise InvalidFile(f"{path}: a tally has no reports, and so no columns {names}.")
        files.append(ReportsFile(path, survey, columns))
    seen: dict[str, dict[str | None, int]] = {name: {} for name in columns}
    parts: list[tuple[NDArray[np.uint8], list[NDArray[np.int64]]]] = []
    with progress("Reading", total=sum(file.n for file in files)) as advance:
        for file in files:
            for part in range(len(file.parts)):
                for _, reports, batch in file.read(part):
                    places = []
                    for name, known in seen.items():
                        rows, texts = in_text(file.path, name, batch.column(name))
                        numbers = [known.setdefault(one, len(known)) for one in texts]
                        places.append(np.array(numbers, dtype=np.int64)[rows])
                    parts.append((reports, places))
                    advance(len(reports))
    if not parts:
        size = survey.mechanism.report_bytes
        return Kept(np.zeros((0, size), np.uint8), {name: np.zeros(0) for name in columns}, {}, 0)
    every = np.concatenate([reports for reports, _ in parts])
    kept, missing = np.ones(len(every), dtype=np.bool_), {}
    found: dict[str, tuple[NDArray[np.int64], NDArray[Any]]] = {}
    for i, name in enumerate(columns):
        place = np.concatenate([places[i] for _, places in parts])
        values, there = _values([*seen[name]], as_text=name in text)
        if not (known := there[place]).all():
            missing[name] = int((~known).sum())
            kept &= known
        found[name] = place, values
    arrays = {name: values[place[kept]] for name, (place, values) in found.items()}
    return Kept(every[kept], arrays, missing, int((~kept).sum()))


def _values(
    texts: Sequence[str | None], *, as_text: bool
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the values of texts, as numbers if all are such, and which are there at all."""
    plain = ["" if text is None or text.lower() == "nan" else text for text in texts]
    there = np.array([bool(text) for text in plain], dtype=np.bool_)
    if as_text or not all(is_number(text) for text in plain if text):
        return np.array(plain, dtype=object), there
    numbers = np.array([float(text or 0) for text in plain], dtype=np.float64)
    return numbers, there & np.isfinite(numbers)
