"""What browsers are told, and what a request passes before the application.

A page loads our own files alone, data is no page, and only named hosts and paths are served.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from .problems import Problem
from .settings import ANY, Settings

__all__ = ["allowance", "below", "named", "safe_headers"]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types privet"
)
_SHOWN = ("text/html", "text/javascript", "image/svg+xml")
_DATA = [(b"x-content-type-options", b"nosniff")]
_PAGE = [
    *_DATA,
    (b"content-security-policy", _POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
_MAX_AGE = b"7200"  # which is as long as browsers remember


def safe_headers(media_type: str | None) -> list[tuple[bytes, bytes]]:
    """Return what keeps a browser from taking data for a page, and a page from anything else."""
    return _PAGE if media_type in _SHOWN else _DATA


def allowance(settings: Settings, origin: str, methods: Iterable[str]) -> list[tuple[bytes, bytes]]:
    """Return the headers that let a page of an origin see the answer, if it may."""
    found = [(b"vary", b"Origin")]
    if settings.allows(origin):
        who = ANY if ANY in settings.origins else origin
        found += [
            (b"access-control-allow-origin", who.encode("latin-1")),
            (b"access-control-allow-methods", ", ".join(methods).encode()),
            (b"access-control-allow-headers", b"Content-Type, Idempotency-Key, Invitation"),
            (b"access-control-expose-headers", b"ETag, Retry-After"),
            (b"access-control-max-age", _MAX_AGE),
        ]
    return found


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
