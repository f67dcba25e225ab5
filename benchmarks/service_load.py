"""A cheap client of its own process: many connections, each with one request at a time.

python -m benchmarks.service_load reads a `Load` as JSON, and prints what came of it as JSON.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from base64 import b64decode, b64encode
from itertools import count
from secrets import token_hex
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Load(NamedTuple):
    """What is sent: the bodies in turn, until so many requests are answered."""

    port: int
    path: str
    bodies: tuple[bytes, ...]
    requests: int
    connections: int = 48
    keyed: bool = False


class Sent(NamedTuple):
    """How many seconds it took, and of the latencies the median and the 99th percentile."""

    seconds: float
    p50: float
    p99: float


def messages(load: Load) -> Iterator[bytes]:
    """Yield the requests, byte for byte."""
    key, numbers, start = token_hex(8), count(), f"POST {load.path} HTTP/1.1\r\n"
    for number in numbers:
        body = load.bodies[number % len(load.bodies)]
        lines = [start, "Host: 127.0.0.1\r\nContent-Type: application/octet-stream\r\n"]
        if load.keyed:
            lines.append(f"Idempotency-Key: {key}{number:016x}\r\n")
        yield f"{''.join(lines)}Content-Length: {len(body)}\r\n\r\n".encode() + body


class _Connection(asyncio.Protocol):
    """Sends a request, waits for its answer, and sends the next."""

    def __init__(self, left: Iterator[bytes], latencies: list[float]) -> None:
        self._left, self._latencies, self._got = left, latencies, b""
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.WriteTransport = transport  # type: ignore[assignment]
        self._next()

    def _next(self) -> None:
        message = next(self._left, None)
        if message is None:
            self._transport.close()
            self.done.set_result(None)
            return
        self._began, self._got = perf_counter(), b""
        self._transport.write(message)

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, blank, body = self._got.partition(b"\r\n\r\n")
        if blank and len(body) == int(head.partition(b"content-length: ")[2].partition(b"\r")[0]):
            self._latencies.append(perf_counter() - self._began)
            if self._got.startswith(b"HTTP/1.1 200"):
                self._next()
            else:
                self.done.set_exception(RuntimeError(self._got.decode()))

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionResetError())


async def _send(load: Load) -> Sent:
    loop, latencies = asyncio.get_running_loop(), list[float]()
    left = (message for message, _ in zip(messages(load), range(load.requests), strict=False))
    began = perf_counter()
    made = [
        await loop.create_connection(lambda: _Connection(left, latencies), "127.0.0.1", load.port)
        for _ in range(load.connections)
    ]
    await asyncio.gather(*(connection.done for _, connection in made))
    latencies.sort()
    n = len(latencies)
    return Sent(perf_counter() - began, latencies[n // 2], latencies[n * 99 // 100])


def send(load: Load) -> Sent:
    """Send a load from a process of its own."""
    bodies = [b64encode(body).decode() for body in load.bodies]
    text = json.dumps(load._replace(bodies=bodies)._asdict())  # type: ignore[arg-type]
    command = [sys.executable, "-m", __name__]
    run = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True)
    return Sent(*json.loads(run.stdout))


def main() -> None:
    given = json.load(sys.stdin)
    load = Load(**given | {"bodies": tuple(map(b64decode, given["bodies"]))})
    import uvloop

    print(json.dumps(uvloop.run(_send(load))))


if __name__ == "__main__":
    main()
