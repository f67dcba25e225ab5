"""What a request passes before the application: the server's names, and the path it is below."""

from __future__ import annotations

from collections.abc import Collection

from starlette.types import ASGIApp, Receive, Scope, Send

from .problems import Problem

__all__ = ["below", "named"]


def below(app: ASGIApp, prefix: str) -> ASGIApp:
    """Serve below a path, whether a proxy strips it from what it forwards or not."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path, raw = scope["path"], scope["raw_path"]
            if not f"{path}/".startswith(f"{prefix}/"):
                path, raw = prefix + path, prefix.encode() + raw
            scope = {**scope, "root_path": prefix, "path": path, "raw_path": raw}
        await app(scope, receive, send)

    return serve


def named(app: ASGIApp, names: Collection[str]) -> ASGIApp:
    """Refuse requests for other hosts than these, in lower case."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _host(scope) not in names:
            problem = Problem(421, "host", "This server does not answer for that host.")
            await problem.response()(scope, receive, send)
        else:
            await app(scope, receive, send)

    return serve


def _host(scope: Scope) -> str:
    """Return the host that a request is for, without the port."""
    found = [value for name, value in scope["headers"] if name == b"host"]
    if len(found) != 1:
        return ""
    host: str = found[0].decode("latin-1").lower()
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]
