"""Connections: each request comes in bounded time and size, and there are only so many at once.

A connection waits until it has sent a whole request, and again once that is answered. When there is
no room for a new one, the one that has waited longest is closed. So idle or half-sent connections
keep nobody out. A whole request is never dropped, unless its client sends many more without waiting
for an answer.

This module alone extends classes of uvicorn: another version may need changes here.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from .problems import busy

__all__ = ["GRACE_SECONDS", "Connection", "Crowd", "Server"]

_HEAD_SECONDS = 10.0
# So long a body may take, or each of its parts of so many bytes.
GRACE_SECONDS, _PART = 40.0, 4 << 20
# How long a client may take to read some of its answer, and what is left when the server ends.
_READ_SECONDS, _END_SECONDS = 60.0, 3.0
_ACCEPT_SECONDS = 0.1
_MOST_HEAD = 64 << 10
# One read may bring thousands of requests, and each takes 8 KiB until it is answered. Clients that
# send the next request before the last is answered ("pipelining") are rare.
MAX_UNANSWERED = 16  # on one connection
MAX_QUEUED = 256  # behind others of their connections, on all connections together


class Crowd:
    """How many connections and requests there may be, and who waits, longest first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.queued = 0  # requests behind others of their connections
        self.waiting: dict[Connection | Handshake, None] = {}

    def has_room(self, new: Connection | Handshake, number: int) -> bool:
        """Let a new one wait, the last of so many; one that has waited longer may have to go."""
        self.waiting[new] = None
        if number <= self._most:
            return True
        longest = next(iter(self.waiting))
        if longest is not new:
            longest.drop()
        return longest is not new  # or else all others are being answered


