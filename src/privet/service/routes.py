"""Everything that can be asked of the service, in one table.

`takes` names the media types of a body, with a schema each. `gives` names what comes back: a status
with a media type, or "" where there is no body. `refuses` has the problems that are particular to a
row; those that any row may have are in `openapi`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import metrics, surveys
from .ingest import BYTES, JSON, KEY, take_reports
from .surveys import PARQUET

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from .app import Service

    Handler = Callable[[Service, Request], Awaitable[Response]]

__all__ = ["ROUTES", "Row"]


class Row(NamedTuple):
    """One method of one path; its handler's docstring says what it does."""

    method: str
    path: str
    handler: Handler
    admin: bool = False
    gives: Mapping[int, tuple[str, ...]] = {200: (JSON,)}
    takes: Mapping[str, Mapping[str, Any]] = {}
    refuses: tuple[int, ...] = ()
    parameters: tuple[Mapping[str, Any], ...] = ()


_TEXTS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
_REPORTS: Mapping[str, Any] = {
    BYTES: {"type": "string", "format": "binary", "minLength": 1},
    JSON: {
        "type": "object",
        "properties": {"reports": _TEXTS},
        "required": ["reports"],
        "additionalProperties": False,
    },
}
_KEYS = tuple(
    {"name": name, "in": place, "schema": {"type": "string", "pattern": f"^{KEY}$"}}
    for name, place in (("Idempotency-Key", "header"), ("key", "query"))
)
_CONTRACT = {JSON: {"type": "object"}}
_ONE = "/surveys/{id}"
_BOTH = {200: (JSON,), 201: (JSON,)}

# Rows of the same path stand together.
ROUTES = (
    Row(
        "POST", f"{_ONE}/reports", take_reports, takes=_REPORTS, parameters=_KEYS,
        refuses=(400, 404, 408, 409, 410, 413, 415, 422),
    ),
    Row(
        "GET", f"{_ONE}/reports", surveys.reports, admin=True, gives={200: (BYTES, PARQUET)},
        refuses=(404, 410),
    ),
    Row("GET", f"{_ONE}/estimate", surveys.estimate, refuses=(404, 410)),
    Row(
        "GET", f"{_ONE}/tally", surveys.tally, admin=True, gives={200: (BYTES,)},
        refuses=(404, 410),
    ),
    Row("POST", f"{_ONE}/close", surveys.close, admin=True, refuses=(404, 410)),
    Row("GET", _ONE, surveys.contract, refuses=(404, 410)),
    Row("DELETE", _ONE, surveys.delete, admin=True, gives={204: ()}, refuses=(404, 410)),
    Row("GET", "/surveys", surveys.listed, admin=True),
    Row(
        "POST", "/surveys", surveys.create, admin=True, gives=_BOTH, takes=_CONTRACT,
        refuses=(400, 408, 409, 413, 415),
    ),
    Row("GET", "/healthz", surveys.alive),
    Row("GET", "/readyz", surveys.ready),
    Row("GET", "/metrics", surveys.measured, admin=True, gives={200: (metrics.MEDIA_TYPE,)}),
    Row("GET", "/openapi.json", surveys.described),
)  # fmt: skip
