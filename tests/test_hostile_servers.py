"""Servers that would hang, swell or confuse a client: it ends in time and in little memory.

Each is a real socket that sends what no HTTP server would. The client's own deadline is shortened.
"""

import json
import socket
import time
import tracemalloc
from contextlib import contextmanager, suppress
from itertools import repeat
from threading import Event, Thread, Timer

import pytest

from privet import Client, Survey
from privet.device import exchange
from privet.errors import InvalidSurvey, ServiceFailure, SurveyMismatch
from sending import scripted

SURVEY = Survey("Tea?", ["yes", "no"], 1.0, mechanism="binary-rr", id="tea")
TEXT = SURVEY.to_json().encode()
SECONDS, MARGIN = 0.5, 1.5
ENDLESS = 5.0  # so that a client without a deadline fails the test, and does not stop it
PART = b"x" * 65536
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@contextmanager
def saying(say):
    """Serve one connection after another: a function says what it likes to each request."""
    end, tired = Event(), Timer(ENDLESS, lambda: end.set())
    tired.start()

    def serve():
        with suppress(OSError):
            while True:
                came, _ = listener.accept()
                with came, suppress(OSError):
                    came.settimeout(20)
                    came.recv(65536)
                    say(came, end)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            end.set()
            tired.cancel()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def sends(*parts, then=()):
    """Say these parts, and then those of an iterator, perhaps without end; then close."""

    def say(came, end):
        for part in parts:
            came.sendall(part)
        for part in then:
            came.sendall(part)
            if end.wait(0):
                break

    return say


def drips(*parts, drop=b"x", every=0.1):
    """Say a byte now and then."""

    def say(came, end):
        came.sendall(b"".join(parts))
        while not end.wait(every):
            came.sendall(drop)

    return say


def with_length(size, body, more=b""):
    return OK + more + b"Content-Length: %s\r\n\r\n" % str(size).encode() + body


