"""What is asked of surveys besides taking their reports."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from secrets import token_urlsafe
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from starlette.responses import Response, StreamingResponse

from ..contract import Contract
from ..errors import NoSurvey
from . import metrics
from .access import hashed
from .bodies import media_type
from .estimates import tag
from .importing import PARQUET
from .ingest import BYTES, JSON
from .messages import (
    Created,
    Invitations,
    Invite,
    Listed,
    OneSurvey,
    Progress,
    Status,
    encoded,
    read,
)
from .problems import Problem
from .settings import Settings, in_query

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.requests import Request

    from .app import Service

_PIECE = 1 << 20


async def create(service: Service, request: Request) -> Response:
    """Open a survey; its settings are in the address."""
    media_type(request, JSON)
    given = in_query(request.query_params.multi_items())
    settings = service.defaults.changed(given, words=True)
    with service.room.reading(request) as reading:
        body = await reading.body()
        contract = await asyncio.to_thread(Contract.from_json, body)
    new = await asyncio.to_thread(service.store.create, contract, settings.kept())
    headers = {"Location": f"{request.scope.get('root_path', '')}/surveys/{contract.id}"}
    return _json(Created(contract.id, contract.fingerprint), 201 if new else 200, headers)


async def listed(service: Service, request: Request) -> Response:
    """List the surveys."""
    return _json(Listed(await asyncio.to_thread(every, service)))


async def change(service: Service, request: Request) -> Response:
    """Change some settings; those that are not named stay."""
    media_type(request, JSON)
    id = request.path_params["id"]
    with service.room.reading(request) as reading:
        given = read(await reading.body(), dict[str, Any])
    before = Settings().changed((await asyncio.to_thread(service.store.get, id)).settings)
    after = before.changed(given)
    if after.counts_only != before.counts_only:
        detail = "counts_only is settled when a survey is made."
        raise Problem(HTTPStatus.CONFLICT, "settled", detail)
    await asyncio.to_thread(service.store.change, id, after.kept())
    service.forget(id)
    return _json(await asyncio.to_thread(one, service, id))


async def invite(service: Service, request: Request) -> Response:
    """Make invitations, each of which counts once; they are not shown again."""
    media_type(request, JSON)
    with service.room.reading(request) as reading:
        count = read(await reading.body(), Invite).count
    made = [token_urlsafe(16) for _ in range(count)]
    id = request.path_params["id"]
    await asyncio.to_thread(service.store.invite, id, map(hashed, made))
    return _json(Invitations(made), 201)


async def contract(service: Service, request: Request) -> Response:
    """Return exactly the canonical text."""
    entry = await asyncio.to_thread(service.store.get, request.path_params["id"])
    return _tagged(request, f'"{sha256(entry.contract).hexdigest()}"', entry.contract)


async def close(service: Service, request: Request) -> Response:
    """Take no more reports."""
    id = request.path_params["id"]
    await asyncio.to_thread(service.store.close, id)
    return _json(await asyncio.to_thread(one, service, id))


async def delete(service: Service, request: Request) -> Response:
    """Remove a survey and its reports."""
    id = request.path_params["id"]
    await asyncio.to_thread(service.store.delete, id)
    service.forget(id)
    return Response(status_code=204)


async def estimate(service: Service, request: Request) -> Response:
    """Return what the reports say; computed once for the same reports."""
    id = request.path_params["id"]
    found = await service.estimates.of(id)
    await check_visible(service, request, id, found.n)
    return _tagged(request, found.tag, found.body)


async def check_visible(service: Service, request: Request, id: str, n: int) -> None:
    """Refuse whoever may not see what so many reports say, and tell when they may."""
    least = (await service.settings(id)).public_from
    if least is not None and n >= least:
        return
    try:
        await service.check_admin(request)
    except Problem:
        when = "never public" if least is None else f"public from {least:,} reports on"
        detail = f"The results of this survey are {when}."
        raise Problem(HTTPStatus.FORBIDDEN, "private", detail) from None


async def progress(service: Service, request: Request) -> Response:
    """Say whether a survey is open, and whether there are results to see."""
    id = request.path_params["id"]
    is_open = (await asyncio.to_thread(service.store.get, id)).open
    n = await asyncio.to_thread(service.store.size, id)
    try:
        await check_visible(service, request, id, n)
    except Problem as problem:
        return _json(Progress(is_open, "private", str(problem)))
    if n == 0:
        return _json(Progress(is_open, "none", "Nobody has answered yet."))
    return _json(Progress(is_open, "shown", ""))


async def tally(service: Service, request: Request) -> Response:
    """Return the tally, as `Tally.from_bytes` reads it."""
    found = await asyncio.to_thread(service.store.tally, request.path_params["id"])
    return _tagged(request, tag(found), found.to_bytes(), BYTES)


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
    return _json(Status())


async def ready(service: Service, request: Request) -> Response:
    """Say that the store can be read."""
    await asyncio.to_thread(service.store.token)
    return _json(Status())


async def measured(service: Service, request: Request) -> Response:
    """Return counts of what the service does."""
    waiting = await asyncio.to_thread(service.store.inbox_bytes)
    return Response(service.metrics.text(waiting), media_type=metrics.MEDIA_TYPE)


async def described(service: Service, request: Request) -> Response:
    """Return the description of all this."""
    servers = [{"url": request.scope["root_path"] or "/"}]
    return _json(service.openapi | {"servers": servers})


def _json(message: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(encoded(message), status, headers, JSON)


def one(service: Service, id: str) -> OneSurvey:
    """Return a survey as its administrator sees it."""
    entry = service.store.get(id)
    contract = Contract.from_json(entry.contract)
    return OneSurvey(
        id,
        contract.heading,
        contract.fingerprint,
        entry.open,
        entry.day,
        entry.closed,
        service.store.size(id),
        Settings().changed(entry.settings),
    )


def every(service: Service) -> list[OneSurvey]:
    """Return all surveys as their administrator sees them."""
    found = []
    for id in service.store.entries():
        with suppress(NoSurvey):  # which was deleted in the meantime
            found.append(one(service, id))
    return found


def _tagged(request: Request, tag: str, body: bytes, kind: str = JSON) -> Response:
    """Return a body with its tag, or nothing to who has it already."""
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if had(request, tag):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=kind)


def had(request: Request, tag: str) -> bool:
    """Tell whether whoever asks has it already."""
    tags = request.headers.get("if-none-match", "").split(",")
    return tag in [one.strip().removeprefix("W/") for one in tags]
