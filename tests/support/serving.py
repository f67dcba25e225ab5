"""A real `privet serve` in a process of its own, and a client that keeps its connection."""

import json
import os
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

BYTES, JSON = {"Content-Type": "application/octet-stream"}, {"Content-Type": "application/json"}


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Client:
    """One connection."""

    def __init__(self, url, token=""):
        self._connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
        self._admin = {"Authorization": f"Bearer {token}"}

    def ask(self, method, path, body=None, *, admin=False, **headers):
        """Send a request; names of headers have _ for -."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(method, path, body, headers | (self._admin if admin else {}))
        response = self._connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, found, response.read())

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def create(self, contract):
        return self.ask("POST", "/surveys", contract.to_json().encode(), admin=True, **JSON)

    def send(self, survey, body, key=None, **headers):
        """Post reports."""
        headers = (BYTES | headers) if key is None else (BYTES | headers | {"Idempotency_Key": key})
        return self.ask("POST", f"/surveys/{survey}/reports", body, **headers)

    def close(self):
        self._connection.close()


class Serving:
    """A server; `said` is what it has written on stderr, once it has ended.

    `launcher` is how Python runs privet.
    """

    def __init__(
        self,
        folder,
        store=None,
        name="token",
        port=0,
        more=(),
        launcher=("-m", "privet"),
        **options,
    ):
        self.token_file = Path(folder) / name
        self.log, self._clients = Path(folder) / "log.txt", []
        place = store or str(Path(folder) / "surveys.db")
        command = [sys.executable, *launcher, "serve", "--store", place, *more]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "--port", str(port), "--token-file", str(self.token_file), "--json"],
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | {"PYTHONWARNINGS": "error"},
                **options,
            )
        line = self._process.stdout.readline()
        assert line, self.said
        self.url = json.loads(line)["url"]
        self.token = self.token_file.read_text().strip()

    @property
    def pid(self):
        return self._process.pid

    @property
    def said(self):
        return self.log.read_text()

    def client(self):
        """Return a new connection, which is closed when the server has ended."""
        self._clients.append(Client(self.url, self.token))
        return self._clients[-1]

    def kill(self):
        """End it as a power failure would."""
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def terminate(self, number=signal.SIGTERM):
        """Ask it to end; return its exit code."""
        self._process.send_signal(number)
        return self.wait()

    def ask_to_end(self):
        self._process.terminate()

    def wait(self):
        code = self._process.wait(60)
        self._process.stdout.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self._process.poll() is None:
            self.kill()
        for client in self._clients:
            client.close()
