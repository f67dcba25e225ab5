"""What a person's side reads: replies of services, its ledger and spool, and audited programs."""

import socket
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from fuzzers import Choices, Target, edited, must
from fuzzers.contracts import WHICH
from privet.audit.clients import Command
from privet.device.ledger import Ledger
from privet.device.posting import Post
from privet.device.spool import Spool

_FOLDER = TemporaryDirectory(prefix="privet-fuzz-")
FOLDER = Path(_FOLDER.name)
REPORT = WHICH.randomize("a", secret=bytes(32))


class _Service:
    """A server that says what it is told to, whatever it is asked."""

    def __init__(self) -> None:
        self.says = b""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:{1}".format(*self._socket.getsockname())
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            with connection:
                connection.settimeout(5)
                try:
                    connection.recv(65536)
                    connection.sendall(self.says)
                    connection.shutdown(socket.SHUT_WR)
                except OSError:  # who asked may have heard enough
                    continue


SERVICE: list[_Service] = []


def reply(data: bytes) -> None:
    """Ask a service that says these bytes, in all the ways a client asks."""
    if not SERVICE:
        SERVICE.append(_Service())
    (service,) = SERVICE
    service.says = data
    post = Post(service.url)
    try:
        for said in (post.check(WHICH), post.reports(WHICH, "0" * 32, REPORT)):
            if said is not None:
                assert 0 <= said.wait <= 86_400
                assert [said.taken, said.refusal is not None, said.wait > 0].count(True) <= 1
                assert said.warning.isprintable()
            post.close()
        assert post.contract(WHICH.id, WHICH.fingerprint) == WHICH.to_json().encode()
    finally:
        post.close()


def ledger(data: bytes) -> None:
    """Read a ledger, of any bytes or with a few changes, and charge a report to it."""
    choices = Choices(data)
    path = FOLDER / "ledger.json"
    path.write_bytes(edited(LEDGERS, choices).encode() if choices.below(2) else choices.bytes())
    kept = Ledger(path, 4.0)
    before = kept.spent
    assert before >= 0
    assert 0 <= kept.left <= 4
    kept.charge(WHICH)
    assert kept.spent >= before


def spool(data: bytes) -> None:
    """Find a file in a spool; whatever is left of it can be sent."""
    kept = Spool(FOLDER / "spool", WHICH)
    (folder,) = (FOLDER / "spool").iterdir()
    (folder / ("0" * 32)).write_bytes(data)
    for _, report in kept.left():
        must(WHICH.mechanism.check, [report])


def command(data: bytes) -> None:
    """Audit a program that writes these bytes."""
    path = FOLDER / "lines"
    path.write_bytes(data)
    assert len(Command(["cat", str(path)], WHICH).reports(["a", "b"])) == 2


HEAD = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
PROBLEM = b"HTTP/1.1 %d No\r\nContent-Type: application/problem+json\r\n"
NAMES = b'"survey": "%s", "fingerprint": "%s"' % (WHICH.id.encode(), WHICH.fingerprint.encode())
CLOSED = b'{"status": 409, "reason": "closed", %s}' % NAMES
REPLIES = [
    HEAD % b"200 OK" + b'\r\n{"outcome": "counted", %s}' % NAMES,
    PROBLEM % 429 + b'Retry-After: 7\r\n\r\n{"status": 429, "reason": "too-many"}',
    PROBLEM % 503
    + b'Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n\r\n{"status": 503, "reason": "busy"}',
    PROBLEM % 409
    + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(CLOSED), CLOSED),
    HEAD % b"200 OK" + b"\r\n" + WHICH.to_json().encode(),
    b"HTTP/1.1 304 Not Modified\r\n\r\n",
]
LEDGERS = [
    '{"ledger": 1, "surveys": {"f": {"id": "a", "epsilon": 0.5, "fresh": 2, "keyed": ["m"]}}}',
    '{"ledger": 1, "surveys": {}}',
]
TARGETS = {
    "replies": Target(reply, REPLIES, 2048),
    "ledgers": Target(ledger, [b"\1\0\0\1", *(b"\0" + one.encode() for one in LEDGERS)], 1024),
    "spools": Target(spool, [REPORT, b""], 64),
    "commands": Target(command, [b"01\n02\n", REPORT.hex().encode() + b"\n"], 256),
}
