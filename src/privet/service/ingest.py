"""Reports in: one request brings one or many, which are counted all or not at all, and once.

A client sends a random key with them, and may send the same again until it knows what became of
it: the key is counted once. The store gets the hash of the key alone.
"""

from __future__ import annotations

import asyncio
import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from ..device.contract import Contract
from ..device.mechanisms.base import Randomizer
from ..errors import InvalidReport, NoSurvey
from ..store import Arrival, Outcome
from .bodies import headers_of, media_type
from .problems import Problem
from .state import Service

__all__ = ["BYTES", "JSON", "KEY", "refusal", "take_reports"]

BYTES: str = "application/octet-stream"
JSON: str = "application/json"
# At least 128 random bits, in base64url.
KEY = r"[A-Za-z0-9_-]{22,128}"
_KEY = re.compile(KEY.encode())
# `messages.Counted`, of words that need no escape.
_COUNTED = b'{"outcome":"%s","reports":%d,"survey":"%s","fingerprint":"%s"}'
# So many reports are checked one by one, as long as they have no more than so many bytes: that is
# done before a thread would begin. Checking more of them may load compiled code first.
_FEW, _SHORT = 16, 1024


async def take_reports(service: Service, request: Request, id: str) -> Response:
    """Count the reports of a request."""
    contract = await service.contract(id)
    key, invitation = _word(request, "Idempotency-Key", "key"), _word(request, "Invitation")
    kind = media_type(request, BYTES, JSON)
    body = await request.body()
    if len(body) <= min(_SHORT, _FEW * contract.mechanism.report_bytes):
        arrival = _arrival(contract, key, kind, body)
    else:
        arrival = await asyncio.to_thread(_arrival, contract, key, kind, body)
    n = len(arrival.reports) // contract.mechanism.report_bytes
    if invitation is not None:
        arrival = _invited(arrival, invitation, n)
    outcome = await service.gathering.add(arrival)
    if outcome not in (Outcome.COUNTED, Outcome.ALREADY):
        raise refusal(id, outcome)
    if outcome is Outcome.COUNTED:
        await service.visibility.counted(id, n)
    service.metrics.count("privet_reports_total", outcome.value, by=n)
    found = outcome.value.encode(), n, id.encode(), contract.fingerprint.encode()
    return Response(_COUNTED % found, media_type=JSON)


def _word(request: Request, header: str, parameter: str = "") -> bytes | None:
    """Return a client's word, from a header or, where a browser may send none, the address."""
    name, scope = header.lower().encode(), request.scope
    if name not in headers_of(request) and not scope["query_string"]:
        return None
    given: list[bytes] = [value.strip(b'"') for found, value in scope["headers"] if found == name]
    if scope["query_string"]:  # which few have, and takes long to be read
        words = request.query_params.getlist(parameter or header.lower())
        given += [word.encode() for word in words]
    if not given:
        return None
    if len(set(given)) > 1 or not _KEY.fullmatch(given[0]):
        detail = f"{header} is 22 to 128 characters of base64url, of at least 128 random bits."
        raise Problem(400, "invalid-key", detail)
    return given[0]


def _invited(arrival: Arrival, invitation: bytes, n: int) -> Arrival:
    if arrival.key is None or n > 1:
        detail = "With an invitation come one report and an Idempotency-Key."
        raise Problem(400, "invalid-invitation", detail)
    return arrival._replace(invitation=sha256(invitation).digest())


def _arrival(contract: Contract, key: bytes | None, kind: str, body: bytes) -> Arrival:
    """Return what the store is to count, or refuse what no client of this survey sends."""
    if kind == JSON:
        body = _decoded(body, contract)
    _check(body, contract.mechanism)
    if key is None:
        return Arrival(contract.id, None, None, body)
    seal = sha256(key + b"\0")
    seal.update(body)
    return Arrival(contract.id, sha256(key).digest(), seal.digest(), body)


def _decoded(body: bytes, contract: Contract) -> bytes:
    """Return the reports of JSON: {"reports": ["base64url", …]}."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    texts = found.get("reports") if isinstance(found, dict) and len(found) == 1 else None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InvalidReport('JSON of reports is {"reports": [texts in base64url]}.')
    reports = []
    for row, text in enumerate(texts):
        report = _from_base64url(text)
        if report is None or len(report) != contract.mechanism.report_bytes:
            size = contract.mechanism.report_bytes
            raise InvalidReport(f"A report is {size} bytes in base64url, not padded.", row=row)
        reports.append(report)
    return b"".join(reports)


def _from_base64url(text: str) -> bytes | None:
    r"""Return bytes, if this is the one way to write them.

    >>> _from_base64url("_w"), _from_base64url("_x"), _from_base64url("/w")
    (b'\xff', None, None)
    """
    try:
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    return data if urlsafe_b64encode(data).rstrip(b"=") == text.encode("utf-8", "replace") else None


def _check(reports: bytes, mechanism: Randomizer) -> None:
    size = mechanism.report_bytes
    n, rest = divmod(len(reports), size)
    if rest or not n:
        raise InvalidReport(f"A report of this survey has {size} bytes. Got {len(reports)} in all.")
    if n > _FEW:
        mechanism.check(np.frombuffer(reports, np.uint8).reshape(n, size))
        return
    for row in range(n):
        problem = mechanism.problem(reports[row * size : (row + 1) * size])
        if problem is not None:
            raise InvalidReport(problem, row=row)


def refusal(id: str, outcome: Outcome) -> Exception:
    """Return why an arrival was not counted."""
    match outcome:
        case Outcome.CLOSED:
            return Problem(409, "closed", "This survey is closed.")
        case Outcome.CONFLICT:
            return Problem(422, "key-reused", "This key came with other reports before.")
        case Outcome.UNINVITED:
            detail = "This survey is by invitation, and this one is unknown, spent or missing."
            return Problem(403, "not-invited", detail)
    return NoSurvey(id, gone=outcome is Outcome.GONE)
