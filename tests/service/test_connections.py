"""Connections that send nothing, or too slowly, keep nobody out and do not last."""

import asyncio
import resource
import sqlite3
import time
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import uvicorn
from uvicorn.server import ServerState

from flood import HALF, REPORT, closed, connect, flooded, memory, piled_up, posting, posts
from load import SURVEY, begin, stored
from privet.service import connections
from privet.service.connections import MAX_UNANSWERED, Connection, Crowd
from serving import Serving

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
BIG = b"x" * (1 << 26)


def limited(soft, hard):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


# --- a real server --------------------------------------------------------------------------------


def test_idle_and_half_sent_connections_are_closed_and_others_served_meanwhile(tmp_path):
    begin(tmp_path)
    with Serving(tmp_path) as server:
        floods, took = flooded(server, 2000)
        assert server.terminate() == 0
    assert all(flood["opened"] == 2000 for flood in floods)
    assert all(9.5 < flood["median"] <= flood["most"] < 15 for flood in floods)
    assert len(took) > 100
    assert took[-1] < 3


def test_a_server_opens_as_many_files_as_it_may(tmp_path):
    with Serving(tmp_path, preexec_fn=limited(100, 300)) as server:
        limits = Path(f"/proc/{server.pid}/limits").read_text()
        (line,) = [line for line in limits.splitlines() if line.startswith("Max open files")]
        assert line.split()[3:5] == ["300", "300"]


def test_without_room_those_that_wait_longest_are_closed(tmp_path):
    begin(tmp_path)
    with Serving(tmp_path, preexec_fn=limited(200, 200)) as server:  # 150 of them connections
        held = [connect(server) for _ in range(400)]
        for one in held[-50:]:
            one.sendall(HALF)
        assert server.client().send(SURVEY.id, REPORT).status == 200
        assert all(one.recv(1) == b"" for one in held[:250])
        held[-1].settimeout(0.1)
        with pytest.raises(TimeoutError):
            held[-1].recv(1)
        for one in held:
            one.close()
        assert server.terminate() == 0
    assert stored(tmp_path / "surveys.db") == {REPORT: 1}


def test_requests_that_came_whole_are_kept_and_who_finds_no_room_is_told(tmp_path):
    begin(tmp_path)
    with Serving(tmp_path, preexec_fn=limited(200, 200)) as server:
        first = server.client()
        assert first.send(SURVEY.id, REPORT).status == 200
        first.close()
        with sqlite3.connect(tmp_path / "surveys.db", isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")  # nobody else can write
            held = [connect(server) for _ in range(150)]
            for one in held:
                one.sendall(posting())
            time.sleep(0.5)
            with connect(server) as late:
                answer = late.recv(4096)
            other.execute("ROLLBACK")
        other.close()
        assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"retry-after: 5\r\n" in answer
        assert b'"reason":"busy"' in answer
        answers = [one.recv(4096)[:12] for one in held]
        for one in held:
            one.close()
        assert answers == [b"HTTP/1.1 200"] * 150
        assert server.terminate() == 0
    assert stored(tmp_path / "surveys.db") == {REPORT: 151}


def test_requests_that_do_not_wait_for_answers_take_little_memory_and_delay_nobody(tmp_path):
    begin(tmp_path)
    with Serving(tmp_path) as server:
        posts(server, 0.1)
        held = piled_up(server, 100, 13_000)
        assert posts(server, 3)[-1] < 3
        assert memory(server) < 300 << 20
        assert all(closed(one) for one in held)
        for one in held:
            one.close()
        assert server.terminate() == 0
    assert "Traceback" not in server.said


def test_who_goes_away_with_several_requests_unanswered_is_forgotten(tmp_path):
    begin(tmp_path)
    with Serving(tmp_path) as server:
        posts(server, 0.1)
        with sqlite3.connect(tmp_path / "surveys.db", isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")  # nobody else can write
            for _ in range(3):
                with connect(server) as one:
                    one.sendall(posting() * 3)
                    time.sleep(0.1)
            other.execute("ROLLBACK")
        other.close()
        assert posts(server, 0.1)
        assert server.terminate() == 0
    assert "Traceback" not in server.said


# --- one connection, with short deadlines ---------------------------------------------------------


async def hello(scope, receive, send):
    """Answer at once, without reading the body; with much to those who ask for it."""
    body = BIG if scope["path"] == "/big" else b"hello"
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def served(app, most=100):
    """Where a server in this process listens, its state, and its crowd."""
    config, state = uvicorn.Config(app, ws="none", log_level="error"), ServerState()
    crowd, loop = Crowd(most), asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(crowd, config, state, {}), "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname(), state, crowd
    finally:
        server.close()
        for connection in list(state.connections):
            connection.drop()
        while state.connections:
            await asyncio.sleep(0.01)
        assert not crowd.waiting
        assert crowd.queued == 0


@asynccontextmanager
async def opened(app=hello):
    """A connection to a server in this process, and the server's state."""
    async with served(app) as (place, state, _):
        reader, writer = await asyncio.open_connection(*place)
        try:
            yield reader, writer, state
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


@pytest.fixture
def hurried(monkeypatch):
    for name, seconds in [("_HEAD_SECONDS", 0.3), ("GRACE_SECONDS", 0.3), ("_READ_SECONDS", 0.3)]:
        monkeypatch.setattr(connections, name, seconds)


async def rest(reader):
    """What comes until the connection is closed, whichever way."""
    found = b""
    with suppress(ConnectionResetError):
        while some := await reader.read(1 << 20):
            found += some
    return found


SLOW = {
    "nothing": [],
    "half a head": [HALF],
    "a head, a byte at a time": [bytes([byte]) for byte in GET],
    "an empty line after an answer": [GET, b"\r\n"],
    "half a head after an answer": [GET, HALF],
    "half a head with the request before it": [GET + HALF],
    "a body that nobody asked for": [b"GET / HTTP/1.1\r\nContent-Length: 9\r\n\r\n", b"x"],
    "a chunk that does not end": [CHUNKED, b"4\r\nx"],
}


@pytest.mark.parametrize("parts", SLOW.values(), ids=SLOW)
def test_what_does_not_come_whole_is_not_waited_for(parts, hurried):
    async def story():
        async with asyncio.timeout(2), opened() as (reader, writer, state):
            for part in parts:
                writer.write(part)
                await asyncio.sleep(0.05)
                if not state.connections:
                    break
            return await rest(reader)

    answered = any(part.endswith(b"\r\n\r\n") or b"GET" in part for part in parts)
    assert asyncio.run(story()).count(b"hello") == answered


def test_who_does_not_read_the_answer_is_not_waited_for(hurried):
    async def story():
        async with asyncio.timeout(5), opened() as (_, writer, state):
            writer.write(b"GET /big HTTP/1.1\r\n\r\n")
            await asyncio.sleep(0.1)
            assert state.connections
            while state.connections:
                await asyncio.sleep(0.05)

    asyncio.run(story())


def test_who_reads_slowly_gets_all_of_it(monkeypatch):
    monkeypatch.setattr(connections, "_READ_SECONDS", 1.0)

    async def story():
        async with asyncio.timeout(30), opened() as (reader, writer, _):
            writer.write(b"GET /big HTTP/1.1\r\nConnection: close\r\n\r\n")
            found = 0
            while some := await reader.read(1 << 20):
                found += len(some)
                await asyncio.sleep(0.004)
            return found

    assert asyncio.run(story()) > len(BIG)


ENDLESS = {
    "a header": b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000,
    "headers": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 12_000,
    "an address": b"GET /" + b"x" * 70_000,
}


@pytest.mark.parametrize("sent", ENDLESS.values(), ids=ENDLESS)
def test_a_head_has_bounds(sent):
    async def story():
        async with asyncio.timeout(5), opened() as (reader, writer, _):
            writer.write(sent)
            return await rest(reader)

    answer = asyncio.run(story())
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.endswith(b"The head of a request has at most 65,536 bytes.")


def test_what_follows_a_body_has_bounds():
    async def story():
        async with asyncio.timeout(5), opened() as (reader, writer, _):
            writer.write(CHUNKED + b"4\r\nbody\r\n0\r\n")
            await asyncio.sleep(0.05)
            writer.write(b"X: " + b"x" * 70_000)
            return await rest(reader)

    assert asyncio.run(story()).endswith(b"at most 65,536 bytes.")


def test_a_long_body_is_no_head():
    async def story():
        async with asyncio.timeout(5), opened() as (reader, writer, _):
            writer.write(b"POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n" + bytes(10**6) + GET)
            await reader.readuntil(b"hello")
            return await reader.readuntil(b"hello")

    assert asyncio.run(story()).startswith(b"HTTP/1.1 200 ")


def test_a_long_body_has_more_time_as_it_goes_on(monkeypatch):
    monkeypatch.setattr(connections, "GRACE_SECONDS", 1.0)
    monkeypatch.setattr(connections, "_PART", 1000)

    async def story(pause):
        async with asyncio.timeout(10), opened() as (reader, writer, _):
            writer.write(b"POST / HTTP/1.1\r\nContent-Length: 4000\r\n\r\n")
            for part in (1000, 1000, 1000, 1000 - pause):
                await asyncio.sleep(0.4)
                writer.write(bytes(part))
            await asyncio.sleep(0.4 + pause)
            writer.write(bytes(pause) + b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            return await rest(reader)

    async def both():
        return await asyncio.gather(story(0), story(1))

    in_time, late = asyncio.run(both())
    assert in_time.count(b"hello") == 2
    assert late.count(b"hello") == 1  # the last part comes too late


# --- many requests on one connection --------------------------------------------------------------


def test_requests_that_come_together_are_answered_in_order():
    async def mirror(scope, receive, send):
        await asyncio.sleep(0.001)
        body = scope["path"].encode()
        headers = [(b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def story():
        async with asyncio.timeout(5), opened(mirror) as (reader, writer, state):
            for _ in range(3):
                for i in range(MAX_UNANSWERED):
                    writer.write(b"GET /%d HTTP/1.1\r\n\r\n" % i)
                for i in range(MAX_UNANSWERED):
                    await reader.readuntil(b"\r\n\r\n/%d" % i)
            assert state.connections

    asyncio.run(story())


async def silent(scope, receive, send):
    """Never answer."""
    await asyncio.sleep(60)


@pytest.mark.parametrize("at_once", [True, False])
def test_one_unanswered_request_more_ends_the_connection(at_once):
    async def story():
        async with asyncio.timeout(5), opened(silent) as (reader, writer, state):
            if at_once:
                writer.write(GET * MAX_UNANSWERED)
            for _ in range(0 if at_once else MAX_UNANSWERED):
                writer.write(GET)
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.05)
            assert state.connections
            for connection in state.connections:
                connection.flow.resume_reading()  # as a handler that reads its body does
            writer.write(GET)
            return await rest(reader)

    assert asyncio.run(story()) == b""


def test_all_connections_share_the_bound_on_requests_behind_others(monkeypatch):
    monkeypatch.setattr(connections, "MAX_QUEUED", 5)

    async def story():
        async with asyncio.timeout(5), served(silent) as (place, state, crowd):
            first, second, third = [(await asyncio.open_connection(*place))[1] for _ in range(3)]
            for writer, requests, open_then, queued_then in [
                (first, 5, 3, 4),
                (second, 2, 3, 5),
                (third, 1, 3, 5),  # which is behind nobody
                (third, 1, 2, 5),
            ]:
                writer.write(GET * requests)
                await asyncio.sleep(0.05)
                assert (len(state.connections), crowd.queued) == (open_then, queued_then)
            for writer in (first, second, third):
                writer.close()

    asyncio.run(story())
