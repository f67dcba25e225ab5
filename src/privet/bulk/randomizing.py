"""Files of answers into a file of reports."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..threads import ahead
from .answers import read_answers
from .groups import Groups
from .progress import no_progress
from .reports import ReportsWriter
from .shuffling import Shuffling
from .tables import count_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ..survey import Survey
    from .progress import Progress

__all__ = ["Randomized", "randomize_files"]

_BATCH_BYTES = 1 << 24
_NUMBER_BYTES = 4


class Randomized(NamedTuple):
    """How many reports were written, and how many answers were no categories."""

    n: int
    unknown: int


def randomize_files(
    paths: Sequence[Path],
    survey: Survey,
    out: Path,
    *,
    column: str | None = None,
    by: Sequence[str] = (),
    unknown: str = "error",
    delimiter: str | None = None,
    keep_order: bool = False,
    progress: Progress = no_progress,
) -> Randomized:
    """Randomize the answers of files into one file of reports, in random order.

    Parameters
    ----------
    paths : sequence of Path
        CSV, TSV, Parquet, Arrow, Feather or NDJSON, also packed; `Path("-")` is standard input.
    survey : Survey
        What was asked.
    out : Path
        The file of reports, which appears when all went well.
    column : str, optional
        The column of answers; by default "answer", or the only one.
    by : sequence of str
        Columns to be kept beside the reports. They are not randomized.
    unknown : "error", "drop" or a category
        What becomes of answers that are no categories.
    delimiter : str, optional
        What stands between the fields of a CSV file.
    keep_order : bool
        Write the reports in the order of the answers. Who knows whose answer came when then knows
        whose report is whose.
    progress : Progress
        Whom to tell how far it is.

    """
    groups = Groups(by) if by else None
    n = missing = 0
    with (
        ReportsWriter(out, survey, groups) as file,
        nullcontext() if keep_order else Shuffling() as shuffling,
    ):
        with progress("Randomizing", total=count_rows(paths)) as advance:
            for path in paths:
                chunks = read_answers(
                    path, survey, column, by=by, unknown=unknown, delimiter=delimiter
                )
                # A thread that waits for someone's terminal could not be interrupted.
                for chunk in ahead(chunks) if path.is_file() else chunks:
                    numbers = groups.number(chunk.kept) if groups is not None else None
                    for reports, some in _randomized(survey, chunk.positions, numbers):
                        if shuffling is None:
                            file.write(reports, some)
                        else:
                            shuffling.add(_joined(reports, some))
                        n += len(reports)
                        advance(len(reports))
                    missing += chunk.unknown
        if shuffling is not None:
            with progress("Writing", total=n) as advance:
                for rows in ahead(shuffling.drain()):
                    file.write(*_parted(rows, groups is not None))
                    advance(len(rows))
    return Randomized(n, missing)


def _randomized(
    survey: Survey, positions: NDArray[np.int64], numbers: NDArray[np.int32] | None
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int32] | None]]:
    rows = max(1, _BATCH_BYTES // survey.mechanism.report_bytes)
    for at in range(0, len(positions), rows):
        some = numbers[at : at + rows] if numbers is not None else None
        yield survey.mechanism.randomize(positions[at : at + rows]), some


def _joined(reports: NDArray[np.uint8], numbers: NDArray[np.int32] | None) -> NDArray[np.uint8]:
    """Put a group's number behind each report, so that they stay together."""
    if numbers is None:
        return reports
    return np.hstack([reports, numbers.astype("<i4").view(np.uint8).reshape(-1, _NUMBER_BYTES)])


def _parted(
    rows: NDArray[np.uint8], numbered: bool
) -> tuple[NDArray[np.uint8], NDArray[np.int32] | None]:
    if not numbered:
        return rows, None
    numbers = np.ascontiguousarray(rows[:, -_NUMBER_BYTES:]).view("<i4").ravel()
    return rows[:, :-_NUMBER_BYTES], numbers.astype(np.int32)
