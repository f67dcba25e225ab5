"""A page that takes the administrator's token, and begins a session for it."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from . import pages
from .access import begin_session, check_same_origin, end_session
from .bodies import Incoming, media_type
from .state import Service

__all__ = ["FORM", "log_in", "log_out", "page"]

FORM = "application/x-www-form-urlencoded"
_MOST_FORM = 1024  # the event loop waits while a form is parsed: for seconds, if it has megabytes


async def page(service: Service, request: Request) -> Response:
    """Return a page that asks for the token."""
    return _page(request)


async def log_in(service: Service, request: Incoming) -> Response:
    """Begin a session, if the token is right."""
    check_same_origin(request)
    media_type(request, FORM)
    fields = parse_qs((await request.body(_MOST_FORM)).decode("ascii", "replace"))
    token = fields.get("token", [""])[0].strip()
    cookie = await run_in_threadpool(begin_session, request, service.store, token)
    if cookie is None:
        return _page(request, wrong=True)
    return _elsewhere(request, "/", cookie)


async def log_out(service: Service, request: Request) -> Response:
    """End the session, and remove its cookie."""
    check_same_origin(request)
    cookie = await run_in_threadpool(end_session, request, service.store)
    return _elsewhere(request, "/login", cookie)


def _page(request: Request, *, wrong: bool = False) -> Response:
    status = 401 if wrong else 200
    return pages.page(request, "login", title="Log in", status=status, wrong=wrong)


def _elsewhere(request: Request, path: str, cookie: str) -> Response:
    place = request.scope.get("root_path", "") + path
    headers = {"Location": place, "Set-Cookie": cookie}
    return Response(status_code=303, headers=headers)
