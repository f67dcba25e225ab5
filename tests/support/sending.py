"""What tests of clients share: surveys, what a server and a spool have, and services by script."""

import json
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from privet import Survey

SECRET = b"a secret of sixteen bytes or more"
NUMBERS = count()
DOWN = "http://127.0.0.1:9"  # where nothing listens


def make_survey():
    """A survey of its own for each test; a report says 60 bits, so that no two are alike."""
    names = [f"country {i}" for i in range(60)]
    id = f"born-{next(NUMBERS)}"
    return Survey("Where were you born?", names, 2.0, mechanism="k-subset", id=id)


def stored(server, survey):
    """All reports that the server has, sorted."""
    body = server.client().get(f"/surveys/{survey.id}/reports", admin=True).body
    size = survey.mechanism.report_bytes
    return sorted(body[at : at + size] for at in range(0, len(body), size))


def spooled(folder, survey):
    """All reports in a spool, sorted."""
    return sorted(path.read_bytes() for path in (Path(folder) / survey.fingerprint).iterdir())


def flush_until(client, done, seconds=10.0):
    """Let a client try again and again, at once each time, until something is so."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        client.flush(0.01)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def in_a_process(code, *arguments, check=True):
    """Run code that has a client, in a process of its own."""
    command = [sys.executable, "-c", "import os, sys, time, privet\n" + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=check, timeout=60)


class Came(NamedTuple):
    """A request that a scripted service got."""

    at: float
    peer: tuple
    method: str
    path: str
    headers: Message
    body: bytes

    @property
    def sealed(self):
        return self.headers["Idempotency-Key"], self.body


def counted(id, fingerprint, /, **changes):
    """The reply of the service when it has counted a report; None leaves a field out."""
    said = {"outcome": "counted", "reports": 1, "survey": id, "fingerprint": fingerprint, **changes}
    said = {name: value for name, value in said.items() if value is not None}
    return 200, {"Content-Type": "application/json"}, json.dumps(said).encode()


def problem(status, reason, headers=None, **changes):
    """What makes a problem of the service about a survey; None leaves a field out."""

    def made(id, fingerprint):
        said = {"status": status, "reason": reason, "survey": id, **changes}
        said = {name: value for name, value in said.items() if value is not None}
        kind = {"Content-Type": "application/problem+json"}
        return status, kind | (headers or {}), json.dumps(said).encode()

    return made


@contextmanager
def scripted(*replies, otherwise=counted, contract=None):
    """Serve these replies to reports in turn, and then another for ever; yield address and reports.

    A reply may be a function of the survey's id and fingerprint. Whoever asks for the contract is
    told that it is the one they have, or gets another reply. The third that is yielded is what came
    besides reports. Connections are kept.
    """
    left, reports, others = list(replies), [], []
    tags = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def reply(self, came, given):
            id = self.path.rpartition("/surveys/")[2].partition("/")[0]
            tags.setdefault(id, self.headers.get("If-None-Match", "").strip('"'))
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            peer, now = self.client_address, time.monotonic()
            came.append(Came(now, peer, self.command, self.path, self.headers, body))
            status, headers, text = given(id, tags[id]) if callable(given) else given
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status not in (204, 304):
                self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def do_POST(self):
            self.reply(reports, left.pop(0) if left else otherwise)

        def do_GET(self):
            self.reply(others, contract or (304, {}, b""))

        def do_CONNECT(self):
            self.reply(others, (403, {}, b""))

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        httpd.daemon_threads = True
        thread = Thread(target=httpd.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{httpd.server_address[1]}", reports, others
        finally:
            httpd.shutdown()
            thread.join()
