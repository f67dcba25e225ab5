"""Bodies of requests: read in bounded time and memory."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import TYPE_CHECKING

from .problems import Problem, busy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request
    from starlette.types import Message, Receive

__all__ = ["MOST_BODY", "Incoming", "Room", "media_type"]

MOST_BODY = 4 << 20
MOST_HELD = 64 << 20
_SECONDS = 30.0
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

    @contextmanager
    def reading(self, request: Request) -> Iterator[_Reading]:
        """Hold what is read of a request until the end of the block."""
        taken = _Reading(self, request)
        try:
            yield taken
        finally:
            self._left += taken.size

    def take(self, size: int) -> None:
        """Take so many bytes, or refuse."""
        if size > self._left:
            raise busy("Too much is arriving at the moment.")
        self._left -= size


class _Reading:
    """A body that is being read."""

    def __init__(self, room: Room, request: Request) -> None:
        self._room, self._request, self.size = room, request, 0

    async def body(self) -> bytes:
        """Return the whole body."""
        said = self._request.headers.get("content-length", "0")
        _check_size(int(said) if said.isdecimal() else 0)
        parts = []
        try:
            async with asyncio.timeout(_SECONDS):
                async for part in self._request.stream():
                    _check_size(self.size + len(part))
                    self._room.take(len(part))
                    self.size += len(part)
                    parts.append(part)
        except TimeoutError:
            detail = f"The body took more than {_SECONDS:g} seconds."
            raise Problem(HTTPStatus.REQUEST_TIMEOUT, "slow", detail) from None
        return b"".join(parts)


def media_type(request: Request, *allowed: str) -> str:
    """Return what a body is said to be, or refuse it."""
    found = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if found not in allowed or request.headers.get("content-encoding", "identity") != "identity":
        detail = f"The body must be {' or '.join(allowed)}, not compressed."
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "media-type", detail)
    return found


def _check_size(size: int) -> None:
    if size > MOST_BODY:
        detail = f"A body has at most {MOST_BODY:,} bytes."
        raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", detail)
