"""Thousands of connections that send nothing, half of a request, or many at once; and clients.

    python tests/support/flood.py 10000      # as many idle and as many half-sent ones
    python tests/support/flood.py memory     # many requests at once, and half-sent bodies

A process for each kind holds its connections until the server closes them. Meanwhile, a client
posts reports, half of the time on a new connection.
"""

import json
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe
from statistics import median
from urllib.parse import urlsplit

from load import SURVEY, begin
from serving import Serving

HALF = b"POST /surveys/load/reports HTTP/1.1\r\nHost: example.org\r\n"
KINDS = {"idle": b"", "half": HALF}
REPORT = SURVEY.randomize("c1")


def connect(server):
    """Return a new connection."""
    parts = urlsplit(server.url)
    return socket.create_connection((parts.hostname, parts.port), 30)


def posting(body=REPORT, size=None, address=""):
    """Return a request as bytes, such as a proxy forwards it for an address."""
    head = f"POST /surveys/{SURVEY.id}/reports HTTP/1.1\r\nHost: x\r\n"
    head += f"X-Forwarded-For: {address}\r\n" if address else ""
    size = len(body) if size is None else size
    head += f"Content-Type: application/octet-stream\r\nContent-Length: {size}\r\n\r\n"
    return head.encode() + body


def piled_up(server, number, requests):
    """Send requests without waiting for their answers; return the connections."""
    held = []
    for _ in range(number):
        held.append(connect(server))
        held[-1].setblocking(False)
        held[-1].send(b"GET /x HTTP/1.1\r\n\r\n" * requests)
    return held


def half_sent(server, number, size):
    """Send bodies without their last byte, each for another address; return the connections."""
    held = []
    for i in range(number):
        held.append(connect(server))
        held[-1].sendall(posting(bytes(size - 1), size, f"198.18.{i >> 8}.{i & 255}"))
    return held


def hold(kind, number, place, port):
    """Open connections and wait until all are closed; print when that was."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    source = f"127.0.0.{2 + list(KINDS).index(kind)}"  # of ports, each address has so many
    began, opened, lasted = time.monotonic(), {}, []
    with selectors.DefaultSelector() as selector:
        while len(opened) < number:
            one = socket.create_connection((place, port), 10, (source, 0))
            opened[one] = time.monotonic()
            with suppress(OSError):  # which is closed already where there is no room
                one.sendall(KINDS[kind])
            one.setblocking(False)
            selector.register(one, selectors.EVENT_READ)
        print(json.dumps({"opened": number, "seconds": time.monotonic() - began}), flush=True)
        while opened:
            ready = selector.select(30)
            assert ready, f"{len(opened)} connections are never closed"
            for key, _ in ready:
                lasted.append(time.monotonic() - opened.pop(key.fileobj))
                selector.unregister(key.fileobj)
                key.fileobj.close()
    print(json.dumps({"least": min(lasted), "most": max(lasted), "median": median(lasted)}))


class Flood:
    """Connections of a kind, in a process of their own."""

    def __init__(self, kind, number, url):
        parts = urlsplit(url)
        command = [sys.executable, __file__, kind, number, parts.hostname, parts.port]
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE)

    def line(self):
        """Return what it says next: that all are open, and then that all are closed."""
        return json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def flooded(server, number):
    """Flood a server and post meanwhile; return what the floods say, and how long posts took."""
    took, lasting = [], server.client()
    with Flood("idle", number, server.url) as idle, Flood("half", number, server.url) as half:
        while any(flood.process.poll() is None for flood in (idle, half)):
            client = lasting if len(took) % 2 else server.client()
            began = time.monotonic()
            answer = client.send(SURVEY.id, REPORT, token_urlsafe(16))
            took.append(time.monotonic() - began)
            assert answer.status == 200, answer
            if client is not lasting:
                client.close()
            time.sleep(0.005)
        return [{**flood.line(), **flood.line()} for flood in (idle, half)], sorted(took)


def posts(server, seconds, **headers):
    """Post reports for some time, each on a new connection; return how long each took, sorted."""
    took, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        client, began = server.client(), time.monotonic()
        answer = client.send(SURVEY.id, REPORT, token_urlsafe(16), **headers)
        took.append(time.monotonic() - began)
        assert answer.status == 200, answer
        client.close()
        time.sleep(0.02)
    return sorted(took)


def closed(one, seconds=0.0):
    """Tell whether the server has closed a connection, or does so in time."""
    one.settimeout(seconds)
    try:
        while one.recv(1 << 16):
            pass
    except (TimeoutError, BlockingIOError):
        return False
    except ConnectionError:
        pass
    return True


def memory(server):
    """Return the most memory that a server has had, in bytes."""
    status = Path(f"/proc/{server.pid}/status").read_text().splitlines()
    (line,) = [line for line in status if line.startswith("VmHWM")]
    return int(line.split()[1]) << 10


def main(number):
    """Flood a new server, and print what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        begin(folder)
        with Serving(folder) as server:
            server.client().send(SURVEY.id, REPORT)
            before = memory(server)
            said, took = flooded(server, number)
            grown = (memory(server) - before) >> 20
            server.terminate()
    for kind, one in zip(KINDS, said, strict=True):
        print(f"{kind}: {number:,} opened in {one['seconds']:.1f} s, closed after", end=" ")
        print(f"{one['least']:.1f} to {one['most']:.1f} s (median {one['median']:.1f})")
    late, last = took[len(took) * 99 // 100], took[-1]
    print(f"{len(took):,} posts, all counted: median {1e3 * median(took):.1f} ms", end=", ")
    print(f"99 % {1e3 * late:.0f} ms, longest {1e3 * last:.0f} ms; {grown} MiB more memory")


REQUESTS, MORE_REQUESTS, LARGE, SMALL = (100, 13_000), (1000, 16), (18, 4 << 20), (1100, 64 << 10)
HEAVY = {
    "100 connections of 13,000 requests": [(piled_up, REQUESTS)],
    "1,000 connections of 16 requests": [(piled_up, MORE_REQUESTS)],
    "18 bodies of 4 MiB, half-sent": [(half_sent, LARGE)],
    "1,100 bodies of 64 KiB, half-sent": [(half_sent, SMALL)],
    "the first and both kinds of bodies": [
        (piled_up, REQUESTS), (half_sent, LARGE), (half_sent, SMALL),
    ],
}  # fmt: skip


def heavy():
    """Send what takes memory to new servers; print how much it took, and how long posts did."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for name, kinds in HEAVY.items():
        with tempfile.TemporaryDirectory() as folder:
            begin(folder)
            with Serving(folder, more=("--proxy", "127.0.0.1")) as server:
                posts(server, 0.5)
                before = memory(server) >> 20
                held = [one for send, how in kinds for one in send(server, *how)]
                took = posts(server, 5)
                print(f"{name}: {before} to {memory(server) >> 20} MiB", end="; ")
                print(f"{len(took)} posts, median {1e3 * median(took):.0f} ms", end=", ")
                print(f"longest {1e3 * took[-1]:.0f} ms", flush=True)
                for one in held:
                    one.close()
                server.terminate()


if __name__ == "__main__":
    if sys.argv[1] == "memory":
        heavy()
    elif sys.argv[1] in KINDS:
        hold(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    else:
        main(int(sys.argv[1]))
