"""The server process: uvicorn, with bounds on its connections, until a signal comes."""

from __future__ import annotations

import socket
import ssl
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from .connections import GRACE_SECONDS, Crowd, Server
from .headers import below, named

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
    crowd = Crowd(_connections_that_fit())
    Server(config, crowd, listener, BACKLOG, tls, ready).run(sockets=[])


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
