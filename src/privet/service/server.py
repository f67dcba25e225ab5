"""The server process: uvicorn, with bounds on its connections, until a signal comes."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import uvicorn
from starlette.types import ASGIApp

from .connections import GRACE_SECONDS, Connection, Crowd, accept
from .front import below, named

__all__ = ["BACKLOG", "run"]

BACKLOG = 2048  # how many connections the system keeps until they are accepted
_MOST_CONNECTIONS = 32_768
# Requests wait so long, and not Python's usual 5 ms, for a thread that computes.
_SWITCH_SECONDS = 0.0005


def run(
    app: ASGIApp,
    listener: socket.socket,
    ready: Callable[[], None],
    *,
    tls: ssl.SSLContext | None = None,
    proxies: Sequence[str] = (),
    prefix: str = "",
    names: Sequence[str] = (),
) -> None:
    """Serve an application until a signal comes, and finish what was taken."""
    if prefix:
        app = below(app, prefix)
    if names:
        app = named(app, names)
    sys.setswitchinterval(_SWITCH_SECONDS)
    # Nothing is logged of requests. Addresses are looked at only to tell a proxy.
    config = uvicorn.Config(
        app,
        access_log=False,
        log_level="error",
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=int(GRACE_SECONDS),
    )
    _Server(config, listener, tls, ready).run(sockets=[])


class _Server(uvicorn.Server):
    """Listens by itself, as connections are of our own kind."""

    def __init__(
        self,
        config: uvicorn.Config,
        listener: socket.socket,
        tls: ssl.SSLContext | None,
        ready: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._listener, self._tls, self._ready = listener, tls, ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.handle_exit)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        crowd = Crowd(_connections_that_fit())

        def connect() -> Connection:
            return Connection(crowd, self.config, self.server_state, self.lifespan.state)

        loop = asyncio.get_running_loop()
        if self._tls is None:
            server = await loop.create_server(connect, sock=self._listener, backlog=BACKLOG)
            self.servers.append(server)
        else:
            self._accepting = loop.create_task(accept(self._listener, self._tls, connect))
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._tls is not None:
            self._accepting.cancel()
        await super().shutdown(sockets)


def _connections_that_fit() -> int:
    """Let the process open as many files as it may; return how many may be connections."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_CONNECTIONS + BACKLOG
    most = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(ValueError, OSError):  # a system may allow less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    # The store needs some too, and so do connections that are accepted while others close.
    return most - min(most // 4, BACKLOG)
