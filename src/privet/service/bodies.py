"""Bodies of requests: read in bounded memory. How long they may take, `connections` says."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

from .problems import Problem, busy

if TYPE_CHECKING:
    from typing import Self

    from starlette.requests import Request
    from starlette.types import Message, Receive

__all__ = ["MOST_BODY", "Incoming", "Room", "headers_of", "media_type"]

MOST_BODY = 4 << 20
_BY_NAME = "privet.headers"  # in a request's scope, as they are asked for often
MOST_HELD = 64 << 20
# Of a body that is refused, so much is thrown away: most clients listen only when they have sent.
_MOST_DRAINED, _DRAIN_SECONDS = 4 * MOST_BODY, 5.0


class Incoming:
    """The messages of a request, and whether all have come."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._whole = receive, False

    async def __call__(self) -> Message:
        """Return the next message."""
        message = await self._receive()
        self._whole = not message.get("more_body", False)
        return message

    async def drain(self) -> None:
        """Throw away what is left of a body, unless that is too much."""
        left = _MOST_DRAINED
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                while not self._whole and left > 0:
                    left -= len((await self()).get("body", b""))


class Room:
    """How many bytes of requests may be held at a time, by all of them together."""

    def __init__(self, size: int = MOST_HELD) -> None:
        self._left = size

    def reading(self, request: Request) -> _Reading:
        """Hold what is read of a request until the end of the block."""
        return _Reading(self, request)

    def take(self, size: int) -> None:
        """Take so many bytes, or refuse; a negative number gives them back."""
        if size > self._left:
            raise busy("Too much is arriving at the moment.")
        self._left -= size


class _Reading:
    """A body that is being read."""

    def __init__(self, room: Room, request: Request) -> None:
        self._room, self._request, self._size = room, request, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._room.take(-self._size)

    async def body(self) -> bytes:
        """Return the whole body."""
        said = headers_of(self._request).get(b"content-length", b"0")
        _check_size(int(said) if said.isdigit() else 0)
        parts, more = [], True
        while more:
            message = await self._request.receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            part: bytes = message.get("body", b"")
            _check_size(self._size + len(part))
            self._room.take(len(part))
            self._size += len(part)
            parts.append(part)
            more = message.get("more_body", False)
        return b"".join(parts)


def headers_of(request: Request) -> dict[bytes, bytes]:
    """Return the headers as they came, by their lower-case names; of two, the last."""
    scope = request.scope
    if _BY_NAME not in scope:
        scope[_BY_NAME] = dict(scope["headers"])
    found: dict[bytes, bytes] = scope[_BY_NAME]
    return found


def media_type(request: Request, *allowed: str) -> str:
    """Return what a body is said to be, or refuse it."""
    headers = headers_of(request)
    found = headers.get(b"content-type", b"").partition(b";")[0].strip().lower().decode("latin-1")
    if found not in allowed or headers.get(b"content-encoding", b"identity") != b"identity":
        detail = f"The body must be {' or '.join(allowed)}, not compressed."
        raise Problem(415, "media-type", detail)
    return found


def _check_size(size: int) -> None:
    if size > MOST_BODY:
        raise Problem(413, "too-large", f"A body has at most {MOST_BODY:,} bytes.")
