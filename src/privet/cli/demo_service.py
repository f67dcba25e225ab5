"""privet demo --serve: a crowd of people's devices and a real service, over HTTP on this machine.

The service is `privet serve` in a process of its own, with its store in a temporary folder. It
knows nothing of this file: all that reaches it are requests.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from secrets import token_urlsafe
from tempfile import TemporaryDirectory
from threading import Event
from time import sleep
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..analysis.estimate import Estimate
from ..analysis.tally import Tally
from ..device.survey import Survey
from ..errors import InvalidTally, ServiceFailure, SurveyMismatch
from ..errors.extras import require
from ..store import open_store
from .output import plural, say
from .terminal import progress

_AT_ONCE = 16
# One in so many does not hear the service's reply and sends again, or comes too late.
_TWICE, _LATE = 20, 100
_SECONDS = 30.0
_LATER = (429, 503)


class Reply(NamedTuple):
    """What the service said."""

    status: int
    body: bytes
    tag: str


class Device:
    """A connection to the service, which people use one after the other."""

    def __init__(self, url: str) -> None:
        self._connection = HTTPConnection(urlsplit(url).netloc, timeout=_SECONDS)
        self.seen: Counter[str] = Counter()
        self.close = self._connection.close

    def ask(self, *request: Any) -> Reply:
        """Send a request and wait for the reply."""
        self.begin(*request)
        return self.end()

    def begin(self, *request: Any) -> None:
        """Send a request: its method, its path, what is in it, and its headers."""
        self._begun = request
        self._connection.request(*request)
        self.seen["requests"] += 1

    def end(self) -> Reply:
        """Return the reply to what was begun, and begins again until the service has time."""
        while True:
            response = self._connection.getresponse()
            reply = Reply(response.status, response.read(), response.headers.get("ETag", ""))
            if reply.status not in _LATER:
                return reply
            sleep(float(response.headers.get("Retry-After", "1")))
            self.begin(*self._begun)


def make_report(device: Device, id: str, published: str, answer: str) -> tuple[bytes, str]:
    """Fetch the survey, check that it is the published one, and randomize: a person's own work.

    Returns the report, and the tag of the survey that it is for.
    """
    reply = device.ask("GET", f"/surveys/{id}")
    if sha256(reply.body).hexdigest() != published:
        raise SurveyMismatch(f"The service gives another survey than {published}.")
    return Survey.from_json(reply.body).randomize(answer), reply.tag


def send(devices: tuple[Device, Device], id: str, report: bytes, tag: str, sending: str) -> None:
    """Post a report: once, again after a while, or over two connections at the same moment.

    Under its key it counts once, however often it is sent.
    """
    first, second = devices
    headers = {"Content-Type": "application/octet-stream", "Idempotency-Key": token_urlsafe(16)}
    post = "POST", f"/surveys/{id}/reports", report, headers
    first.begin(*post)
    if sending == "together":
        second.begin(*post)
    replies = [first.end()]
    if sending == "again":
        known = second.ask("GET", f"/surveys/{id}", None, {"If-None-Match": tag})
        first.seen["unchanged"] += known.status == 304
        second.begin(*post)
    if sending != "once":
        replies.append(second.end())
    for reply in replies:
        first.seen[_outcome(reply)] += 1


def _outcome(reply: Reply) -> str:
    """Return what became of a report: counted, already counted, or closed."""
    fields = json.loads(reply.body)
    if reply.status == 200:
        return str(fields["outcome"])
    if fields["reason"] == "closed":
        return "closed"
    raise ServiceFailure(f"The service refuses a report: {fields['detail']}")


class Served:
    """A survey that was answered, at a service that still runs."""

    def __init__(self, url: str, survey: Survey[Estimate], place: Path) -> None:
        self.url, self.survey, self._place = url, survey, place
        self.seen: Counter[str] = Counter()
        self.first = b""

    def ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """Do something that is the administrator's."""
        token = (self._place / "token").read_text("utf-8").strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with closing(Device(self.url)) as device:
            reply = device.ask(method, path, body, headers)
        if reply.status >= 400:
            raise ServiceFailure(json.loads(reply.body)["detail"])
        return reply.body

    def answer(self, crowd: list[tuple[int, str]], what: str) -> None:
        """Let everyone answer, by number and answer, many at a time."""
        threads, over = min(_AT_ONCE, len(crowd)), Event()
        pool = ThreadPoolExecutor(threads)
        try:
            with progress(what, total=len(crowd)) as advance:
                parts = [crowd[at::threads] for at in range(threads)]
                work = [pool.submit(self._take_turns, part, over, advance) for part in parts]
                wait(work, return_when=FIRST_EXCEPTION)
        finally:
            over.set()
            pool.shutdown(wait=False, cancel_futures=True)
        for one in work:
            first, seen = one.result()
            self.first = self.first or first
            self.seen += seen

    def _take_turns(
        self, crowd: list[tuple[int, str]], over: Event, advance: Callable[[int], object]
    ) -> tuple[bytes, Counter[str]]:
        """Be one person after the other; return the first one's report, and what was seen."""
        id, published, first = self.survey.id, self.survey.fingerprint, b""
        with closing(Device(self.url)) as one, closing(Device(self.url)) as other:
            for number, answer in crowd:
                if over.is_set():  # somebody has failed, and says so
                    break
                report, tag = make_report(one, id, published, answer)
                sending = "once"
                if number % _TWICE == _TWICE - 1:
                    sending = "again" if number // _TWICE % 2 else "together"
                send((one, other), id, report, tag, sending)
                first = first or report
                advance(1)
            return first, one.seen + other.seen

    @property
    def results_url(self) -> str:
        """Where anyone sees the results, as they come."""
        return f"{self.url}/surveys/{self.survey.id}/results"

    def tally(self) -> Tally[Estimate]:
        """Return what the service has counted."""
        counted = self.ask("GET", f"/surveys/{self.survey.id}/tally")
        return Tally.from_bytes(counted, self.survey)

    def check(self) -> int:
        """Do as `privet store check` does; return how many reports the store has."""
        with open_store(str(self._place / "surveys.db"), create=False) as opened:
            problem = opened.check(self.survey.id)
            if problem is not None:
                raise InvalidTally(problem)
            return opened.tally(self.survey.id).n

    def lines(self) -> list[str]:
        """Return what happened, in words."""
        seen, reports = self.seen, plural(self.seen["counted"], "report")
        return [
            f"{seen['requests']:,} requests brought {reports}. {seen['already']:,} of them came "
            "twice, some at the same moment: counted once.",
            f"{seen['closed']:,} more came after the survey was closed, and were refused.",
            f"privet store check: {plural(self.check(), 'report')}, as counted again.",
        ]

    def described(self) -> dict[str, Any]:
        """Return what happened, for JSON."""
        names = ("requests", "counted", "already", "unchanged", "closed")
        return {name: self.seen[name] for name in names} | {"stored": self.check()}


