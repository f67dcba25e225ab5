"""Who may do what: the administrator has a token (`tokens`), and everyone else has none.

Programs send it in a header. Browsers trade it for a session, which is random too and ends: with a
logout, after some hours, or with the token. Its cookie cannot be read by any script, nor sent by
another site's page, nor used by any page but ours.
"""

from __future__ import annotations

from secrets import token_urlsafe
from time import time

from starlette.requests import Request

from ..store import Store
from .problems import Problem
from .tokens import TOKEN_BYTES, hashed, is_token

__all__ = ["begin_session", "check_same_origin", "end_session", "is_admin", "may_be_admin"]

_COOKIE, _SESSION_SECONDS = "privet", 12 * 3600
_SAFE = ("GET", "HEAD")


def may_be_admin(request: Request) -> bool:
    """Tell whether a request has a token or a session at all, which only the store can check."""
    return "authorization" in request.headers or _COOKIE in request.cookies


def is_admin(request: Request, store: Store) -> bool:
    """Tell whether a request is the administrator's; refuse what other sites' pages send."""
    authorization = request.headers.get("authorization")
    if authorization is not None:
        scheme, _, token = authorization.partition(" ")
        return scheme.lower() == "bearer" and is_token(token.strip(), store.token())
    if not _has_session(request, store):
        return False
    if request.method not in _SAFE:
        check_same_origin(request)
    return True


def check_same_origin(request: Request) -> None:
    """Refuse what another site's page sends with the administrator's cookie."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin", "")
    if site is None:
        same = origin.partition("://")[2] == request.headers.get("host")
    else:
        same = site == "same-origin"
    if not same:
        raise Problem(403, "cross-site", "This is for pages of this service alone.")


def begin_session(request: Request, store: Store, token: str) -> str | None:
    """Return the header that keeps a new session in a browser, or None for a wrong token."""
    if not is_token(token, store.token()):
        return None
    session, now = token_urlsafe(TOKEN_BYTES), int(time())
    length = {"now": now, "seconds": _SESSION_SECONDS}
    if not store.begin_session(hashed(token), hashed(session), **length):  # replaced just now
        return None
    return _cookie(request, session, _SESSION_SECONDS)


def end_session(request: Request, store: Store) -> str:
    """End the session of a request; return the header that removes it from the browser."""
    if _has_session(request, store):
        store.end_session(hashed(request.cookies[_COOKIE]))
    return _cookie(request, "", 0)


def _has_session(request: Request, store: Store) -> bool:
    session = request.cookies.get(_COOKIE)
    return session is not None and store.has_session(hashed(session), now=int(time()))


def _cookie(request: Request, session: str, seconds: int) -> str:
    secure = "; Secure" if request.url.scheme == "https" else ""
    path = request.scope.get("root_path") or "/"
    kept = f"Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
    return f"{_COOKIE}={session}; {kept}"
