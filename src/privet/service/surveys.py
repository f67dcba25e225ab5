"""What is asked of surveys besides taking their reports."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from starlette.responses import Response, StreamingResponse

from ..contract import Contract
from . import estimates, metrics
from .bodies import media_type
from .ingest import BYTES, JSON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request

    from ..store import Entry
    from .app import Service

PARQUET = "application/vnd.apache.parquet"
_PIECE = 1 << 20


async def create(service: Service, request: Request) -> Response:
    """Open a survey."""
    media_type(request, JSON)
    with service.room.reading(request) as reading:
        body = await reading.body()
        contract = await asyncio.to_thread(Contract.from_json, body)
    new = await asyncio.to_thread(service.store.create, contract)
    document = {"id": contract.id, "fingerprint": contract.fingerprint}
    headers = {"Location": f"{request.scope['root_path']}/surveys/{contract.id}"}
    return Response(estimates.as_json(document), 201 if new else 200, headers, JSON)


async def listed(service: Service, request: Request) -> Response:
    """List the surveys."""
    entries = await asyncio.to_thread(service.store.entries)
    return _json({"surveys": [_described(id, entry) for id, entry in entries.items()]})


async def contract(service: Service, request: Request) -> Response:
    """Return exactly the canonical text."""
    entry = await asyncio.to_thread(service.store.get, request.path_params["id"])
    return _tagged(request, f'"{sha256(entry.contract).hexdigest()}"', entry.contract)


async def close(service: Service, request: Request) -> Response:
    """Take no more reports."""
    id = request.path_params["id"]
    await asyncio.to_thread(service.store.close, id)
    return _json(_described(id, await asyncio.to_thread(service.store.get, id)))


async def delete(service: Service, request: Request) -> Response:
    """Remove a survey and its reports."""
    id = request.path_params["id"]
    await asyncio.to_thread(service.store.delete, id)
    service.estimates.pop(id, None)
    return Response(status_code=204)


async def estimate(service: Service, request: Request) -> Response:
    """Return what the reports say; computed one at a time, and once for the same reports."""
    id = request.path_params["id"]
    async with service.estimating:
        tag, body = await asyncio.to_thread(_estimated, service, id)
    return _tagged(request, tag, body)


def _estimated(service: Service, id: str) -> tuple[str, bytes]:
    tally = service.store.tally(id)
    tag = estimates.tag(tally)
    if service.estimates.get(id, ("", b""))[0] != tag:
        service.estimates[id] = tag, estimates.as_json(estimates.describe(tally))
    return service.estimates[id]


async def tally(service: Service, request: Request) -> Response:
    """Return the tally, as `Tally.from_bytes` reads it."""
    found = await asyncio.to_thread(service.store.tally, request.path_params["id"])
    return _tagged(request, estimates.tag(found), found.to_bytes(), BYTES)


async def reports(service: Service, request: Request) -> Response:
    """Return all reports: one after the other, or as a reports file where Parquet is accepted."""
    id = request.path_params["id"]
    parts = await asyncio.to_thread(service.store.reports, id)
    if PARQUET in request.headers.get("accept", ""):
        contract = await service.contract(id)
        folder = await asyncio.to_thread(_parquet, contract, parts)
        return StreamingResponse(_pieces(folder), media_type=PARQUET)
    return StreamingResponse(parts, media_type=BYTES)


def _parquet(contract: Contract, parts: Iterator[bytes]) -> TemporaryDirectory[str]:
    """Write a reports file in a folder of its own, as nobody knows its length before."""
    from ..bulk import ReportsWriter

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


# --- the service itself ---------------------------------------------------------------------------


async def alive(service: Service, request: Request) -> Response:
    """Say that the process runs."""
    return _json({"status": "ok"})


async def ready(service: Service, request: Request) -> Response:
    """Say that the store can be read."""
    await asyncio.to_thread(service.store.token)
    return _json({"status": "ok"})


async def measured(service: Service, request: Request) -> Response:
    """Return counts of what the service does."""
    return Response(service.metrics.text(), media_type=metrics.MEDIA_TYPE)


async def described(service: Service, request: Request) -> Response:
    """Return the description of all this."""
    servers = [{"url": request.scope["root_path"] or "/"}]
    return _json(service.openapi | {"servers": servers})


def _json(document: Any) -> Response:
    return Response(estimates.as_json(document), media_type=JSON)


def _described(id: str, entry: Entry) -> dict[str, Any]:
    return {
        "id": id,
        "fingerprint": sha256(entry.contract).hexdigest(),
        "open": entry.open,
        "since": entry.day,
        "closed": entry.closed,
    }


def _tagged(request: Request, tag: str, body: bytes, kind: str = JSON) -> Response:
    """Return a body with its tag, or nothing to who has it already."""
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    had = request.headers.get("if-none-match", "")
    if tag in [one.strip().removeprefix("W/") for one in had.split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=kind)
