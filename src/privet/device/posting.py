"""Post: reports to a service and contracts from it, over a connection that is kept for a while.

Anyone on the way may reply in the service's place: a hotel's login page, a company's proxy. So a
reply decides about a report only if it is recognizably the service's (docs/guides/serving.md).
After any other reply, the report is not delivered yet.

A proxy that the environment names (`https_proxy`, `no_proxy`) is used as urllib uses it.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from contextlib import suppress
from email.utils import mktime_tz, parsedate_tz
from hashlib import sha256
from http.client import HTTPException, HTTPMessage
from time import time
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from ..errors import InvalidArgument, ServiceFailure, SurveyMismatch
from .contract import Contract
from .exchange import SECONDS, Allowance, Exchange
from .wording import printable

__all__ = ["OTHER_CONTRACT", "Delivery", "Post"]

_PORTS = {"http": 80, "https": 443}
_MOST_CONTRACT, _MOST_REPLY = 4 << 20, 64 << 10
_LONGEST_WAIT = 86_400.0
_JSON, _PROBLEM = "application/json", "application/problem+json"
_TAKEN = ("counted", "already")
OTHER_CONTRACT = "other-contract"
# Problems of the service after which sending the same again is of no use.
_FINAL = (
    (400, "invalid-report"),
    (400, "invalid-key"),
    (400, "invalid-invitation"),
    (403, "not-invited"),
    (404, "unknown"),
    (409, "closed"),
    (410, "deleted"),
    (413, "too-large"),
    (415, "media-type"),
    (422, "key-reused"),
)
_LATER = ((429, "too-many"), (500, "fault"), (503, "busy"), (507, "full"))
_OVER = ("closed", "deleted", OTHER_CONTRACT)
# Statuses with which proxies say that they cannot reach the service, or that it is busy.
_PASSING = (0, 408, 425, 429)


class Delivery:
    """What is to be done with a report: it is taken, or refused for a reason, or else it waits.

    `wait` is how many seconds the service asked for. `warning` is what its owner should know.
    """

    def __init__(
        self,
        *,
        taken: bool = False,
        refusal: str | None = None,
        wait: float = 0.0,
        warning: str = "",
    ) -> None:
        self.taken, self.refusal = taken, refusal
        self.wait, self.warning = wait, warning

    @property
    def over(self) -> bool:
        """Whether the survey takes no more reports at all, or none of this client's contract."""
        return self.refusal in _OVER


class _Reply:
    """What came back, whoever sent it. If nothing did, the status is 0, and `failure` says why."""

    def __init__(
        self,
        status: int,
        headers: HTTPMessage,
        body: bytes = b"",
        failure: Exception | None = None,
    ) -> None:
        self.status, self.body, self.failure = status, body, failure
        self.kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
        self.tag = headers.get("ETag", "").strip().removeprefix("W/").strip('"')
        self._retry_after = headers.get("Retry-After", "")

    @property
    def text(self) -> str:
        """What a log may show of it."""
        if isinstance(self.failure, TimeoutError):
            return f"no whole reply within {SECONDS:g} seconds"
        return printable(str(self.failure)) if self.failure else f"status {self.status}"

    def says(self, kind: str) -> dict[str, Any]:
        """Return the fields of a JSON object of a media type; nothing if the reply is not one."""
        if self.kind != kind or len(self.body) > _MOST_REPLY:
            return {}
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            found = None
        return found if isinstance(found, dict) else {}

    def verdict(self, id: str) -> Delivery:
        """Return what a problem of the service decides; any other reply decides nothing."""
        problem = self.says(_PROBLEM)
        reason, status = problem.get("reason"), problem.get("status")
        if status == self.status and (status, reason) in _LATER:
            return Delivery(wait=min(_seconds(self._retry_after), _LONGEST_WAIT))
        if status == self.status and (status, reason) in _FINAL and problem.get("survey") == id:
            return Delivery(refusal=reason)
        if isinstance(self.failure, ServiceFailure):
            return Delivery(warning=f"Reports wait, because {self.text}")
        if self.status in _PASSING or self.status >= 500:
            return Delivery()
        return Delivery(warning=f"Reports wait, because a stranger replies: {self.text}.")


