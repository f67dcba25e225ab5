"""Answers as most handlers give them: JSON, and bodies with a tag."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from .ingest import JSON

__all__ = ["had", "json_reply", "tagged"]


def json_reply(
    message: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a message as JSON, with null for what is no number."""
    return Response(msgspec.json.encode(message), status, headers, JSON)


def tagged(request: Request, tag: str, body: bytes, kind: str = JSON) -> Response:
    """Return a body with its tag, or nothing to who has it already."""
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if had(request, tag):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=kind)


def had(request: Request, tag: str) -> bool:
    """Tell whether whoever asks has it already."""
    tags = request.headers.get("if-none-match", "").split(",")
    return tag in [one.strip().removeprefix("W/") for one in tags]
