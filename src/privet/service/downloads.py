"""Estimates as files: a table for spreadsheets, and pictures."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ..analysis.spreadsheet import csv_text
from ..analysis.tally import Tally
from ..device.survey import Survey
from ..errors import InvalidArgument
from ..figures import save
from . import estimates
from .problems import Problem
from .recent import Recent
from .replies import had
from .visibility import check_visible

if TYPE_CHECKING:
    from .app import Service

__all__ = ["KINDS", "Files", "download"]

KINDS = {"csv": "text/csv", "svg": "image/svg+xml", "png": "image/png"}
MAX_KEPT_BYTES = 32 << 20


async def download(service: Service, request: Request, id: str, ending: str) -> Response:
    """Return the estimate as CSV, SVG or PNG: of a questionnaire, one question's or table's."""
    if ending not in KINDS:
        raise Problem(404, "nowhere", f"An estimate is a file that ends in {', '.join(KINDS)}.")
    asked = request.query_params.getlist("question")
    await check_visible(service, request, id)
    tally = await asyncio.to_thread(service.store.tally, id)
    tag = f'{estimates.tag(tally)[:-1]}-{ending}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if had(request, tag):
        return Response(status_code=304, headers=headers)
    body = await service.files.of(tally, asked, ending)
    name = "-".join([id, *asked])  # which are ids, as there is a file
    headers["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    return Response(body, headers=headers, media_type=KINDS[ending])


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


def _file(tally: Any, asked: list[str], ending: str) -> bytes:
    try:
        part = _part(tally, asked)
        return _table(part) if ending == "csv" else _picture(part, ending)
    except InvalidArgument as error:
        raise Problem(400, "question", str(error)) from None


def _part(tally: Any, asked: list[str]) -> Any:
    """Return the estimate of what is asked for."""
    estimate = tally.estimate()
    if isinstance(tally.survey, Survey):
        if asked not in ([], [tally.survey.id]):
            raise Problem(400, "question", "This survey is one question.")
        return estimate
    known = [one.id for one in tally.survey.surveys]
    if not asked or not set(asked) <= set(known):
        detail = f"Name a ?question=, or those of a table, of {', '.join(known)}."
        raise Problem(400, "question", detail)
    return estimate[asked[0]] if len(asked) == 1 else estimate.table(*asked)


def _table(part: Any) -> bytes:
    return csv_text(part.columns(estimates.LEVEL))[0].encode()


def _picture(part: Any, ending: str) -> bytes:
    with TemporaryDirectory(prefix="privet-") as folder:
        path = Path(folder, f"estimate.{ending}")
        save(part, path)
        return path.read_bytes()
