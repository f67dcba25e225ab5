"""The route table as an OpenAPI 3.1 document."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from .. import __version__
from .problems import MEDIA_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .routes import Row

__all__ = ["describe"]

# Any request may be for another host, find a fault, or come when the store cannot be used.
_ANYWHERE = (421, 500, 503)
_PROBLEM = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "reason": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail", "reason"],
}


def describe(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the document."""
    paths: dict[str, Any] = {}
    for row in rows:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row)
    return {
        "openapi": "3.1.0",
        "info": {"title": "privet", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": {"Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(row: Row) -> dict[str, Any]:
    summary = (row.handler.__doc__ or "").strip().partition("\n")[0]
    operation: dict[str, Any] = {"summary": summary, "operationId": row.handler.__name__}
    names = re.findall(r"{(\w+)}", row.path)
    text = {"type": "string"}
    operation["parameters"] = [
        *({"name": name, "in": "path", "required": True, "schema": text} for name in names),
        *row.parameters,
    ]
    if row.takes:
        content = {kind: {"schema": schema} for kind, schema in row.takes.items()}
        operation["requestBody"] = {"required": True, "content": content}
    operation["responses"] = _responses(row)
    if row.admin:
        operation["security"] = [{"token": []}]
    return operation


def _responses(row: Row) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, kinds in row.gives.items():
        responses[str(status)] = {"description": HTTPStatus(status).phrase}
        if kinds:
            responses[str(status)]["content"] = {kind: {} for kind in kinds}
    problem = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for status in sorted({*row.refuses, *_ANYWHERE, *((401,) if row.admin else ())}):
        described = {"description": HTTPStatus(status).phrase, "content": problem}
        responses[str(status)] = described
    return responses
