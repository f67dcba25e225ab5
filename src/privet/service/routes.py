"""Everything that can be asked of the service, in one table.

`takes` names the media types of a body, with a type each that describes it, or None for bytes.
`gives` names what comes back: a status with media types, likewise. `refuses` has the problems that
are particular to a row; those of all rows, of surveys and of bodies are in `openapi`. What is
`shared` can be asked by the pages of other origins that a survey's settings name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from . import itself, login, metrics, pages, results, surveys
from .drafts import TOML, draft
from .estimating import FORMATS
from .importing import PARQUET, import_reports
from .ingest import BYTES, JSON, KEY, take_reports
from .messages import (
    Counted,
    Created,
    Drafted,
    Imported,
    Invitations,
    Invite,
    Listed,
    OneSurvey,
    Progress,
    Reports,
    Status,
)
from .pages import HTML
from .settings import Settings
from .state import Handler
from .static_files import static_file

Media = Mapping[str, type | None]

__all__ = ["ROUTES", "Operation"]


class Operation(NamedTuple):
    """One method of one path; its handler's docstring says what it does."""

    method: str
    path: str
    handler: Handler
    admin: bool = False
    shared: bool = False
    gives: Mapping[int, Mapping[str, type | None]] = {200: {JSON: dict}}
    takes: Mapping[str, type | None] = {}
    refuses: tuple[int, ...] = ()
    parameters: tuple[Mapping[str, Any], ...] = ()


def _parameter(name: str, place: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"name": name, "in": place, "schema": schema}


_KEY = {"type": "string", "pattern": f"^{KEY}$"}
_NAMES = {"type": "array", "items": {"type": "string"}}
_KEYS = (
    _parameter("Idempotency-Key", "header", _KEY),
    _parameter("key", "query", _KEY),
    _parameter("Invitation", "header", _KEY),
    _parameter("invitation", "query", _KEY),
)
_SCHEMAS = msgspec.json.schema_components([Settings])[1]
_SETTINGS = tuple(
    _parameter(name, "query", schema) for name, schema in _SCHEMAS["Settings"]["properties"].items()
)
_ONE = "/surveys/{id}"
_CREATED = {200: {JSON: Created}, 201: {JSON: Created}}
_SURVEY = {200: {JSON: OneSurvey}}
_PAGE = {200: {HTML: None}}
_OWN_PAGE = {200: {HTML: None}, 303: {}}
_MISSING = {404: {HTML: None}, 410: {HTML: None}}
_FILES = {200: dict.fromkeys(FORMATS.values())}

# Rows of the same path stand together.
ROUTES = (
    Operation(
        "POST", f"{_ONE}/reports", take_reports, shared=True, parameters=_KEYS,
        takes={BYTES: None, JSON: Reports}, gives={200: {JSON: Counted}}, refuses=(403, 409, 422),
    ),
    Operation(
        "GET", f"{_ONE}/reports", results.reports, admin=True,
        gives={200: {BYTES: None, PARQUET: None}},
    ),
    Operation("GET", f"{_ONE}/estimate", results.estimate, shared=True, refuses=(403,)),
    Operation(
        "GET", f"{_ONE}/estimate.{{ending}}", results.download, gives=_FILES,
        refuses=(400, 403), parameters=(_parameter("question", "query", _NAMES),),
    ),
    Operation("GET", f"{_ONE}/progress", results.progress, gives={200: {JSON: Progress}}),
    Operation("GET", f"{_ONE}/results", pages.results, gives=_PAGE | _MISSING),
    Operation("GET", f"{_ONE}/answer", pages.answer, gives=_PAGE | _MISSING),
    Operation("GET", f"{_ONE}/settings", pages.settings, gives=_OWN_PAGE | _MISSING),
    Operation("GET", f"{_ONE}/tally", results.tally, admin=True, gives={200: {BYTES: None}}),
    Operation(
        "POST", f"{_ONE}/import", import_reports, admin=True, takes={PARQUET: None},
        gives={200: {JSON: Imported}}, refuses=(409,),
    ),
    Operation("POST", f"{_ONE}/close", surveys.close, admin=True, gives=_SURVEY),
    Operation(
        "POST", f"{_ONE}/invitations", surveys.invite, admin=True, takes={JSON: Invite},
        gives={201: {JSON: Invitations}},
    ),
    Operation("GET", _ONE, surveys.contract, shared=True),
    Operation(
        "PATCH", _ONE, surveys.change, admin=True, takes={JSON: Settings}, gives=_SURVEY,
        refuses=(409,),
    ),
    Operation("DELETE", _ONE, surveys.delete, admin=True, gives={204: {}}),
    Operation("GET", "/surveys", surveys.listed, admin=True, gives={200: {JSON: Listed}}),
    Operation(
        "POST", "/surveys", surveys.create, admin=True, takes={JSON: dict}, gives=_CREATED,
        parameters=_SETTINGS, refuses=(409,),
    ),
    Operation(
        "POST", "/drafts", draft, admin=True, takes={JSON: dict, TOML: None},
        gives={200: {JSON: Drafted}},
        parameters=(_parameter("people", "query", {"type": "integer", "minimum": 1}),),
    ),
    Operation("GET", "/", pages.dashboard, gives=_OWN_PAGE),
    Operation("GET", "/new", pages.editor, gives=_OWN_PAGE),
    Operation(
        "GET", "/static/{name}", static_file, gives={200: dict.fromkeys(FORMATS.values())},
        refuses=(404,),
    ),
    Operation("GET", "/login", login.page, gives=_PAGE),
    Operation(
        "POST", "/login", login.log_in, takes={login.FORM: None},
        gives={303: {}, 401: {HTML: None}}, refuses=(403,),
    ),
    Operation("POST", "/logout", login.log_out, gives={303: {}}, refuses=(403,)),
    Operation("GET", "/healthz", itself.alive, gives={200: {JSON: Status}}),
    Operation("GET", "/readyz", itself.ready, gives={200: {JSON: Status}}),
    Operation(
        "GET", "/metrics", itself.measured, admin=True, gives={200: {metrics.MEDIA_TYPE: None}},
    ),
    Operation("GET", "/openapi.json", itself.described),
)  # fmt: skip
