"""What was deleted is in no file of the store, whoever reads at that moment, and however slowly."""

import socket
import sqlite3
import time
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from privet import Survey
from privet.store import open_store
from serving import Serving

# Reports of 64 random bytes, which nothing else in a file looks like.
LONG = Survey("Number?", [str(i) for i in range(512)], 0.1, id="long", mechanism="binary-rr")
MANY = (4 << 20) // 64  # as many as a body may have


@pytest.fixture
def full(tmp_path):
    """A server with a survey in several chunks, and some of its reports."""
    rows = LONG.randomize_batch(["7"] * MANY)
    with Serving(tmp_path) as server:
        server.client().create(LONG)
        with open_store(tmp_path / "surveys.db") as store:
            for _ in range(3):
                # A fold may take longer than the server keeps an idle connection.
                assert server.client().send(LONG.id, rows.tobytes()).status == 200
                store.fold(LONG.id, force=True)
        client = server.client()
        assert client.send(LONG.id, rows[:1000].tobytes()).status == 200
        yield server, client, [row.tobytes() for row in rows[:20]]
        assert server.terminate() == 0
        assert "Traceback" not in server.said


def kept(server, reports):
    """How many of the reports are in any file of the store."""
    files = server.token_file.parent.glob("surveys.db*")
    data = b"".join(path.read_bytes() for path in files)
    return sum(one in data for one in reports)


def wait_until_gone(server, reports, seconds):
    end = time.monotonic() + seconds
    while kept(server, reports):
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_slow_download_keeps_nothing_and_is_cut_off(full):
    server, client, reports = full
    host, _, port = urlsplit(server.url).netloc.partition(":")
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.settimeout(30)
        slow.connect((host, int(port)))
        head = (
            f"GET /surveys/long/reports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.token}"
        )
        slow.sendall(f"{head}\r\n\r\n".encode())
        assert slow.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert kept(server, reports) == 20
        assert client.ask("DELETE", "/surveys/long", admin=True).status == 204
        wait_until_gone(server, reports, 2)
        received = bytearray(1)
        while part := slow.recv(1 << 20):
            received += part
    assert not received.endswith(b"0\r\n\r\n")  # the end of a whole answer
    assert 0 < len(received) < 3 * 64 * MANY
    assert client.get("/surveys/long/reports", admin=True).status == 410


def test_what_another_process_reads_is_gone_when_it_has_read(full):
    server, client, reports = full
    with closing(sqlite3.connect(server.token_file.parent / "surveys.db")) as other:
        other.execute("BEGIN")  # as a backup does
        other.execute("SELECT COUNT(*) FROM chunks").fetchone()
        assert client.ask("DELETE", "/surveys/long", admin=True).status == 204
        assert kept(server, reports) == 20
    wait_until_gone(server, reports, 10)
