"""Who may do what: the administrator has a token, of which the store keeps the hash."""

from __future__ import annotations

import logging
from hashlib import sha256
from hmac import compare_digest
from http import HTTPStatus
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from ..errors import InvalidFile
from ..files import replacing
from .problems import Problem

if TYPE_CHECKING:
    from pathlib import Path

    from ..store import Store

__all__ = ["check_token", "hashed", "replace_token", "settle_token"]

log = logging.getLogger("privet.service")

_TOKEN_BYTES = 32
_SHORTEST = 22  # base64url characters of 128 random bits


def hashed(token: str) -> bytes:
    """Return what the store keeps of a token, or of a client's key."""
    return sha256(token.encode()).digest()


def check_token(authorization: str | None, kept: bytes | None) -> None:
    """Refuse a request whose header does not have the token; the time says nothing of it."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() == "bearer" and compare_digest(hashed(token.strip()), kept or b""):
        return
    detail = "This is for the administrator: send 'Authorization: Bearer TOKEN'."
    headers = {"WWW-Authenticate": "Bearer"}
    raise Problem(HTTPStatus.UNAUTHORIZED, "not-allowed", detail, headers)


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
    token = token_urlsafe(_TOKEN_BYTES)
    if path is not None:
        with replacing(path, private=True) as temporary:
            temporary.write_text(token + "\n", "utf-8")
    store.set_token(hashed(token))
    return token


def replace_token(store: Store, path: Path | None) -> str:
    """Make a new token, after which the one before is never valid again; write it to a file."""
    token = token_urlsafe(_TOKEN_BYTES)
    if path is None:
        store.set_token(hashed(token), for_good=True)
    else:
        if path.exists():  # whose mode the new one takes
            path.chmod(0o600)
        with replacing(path, private=True) as temporary:
            temporary.write_text(token + "\n", "utf-8")
            store.set_token(hashed(token), for_good=True)
    return token