FIELDS = b"{" + b",".join(b'"%x":0' % i for i in range(60_000)) + b',"z":0,"z":0}'
LONG = {
    "a chunk of negative size": sends(CHUNKED, b"-1\r\n", then=repeat(PART)),
    "a chunk of great size": sends(CHUNKED, b"FFFFFFFFFFFF\r\n", then=repeat(PART)),
    "chunks without end": sends(CHUNKED, then=repeat(b"10000\r\n" + PART + b"\r\n")),
    "chunks of one byte": sends(CHUNKED, then=repeat(b"1\r\nx\r\n" * 10_000)),
    "sizes of chunks without end": sends(CHUNKED, then=repeat(b"1;" + PART)),
    "trailers without end": sends(CHUNKED, b"0\r\n", then=repeat(b"A: b\r\n" * 10_000)),
    "a body without end": sends(OK, b"\r\n", then=repeat(PART)),
    "a terabyte": sends(with_length(2**40, b""), then=repeat(PART)),
    "interim replies without end": sends(then=repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)),
    "headers without end": sends(OK, then=repeat(b"A: b\r\n" * 10_000)),
    "interim headers without end": sends(b"HTTP/1.1 100 Go\r\n", then=repeat(b"A: b\r\n" * 90)),
    "a header without end": sends(OK, b"A: ", then=repeat(PART)),
    "many long headers": sends(OK, then=repeat(b"A: " + PART[:60_000] + b"\r\n")),
    "a status without end": sends(b"HTTP/1.1 200 ", then=repeat(PART)),
    "no HTTP, without end": sends(then=repeat(PART)),
}
SLOW = {
    "silence": drips(drop=b""),
    "a body in drips": drips(with_length(1000, b"")),
    "chunks in drips": drips(CHUNKED, drop=b"1\r\nx\r\n"),
    "a size in drips": drips(CHUNKED, drop=b"1"),
    "headers in drips": drips(OK, drop=b"A: b\r\n"),
    "a status in drips": drips(drop=b"H"),
    "interim replies in drips": drips(drop=b"HTTP/1.1 100 Continue\r\n\r\n"),
}
CUT = {
    "a length too long": sends(with_length(len(TEXT) + 1, TEXT)),
    "a chunk too long": sends(CHUNKED, b"%x\r\n" % (len(TEXT) + 1), TEXT),
    "no last chunk": sends(CHUNKED, b"%x\r\n" % len(TEXT), TEXT, b"\r\n"),
    "nothing": sends(),
    "a status that is not a number": sends(b"HTTP/1.1 xyz OK\r\n\r\n"),
    "a status out of range": sends(b"HTTP/1.1 999999 OK\r\n\r\n"),
    "a version of the future": sends(b"HTTP/3.0 200 OK\r\n\r\n"),
    "a size that is not a number": sends(CHUNKED, b"zz\r\n", TEXT),
    "bytes": sends(bytes(range(256)) * 100),
}
OTHERS = {
    "60,000 fields, the last one twice": sends(with_length(len(FIELDS), FIELDS)),
    "nesting": sends(with_length(1 << 20, b"[" * (1 << 20))),
    "a compressed body": sends(with_length(len(TEXT), TEXT[::-1], b"Content-Encoding: gzip\r\n")),
    "a length too short": sends(with_length(len(TEXT) - 1, TEXT)),
    "a cut header": sends(OK, b"Content-Le"),
    "another page": sends(with_length(5, b"hello")),
}
REFUSALS = {
    "an error": sends(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"),
    "no content": sends(b"HTTP/1.1 204 No\r\n\r\n"),
    "not modified": sends(b"HTTP/1.1 304 No\r\n\r\n"),
}


def hostile(*groups):
    """All cases of some groups, as parameters."""
    cases = {name: say for group in groups for name, say in group.items()}
    return pytest.mark.parametrize("say", cases.values(), ids=cases.keys())


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(exchange, "SECONDS", SECONDS)


def fetched(url):
    return Client(url, "tea", fingerprint=SURVEY.fingerprint).contract


def refused(url, kind):
    """Fetch a contract, which is refused in time and in little memory; return the error."""
    tracemalloc.start()
    begin = time.monotonic()
    try:
        with pytest.raises(kind) as error:
            fetched(url)
        assert time.monotonic() - begin < SECONDS + MARGIN
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
    said = str(error.value)
    assert len(said) < 400
    assert said.isprintable()
    return said


@pytest.mark.usefixtures("short")
@hostile(LONG, SLOW, CUT)
def test_a_contract_is_not_fetched_from_what_does_not_speak_http(say):
    with saying(say) as url:
        assert "reached" in refused(url, ServiceFailure)


@hostile(OTHERS)
def test_what_has_another_fingerprint_is_not_even_parsed(say):
    with saying(say) as url:
        assert SURVEY.fingerprint in refused(url, SurveyMismatch)


@hostile(REFUSALS)
def test_a_contract_needs_success(say):
    with saying(say) as url:
        assert "status" in refused(url, ServiceFailure)


@pytest.mark.parametrize("say", [
    sends(with_length(len(TEXT), TEXT)),
    sends(OK, b"\r\n", TEXT),
    sends(CHUNKED, *(b"1\r\n%c\r\n" % byte for byte in TEXT), b"0\r\n\r\n"),
    sends(b"HTTP/1.1 100 Continue\r\n\r\n" * 9, with_length(len(TEXT), TEXT)),
    sends(with_length(len(TEXT), TEXT + b"and more")),
], ids=["length", "close", "chunks", "interim", "more"])  # fmt: skip
def test_a_contract_is_fetched_however_it_is_sent(say):
    """The other tests would pass if nothing were ever fetched."""
    with saying(say) as url:
        assert fetched(url) == SURVEY


@pytest.mark.usefixtures("short")
@hostile(LONG, SLOW, CUT, OTHERS, REFUSALS)
def test_a_report_waits_whatever_a_server_says(say):
    """The client's thread goes on after it, to the next try."""
    replies = iter([sends(b"HTTP/1.1 304 Same\r\n\r\n"), say])

    def turns(came, end):
        next(replies, sends())(came, end)

    with saying(turns) as url:
        client = Client(url, SURVEY)
        client.send("yes")
        end = time.monotonic() + SECONDS + 2 * MARGIN
        while client._failures < 2 and time.monotonic() < end:
            client.flush(0.05)
        assert client._failures >= 2
        assert (client.sent, client.refused, client.closed) == (0, {}, False)
        assert client._thread.is_alive()
        client.close(0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status):
    with scripted() as (other, came, others):
        moved = b"HTTP/1.1 %d Moved\r\nLocation: %s/surveys/tea\r\nContent-Length: 0\r\n\r\n"
        with saying(sends(moved % (status, other.encode()))) as url:
            assert f"status {status}" in refused(url, ServiceFailure)
            client = Client(url, SURVEY)
            client.send("yes")
            assert not client.flush(0.3)
            client.close(0)
        assert came == others == []


@pytest.mark.usefixtures("short")
def test_tls_that_is_never_answered_ends_in_time():
    with saying(drips(drop=b"")) as url:
        assert "within" in refused(url.replace("http:", "https:"), ServiceFailure)


@pytest.mark.usefixtures("short")
def test_tls_in_drips_ends_in_time():
    with saying(drips(b"\x16\x03\x03\x40\x00", every=0.05)) as url:
        assert "within" in refused(url.replace("http:", "https:"), ServiceFailure)


@pytest.mark.usefixtures("short")
def test_a_proxys_tunnel_in_drips_ends_in_time(monkeypatch):
    for drop in (b"x", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\nA: b\r\n"):
        with saying(drips(drop=drop)) as url:
            monkeypatch.setenv("https_proxy", url)
            assert "reached" in refused("https://service.example", ServiceFailure)


def test_a_proxys_answer_is_shown_by_its_status_alone(monkeypatch):
    with saying(sends(b"HTTP/1.1 407 \x1b[31mforged\r\n\r\n")) as url:
        monkeypatch.setenv("https_proxy", url)
        said = refused("https://service.example", ServiceFailure)
    assert "407" in said
    assert "forged" not in said


LINES = "no\nERROR root: forged\r\n\x1b[31m\u202e\ud800" + "x" * 10_000


@pytest.mark.parametrize("reason", [LINES, [LINES], {LINES: LINES}, 10**300])
def test_what_a_server_says_is_one_short_line_of_a_log(reason, caplog):
    """A reason, a status line, and a reply that is not HTTP forge no line and reach no terminal."""
    said = json.dumps({"status": 400, "reason": reason, "survey": "tea"}).encode()
    kind = b"Content-Type: application/problem+json\r\nContent-Length: %d\r\n\r\n" % len(said)
    replies = [
        b"HTTP/1.1 400 \x1b[31m\r\n" + kind + said,
        b"HTTP/1.1 \x1b[31m" + b"x" * 9000 + b"\r\n\r\n",
        b"\x1b[31m no HTTP\r\n\r\n",
    ]
    for reply in replies:
        with saying(sends(reply)) as url:
            client = Client(url, SURVEY)
            client.send("yes")
            while not client._failures and not client.refused:
                client.flush(0.05)
            assert client.refused == {}
            client.close(0)
            with suppress(ServiceFailure):
                refused(url, ServiceFailure)
    assert caplog.records
    for record in caplog.records:
        assert record.getMessage().isprintable()
        assert len(record.getMessage()) < 400


def test_many_different_fields_are_read_in_time_that_grows_with_their_number():
    begin = time.process_time()
    with pytest.raises(InvalidSurvey, match="'z' is given twice"):
        Survey.from_json(FIELDS)
    assert time.process_time() - begin < 1
