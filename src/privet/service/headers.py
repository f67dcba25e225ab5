"""What browsers are told: a page loads our own files alone, data is no page, and who may look."""

from __future__ import annotations

from collections.abc import Iterable

from .settings import ANY, Settings

__all__ = ["allowance", "safe_headers"]

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
