"""Bodies of requests: read in bounded memory. How long they may take, `connections` says."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect, Request

from .problems import Problem, busy

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.types import Receive, Scope

__all__ = ["MOST_BODY", "Incoming", "Room", "headers_of", "media_type"]

MOST_BODY = 4 << 20
_BY_NAME = "privet.headers"  # in a request's scope, as they are asked for often
MOST_HELD = 64 << 20
# Of a body that is refused, so much is thrown away: most clients listen only when they have sent.
_MOST_DRAINED, _DRAIN_SECONDS = 4 * MOST_BODY, 5.0


class Room:
    """How many bytes of requests may be held at a time, by all of them together."""

    def __init__(self, size: int = MOST_HELD) -> None:
        self._left = size

    def take(self, size: int) -> None:
        """Take so many bytes, or refuse; a negative number gives them back."""
        if size > self._left:
            raise busy("Too much is arriving at the moment.")
        self._left -= size


class Incoming(Request):
    """A request whose body takes room until it is given back."""

    def __init__(self, scope: Scope, receive: Receive, room: Room) -> None:
        super().__init__(scope, receive)
        self._room, self._held, self._whole = room, 0, False

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """Yield the parts of the body that have not come yet."""
        while not self._whole:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            self._whole = not message.get("more_body", False)
            yield message.get("body", b"")

    async def body(self) -> bytes:
        """Return the whole body, for which there is room."""
        said = headers_of(self).get(b"content-length", b"0")
        _check_size(int(said) if said.isdigit() else 0)
        parts = []
        async for part in self.stream():
            _check_size(self._held + len(part))
            self._room.take(len(part))
            self._held += len(part)
            parts.append(part)
        return b"".join(parts)

    def give_back(self) -> None:
        """Hold no more of the body, as it is not needed any more."""
        self._room.take(-self._held)
        self._held = 0

    async def drain(self) -> None:
        """Throw away what is left of the body, unless that is too much."""
        left = _MOST_DRAINED
        with suppress(TimeoutError, ClientDisconnect):
            async with asyncio.timeout(_DRAIN_SECONDS):
                async for part in self.stream():
                    left -= len(part)
                    if left <= 0:
                        break


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
