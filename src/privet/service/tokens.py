"""The administrator's token: a program sends it, and the store keeps its hash alone."""

from __future__ import annotations

import logging
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_urlsafe

from ..device.files import replacing
from ..errors import InvalidFile
from ..store import Store

__all__ = ["TOKEN_BYTES", "hashed", "is_token", "replace_token", "settle_token"]

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
