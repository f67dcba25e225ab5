"""Bodies are read in bounded memory."""

import asyncio

import pytest
from starlette.requests import ClientDisconnect

from privet.service import bodies
from privet.service.bodies import Incoming, Room
from privet.service.problems import Problem

SCOPE = {"type": "http", "method": "POST", "headers": []}


def request(parts, room, *, stalls=False):
    """A request whose body comes in parts, and then not at all."""
    left = list(parts)

    async def receive():
        if not left and stalls:
            await asyncio.sleep(60)
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left) or stalls}

    return Incoming(dict(SCOPE), receive, room)


async def read(request):
    """The body, whose room is given back, as the application does it."""
    try:
        return await request.body()
    finally:
        request.give_back()


def test_all_requests_share_the_room_and_give_it_back():
    room = Room(10)

    async def story():
        first = request([b"abc", b"def"], room)
        assert await first.body() == b"abcdef"
        with pytest.raises(Problem) as caught:
            await read(request([b"xyz", b"uv"], room))
        assert (caught.value.status, caught.value.headers) == (503, {"Retry-After": "5"})
        first.give_back()
        return await read(request([b"0123456789"], room))

    assert asyncio.run(story()) == b"0123456789"


def test_a_body_may_come_late_and_in_parts():
    left = [b"abc", b"def", b""]

    async def receive():
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    assert asyncio.run(Incoming(dict(SCOPE), receive, Room()).body()) == b"abcdef"


@pytest.mark.parametrize("first", [[], [{"type": "http.request", "body": b"a", "more_body": True}]])
def test_who_goes_away_is_noticed(first):
    left = [*first, {"type": "http.disconnect"}]

    async def receive():
        return left.pop(0)

    with pytest.raises(ClientDisconnect):
        asyncio.run(Incoming(dict(SCOPE), receive, Room()).body())


@pytest.mark.parametrize("parts", [[], [b"abc"]])
def test_reading_can_be_cancelled(parts):
    room = Room(10)

    async def whole():
        task = asyncio.create_task(read(request(parts, room, stalls=True)))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await read(request([b"0123456789"], room))

    assert asyncio.run(whole()) == b"0123456789"


@pytest.mark.parametrize(("parts", "read"), [([b"a", b"b"], 2), ([b"x" * (1 << 23)] * 9, 2)])
def test_what_is_left_of_a_refused_body_is_thrown_away_within_limits(parts, read):
    left = list(parts)

    async def receive():
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    asyncio.run(Incoming(dict(SCOPE), receive, Room()).drain())
    assert len(parts) - len(left) == read


def test_a_refused_body_that_does_not_come_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(bodies, "_DRAIN_SECONDS", 0.05)

    async def receive():
        await asyncio.sleep(60)

    asyncio.run(Incoming(dict(SCOPE), receive, Room()).drain())
