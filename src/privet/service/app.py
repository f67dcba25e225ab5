"""The ASGI application: one route table, one place where access is checked and errors end."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from http import HTTPStatus
from itertools import groupby
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect, Request
from starlette.routing import Route, Router

from ..contract import Contract
from .access import check_token
from .bodies import Incoming, Room
from .gathering import Gathering, note
from .metrics import Metrics
from .openapi import describe
from .problems import Problem, as_problem
from .routes import ROUTES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ..store import Store
    from .routes import Row

__all__ = ["Service", "make_app"]

_MOST_CONTRACTS = 256


class Service:
    """What all requests share. A contract never changes, so that it is read once."""

    def __init__(self, store: Store) -> None:
        self.store, self.metrics, self.room = store, Metrics(), Room()
        self.gathering = Gathering(store, self.metrics)
        self.openapi = describe(ROUTES)
        self.estimating = asyncio.Lock()
        self.estimates: dict[str, tuple[str, bytes]] = {}
        self._contracts: dict[str, Contract] = {}

    async def contract(self, id: str) -> Contract:
        """Return a survey's contract; whether it is open or deleted, the store knows."""
        found = self._contracts.get(id)
        if found is None:
            entry = await asyncio.to_thread(self.store.get, id)
            found = await asyncio.to_thread(Contract.from_json, entry.contract)
            if len(self._contracts) >= _MOST_CONTRACTS:
                self._contracts.pop(next(iter(self._contracts)))
            self._contracts[id] = found
        return found


class _Resource:
    """A path, and what its methods do."""

    def __init__(self, service: Service, path: str, rows: Iterable[Row]) -> None:
        self._service, self._path = service, path
        self._rows = {row.method: row for row in rows}
        if "GET" in self._rows:
            self._rows["HEAD"] = self._rows["GET"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        incoming = Incoming(receive)
        request = Request(scope, incoming)
        try:
            response = await self._respond(request)
        except ClientDisconnect:  # who would hear an answer has gone
            self._service.metrics.refused("disconnected")
            return
        except Exception as error:
            problem = as_problem(error)
            if problem is not error and problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                note(error)
            self._service.metrics.refused(problem.reason)
            response = problem.response()
            await incoming.drain()
        method = request.method if request.method in self._rows else "other"
        self._service.metrics.answered(method, self._path, response.status_code)
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        row = self._rows.get(request.method)
        if row is None:
            allowed = {"Allow": ", ".join(sorted(self._rows))}
            detail = f"Here, one can {allowed['Allow']}."
            raise Problem(HTTPStatus.METHOD_NOT_ALLOWED, "method", detail, allowed)
        if row.admin:
            kept = await asyncio.to_thread(self._service.store.token)
            check_token(request.headers.get("authorization"), kept)
        return await row.handler(self._service, request)


async def _nowhere(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request for a path that is in no row of the table."""
    if scope["type"] == "http":
        detail = "There is nothing here; GET /openapi.json says what there is."
        problem = Problem(HTTPStatus.NOT_FOUND, "nowhere", detail)
        await problem.response()(scope, receive, send)


def make_app(store: Store) -> ASGIApp:
    """Return the application that serves a store, which stays open when it ends."""
    service = Service(store)

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        service.gathering.start()
        try:
            yield
        finally:
            await service.gathering.end()

    by_path = groupby(ROUTES, lambda row: row.path)
    routes = [Route(path, _Resource(service, path, rows)) for path, rows in by_path]
    return Router(routes, redirect_slashes=False, default=_nowhere, lifespan=lifespan)
