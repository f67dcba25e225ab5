"""What goes wrong, as RFC 9457 says it: JSON with a status, a sentence, and a reason in a word.

A sentence never quotes a key, a token or a body.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

import msgspec
from starlette.responses import Response

from ..errors import (
    IdTaken,
    InvalidReport,
    InvalidSurvey,
    NoReports,
    NoSurvey,
    StoreFailure,
    StoreFull,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MEDIA_TYPE", "Details", "Problem", "as_problem", "busy"]

MEDIA_TYPE = "application/problem+json"
_LATER = {"Retry-After": "5"}


class Details(msgspec.Struct):
    """What is wrong with a request."""

    title: str
    status: int
    detail: str
    reason: str
    type: str = "about:blank"


class Problem(Exception):
    """A request that is refused."""

    def __init__(
        self,
        status: HTTPStatus,
        reason: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.reason, self.headers = status, reason, dict(headers or {})

    def response(self) -> Response:
        """Return what the client is told."""
        details = Details(self.status.phrase, self.status.value, str(self), self.reason)
        body = msgspec.json.encode(details)
        return Response(body, self.status.value, self.headers, MEDIA_TYPE)


def busy(detail: str) -> Problem:
    """Return what says that the same request may succeed later."""
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, "busy", detail, _LATER)


def as_problem(error: Exception) -> Problem:
    """Return the problem that an error is to a client."""
    match error:
        case Problem():
            return error
        case NoSurvey(gone=True):
            return Problem(HTTPStatus.GONE, "deleted", str(error))
        case NoSurvey():
            return Problem(HTTPStatus.NOT_FOUND, "unknown", str(error))
        case NoReports():
            return Problem(HTTPStatus.NOT_FOUND, "no-reports", str(error))
        case IdTaken():
            return Problem(HTTPStatus.CONFLICT, "taken", str(error))
        case InvalidSurvey():
            return Problem(HTTPStatus.BAD_REQUEST, "invalid-survey", str(error))
        case InvalidReport():
            return Problem(HTTPStatus.BAD_REQUEST, "invalid-report", str(error))
        case StoreFull():
            detail = "The store has no room for more."
            return Problem(HTTPStatus.INSUFFICIENT_STORAGE, "full", detail, _LATER)
        case StoreFailure():  # whose own words are for the log
            return busy("The store cannot be used at the moment.")
        case _:
            return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "fault", "The service has a fault.")
