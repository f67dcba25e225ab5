"""What the reports of a survey say, and the reports themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ..bulk import ReportsWriter
from ..device.contract import Contract
from .estimates import tag
from .estimating import FORMATS
from .importing import PARQUET
from .ingest import BYTES
from .messages import Progress
from .problems import Problem
from .replies import had, json_reply, tagged
from .state import Service

_PIECE = 1 << 20


async def estimate(service: Service, request: Request, id: str) -> Response:
    """Return what the reports say; computed once for the same reports."""
    await service.check_visible(request, id)
    found = await service.estimates.of(id)
    return tagged(request, found.tag, found.body)


async def download(service: Service, request: Request, id: str, ending: str) -> Response:
    """Return the estimate as CSV, SVG or PNG: of a questionnaire, one question's or table's."""
    if ending not in FORMATS:
        raise Problem(404, "nowhere", f"An estimate is a file that ends in {', '.join(FORMATS)}.")
    asked = request.query_params.getlist("question")
    await service.check_visible(request, id)
    tally = await asyncio.to_thread(service.store.tally, id)
    marked = f'{tag(tally)[:-1]}-{ending}"'
    headers = {"ETag": marked, "Cache-Control": "no-cache"}
    if had(request, marked):
        return Response(status_code=304, headers=headers)
    body = await service.files.of(tally, asked, ending)
    name = "-".join([id, *asked])  # which are ids, as there is a file
    headers["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    return Response(body, headers=headers, media_type=FORMATS[ending])


async def progress(service: Service, request: Request, id: str) -> Response:
    """Say whether a survey is open, and whether there are results to see."""
    is_open = (await asyncio.to_thread(service.store.get, id)).open
    try:
        await service.check_visible(request, id)
    except Problem as problem:
        return json_reply(Progress(is_open, "private", str(problem)))
    if await asyncio.to_thread(service.store.size, id) == 0:
        return json_reply(Progress(is_open, "none", "Nobody has answered yet."))
    return json_reply(Progress(is_open, "shown", ""))


async def tally(service: Service, request: Request, id: str) -> Response:
    """Return the tally, as `Tally.from_bytes` reads it."""
    found = await asyncio.to_thread(service.store.tally, id)
    return tagged(request, tag(found), found.to_bytes(), BYTES)


async def reports(service: Service, request: Request, id: str) -> Response:
    """Return all reports: one after the other, or as a reports file where Parquet is accepted."""
    parts = await asyncio.to_thread(service.store.reports, id)
    if PARQUET in request.headers.get("accept", ""):
        contract = await service.contract(id)
        folder = await asyncio.to_thread(_parquet, contract, parts)
        return StreamingResponse(_pieces(folder), media_type=PARQUET)
    return StreamingResponse(parts, media_type=BYTES)


def _parquet(contract: Contract, parts: Iterator[bytes]) -> TemporaryDirectory[str]:
    """Write a reports file in a folder of its own, as nobody knows its length before."""
    with ExitStack() as stack:
        folder = TemporaryDirectory(prefix="privet-")
        stack.callback(folder.cleanup)
        with ReportsWriter(Path(folder.name, "reports.parquet"), contract) as writer:
            for part in parts:
                rows = np.frombuffer(part, np.uint8)
                writer.write(rows.reshape(-1, contract.mechanism.report_bytes))
        stack.pop_all()  # whoever reads the file removes it
    return folder


def _pieces(folder: TemporaryDirectory[str]) -> Iterator[bytes]:
    with folder as name, Path(name, "reports.parquet").open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece
