"""Post: reports to a service and contracts from it, over a connection that is kept for a while."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import quote, urlsplit

from .errors import InvalidArgument, ServiceFailure

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Post", "Reply"]

_SECONDS = 10.0
_MOST_BODY = 4 << 20
_LONGEST_WAIT = 86_400.0
# Statuses that say: not now. All other 4xx say: never.
_LATER = (408, 429)


class Reply:
    """What a service said: its status, 0 if it said nothing, and what is to be done."""

    def __init__(self, status: int, fields: dict[str, Any], retry_after: str | None) -> None:
        self.status, self._fields = status, fields
        seconds = float(retry_after) if retry_after and retry_after.isdecimal() else 0.0
        self.wait = min(seconds, _LONGEST_WAIT)

    @property
    def reason(self) -> str:
        """Why reports are refused, in a word."""
        return str(self._fields.get("reason", self.status or "unreachable"))

    @property
    def taken(self) -> bool:
        """Whether the reports are counted; a hotel's login page also has the status 200."""
        return self.status == 200 and "outcome" in self._fields

    @property
    def closed(self) -> bool:
        """Whether the survey takes no more reports at all."""
        return self.status == 410 or (self.status == 409 and self.reason == "closed")

    @property
    def refused(self) -> bool:
        """Whether sending the same again would be of no use."""
        return 400 <= self.status < 500 and self.status not in _LATER


class Post:
    """The way to a service. One thread uses it at a time."""

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            self._kind = {"http": HTTPConnection, "https": HTTPSConnection}[parts.scheme]
            self._to = parts.hostname or "", parts.port
            self._path = parts.path.rstrip("/")
        except (AttributeError, KeyError, ValueError):
            self._to = "", None
        if not self._to[0]:
            raise InvalidArgument("Client", "url", "an http or https address", url)
        self._connection: HTTPConnection | None = None

    def contract(self, id: str) -> bytes:
        """Return what the service says a survey is, or raise ServiceFailure."""
        try:
            status, body, _ = self._ask("GET", id)
        except (OSError, HTTPException) as error:
            raise ServiceFailure(f"The service cannot be reached: {error}") from None
        finally:
            self.close()
        if status != 200:
            raise ServiceFailure(f"The service does not give the survey {id!r}: status {status}.")
        return body

    def reports(self, id: str, key: str, reports: bytes) -> Reply:
        """Send reports; the same key and reports may be sent again, and count once."""
        headers = {"Content-Type": "application/octet-stream", "Idempotency-Key": key}
        try:
            status, body, retry_after = self._ask("POST", f"{id}/reports", reports, headers)
        except (OSError, HTTPException):
            self.close()
            return Reply(0, {}, None)
        try:
            fields = json.loads(body)
        except (ValueError, RecursionError):
            fields = None
        return Reply(status, fields if isinstance(fields, dict) else {}, retry_after)

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, bytes, str | None]:
        if self._connection is None:
            host, port = self._to
            self._connection = self._kind(host, port, timeout=_SECONDS)
        place = f"{self._path}/surveys/{quote(path)}"
        self._connection.request(method, place, body, headers or {})
        with self._connection.getresponse() as response:
            found = response.read(_MOST_BODY)
            if not response.isclosed():  # there is more, which nobody wants
                self.close()
            return response.status, found, response.headers.get("Retry-After")

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def forget(self) -> None:
        """Leave the connection to the parent of a fork, whatever state its thread has it in."""
        connection, self._connection = self._connection, None
        if connection is not None and connection.sock is not None:
            with suppress(OSError):
                os.close(connection.sock.detach())
