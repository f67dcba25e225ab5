"""Files of estimates: tables for spreadsheets, and pictures; the last used are kept."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ..analysis.questionnaire_estimate import QuestionnaireEstimate
from ..analysis.shown import Shown
from ..analysis.spreadsheet import csv_text
from ..analysis.tables.table import Table
from ..analysis.tally import Tally
from ..errors import InvalidArgument
from ..figures import save
from . import estimates
from .problems import Problem
from .recent import Recent

__all__ = ["KINDS", "Files"]

KINDS = {"csv": "text/csv", "svg": "image/svg+xml", "png": "image/png"}
MAX_KEPT_BYTES = 32 << 20


class Download(NamedTuple):
    """A file of the reports that a tag stands for."""

    tag: str
    body: bytes


class Files:
    """Files of estimates, made one at a time; the last used are kept, in bounded memory."""

    def __init__(self) -> None:
        self._making = asyncio.Lock()
        self._kept: Recent[Download] = Recent(MAX_KEPT_BYTES)

    async def of(self, tally: Tally, asked: list[str], ending: str) -> bytes:
        """Return the file, made if need be; a file of fewer reports is not kept any more."""
        key, tag = (tally.survey.id, ending, *asked), estimates.tag(tally)
        async with self._making:
            found = self._kept.get(key)
            if found is None or found.tag != tag:
                found = Download(tag, await asyncio.to_thread(_file, tally, asked, ending))
                self._kept.keep(key, found)
        return found.body


def _file(tally: Tally, asked: list[str], ending: str) -> bytes:
    try:
        part = _part(tally, asked)
        return _table(part) if ending == "csv" else _picture(part, ending)
    except InvalidArgument as error:
        raise Problem(400, "question", str(error)) from None


def _part(tally: Tally, asked: list[str]) -> Shown | Table:
    """Return the estimate of what is asked for."""
    estimate = tally.estimate()
    if not isinstance(estimate, QuestionnaireEstimate):
        if asked not in ([], [tally.survey.id]):
            raise Problem(400, "question", "This survey is one question.")
        return estimate
    known = [one.id for one in tally.survey.surveys]
    if not asked or not set(asked) <= set(known):
        detail = f"Name a ?question=, or those of a table, of {', '.join(known)}."
        raise Problem(400, "question", detail)
    return estimate[asked[0]] if len(asked) == 1 else estimate.table(*asked)


def _table(part: Shown | Table) -> bytes:
    return csv_text(part.columns(estimates.LEVEL))[0].encode()


def _picture(part: Shown | Table, ending: str) -> bytes:
    with TemporaryDirectory(prefix="privet-") as folder:
        path = Path(folder, f"estimate.{ending}")
        save(part, path)
        return path.read_bytes()
