"""Exchange: one HTTP request and its reply, within a time and a size that no server can stretch.

http.client limits each wait, but not how many there are: a server may send a byte a second, or one
interim reply after another. It also allocates as much as a reply's header announces, and reads a
chunk of negative size to its end. So the sockets here know when their exchange ends and how many
bytes it may still read, and a body is read into a buffer of fixed size. What is not bounded is the
system's lookup of a host's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from socket import IPPROTO_TCP, SOCK_STREAM, TCP_NODELAY, getaddrinfo, socket
from ssl import SSLSocket, create_default_context
from time import monotonic
from typing import Any

__all__ = ["SECONDS", "Allowance", "Exchange"]

SECONDS = 20.0
_MOST_AROUND = 256 << 10  # bytes besides the body: headers, interim replies, sizes of chunks


class Allowance:
    """What one exchange may still take."""

    def __init__(self) -> None:
        self._end, self._bytes = 0.0, 0

    def begin(self, most_body: int) -> None:
        """Allow for one more exchange."""
        self._end, self._bytes = monotonic() + SECONDS, most_body + _MOST_AROUND

    def seconds(self) -> float:
        """Return how many seconds are left, or raise TimeoutError."""
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def read(self, size: int) -> None:
        """Subtract bytes that came."""
        self._bytes -= size
        if self._bytes < 0:
            raise HTTPException("the reply is too long")


class _Limited(socket):
    """A socket that waits and reads no more than is allowed."""

    allowance: Allowance

    def recv_into(self, *given: Any, **named: Any) -> int:
        self.settimeout(self.allowance.seconds())
        size = super().recv_into(*given, **named)
        self.allowance.read(size)
        return size

    def send(self, *given: Any, **named: Any) -> int:
        self.settimeout(self.allowance.seconds())
        return super().send(*given, **named)

    def sendall(self, *given: Any, **named: Any) -> None:
        self.settimeout(self.allowance.seconds())
        super().sendall(*given, **named)


class _LimitedTLS(_Limited, SSLSocket):
    """The same, with TLS."""


class Exchange(HTTPConnection):
    """A connection to a host, or through a proxy's tunnel to it."""

    def __init__(
        self,
        host: str,
        port: int | None,
        allowance: Allowance,
        *,
        secure: bool = False,
        tunnel: tuple[str, int] | None = None,
        tunnel_headers: Mapping[str, str] | None = None,
    ) -> None:
        self.default_port = 443 if secure else 80
        super().__init__(host, port)
        self._allowance, self._secure = allowance, secure
        self._by, self._by_headers = tunnel, tunnel_headers or {}

    def connect(self) -> None:
        """Connect, through the tunnel and with TLS where they are wanted."""
        self.sock = self._dial(*(self._by or (self.host, self.port)))
        try:
            if self._by is not None:
                self._enter_tunnel()
            if self._secure:
                self._begin_tls()
        except BaseException:
            self.close()
            raise

    def body(self, response: HTTPResponse, most: int) -> bytes:
        """Return the body of a response, or raise HTTPException if it is cut off or too long."""
        buffer, size = memoryview(bytearray(most + 1)), 0
        while size <= most and (more := response.readinto(buffer[size:])):
            size += more
        if size > most:
            raise HTTPException("the reply is too long")
        if response.length:
            raise HTTPException("the reply ends too early")
        return bytes(buffer[:size])

    def _dial(self, host: str, port: int) -> socket:
        """Return a socket that is connected to one of a host's addresses."""
        found = getaddrinfo(host, port, type=SOCK_STREAM)
        failure = OSError("the host has no address")
        for left, (family, kind, protocol, _, address) in zip(
            range(len(found), 0, -1), found, strict=True
        ):
            one = _Limited(family, kind, protocol)
            one.allowance = self._allowance
            one.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)  # as headers and body go out one by one
            try:
                one.settimeout(self._allowance.seconds() / left)  # so that each has its turn
                one.connect(address)
            except OSError as error:
                one.close()
                failure = error
            else:
                return one
        raise failure

    def _enter_tunnel(self) -> None:
        host = f"[{self.host}]" if ":" in self.host else self.host
        to = f"{host}:{self.port}"
        lines = [f"CONNECT {to} HTTP/1.1", f"Host: {to}"]
        lines += [f"{name}: {value}" for name, value in self._by_headers.items()]
        self.sock.sendall("\r\n".join([*lines, "", ""]).encode())
        with HTTPResponse(self.sock, method="CONNECT") as response:
            response.begin()
            if response.status != 200:
                raise OSError(f"the proxy does not connect us: status {response.status}")

    def _begin_tls(self) -> None:
        context = create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        context.sslsocket_class = _LimitedTLS
        secured: Any = context.wrap_socket(
            self.sock, server_hostname=self.host, do_handshake_on_connect=False
        )
        self.sock = secured
        secured.allowance = self._allowance
        secured.settimeout(self._allowance.seconds())
        secured.do_handshake()
