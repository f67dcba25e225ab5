"""The route table as an OpenAPI 3.1 document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from .. import __version__
from .problems import MEDIA_TYPE, Details
from .routes import Media, Operation

__all__ = ["describe"]

# Any request may be for another host, come too often or when the store is full, or find a fault.
_ANYWHERE = {421, 429, 500, 503, 507}
# What may be wrong with any body, and that there is no such survey, or not any more.
_BODY, _SURVEY = {400, 413, 415}, {404, 410}


def describe(rows: Sequence[Operation]) -> dict[str, Any]:
    """Return the document."""
    paths: dict[str, Any] = {}
    for row in rows:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row)
    return {
        "openapi": "3.1.0",
        "info": {"title": "privet", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": _schemas(_types(rows))[1],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(row: Operation) -> dict[str, Any]:
    summary = (row.handler.__doc__ or "").strip().partition("\n")[0]
    operation: dict[str, Any] = {"summary": summary, "operationId": row.handler.__name__}
    names = re.findall(r"{(\w+)}", row.path)
    text = {"type": "string"}
    operation["parameters"] = [
        *({"name": name, "in": "path", "required": True, "schema": text} for name in names),
        *row.parameters,
    ]
    if row.takes:
        operation["requestBody"] = {"required": True, "content": _content(row.takes)}
    operation["responses"] = _responses(row)
    if row.admin:
        operation["security"] = [{"token": []}]
    return operation


def _responses(row: Operation) -> dict[str, Any]:
    refuses = {*row.refuses, *_ANYWHERE}
    if row.admin:
        refuses.add(401)
    if "{id}" in row.path:
        refuses |= _SURVEY
    if row.takes:
        refuses |= _BODY
    problem = _content({MEDIA_TYPE: Details})
    responses: dict[str, Any] = {
        str(status): {"description": HTTPStatus(status).phrase, "content": problem}
        for status in sorted(refuses - row.gives.keys())
    }
    for status, media in row.gives.items():
        responses[str(status)] = {"description": HTTPStatus(status).phrase}
        if media:
            responses[str(status)]["content"] = _content(media)
    return responses


def _content(media: Media) -> dict[str, Any]:
    """Describe bodies; of bytes, all that can be said is what they are called."""
    found: dict[str, Any] = {}
    for kind, of in media.items():
        found[kind] = {} if of is None else {"schema": _schemas([of])[0][0]}
    return found


def _types(rows: Iterable[Operation]) -> list[type]:
    media = [media for row in rows for media in (row.takes, *row.gives.values())]
    return [Details, *(of for one in media for of in one.values() if of is not None)]


def _schemas(types: Iterable[type]) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    return msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
