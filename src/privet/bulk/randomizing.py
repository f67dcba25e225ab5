"""Files of answers into a file of reports."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..analysis.cleaning import AS_THEY_ARE, Cleaning
from ..analysis.kinds.base import Values
from ..analysis.paged import OnPages
from ..analysis.progress import Progress, no_progress
from ..analysis.questions import randomize
from ..analysis.threads import ahead
from ..device.contract import Contract
from .answers import AnswersOfFile, read_answers
from .formats import count_rows
from .groups import Groups, check_by
from .paths import OnePath, Paths, as_paths
from .reports import ReportsWriter
from .shuffling import Shuffling

__all__ = ["Randomized", "randomize_files"]

_BATCH_BYTES = 1 << 24
_MOST_PEOPLE = 1 << 20


class Randomized(NamedTuple):
    """What was taken, and how many reports were written.

    `column` had `rows` rows, with `different` categories where there are such; in `missing` there
    was no answer, in `unknown` one that is not allowed, and in `outside` a number beyond an end of
    its scale.
    `groups` are the sizes of the groups by other columns.
    """

    n: int
    column: str
    rows: int
    different: int | None
    missing: int
    unknown: int
    outside: int
    groups: list[int]


def randomize_files(
    paths: Paths,
    contract: Contract,
    out: OnePath,
    *,
    column: str | None = None,
    count: str | None = None,
    by: Sequence[str] = (),
    cleaning: Cleaning = AS_THEY_ARE,
    delimiter: str | None = None,
    sheet: str | None = None,
    keep_order: bool = False,
    progress: Progress = no_progress,
) -> Randomized:
    """Randomize the answers of files into one file of reports, in random order.

    Parameters
    ----------
    paths : str or Path, or several
        CSV, TSV, Parquet, Arrow, Feather, NDJSON or spreadsheets, also packed; "-" is standard
        input.
    contract : Survey or Questionnaire
        What was asked; the questions' ids name the columns of a questionnaire.
    out : str or Path
        The file of reports, which appears when all has gone well.
    column : str, optional
        The column of answers; by default "answer", or the only one.
    count : str, optional
        A column that says how many people gave a row's answer, each of whom makes a report.
    by : sequence of str
        Columns to be written with the reports, in the clear.
    cleaning : Cleaning
        How answers are cleaned, and what becomes of those that are missing or no category.
    delimiter : str, optional
        What stands between the fields of a CSV file.
    sheet : str, optional
        The sheet of a spreadsheet; by default the first.
    keep_order : bool
        Write the reports in the order of the answers. Anyone who knows that order then knows whose
        report is whose.
    progress : Progress
        Shows how far it is.

    """
    check_by("randomize", by)
    files = as_paths("randomize", paths)
    groups = Groups(by)
    most = max(1, _BATCH_BYTES // contract.mechanism.report_bytes)
    n = rows = missing = unknown = outside = 0
    columns: dict[str, None] = {}
    seen: set[int] | None = set()
    with ReportsWriter(out, contract, groups) as file, Shuffling() as piles:
        put = file.write if keep_order else piles.add
        total = count_rows(files, delimiter, sheet) if count is None else None
        with progress("Randomizing", total=total) as advance:
            for path in files:
                answers = read_answers(
                    path, contract, column, count=count, by=by, cleaning=cleaning,
                    delimiter=delimiter, sheet=sheet,
                )  # fmt: skip
                with closing(_read_ahead(path, answers)) as chunks:
                    for chunk in chunks:
                        numbers = groups.number(chunk.by, path, chunk.people) if by else None
                        for values, rows_of in _pieces(chunk, most):
                            reports = randomize(contract, values)
                            put(reports, numbers[rows_of] if numbers is not None else None)
                            n += len(reports)
                            advance(len(reports))
                        columns[chunk.column] = None
                        seen = None if seen is None or chunk.seen is None else seen | chunk.seen
                        rows += len(chunk.values)
                        missing += chunk.missing
                        unknown += chunk.unknown
                        outside += chunk.outside
        if not keep_order:
            with progress("Writing", total=n) as advance:
                for reports, numbers in ahead(piles.drain()):
                    file.write(reports, numbers)
                    advance(len(reports))
    rows += missing if cleaning.missing == "drop" else 0
    rows += unknown if cleaning.unknown == "drop" else 0
    different = None if seen is None else len(seen)
    sizes = groups.sizes[groups.sizes > 0].tolist()
    return Randomized(n, " or ".join(columns), rows, different, missing, unknown, outside, sizes)


def _pieces(
    answers: AnswersOfFile, most: int
) -> Iterator[tuple[Values | OnPages, slice | NDArray[np.intp]]]:
    """Yield the values of at most `most` people, and their rows, one as often as it counts."""
    values, people = answers.values, answers.people
    if people is None or isinstance(values, OnPages):  # which have no counts
        for at in range(0, len(values), most):
            rows = slice(at, at + most)
            yield values[rows], rows
        return
    ends, most = np.cumsum(people), min(most, _MOST_PEOPLE)
    for at in range(0, int(people.sum()), most):
        some = np.arange(at, min(at + most, int(ends[-1])))
        whose = np.searchsorted(ends, some, side="right")
        yield values[whose], whose


def _read_ahead(
    path: Path, answers: Generator[AnswersOfFile, None, None]
) -> Generator[AnswersOfFile, None, None]:
    """Yield the answers, read ahead of their use."""
    with closing(answers):
        if not path.is_file():
            yield from answers  # a thread that waits for someone's terminal cannot be interrupted
            return
        with closing(ahead(answers)) as chunks:
            yield from chunks
