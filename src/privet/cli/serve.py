"""privet serve: take reports over HTTP, and say what they say."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import JSON, Once
from .output import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BACKLOG = 2048
# Longer than any body may take to be read.
_GRACE_SECONDS = 40
# Requests wait so long, and not Python's usual 5 ms, for a thread that computes.
_SWITCH_SECONDS = 0.001


@click.command(cls=Once)
@click.option("--store", required=True, help="A file, or a postgresql:// URL; made if need be.")
@click.option("--host", default="127.0.0.1", help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, help="0 takes a free one.")
@click.option(
    "--token-file", type=click.Path(dir_okay=False, path_type=Path),
    help="The administrator's token: read if the file is there, or else made and written.",
)  # fmt: skip
@JSON
def serve(store: str, host: str, port: int, token_file: Path | None, json_out: bool) -> None:
    """Take reports over HTTP, count each once, and give estimates.

    It ends on SIGTERM or Ctrl-C, when what has been taken is stored. With --json, one line says
    where it listens as soon as it does.

    privet serve --store surveys.db --token-file token.txt
    """
    from ..extras import require

    for package in ("uvicorn", "starlette"):
        require(package, "serve", "privet serve")
    from ..service.access import settle_token
    from ..store import open_store

    with _listening(host, port) as listener, open_store(store) as opened:
        token = settle_token(opened, token_file)
        if token is not None:
            say(f"The administrator's token, which is not shown again: {token}")
        url = _url(listener)

        def ready() -> None:
            if json_out:
                click.echo(json.dumps({"url": url}))
            say(f"Serving at {url}")

        _run(opened, listener, ready)


def _run(store: Any, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until a signal comes, and finish what was taken."""
    import uvicorn

    from ..service import make_app

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            for name in ("SIGINT", "SIGTERM", "SIGHUP"):
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                    signal.signal(number, self.handle_exit)
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                ready()

    sys.setswitchinterval(_SWITCH_SECONDS)
    # Nothing is logged of requests, and addresses are not looked at.
    config = uvicorn.Config(
        make_app(store),
        access_log=False,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    Server(config).run(sockets=[listener])


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        unknown = isinstance(error, socket.gaierror)  # whose numbers are not the system's
        reason = error.strerror if unknown else os.strerror(error.errno or 0)
        raise OSError(error.errno, reason, f"{host}:{port}") from None
    with listener:
        yield listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
