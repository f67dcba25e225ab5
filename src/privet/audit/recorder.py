"""A proxy that a browser must go through: it records every byte that pages send, and when.

It sees what the browser's network layer sends over HTTP, HTTPS and WebSockets, whoever asks for it:
pages, frames, workers, beacons, images, style sheets, connections opened in advance, and requests
that outlive their page. TLS ends here, under a key that only the audited browser accepts. Reports
are answered here, so that they do not reach the service; all else goes to its address.
"""

from __future__ import annotations

import http.client
import re
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Lock, Thread
from time import monotonic
from typing import Any, cast
from urllib.parse import urlsplit

from .disguise import Disguise
from .messages import Messages

__all__ = ["Recorder", "Sent", "recording"]

_REPORTS = re.compile(r"/reports$")  # where a page posts to
_HOP_BY_HOP = {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding"}
_PIECE = 1 << 16
_CONNECTING, _PATIENCE = 10.0, 60.0  # seconds that a site may take, and a connection be silent


@dataclass(frozen=True)
class Sent:
    """One thing that left the browser.

    `method` is "CONNECT" for a connection that was opened and "MESSAGE" for a message on a
    WebSocket, whose text or bytes are the body; `phase` is when in the visit it left.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    phase: str

    @property
    def is_report(self) -> bool:
        """Whether it posts to an address of reports."""
        return self.method == "POST" and bool(_REPORTS.search(urlsplit(self.url).path))


class Recorder:
    """What one device sends; `phase` is set by whoever drives its browser.

    `counted` is the service's reply to a report.
    """

    def __init__(self, disguise: Disguise, counted: bytes) -> None:
        self.disguise, self.counted = disguise, counted
        self.phase = ""
        self._sent: list[Sent] = []
        self._open = 0
        self._last = monotonic()
        self._changed = Condition()

    @property
    def sent(self) -> list[Sent]:
        """All that was sent until now, in order."""
        with self._changed:
            return list(self._sent)

    def add(self, method: str, url: str, headers: Any = (), body: bytes = b"") -> Sent:
        """Record one thing."""
        one = Sent(method, url, tuple(headers), body, self.phase)
        with self._changed:
            self._sent.append(one)
            self._last = monotonic()
            self._changed.notify_all()
        return one

    @contextmanager
    def exchange(self) -> Iterator[Callable[[], None]]:
        """Count an exchange as open until it ends, or until what is yielded is called."""
        self._count(1)
        left = [1]

        def end() -> None:
            if left:
                self._count(-left.pop())

        try:
            yield end
        finally:
            end()

    def _count(self, change: int) -> None:
        with self._changed:
            self._open += change
            self._last = monotonic()
            self._changed.notify_all()

    def forget(self) -> None:
        """Drop what was recorded; a device goes on as it is."""
        with self._changed:
            self._sent.clear()

    def report(self, seconds: float) -> Sent | None:
        """Wait for the first report; None if there is none in time."""
        with self._changed:
            self._changed.wait_for(lambda: any(one.is_report for one in self._sent), seconds)
            return next((one for one in self._sent if one.is_report), None)

    def silent(self, seconds: float) -> bool:
        """Whether nothing is under way and nothing was sent for some time."""
        with self._changed:
            return not self._open and monotonic() >= self._last + seconds

    def settle(self, still: float, seconds: float) -> None:
        """Wait until nothing is under way and nothing was sent for a while, but not for ever."""
        end = monotonic() + seconds
        with self._changed:
            while (now := monotonic()) < end:
                rest = self._last + still - now
                if not self._open and rest <= 0:
                    return
                self._changed.wait(end - now if self._open else min(rest, end - now))


@contextmanager
def recording(disguise: Disguise, counted: bytes) -> Iterator[tuple[Recorder, str]]:
    """Record on a port of its own; yield the recorder and the proxy's address."""
    recorder = Recorder(disguise, counted)
    server = _Recording(("127.0.0.1", 0), _Handler)
    server.recorder = recorder
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield recorder, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.hang_up()
        server.server_close()


class _Recording(ThreadingHTTPServer):
    daemon_threads = False  # so that closing it waits for them
    recorder: Recorder

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._lines: set[socket.socket] = set()
        self._lock, self._over = Lock(), False

    def hold(self, line: socket.socket) -> None:
        """Know of a connection, to either side, until it is dropped."""
        with self._lock:
            self._lines.add(line)
            if self._over:  # it was opened while the others were ended
                _shut(line)

    def drop(self, line: socket.socket | None) -> None:
        """Close a connection, also for a thread that waits for bytes from it."""
        if line is not None:
            with self._lock:
                self._lines.discard(line)
            _shut(line)
            line.close()

    def hang_up(self) -> None:
        """End all connections, so that no thread waits for bytes any longer."""
        with self._lock:
            self._over = True
            for line in self._lines:
                _shut(line)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: browsers close connections whenever they like."""


class _Handler(BaseHTTPRequestHandler):
    """One connection of the browser: plain requests by absolute address, or a tunnel's inside."""

    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE
    _tunnel = ""
    _origin = ""
    _upstream: http.client.HTTPConnection | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # a page may use any word as a method
            return self._pass_on
        raise AttributeError(name)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""

    @cached_property
    def proxy(self) -> _Recording:
        """The server, as what it is."""
        return cast("_Recording", self.server)

    @cached_property
    def recorder(self) -> Recorder:
        """Where all is recorded."""
        return self.proxy.recorder

    def setup(self) -> None:
        """Let the server hang up."""
        super().setup()
        self.proxy.hold(self.connection)

    def finish(self) -> None:
        """Close both sides."""
        self._leave()
        with suppress(OSError):
            super().finish()
        self.proxy.drop(self.connection)

    def _leave(self) -> None:
        """Close the connection to a site, if there is one."""
        if self._upstream is not None:
            self.proxy.drop(self._upstream.sock)
            self._upstream.close()
            self._upstream = None

    def do_CONNECT(self) -> None:
        """Open a tunnel, and read what goes through it: TLS if it begins as TLS does."""
        host = self.requestline.split()[1]
        self.recorder.add("CONNECT", f"//{host}")
        self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        self.close_connection = not self.connection.recv(1, socket.MSG_PEEK)
        if self.close_connection:
            return
        secure = self.connection.recv(1, socket.MSG_PEEK) == b"\x16"
        with suppress(OSError):
            super().finish()  # what reads and writes past the tunnel is of no more use
        if secure:
            disguise = self.recorder.disguise.context
            self.connection = disguise.wrap_socket(
                self.connection, server_side=True, do_handshake_on_connect=False
            )
            self.proxy.hold(self.connection)
            self.connection.do_handshake()
        self._tunnel = f"{'https' if secure else 'http'}://{host}"
        self.rfile = self.connection.makefile("rb", -1)
        self.wfile = self.connection.makefile("wb", 0)

    def _pass_on(self) -> None:
        url = self._tunnel + self.requestline.split()[1]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with self.recorder.exchange() as end:
            headers = [one for one in self.headers.items() if one[0].lower() != "proxy-connection"]
            sent = self.recorder.add(self.command, url, headers, body)
            if sent.is_report or (
                self.command == "OPTIONS" and _REPORTS.search(urlsplit(url).path)
            ):
                self._take_report()
            elif self.headers.get("Upgrade", "").lower() == "websocket":
                end()
                self._pass_frames(url)
            else:
                self._forward(url, body, end)

    def _take_report(self) -> None:
        """Answer as a service that counts the report, and lets pages of any origin send one."""
        asked = self.headers.get
        headers = {
            "Access-Control-Allow-Origin": asked("Origin", "*"),
            "Access-Control-Allow-Credentials": "true",
            "Access-Control-Allow-Headers": asked("Access-Control-Request-Headers", "*"),
            "Access-Control-Allow-Private-Network": "true",
        }
        kind = "Content-Type", "application/json"
        self._answer(200, [*headers.items(), kind], self.recorder.counted)

    def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in [*headers, ("Content-Length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _forward(self, url: str, body: bytes, end: Callable[[], None]) -> None:
        try:
            response = self._asked(url, body)
        except (OSError, http.client.HTTPException):
            self._leave()
            return self._answer(502, [], b"")
        length = response.length
        headers = [one for one in response.getheaders() if one[0].lower() not in _HOP_BY_HOP]
        self.send_response_only(response.status, response.reason)
        for name, value in headers:
            self.send_header(name, value)
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if response.getheader("Content-Type", "").startswith("text/event-stream"):
            end()
        while piece := response.read1(_PIECE):
            self.wfile.write(piece if length is not None else b"%x\r\n%s\r\n" % (len(piece), piece))
        if length is None:
            self.wfile.write(b"0\r\n\r\n")
        return None

    def _asked(self, url: str, body: bytes) -> http.client.HTTPResponse:
        """Return the response of a request that is sent on, twice if a kept connection is gone."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if (
            self._upstream is not None
            and self._origin == origin
            and self.command in {"GET", "HEAD"}
        ):
            with suppress(OSError, http.client.HTTPException):
                return self._once(url, body, self._upstream)
        self._leave()
        self._upstream, self._origin = self._connected(url), origin
        self._upstream.connect()
        self._upstream.sock.settimeout(_PATIENCE)
        self.proxy.hold(self._upstream.sock)
        return self._once(url, body, self._upstream)

    def _once(
        self, url: str, body: bytes, upstream: http.client.HTTPConnection
    ) -> http.client.HTTPResponse:
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        upstream.putrequest(self.command, target, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in _HOP_BY_HOP:
                upstream.putheader(name, value)
        upstream.endheaders(body or None)
        return upstream.getresponse()

    def _connected(self, url: str) -> http.client.HTTPConnection:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.scheme == "https":
            return http.client.HTTPSConnection(host, parts.port, timeout=_CONNECTING)
        return http.client.HTTPConnection(host, parts.port, timeout=_CONNECTING)

    # --- WebSockets -----------------------------------------------------------------------------

    def _pass_frames(self, url: str) -> None:
        """Pass a WebSocket's bytes both ways, and record the messages that the browser sends."""
        self.close_connection = True
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        try:
            place = parts.hostname or "", parts.port or (443 if secure else 80)
            upstream = socket.create_connection(place, timeout=_CONNECTING)
            if secure:
                upstream = ssl.create_default_context().wrap_socket(
                    upstream, server_hostname=parts.hostname
                )
        except OSError:
            return self._answer(502, [], b"")
        upstream.settimeout(_PATIENCE)
        self.proxy.hold(upstream)
        try:
            lines = [f"GET {parts.path or '/'}{'?' if parts.query else ''}{parts.query} HTTP/1.1"]
            lines += [
                f"{name}: {value}"
                for name, value in self.headers.items()
                if name.lower() != "sec-websocket-extensions"  # so that nothing is compressed
            ]
            upstream.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
            back = Thread(target=_copy, args=(upstream, self.wfile))
            back.start()
            messages = Messages(lambda body: self.recorder.add("MESSAGE", url, (), body))
            with suppress(OSError):
                while piece := self.rfile.read1(_PIECE):
                    messages.feed(piece)
                    upstream.sendall(piece)
            _shut(upstream)  # closed below, when the other thread has left it
            back.join()
        finally:
            self.proxy.drop(upstream)
        return None


def _shut(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)


def _copy(source: socket.socket, target: Any) -> None:
    with suppress(OSError, ValueError):
        while piece := source.recv(_PIECE):
            target.write(piece)
