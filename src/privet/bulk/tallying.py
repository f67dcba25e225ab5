"""Files of reports and files of tallies, added up to one tally."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InvalidReport, InvalidTally, SurveyMismatch
from ..tally import MAGIC, Tally
from .reports import read_reports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from ..survey import Survey


def tally_files(
    paths: Iterable[Path], survey: Survey, advance: Callable[[int], object] = lambda n: None
) -> Tally:
    """Return the tally of all reports in files of reports and files of tallies of one survey."""
    tally = survey.tally()
    for path in paths:
        with path.open("rb") as file:
            is_tally = file.read(len(MAGIC)) == MAGIC
        if is_tally:
            other = _read_tally(path, survey)
            tally.merge(other)
            advance(other.n)
        else:
            _add_reports(path, tally, advance)
    return tally


def _read_tally(path: Path, survey: Survey) -> Tally:
    try:
        return Tally.from_bytes(path.read_bytes(), survey)
    except (InvalidTally, SurveyMismatch) as error:
        raise type(error)(f"{path}: {error}") from None


def _add_reports(path: Path, tally: Tally, advance: Callable[[int], object]) -> None:
    first = tally.n
    for chunk in read_reports(path, tally.survey):
        try:
            tally.update(chunk)
        except InvalidReport as error:
            row = tally.n - first + (error.row or 0) + 1
            raise InvalidReport(f"{path}, report {row}: {error.reason}") from None
        advance(len(chunk))
