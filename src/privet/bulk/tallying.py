"""Files of reports and of tallies, added up by several threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.progress import Progress, no_progress
from ..analysis.tally import MAGIC, Tally
from ..analysis.threads import cores, in_threads
from ..device.contract import Contract, E
from ..errors import InvalidFile, InvalidReport
from .groups import Group, Groups, check_by
from .paths import Paths, as_paths
from .reports import ReportsFile, located

__all__ = ["tally_files", "tally_groups"]


def tally_files(paths: Paths, survey: Contract[E], *, progress: Progress = no_progress) -> Tally[E]:
    """Return the tally of all reports in files of reports and files of tallies of one survey."""
    return tally_groups(paths, survey, (), progress=progress).get((), survey.tally())


def tally_groups(
    paths: Paths, survey: Contract[E], by: Sequence[str], *, progress: Progress = no_progress
) -> dict[Group, Tally[E]]:
    """Return a tally for each group of reports with the same values of the columns `by`.

    The keys are those values as text, in order, and None where one is missing.
    """
    check_by("tally_groups", by)
    counted: dict[Group, Tally[E]] = {}
    files = []
    for path in as_paths("tally_groups", paths):
        if is_tally(path):
            counted.setdefault((), survey.tally()).merge(_read_tally(path, survey, by))
        else:
            files.append(ReportsFile(path, survey, by))
    with progress("Counting", total=sum(file.n for file in files)) as advance:
        for counter in _count(files, survey, by, advance):
            for group, tally in zip(counter.groups.seen, counter.tallies, strict=True):
                counted.setdefault(group, survey.tally()).merge(tally)
    return dict(sorted(counted.items(), key=lambda item: [(v is None, v or "") for v in item[0]]))


def is_tally(path: Path) -> bool:
    """Tell whether a file is a tally, of whatever version."""
    mark = MAGIC[:-1]
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def _read_tally(path: Path, survey: Contract[E], by: Sequence[str]) -> Tally[E]:
    if by:
        raise InvalidFile(f"{path}: a tally has no columns, and so no groups by {', '.join(by)}.")
    return Tally.read(path, survey)


class _Counter:
    """One thread's tallies, a group each."""

    def __init__(self, survey: Contract, by: Sequence[str]) -> None:
        self._survey = survey
        self.groups = Groups(by)
        self.tallies: list[Tally] = []

    def add(self, path: Path, first: int, reports: NDArray[np.uint8], batch: Any) -> None:
        """Add reports of a file, from this number on, each to the group of its row."""
        numbers = self.groups.number(batch, path)
        for _ in range(len(self.tallies), len(self.groups.seen)):
            self.tallies.append(self._survey.tally())
        parts: list[Any] = [slice(None)] * len(self.tallies)
        if len(parts) > 1:
            ends = np.cumsum(np.bincount(numbers, minlength=len(parts)))
            parts = np.split(np.argsort(numbers, kind="stable"), ends[:-1])
        for tally, rows in zip(self.tallies, parts, strict=True):
            try:
                tally.update(reports[rows])
            except InvalidReport as error:
                raise located(
                    path, np.arange(first, first + len(reports))[rows].tolist(), error
                ) from None


def _count(
    files: Sequence[ReportsFile],
    survey: Contract,
    by: Sequence[str],
    advance: Callable[[int], object],
) -> list[_Counter]:
    """Count all files, part by part; there are as many counters as threads that were needed."""
    parts = [(file, part) for file in files for part in range(len(file.parts))]
    counters: list[_Counter] = []

    def count(which: tuple[ReportsFile, int]) -> None:
        file, part = which
        try:
            counter = counters.pop()  # that no other thread is using
        except IndexError:
            counter = _Counter(survey, by)
        for first, reports, batch in file.read(part):
            counter.add(file.path, first, reports, batch)
            advance(len(reports))
        counters.append(counter)

    in_threads(count, parts, cores())
    return counters