def _proxy(url: str) -> tuple[str, tuple[str, int], dict[str, str]]:
    """Return a proxy's scheme and address, and the headers that let us in."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if not parts.hostname or parts.scheme not in _PORTS:
        raise ValueError("it needs an http or https address")
    address = parts.hostname, parts.port or _PORTS[parts.scheme]
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
        if not self._host or self._scheme not in _PORTS:
            raise InvalidArgument("Client", "url", "an http or https address", url)
        self._connection: Exchange | None = None
        self._allowance = Allowance()
        # What a proxy that reads requests wants before their path, and among their headers.
        self._before = ""
        self._extra: dict[str, str] = {}

    def contract(self, id: str, fingerprint: str) -> bytes:
        """Return the contract of a fingerprint, or raise ServiceFailure or SurveyMismatch."""
        reply = self._ask("GET", id, None, {}, _MOST_CONTRACT)
        self.close()
        if reply.failure is not None:
            raise ServiceFailure(f"The service cannot be reached: {reply.text}")
        if reply.status != 200:
            raise ServiceFailure(f"The service does not give the survey {id!r}: {reply.text}.")
        found = sha256(reply.body).hexdigest()
        if found != fingerprint:  # so that nothing of a stranger's reply is even parsed
            raise SurveyMismatch(
                f"The survey {id!r} has the fingerprint {found} at this service, instead of "
                f"{fingerprint!r:.80}: it is another survey, or a stranger replies."
            )
        return reply.body

    def check(self, contract: Contract) -> Delivery | None:
        """Return None if the service has this very contract, or else what to do with reports.

        Its tag is the fingerprint, so that it need not send the contract that we have.
        """
        had = {"If-None-Match": f'"{contract.fingerprint}"'}
        reply = self._ask("GET", contract.id, None, had, _MOST_CONTRACT)
        if reply.status == 304:
            return None
        if reply.status == 200 and reply.body:
            found = sha256(reply.body).hexdigest()
            if found == contract.fingerprint:
                return None
            other = reply.kind == _JSON and reply.body.startswith(b'{"privet":')
            if other and reply.tag == found:
                return Delivery(refusal=OTHER_CONTRACT)
        return reply.verdict(contract.id)

    def reports(self, contract: Contract, key: str, reports: bytes) -> Delivery:
        """Send reports; the same key and reports may be sent again, and count once."""
        headers = {"Content-Type": "application/octet-stream", "Idempotency-Key": key}
        if self._invitation is not None:
            headers["Invitation"] = self._invitation
        reply = self._ask("POST", f"{contract.id}/reports", reports, headers, _MOST_REPLY)
        said = reply.says(_JSON) if reply.status == 200 else {}
        named = said.get("survey") == contract.id
        named = named and said.get("fingerprint") == contract.fingerprint
        if named and said.get("outcome") in _TAKEN:
            return Delivery(taken=True)
        return reply.verdict(contract.id)

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], most: int
    ) -> _Reply:
        self._allowance.begin(most)
        try:
            if self._connection is None:
                self._connection = self._connect()
            place = f"{self._before}{self._path}/surveys/{quote(path)}"
            self._connection.request(method, place, body, headers | self._extra)
            with self._connection.getresponse() as response:
                found = self._connection.body(response, most)
                return _Reply(response.status, response.headers, found)
        except (OSError, HTTPException, ValueError) as error:  # a host's name may be impossible
            self.close()
            return _Reply(0, HTTPMessage(), failure=error)

    def _connect(self) -> Exchange:
        """Return a connection to the service, or to the proxy on the way to it."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        to = host if self._port is None else f"{host}:{self._port}"
        self._before, self._extra = "", {}
        found, secure = getproxies().get(self._scheme), self._scheme == "https"
        if not found or proxy_bypass(to):
            return Exchange(self._host, self._port, self._allowance, secure=secure)
        try:
            kind, address, headers = _proxy(found)
        except ValueError as error:
            raise ServiceFailure(f"the environment's proxy cannot be used: {error}.") from None
        if not secure:
            self._before, self._extra = f"http://{to}", headers
            return Exchange(*address, self._allowance, secure=kind == "https")
        if kind == "https":  # http.client would send CONNECT, and a password, in the clear
            raise ServiceFailure(
                "the environment's https_proxy has an https address, and TLS within TLS is not "
                "supported. Name a proxy with an http address, or the service in no_proxy."
            )
        return Exchange(
            self._host,
            self._port,
            self._allowance,
            secure=True,
            tunnel=address,
            tunnel_headers=headers,
        )

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
