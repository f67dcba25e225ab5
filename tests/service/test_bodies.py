"""Bodies are read in bounded memory."""

import asyncio

import pytest
from starlette.requests import ClientDisconnect, Request

from privet.service import bodies
from privet.service.bodies import Incoming, Room
from privet.service.problems import Problem


def request(parts, *, stalls=False):
    """A request whose body comes in parts, and then not at all."""
    left = list(parts)

    async def receive():
        if not left and stalls:
            await asyncio.sleep(60)
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left) or stalls}

    return Request({"type": "http", "method": "POST", "headers": []}, Incoming(receive))


def test_all_requests_share_the_room_and_give_it_back():
    room = Room(10)

    async def story():
        with room.reading(request([b"abc", b"def"])) as first:
            assert await first.body() == b"abcdef"
            with room.reading(request([b"xyz", b"uv"])) as second:
                with pytest.raises(Problem) as caught:
                    await second.body()
                assert (caught.value.status, caught.value.headers) == (503, {"Retry-After": "5"})
        with room.reading(request([b"0123456789"])) as third:
            return await third.body()

    assert asyncio.run(story()) == b"0123456789"


def test_a_body_may_come_late_and_in_parts():
    left = [b"abc", b"def", b""]

    async def receive():
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def story():
        scope = {"type": "http", "method": "POST", "headers": []}
        with Room().reading(Request(scope, receive)) as reading:
            return await reading.body()

    assert asyncio.run(story()) == b"abcdef"


@pytest.mark.parametrize("first", [[], [{"type": "http.request", "body": b"a", "more_body": True}]])
def test_who_goes_away_is_noticed(first):
    left = [*first, {"type": "http.disconnect"}]

    async def receive():
        return left.pop(0)

    async def story():
        scope = {"type": "http", "method": "POST", "headers": []}
        with Room().reading(Request(scope, receive)) as reading:
            await reading.body()

    with pytest.raises(ClientDisconnect):
        asyncio.run(story())


@pytest.mark.parametrize("parts", [[], [b"abc"]])
def test_reading_can_be_cancelled(parts):
    room = Room(10)

    async def story():
        with room.reading(request(parts, stalls=True)) as reading:
            await reading.body()

    async def whole():
        task = asyncio.create_task(story())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with room.reading(request([b"0123456789"])) as reading:
            return await reading.body()

    assert asyncio.run(whole()) == b"0123456789"


@pytest.mark.parametrize(("parts", "read"), [([b"a", b"b"], 2), ([b"x" * (1 << 23)] * 9, 2)])
def test_what_is_left_of_a_refused_body_is_thrown_away_within_limits(parts, read):
    left = list(parts)

    async def receive():
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    asyncio.run(Incoming(receive).drain())
    assert len(parts) - len(left) == read


def test_a_refused_body_that_does_not_come_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(bodies, "_DRAIN_SECONDS", 0.05)

    async def receive():
        await asyncio.sleep(60)

    asyncio.run(Incoming(receive).drain())
