"""Who may do what: the administrator has a token, of which the store keeps the hash.

Programs send it in a header, and browsers in a cookie that no script can read, no other site's page
can send, and no other page than ours can use.
"""

from __future__ import annotations

import logging
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from ..errors import InvalidFile
from ..files import replacing
from .problems import Problem

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request

    from ..store import Store

__all__ = [
    "check_same_origin", "cookie", "hashed", "is_admin", "is_token", "replace_token",
    "settle_token",
]  # fmt: skip

log = logging.getLogger("privet.service")

_TOKEN_BYTES = 32
_SHORTEST = 22  # base64url characters of 128 random bits
_COOKIE, _COOKIE_SECONDS = "privet", 12 * 3600
_SAFE = ("GET", "HEAD")


def hashed(token: str) -> bytes:
    """Return what the store keeps of a token, or of a client's key."""
    return sha256(token.encode()).digest()


def is_token(token: str, kept: bytes | None) -> bool:
    """Tell whether this is the administrator's token; the time says nothing of it."""
    return compare_digest(hashed(token), kept or b"")


def is_admin(request: Request, kept: bytes | None) -> bool:
    """Tell whether a request is the administrator's; refuse what other sites' pages send."""
    authorization = request.headers.get("authorization")
    if authorization is not None:
        scheme, _, token = authorization.partition(" ")
        return scheme.lower() == "bearer" and is_token(token.strip(), kept)
    if not is_token(_in_cookie(request), kept):
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


def cookie(request: Request, token: str) -> str:
    """Return the header that keeps a token in a browser, for our own pages, or removes it."""
    value = urlsafe_b64encode(token.encode()).decode().rstrip("=")
    secure = "; Secure" if request.url.scheme == "https" else ""
    path, age = request.scope.get("root_path") or "/", _COOKIE_SECONDS if token else 0
    return f"{_COOKIE}={value}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Strict{secure}"


def _in_cookie(request: Request) -> str:
    value = request.cookies.get(_COOKIE, "")
    try:
        return urlsafe_b64decode(value + "=" * (-len(value) % 4)).decode()
    except ValueError:
        return ""


def settle_token(store: Store, path: Path | None) -> str | None:
    """Make the token in a file the store's; return a new one, where none was there.

    Without a file, the store's own goes on being valid, and is made if there is none. So it does
    where the file has a token that was replaced: an old file must not bring that back.
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
    token = token_urlsafe(_TOKEN_BYTES)
    if path is None:
        store.set_token(hashed(token), for_good=for_good)
        return token
    if path.exists():  # whose mode the new one takes
        path.chmod(0o600)
    with replacing(path, private=True) as temporary:
        temporary.write_text(token + "\n", "utf-8")
        store.set_token(hashed(token), for_good=for_good)
    return token