class Connection(HttpToolsProtocol):
    """One client's connection."""

    def __init__(
        self, crowd: Crowd, config: uvicorn.Config, server_state: ServerState, app_state: Any
    ) -> None:
        super().__init__(config, server_state, app_state)
        self.crowd, self._waiting = crowd, crowd.waiting
        self._timer: asyncio.TimerHandle | None = None
        self._unanswered: deque[RequestResponseCycle] = deque()
        # The seconds for what is being received (0: nothing is), and the bytes of it that are
        # neither a body nor a whole request.
        self._seconds, self._unread, self._part = _HEAD_SECONDS, 0, 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait, if there is room."""
        super().connection_made(transport)
        self._expect(_HEAD_SECONDS)
        if not self.crowd.has_room(self, len(self.connections)):
            self._refuse()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, and tell whoever answers its requests."""
        self._waiting.pop(self, None)
        self._stop()
        self.crowd.queued -= max(len(self._unanswered) - 1, 0)
        for cycle in self._unanswered:  # uvicorn tells the last one only
            cycle.disconnected = True
            cycle.message_event.set()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close the connection at once."""
        self._waiting.pop(self, None)
        self.transport.abort()

    def shutdown(self) -> None:
        """End soon: what has not come whole will not be waited for."""
        super().shutdown()
        if self in self._waiting:
            self._expect(_END_SECONDS)

    # --- what comes -------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Take some bytes; unless they end a request, the rest of it is due."""
        self._seconds = self._seconds or _HEAD_SECONDS  # also where an empty line precedes it
        self._unread += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._unread > _MOST_HEAD:
            self.send_400_response(f"The head of a request has at most {_MOST_HEAD:,} bytes.")
        elif self._seconds and self._timer is None:
            self._expect(self._seconds)

    def on_message_begin(self) -> None:
        """Begin a head."""
        super().on_message_begin()
        self._seconds = _HEAD_SECONDS

    def on_headers_complete(self) -> None:
        """Begin a body, unless too many requests wait for an answer.

        Trailers may follow the body. They are not headers, so they go to a list that nobody reads.
        """
        behind = len(self._unanswered)
        if behind >= MAX_UNANSWERED or (behind and self.crowd.queued >= MAX_QUEUED):
            self.drop()
            raise ConnectionAbortedError  # or else the parser goes on with what has come
        super().on_headers_complete()
        self.headers = []
        self._unanswered.append(self.cycle)
        self.crowd.queued += behind > 0
        self._stop()
        self._seconds = GRACE_SECONDS

    def on_body(self, body: bytes) -> None:
        """Take a part of a body."""
        super().on_body(body)
        self._unread = 0
        self._part += len(body)
        if self._part >= _PART:  # an import's, say, which has more time as it goes on
            self._part = 0
            self._stop()

    def on_message_complete(self) -> None:
        """Have a whole request, which is answered before the connection waits again."""
        super().on_message_complete()
        self._stop()
        self._seconds = self._unread = 0
        if not self.cycle.response_complete:
            self._waiting.pop(self, None)

    def on_response_complete(self) -> None:
        """Wait again, now longer than nobody, unless another request has come."""
        self.crowd.queued -= len(self._unanswered) > 1
        self._unanswered.popleft()
        super().on_response_complete()
        if self.cycle.response_complete and not self.transport.is_closing():
            self._waiting.pop(self, None)
            self._waiting[self] = None

    # --- what goes --------------------------------------------------------------------------------

    def pause_writing(self) -> None:
        """Wait for a client to read its answer, as long as it reads some of it."""
        super().pause_writing()
        self._await_reading(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Go on, as it reads."""
        self._stop()
        super().resume_writing()

    def _await_reading(self, size: int) -> None:
        def look_again() -> None:
            left = self.transport.get_write_buffer_size()
            if left < size:
                self._await_reading(left)
            else:
                self.drop()

        self._expect(_READ_SECONDS, look_again)

    def _refuse(self) -> None:
        response = busy("There are too many connections.").response()
        lines = [b"HTTP/1.1 503 Service Unavailable", b"connection: close"]
        lines += [b"%s: %s" % pair for pair in response.raw_headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(response.body)]))
        self.transport.close()

    # --- the deadline -----------------------------------------------------------------------------

    def _expect(self, seconds: float, otherwise: Callable[[], None] | None = None) -> None:
        self._stop()
        self._timer = self.loop.call_later(seconds, otherwise or self.drop)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Handshake:
    """A connection that has to settle TLS first, and waits like others meanwhile."""

    def __init__(self, client: socket.socket, tls: ssl.SSLContext, then: Connection) -> None:
        self._client, self._tls, self._then = client, tls, then
        then.connections.add(self)  # type: ignore[arg-type]
        self._task = then.loop.create_task(self._shake())
        self._task.add_done_callback(self._leave)
        if not then.crowd.has_room(self, len(then.connections)):
            self.drop()

    def drop(self) -> None:
        """Close the connection at once."""
        self._then.crowd.waiting.pop(self, None)
        self._task.cancel()

    shutdown = drop

    async def _shake(self) -> None:
        with suppress(OSError):  # those of TLS are such too
            await self._then.loop.connect_accepted_socket(
                lambda: self._then, self._client, ssl=self._tls,
                ssl_handshake_timeout=_HEAD_SECONDS, ssl_shutdown_timeout=_END_SECONDS,
            )  # fmt: skip

    def _leave(self, task: asyncio.Task[None]) -> None:
        self._then.crowd.waiting.pop(self, None)
        self._then.connections.discard(self)
        if self._then.transport is None:  # as nothing came of it
            self._client.close()


async def _accept(
    listener: socket.socket, tls: ssl.SSLContext, connect: Callable[[], Connection]
) -> None:
    """Take connections that begin with TLS, until cancelled."""
    listener.setblocking(False)
    loop = asyncio.get_running_loop()
    while True:
        try:
            client, _ = await loop.sock_accept(listener)
        except OSError:  # there are too many open files
            await asyncio.sleep(_ACCEPT_SECONDS)
        else:
            Handshake(client, tls, connect())


class Server(uvicorn.Server):
    """Listens by itself, because its connections are of the kind above."""

    def __init__(
        self,
        config: uvicorn.Config,
        crowd: Crowd,
        listener: socket.socket,
        backlog: int,
        tls: ssl.SSLContext | None,
        ready: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._crowd, self._listener, self._backlog = crowd, listener, backlog
        self._tls, self._ready = tls, ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on these signals, unless the process was told to ignore them."""
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.handle_exit)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, take connections, and say so."""
        await super().startup(sockets)
        loop = asyncio.get_running_loop()
        if self._tls is None:
            server = await loop.create_server(
                self._connection, sock=self._listener, backlog=self._backlog
            )
            self.servers.append(server)
        else:
            accepting = _accept(self._listener, self._tls, self._connection)
            self._accepting = loop.create_task(accepting)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, and finish the requests that have come."""
        if self._tls is not None:
            self._accepting.cancel()
        await super().shutdown(sockets)

    def _connection(self) -> Connection:
        return Connection(self._crowd, self.config, self.server_state, self.lifespan.state)