@contextmanager
def served(survey: Survey[Estimate], crowd: list[str]) -> Iterator[Served]:
    """Start a service, let the crowd answer, close the survey, and let a few come too late.

    At the end the service is ended, and its folder removed, whatever has happened.
    """
    for package in ("uvicorn", "starlette"):
        require(package, "serve", "privet demo --serve")
    with ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory(prefix="privet-demo-")))
        process = stack.enter_context(_serving(place))
        line = process.stdout.readline()
        if not line:
            raise ServiceFailure(f"privet serve: {(place / 'log').read_text('utf-8').strip()}")
        service = Served(json.loads(line)["url"], survey, place)
        service.ask("POST", "/surveys", survey.to_json().encode())
        say(f"Results as they come: {service.results_url}")
        people = [*enumerate(crowd)]
        service.answer(people, "Answering")
        service.ask("POST", f"/surveys/{survey.id}/close")
        service.answer(people[::_LATE], "Coming too late")
        yield service


@contextmanager
def _serving(place: Path) -> Iterator[Any]:
    """Run `privet serve` on a store in a folder, at a free port of this machine alone."""
    options = ["--store", place / "surveys.db", "--token-file", place / "token", "--port", "0"]
    command = [sys.executable, "-m", "privet", "serve", *map(str, options), "--json"]
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)  # noqa: S603
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_SECONDS)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()  # type: ignore[union-attr]
