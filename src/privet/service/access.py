"""Who may do what: the administrator has a token, and everyone else has none.

A program sends the token, and the store keeps its hash alone; a browser has a session.
"""

from __future__ import annotations

import logging
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe
from time import time

from starlette.requests import Request

from ..device.files import replacing
from ..errors import InvalidFile
from ..store import Store
from .problems import Problem

__all__ = [
    "TOKEN_BYTES",
    "begin_session",
    "check_same_origin",
    "end_session",
    "hashed",
    "is_admin",
    "is_token",
    "may_be_admin",
    "replace_token",
    "settle_token",
]

log = logging.getLogger("privet.service")

TOKEN_BYTES = 32
_SHORTEST = 22  # base64url characters of 128 random bits


def hashed(token: str) -> bytes:
    """Return what the store keeps of a token, a session, or an invitation."""
    return sha256(token.encode()).digest()


def is_token(token: str, kept: bytes | None) -> bool:
    """Tell whether this is the administrator's token, in a time that does not depend on it."""
    return compare_digest(hashed(token), kept or b"")


def settle_token(store: Store, path: Path | None) -> str | None:
    """Make the token in a file the store's; return a new one, where none was there.

    Without a file, the store's own token stays valid, or one is made. It also stays valid if the
    token in the file was replaced before: an old file must not bring that back.
    """
    if path is not None and path.exists():
        token = path.read_text("utf-8", "replace").strip()
        if len(token) < _SHORTEST or not token.isascii() or not token.isprintable():
            raise InvalidFile(f"{path}: a token has at least {_SHORTEST} printable characters.")
        if not store.set_token(hashed(token)):
            log.warning("%s: this token was replaced, and is not valid; the new one is.", path)
        return None
    if path is None and store.token() is not None:
        return None
    return _new_token(store, path, for_good=False)


def replace_token(store: Store, path: Path | None) -> str:
    """Make a new token, after which the one before is never valid again; write it to a file."""
    return _new_token(store, path, for_good=True)


def _new_token(store: Store, path: Path | None, *, for_good: bool) -> str:
    token = token_urlsafe(TOKEN_BYTES)
    if path is None:
        store.set_token(hashed(token), for_good=for_good)
        return token
    if path.exists():  # whose mode the new one takes
        path.chmod(0o600)
    with replacing(path, private=True) as temporary:
        temporary.write_text(token + "\n", "utf-8")
        store.set_token(hashed(token), for_good=for_good)
    return token


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
