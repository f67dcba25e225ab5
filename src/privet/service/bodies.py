"""Bodies of requests: read in bounded memory. How long they may take, `connections` says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope

from .problems import Problem, busy

__all__ = ["MAX_SMALL", "MOST_BODY", "Incoming", "Room", "Rooms", "headers_of", "media_type"]

MOST_BODY = 4 << 20
MAX_SMALL = 64 << 10
_BY_NAME = "privet.headers"  # in a request's scope, as they are asked for often
_ROOM = 64 << 20
_PIECE = 1024  # smaller parts are joined, because each takes some 40 bytes more
# Of a body that is refused, so much is thrown away: most clients listen only when they have sent.
_MOST_DRAINED, _DRAIN_SECONDS = 4 * MOST_BODY, 5.0


class Room:
    """How many bytes of bodies may be held at a time, by all of them together.

    When a body needs more than is left, the unfinished one that made no progress for longest is
    dropped. So half-sent bodies keep nobody out. A body that has come whole is never dropped.
    """

    def __init__(self, size: int) -> None:
        self._left = size
        self._unfinished: dict[Incoming, None] = {}  # the one that has waited longest is first

    def take(self, body: Incoming, size: int, *, whole: bool) -> None:
        """Take room for a body's next bytes, or refuse it if nothing can be dropped."""
        self._unfinished.pop(body, None)
        while size > self._left:
            if not self._unfinished:
                raise _too_much()
            next(iter(self._unfinished)).drop()
        self._left -= size
        if not whole:
            self._unfinished[body] = None

    def give_back(self, body: Incoming, size: int) -> None:
        """Free what a body has taken."""
        self._unfinished.pop(body, None)
        self._left += size


class Rooms:
    """Room for small bodies, and as much for all others, so that large ones keep no report out."""

    def __init__(self, size: int = _ROOM) -> None:
        self.small, self.large = Room(size), Room(size)


class Incoming(Request):
    """A request whose body takes room until it is given back."""

    def __init__(self, scope: Scope, receive: Receive, rooms: Rooms) -> None:
        super().__init__(scope, receive)
        self._rooms, self._room, self._held = rooms, rooms.large, 0
        self._whole, self._parts = False, list[bytes]()
        self._patience = asyncio.Timeout(None)

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """Yield the parts of the body that have not come yet."""
        while not self._whole:
            yield await self._next()

    async def body(self, most: int = MOST_BODY) -> bytes:
        """Return the whole body, for which there is room."""
        declared = headers_of(self).get(b"content-length", b"")
        if declared.isdigit():
            _check_size(int(declared), most)
            if int(declared) <= MAX_SMALL:
                self._room = self._rooms.small
        part = await self._taken(most)
        if self._whole:  # as most bodies are at once
            return part
        self._parts.append(part)
        try:
            async with self._patience:
                while not self._whole:
                    part = await self._taken(most)
                    if len(self._parts[-1]) < _PIECE:  # a client may send a byte at a time
                        part = self._parts.pop() + part
                    self._parts.append(part)
        except TimeoutError:  # it was dropped
            raise _too_much() from None
        part = b"".join(self._parts)
        self._parts.clear()
        return part

    async def _taken(self, most: int) -> bytes:
        """Return the next part, for which there is room."""
        part = await self._next()
        if self._patience.when() is not None:
            raise _too_much()
        _check_size(self._held + len(part), most)
        self._room.take(self, len(part), whole=self._whole)
        self._held += len(part)
        return part

    async def _next(self) -> bytes:
        message = await self.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        self._whole = not message.get("more_body", False)
        part: bytes = message.get("body", b"")
        return part

    def drop(self) -> None:
        """Give up an unfinished body at once, because another needs its room."""
        self.give_back()
        self._patience.reschedule(0)

    def give_back(self) -> None:
        """Hold no more of the body, as it is not needed any more."""
        self._room.give_back(self, self._held)
        self._held = 0
        self._parts.clear()

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


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise Problem(413, "too-large", f"A body has at most {most:,} bytes here.")


def _too_much() -> Problem:
    return busy("Too much is arriving at the moment.")
