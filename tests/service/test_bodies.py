"""Bodies are read in bounded memory, and half-sent ones keep nobody out."""

import asyncio
import resource

import pytest
from starlette.requests import ClientDisconnect

from flood import REPORT, closed, half_sent, memory, posts
from load import SURVEY, begin
from privet.service import bodies
from privet.service.bodies import MAX_SMALL, MOST_BODY, Incoming, Rooms
from privet.service.problems import Problem
from serving import Serving

SCOPE = {"type": "http", "method": "POST", "headers": []}


def request(parts, rooms, *, stalls=False, size=None):
    """A request whose body comes in parts, and then not at all; it may say its size before."""
    left = list(parts)

    async def receive():
        if not left and stalls:
            await asyncio.sleep(60)
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left) or stalls}

    headers = [] if size is None else [(b"content-length", b"%d" % size)]
    return Incoming({**SCOPE, "headers": headers}, receive, rooms)


async def read(request):
    """The body, whose room is given back, as the application does it."""
    try:
        return await request.body()
    finally:
        request.give_back()


def test_all_requests_share_the_room_and_give_it_back():
    rooms = Rooms(10)

    async def story():
        first = request([b"abc", b"def"], rooms)
        assert await first.body() == b"abcdef"
        with pytest.raises(Problem) as caught:
            await read(request([b"xyz", b"uv"], rooms))
        assert (caught.value.status, caught.value.headers) == (503, {"Retry-After": "5"})
        first.give_back()
        return await read(request([b"0123456789"], rooms))

    assert asyncio.run(story()) == b"0123456789"


async def begun(*requests):
    """Tasks that read bodies, each after the one before has made progress."""
    tasks = []
    for one in requests:
        tasks.append(asyncio.create_task(read(one)))
        await asyncio.sleep(0.01)
    return tasks


async def outcome(task):
    """What became of it: bytes, or a status; or nothing as yet."""
    done, _ = await asyncio.wait([task], timeout=0.05)
    if not done:
        task.cancel()
        return None
    return task.result() if task.exception() is None else task.exception().status


def test_without_room_the_body_that_made_no_progress_for_longest_is_dropped():
    rooms = Rooms(10)

    async def story():
        first, second, third = await begun(
            request([b"abc"], rooms, stalls=True),
            request([b"def"], rooms, stalls=True),
            request([b"ghi"], rooms, stalls=True),
        )
        assert await read(request([b"x"], rooms)) == b"x"  # there is room
        assert await read(request([b"xyz"], rooms)) == b"xyz"
        assert await outcome(first) == 503
        assert await read(request([b"0123456"], rooms)) == b"0123456"
        return [await outcome(second), await outcome(third)]

    assert asyncio.run(story()) == [503, None]


def test_progress_keeps_a_body_and_a_whole_one_is_never_dropped():
    rooms, go_on = Rooms(10), asyncio.Event()
    left = [b"a", b"b", b"c"]

    async def receive():
        if len(left) < 3:
            await go_on.wait()
        go_on.clear()
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def story():
        whole = request([b"01", b"23"], rooms)
        assert await whole.body() == b"0123"
        moving, stalled = await begun(
            Incoming(dict(SCOPE), receive, rooms), request([b"xyz"], rooms, stalls=True)
        )
        go_on.set()
        await asyncio.sleep(0.01)
        assert await read(request([b"4567"], rooms)) == b"4567"
        assert await outcome(stalled) == 503
        go_on.set()
        assert await outcome(moving) == b"abc"
        with pytest.raises(Problem):  # of ten, the whole one has four
            await read(request([b"0123456"], rooms))

    asyncio.run(story())


def test_small_bodies_have_room_of_their_own(monkeypatch):
    monkeypatch.setattr(bodies, "MAX_SMALL", 4)
    rooms = Rooms(10)

    async def story():
        large = request([b"0123456789"], rooms, size=10)
        await large.body()
        for parts, size, found in [
            ([b"abc", b"d"], 4, b"abcd"),
            ([b"abc", b"de"], 5, 503),
            ([b"abc"], None, 503),  # it does not say how large it is
        ]:
            (task,) = await begun(request(parts, rooms, size=size))
            assert await outcome(task) == found

    asyncio.run(story())


@pytest.fixture
def many_files():
    """This process may have as many open files as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(("number", "size"), [(18, MOST_BODY), (1100, MAX_SMALL)])
def test_half_sent_bodies_of_many_addresses_keep_nobody_out(tmp_path, many_files, number, size):
    begin(tmp_path)
    with Serving(tmp_path, more=("--proxy", "127.0.0.1", "--per-minute", "600")) as server:
        held = half_sent(server, number, size)
        assert posts(server, 2, X_Forwarded_For="203.0.113.7")[-1] < 3
        large = server.client().send(SURVEY.id, REPORT * 5000, X_Forwarded_For="203.0.113.8")
        assert large.status == 200
        assert memory(server) < 300 << 20
        assert not closed(held[-1])
        for one in held:
            one.close()
        assert server.terminate() == 0
    assert "Traceback" not in server.said


def test_a_body_may_come_late_and_in_parts():
    left = [b"abc", b"def", b""]

    async def receive():
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    assert asyncio.run(Incoming(dict(SCOPE), receive, Rooms()).body()) == b"abcdef"


@pytest.mark.parametrize("first", [[], [{"type": "http.request", "body": b"a", "more_body": True}]])
def test_who_goes_away_is_noticed(first):
    left = [*first, {"type": "http.disconnect"}]

    async def receive():
        return left.pop(0)

    with pytest.raises(ClientDisconnect):
        asyncio.run(Incoming(dict(SCOPE), receive, Rooms()).body())


@pytest.mark.parametrize("parts", [[], [b"abc"]])
def test_reading_can_be_cancelled(parts):
    rooms = Rooms(10)

    async def whole():
        task = asyncio.create_task(read(request(parts, rooms, stalls=True)))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await read(request([b"0123456789"], rooms))

    assert asyncio.run(whole()) == b"0123456789"


@pytest.mark.parametrize(("parts", "read"), [([b"a", b"b"], 2), ([b"x" * (1 << 23)] * 9, 2)])
def test_what_is_left_of_a_refused_body_is_thrown_away_within_limits(parts, read):
    left = list(parts)

    async def receive():
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    asyncio.run(Incoming(dict(SCOPE), receive, Rooms()).drain())
    assert len(parts) - len(left) == read


def test_a_refused_body_that_does_not_come_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(bodies, "_DRAIN_SECONDS", 0.05)

    async def receive():
        await asyncio.sleep(60)

    asyncio.run(Incoming(dict(SCOPE), receive, Rooms()).drain())
