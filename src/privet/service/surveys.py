"""Surveys themselves: made, listed, changed, closed, deleted, and who is invited."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..device.contract import Contract
from ..errors import NoSurvey
from .access import hashed
from .bodies import media_type
from .ingest import JSON
from .messages import (
    Created,
    Invitations,
    Invite,
    Listed,
    OneSurvey,
    read,
)
from .problems import Problem
from .replies import json_reply, tagged
from .settings import Settings, in_query
from .state import Service


async def create(service: Service, request: Request) -> Response:
    """Open a survey; its settings are in the address."""
    media_type(request, JSON)
    given = in_query(request.query_params.multi_items())
    settings = service.defaults.changed(given, words=True)
    body = await request.body()
    contract = await asyncio.to_thread(lambda: Contract.from_json(body))
    new = await asyncio.to_thread(service.store.create, contract, settings.kept())
    headers = {"Location": f"{request.scope.get('root_path', '')}/surveys/{contract.id}"}
    return json_reply(Created(contract.id, contract.fingerprint), 201 if new else 200, headers)


async def listed(service: Service, request: Request) -> Response:
    """List the surveys."""
    return json_reply(Listed(await asyncio.to_thread(every, service)))


async def change(service: Service, request: Request, id: str) -> Response:
    """Change some settings; those that are not named stay."""
    media_type(request, JSON)
    given = read(await request.body(), dict[str, Any])
    kept = (await asyncio.to_thread(service.store.get, id)).settings
    before = Settings.read(kept)
    after = before.changed(given)
    if after.counts_only != before.counts_only:
        raise Problem(409, "settled", "counts_only is settled when a survey is made.")
    await asyncio.to_thread(service.store.change, id, kept | after.kept())
    service.forget(id)
    return json_reply(await asyncio.to_thread(one, service, id))


async def invite(service: Service, request: Request, id: str) -> Response:
    """Make invitations, each of which counts once; they are not shown again."""
    media_type(request, JSON)
    count = read(await request.body(), Invite).count
    made = [token_urlsafe(16) for _ in range(count)]
    await asyncio.to_thread(service.store.invite, id, map(hashed, made))
    return json_reply(Invitations(made), 201)


async def contract(service: Service, request: Request, id: str) -> Response:
    """Return exactly the canonical text."""
    entry = await asyncio.to_thread(service.store.get, id)
    return tagged(request, f'"{sha256(entry.contract).hexdigest()}"', entry.contract)


async def close(service: Service, request: Request, id: str) -> Response:
    """Take no more reports."""
    await asyncio.to_thread(service.store.close, id)
    return json_reply(await asyncio.to_thread(one, service, id))


async def delete(service: Service, request: Request, id: str) -> Response:
    """Remove a survey and its reports."""
    await asyncio.to_thread(service.store.delete, id)
    service.forget(id)
    service.gathering.look()
    return Response(status_code=204)


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
        Settings.read(entry.settings),
    )


def every(service: Service) -> list[OneSurvey]:
    """Return all surveys as their administrator sees them."""
    found = []
    for id in service.store.entries():
        with suppress(NoSurvey):  # which was deleted in the meantime
            found.append(one(service, id))
    return found
