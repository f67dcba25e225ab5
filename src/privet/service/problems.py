"""What goes wrong, as RFC 9457 says it: JSON with a status, a sentence, and a reason in a word.

A sentence never quotes a key, a token or a body.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

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

__all__ = ["MEDIA_TYPE", "Details", "Problem", "as_problem", "busy"]

MEDIA_TYPE = "application/problem+json"
_LATER = {"Retry-After": "5"}


class Details(msgspec.Struct):
    """What is wrong with a request; `survey` is the id in its path, by which a client knows us."""

    title: str
    status: int
    detail: str
    reason: str
    type: str = "about:blank"
    survey: str | msgspec.UnsetType = msgspec.UNSET


class Problem(Exception):
    """A request that is refused."""

    def __init__(
        self, status: int, reason: str, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.reason, self.headers = status, reason, dict(headers or {})

    def response(self, survey: str | None = None) -> Response:
        """Return what the client is told, with the id of the survey in the path of its request."""
        details = Details(HTTPStatus(self.status).phrase, self.status, str(self), self.reason)
        if survey is not None:
            details.survey = survey
        return Response(msgspec.json.encode(details), self.status, self.headers, MEDIA_TYPE)


def busy(detail: str) -> Problem:
    """Return what says that the same request may succeed later."""
    return Problem(503, "busy", detail, _LATER)


def as_problem(error: Exception) -> Problem:
    """Return the problem that an error is to a client."""
    match error:
        case Problem():
            return error
        case NoSurvey(gone=True):
            return Problem(410, "deleted", str(error))
        case NoSurvey():
            return Problem(404, "unknown", str(error))
        case NoReports():
            return Problem(404, "no-reports", str(error))
        case IdTaken():
            return Problem(409, "taken", str(error))
        case InvalidSurvey():
            return Problem(400, "invalid-survey", str(error))
        case InvalidReport():
            return Problem(400, "invalid-report", str(error))
        case StoreFull():
            return Problem(507, "full", "The store has no room for more.", _LATER)
        case StoreFailure():  # whose own words are for the log
            return busy("The store cannot be used at the moment.")
        case _:
            return Problem(500, "fault", "The service has a fault.")
