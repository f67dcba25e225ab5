"""A page for the administrator's token, which a cookie then carries."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from . import pages
from .access import check_same_origin, cookie, is_token
from .bodies import media_type
from .pages import Html

if TYPE_CHECKING:
    from starlette.requests import Request

    from .app import Service
    from .bodies import Incoming

__all__ = ["FORM", "log_in", "log_out", "page"]

FORM = "application/x-www-form-urlencoded"
_MOST_FORM = 1024  # the event loop waits while a form is parsed: for seconds, if it has megabytes
_WRONG = Html('<p role="alert" class="alert">That is not the token.</p>')


async def page(service: Service, request: Request) -> Response:
    """Return a page that asks for the token."""
    return _page(request)


async def log_in(service: Service, request: Incoming) -> Response:
    """Take the token of the page into a cookie."""
    check_same_origin(request)
    media_type(request, FORM)
    fields = parse_qs((await request.body(_MOST_FORM)).decode("ascii", "replace"))
    token = fields.get("token", [""])[0].strip()
    if not is_token(token, await run_in_threadpool(service.store.token)):
        return _page(request, _WRONG, 401)
    return _elsewhere(request, "/", token)


async def log_out(service: Service, request: Request) -> Response:
    """Remove the cookie."""
    check_same_origin(request)
    return _elsewhere(request, "/login", "")


def _page(request: Request, alert: str = "", status: int = 200) -> Response:
    return pages.page(request, "login.html", title="Log in", status=status, alert=alert)


def _elsewhere(request: Request, path: str, token: str) -> Response:
    place = request.scope.get("root_path", "") + path
    headers = {"Location": place, "Set-Cookie": cookie(request, token)}
    return Response(status_code=303, headers=headers)
