"""Post: reports to a service and contracts from it, over a connection that is kept for a while.

A proxy that the environment names (`https_proxy`, `no_proxy`) is used as urllib uses it.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from contextlib import suppress
from email.utils import mktime_tz, parsedate_tz
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from time import time
from urllib.parse import quote, unquote, urlsplit

from .errors import InvalidArgument, ServiceFailure

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from typing import Any

    from .contract import Contract

__all__ = ["OTHER_CONTRACT", "Post", "Reply"]

_SECONDS = 10.0
_MOST_BODY = 4 << 20
_LONGEST_WAIT = 86_400.0
# Statuses that say: not now, as do all 5xx. All other 4xx say: never. 407 is a proxy's.
_LATER = (407, 408, 425, 429)


_CONNECTIONS: dict[str, type[HTTPConnection]] = {"http": HTTPConnection, "https": HTTPSConnection}
OTHER_CONTRACT = "other-contract"


class Reply:
    """What a service said, and what is to be done.

    Where it said nothing, the status is 0, and the body says why.
    """

    def __init__(self, status: int, body: bytes, retry_after: str | None = None) -> None:
        self.status, self.body = status, body
        self.fields = _fields(body) if status else {}
        self.wait = min(_seconds(retry_after or ""), _LONGEST_WAIT)

    @property
    def reason(self) -> str:
        """Why reports are refused, in a word."""
        return str(self.fields.get("reason", self.status or "unreachable"))

    @property
    def taken(self) -> bool:
        """Whether the reports are counted; a hotel's login page also has the status 200."""
        return self.status == 200 and "outcome" in self.fields

    @property
    def closed(self) -> bool:
        """Whether the survey takes no more reports at all, or none of this client's contract."""
        final = ("closed", OTHER_CONTRACT)
        return self.status == 410 or (self.status == 409 and self.reason in final)

    @property
    def refused(self) -> bool:
        """Whether sending the same again would be of no use."""
        return 400 <= self.status < 500 and self.status not in _LATER


def _fields(body: bytes) -> dict[str, Any]:
    """Return what a JSON object says; nothing if this is none."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def _proxy(url: str) -> tuple[str, tuple[str, int | None], dict[str, str]]:
    """Return a proxy's scheme and address, and the headers that let us in."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    address = parts.hostname or "", parts.port
    if not address[0] or parts.scheme not in _CONNECTIONS:
        raise ValueError("A proxy has an http or https address.")
    if not parts.username:
        return parts.scheme, address, {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return parts.scheme, address, {"Proxy-Authorization": f"Basic {b64encode(pair).decode()}"}


def _seconds(retry_after: str) -> float:
    """Return how long to wait: a number of seconds, or until a date."""
    if retry_after.isdecimal():
        return float(retry_after)
    date = parsedate_tz(retry_after)
    try:
        return max(mktime_tz(date) - time(), 0.0) if date is not None else 0.0
    except (ValueError, OverflowError):
        return 0.0


class Post:
    """The way to a service. One thread uses it at a time."""

    def __init__(self, url: str, invitation: str | None = None) -> None:
        self._invitation = invitation
        try:
            parts = urlsplit(url)
            self._host, self._port = parts.hostname or "", parts.port
            self._scheme, self._path = parts.scheme, parts.path.rstrip("/")
        except (AttributeError, ValueError):
            self._host = ""
        if not self._host or self._scheme not in _CONNECTIONS:
            raise InvalidArgument("Client", "url", "an http or https address", url)
        self._connection: HTTPConnection | None = None
        # What a proxy that reads requests wants before their path, and among their headers.
        self._before = ""
        self._extra: dict[str, str] = {}

    def contract(self, id: str) -> bytes:
        """Return what the service says a survey is, or raise ServiceFailure."""
        reply = self._ask("GET", id, None, {})
        self.close()
        if reply.status == 200:
            return reply.body
        if reply.status == 0:
            raise ServiceFailure(f"The service cannot be reached: {reply.body.decode()}")
        raise ServiceFailure(f"The service does not give the survey {id!r}: status {reply.status}.")

    def check(self, contract: Contract) -> Reply | None:
        """Return None if the service has this very contract, or else what it said instead.

        Its tag is the fingerprint, so that it need not send the contract that we have. A page that
        is no contract at all is somebody else's, such as a hotel's.
        """
        had = {"If-None-Match": f'"{contract.fingerprint}"'}
        reply = self._ask("GET", contract.id, None, had)
        if reply.status == 304:
            return None
        if reply.status == 200:
            if reply.body == contract.to_json().encode():
                return None
            if reply.fields.get("id") == contract.id:
                return Reply(409, json.dumps({"reason": OTHER_CONTRACT}).encode())
            reply.status, reply.fields = 0, {}  # as the service itself has said nothing
        return reply

    def reports(self, id: str, key: str, reports: bytes) -> Reply:
        """Send reports; the same key and reports may be sent again, and count once."""
        headers = {"Content-Type": "application/octet-stream", "Idempotency-Key": key}
        if self._invitation is not None:
            headers["Invitation"] = self._invitation
        return self._ask("POST", f"{id}/reports", reports, headers)

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Reply:
        try:
            if self._connection is None:
                self._connection = self._connect()
            place = f"{self._before}{self._path}/surveys/{quote(path)}"
            self._connection.request(method, place, body, headers | self._extra)
            with self._connection.getresponse() as response:
                found = response.read(_MOST_BODY)
                if not response.isclosed():  # there is more, which nobody wants
                    self.close()
                return Reply(response.status, found, response.headers.get("Retry-After"))
        except (OSError, HTTPException) as error:
            self.close()
            return Reply(0, str(error).encode(errors="replace"))

    def _connect(self) -> HTTPConnection:
        """Return a connection to the service, or to the proxy on the way to it."""
        from urllib.request import getproxies, proxy_bypass  # here, as it is slow to import

        host = f"[{self._host}]" if ":" in self._host else self._host
        to = host if self._port is None else f"{host}:{self._port}"
        self._before, self._extra = "", {}
        found = getproxies().get(self._scheme)
        if not found or proxy_bypass(to):
            return _CONNECTIONS[self._scheme](self._host, self._port, timeout=_SECONDS)
        try:
            kind, address, headers = _proxy(found)
        except ValueError as error:
            raise OSError(f"The environment's proxy cannot be used: {error}") from None
        if self._scheme == "https":  # which no proxy can read
            connection = HTTPSConnection(*address, timeout=_SECONDS)
            connection.set_tunnel(self._host, self._port, headers)
            return connection
        self._before, self._extra = f"http://{to}", headers
        return _CONNECTIONS[kind](*address, timeout=_SECONDS)

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
