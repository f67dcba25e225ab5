"""Servers in processes of their own: `privet serve`, and an app that does nothing but answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .memory import memory

if TYPE_CHECKING:
    from typing import Self

    from privet import Survey

# Served as privet is: the options of uvicorn are those of `privet serve`.
_ECHO = """
import json, socket, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def echo(request):
    return JSONResponse({"bytes": len(await request.body())})

app = Starlette(routes=[Route("/surveys/{id}/reports", echo, methods=["POST"])])
listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
print(json.dumps({"url": "http://127.0.0.1:%d" % listener.getsockname()[1]}), flush=True)
options = dict(access_log=False, log_level="warning", proxy_headers=False, server_header=False)
uvicorn.Server(uvicorn.Config(app, ws="none", **options)).run(sockets=[listener])
"""


class Server:
    """A server that says where it listens in its first line."""

    def __init__(self, *command: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._process.stdout is not None
        self.url = json.loads(self._process.stdout.readline())["url"]
        self.port = int(self.url.rpartition(":")[2])

    @classmethod
    def echo(cls) -> Server:
        return cls("-c", _ECHO)

    @property
    def cpu_seconds(self) -> float:
        """How long the process has computed, in all its threads."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def megabytes(self) -> float:
        """How much memory the process has now."""
        return memory("VmRSS", self._process.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.communicate()


class Privet(Server):
    """`privet serve` of a store, a file in a folder unless told."""

    def __init__(self, folder: str, store: str | None = None) -> None:
        self._token = Path(folder) / "token"
        super().__init__(
            "-m", "privet", "serve", "--store", store or f"{folder}/surveys.db",
            "--port", "0", "--token-file", str(self._token), "--json",
        )  # fmt: skip

    def client(self) -> Client:
        return Client(self.url, self._token.read_text().strip())


class Client:
    """A connection for requests one by one."""

    def __init__(self, url: str, token: str) -> None:
        self._connection = HTTPConnection(urlsplit(url).netloc, timeout=120)
        self._token = token

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> bytes:
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        data = response.read()
        if response.status not in (200, 201):
            raise RuntimeError(f"{response.status}: {data.decode()}")
        return data

    def create(self, survey: Survey) -> None:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        self.ask("POST", "/surveys", survey.to_json().encode(), **headers)

    def send(self, survey: Survey, reports: bytes, **headers: str) -> None:
        headers = {"Content-Type": "application/octet-stream", **headers}
        self.ask("POST", f"/surveys/{survey.id}/reports", reports, **headers)

    def estimate(self, survey: Survey) -> bytes:
        return self.ask("GET", f"/surveys/{survey.id}/estimate")
