"""Files of answers into a file of reports."""

from __future__ import annotations

from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..analysis.threads import ahead
from ..errors import InvalidFile
from .answers import read_answers
from .formats import count_rows
from .groups import Groups, check_by
from .progress import no_progress
from .reports import ReportsWriter
from .shuffling import Shuffling

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ..survey import Survey
    from .answers import Answers
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
    check_by("randomize", by)
    groups = Groups(by) if by else None
    n = missing = 0
    with (
        ReportsWriter(out, survey, groups) as file,
        nullcontext() if keep_order else Shuffling() as shuffling,
    ):
        with progress("Randomizing", total=count_rows(paths, delimiter)) as advance:
            for path in paths:
                answers = read_answers(
                    path, survey, column, by=by, unknown=unknown, delimiter=delimiter
                )
                with _coming(path, answers) as chunks:
                    for chunk in chunks:
                        numbers = _numbered(path, groups, chunk.by)
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


@contextmanager
def _coming(path: Path, answers: Generator[Answers, None, None]) -> Iterator[Iterator[Answers]]:
    """Yield the answers, read ahead of their use, and stop reading when the block ends."""
    with closing(answers):
        if not path.is_file():
            yield answers  # a thread that waits for someone's terminal could not be interrupted
            return
        with closing(ahead(answers)) as chunks:
            yield chunks


def _numbered(path: Path, groups: Groups | None, kept: Any) -> NDArray[np.int32] | None:
    if groups is None:
        return None
    try:
        return groups.number(kept)
    except InvalidFile as error:
        raise InvalidFile(f"{path}: {error}") from None


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
