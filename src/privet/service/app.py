"""The ASGI application: one route table, one place where access is checked and errors end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from math import ceil

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import NoSurvey, PrivetError, StoreFailure
from ..store import Store
from .bodies import Incoming, headers_of
from .gathering import note
from .headers import allowance, safe_headers
from .openapi import describe
from .problems import Problem, as_problem
from .routes import ROUTES, Operation
from .settings import Settings
from .state import Service

__all__ = ["make_app"]


class _Resource:
    """A path, and what its methods do."""

    def __init__(self, service: Service, path: str, rows: Iterable[Operation]) -> None:
        self._service, self._path = service, path
        self._rows = {row.method: row for row in rows}
        self._shared = any(row.shared for row in self._rows.values())
        if "GET" in self._rows:
            self._rows["HEAD"] = self._rows["GET"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, refused = Incoming(scope, receive, self._service.rooms), False
        try:
            response = await self._respond(request)
        except ClientDisconnect:  # who would hear an answer has gone
            self._service.metrics.count("privet_refused_total", "disconnected")
            return
        except Exception as error:
            problem = as_problem(error)
            if problem is not error and problem.status >= 500:
                note(error)
            self._service.metrics.count("privet_refused_total", problem.reason)
            response, refused = problem.response(request.path_params.get("id")), True
            del problem  # as its traceback has parts of the body
        if refused:
            await request.drain()
        response.raw_headers += safe_headers(response.media_type)
        if self._shared and (origin := headers_of(request).get(b"origin")) is not None:
            response.raw_headers += await self._allowance(request, origin.decode("latin-1"))
        method = request.method if request.method in self._rows else "other"
        labels = method, self._path, response.status_code
        self._service.metrics.count("privet_requests_total", *labels)
        try:
            await response(scope, receive, send)
        except PrivetError as error:  # of a download, which has begun: the client sees that it ends
            self._service.metrics.count("privet_refused_total", as_problem(error).reason)
            if isinstance(error, StoreFailure):
                note(error)

    async def _respond(self, request: Incoming) -> Response:
        address = request.scope.get("client")
        wait = self._service.limit.wait(address[0] if address else "")
        if wait:
            again = {"Retry-After": str(ceil(wait))}
            raise Problem(429, "too-many", "Too many requests come from this address.", again)
        row = self._rows.get(request.method)
        if row is None:
            allowed = {"Allow": ", ".join(sorted([*self._rows, "OPTIONS"]))}
            if request.method == "OPTIONS":
                return Response(status_code=204, headers=allowed)
            raise Problem(405, "method", f"Here, one can {allowed['Allow']}.", allowed)
        if row.admin and not await self._service.is_admin(request):
            detail = "This is for the administrator: send 'Authorization: Bearer TOKEN'."
            scheme = {"WWW-Authenticate": "Bearer"}
            raise Problem(401, "not-allowed", detail, scheme)
        try:
            return await row.handler(self._service, request, **request.path_params)
        finally:
            request.give_back()

    async def _allowance(self, request: Request, origin: str) -> Sequence[tuple[bytes, bytes]]:
        """Return the headers that let a page of another origin see the answer, if it may."""
        try:
            settings = await self._service.settings(request.path_params["id"])
        except (NoSurvey, StoreFailure):  # as the answer says
            return ()
        return allowance(settings, origin, sorted(self._rows))


async def _nowhere(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request for a path that is in no row of the table."""
    if scope["type"] == "http":
        detail = "There is nothing here; GET /openapi.json says what there is."
        problem = Problem(404, "nowhere", detail)
        await problem.response()(scope, receive, send)


def make_app(store: Store, *, counts_only: bool = False, per_minute: int = 0) -> ASGIApp:
    """Return the application that serves a store, which stays open when it ends.

    New surveys keep `counts_only` unless they say otherwise. One address may ask so often
    `per_minute`, or without a limit if that is 0.
    """
    service = Service(store, Settings(counts_only=counts_only), per_minute, describe(ROUTES))

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
