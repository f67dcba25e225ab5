"""An estimate is computed once for the same reports, and one at a time for each survey."""

import asyncio
import json
from threading import Barrier

import pytest

from arrivals import AGE, SURVEY, answers, arrival
from privet.errors import NoReports, NoSurvey
from privet.service import estimating
from privet.service.estimating import Estimates
from privet.store import Store
from privet.store.sqlite import Sqlite


class Watched(Store):
    """A real store that writes down whose tally was read."""

    def __init__(self, path):
        super().__init__(Sqlite(path))
        self.read, self.meeting = [], None

    def tally(self, id):
        self.read.append(id)
        if self.meeting:
            self.meeting.wait(10)
        return super().tally(id)

    def more(self, contract, n=1):
        self.add([arrival(contract, answers(contract, n))])


@pytest.fixture
def store(tmp_path):
    with Watched(tmp_path / "s.db") as store:
        for contract in (SURVEY, AGE):
            store.create(contract)
            store.more(contract)
        yield store


def test_the_tally_is_read_only_when_there_are_more_reports(store):
    async def story():
        estimates = Estimates(store)
        first = await estimates.of("drinks")
        assert await estimates.of("drinks") is first
        store.fold("drinks", force=True)
        assert await estimates.of("drinks") is first
        assert store.read == ["drinks"]
        store.more(SURVEY, 2)
        second = await estimates.of("drinks")
        assert (first.n, second.n, json.loads(second.body)["n"]) == (1, 3, 3)
        assert first.tag != second.tag
        estimates.forget("drinks")
        assert (await estimates.of("drinks")).body == second.body
        assert store.read == ["drinks"] * 3

    asyncio.run(story())


def test_many_who_ask_at_once_share_one(store):
    async def story():
        estimates = Estimates(store)
        return await asyncio.gather(*(estimates.of("drinks") for _ in range(20)))

    assert len(set(asyncio.run(story()))) == 1
    assert store.read == ["drinks"]


def test_surveys_do_not_wait_for_each_other(store):
    store.meeting = Barrier(2)  # which both must reach

    async def story():
        estimates = Estimates(store)
        return await asyncio.gather(estimates.of("drinks"), estimates.of("age"))

    assert [one.n for one in asyncio.run(story())] == [1, 1]


def test_what_is_kept_is_bounded(store, monkeypatch):
    monkeypatch.setattr(estimating, "MAX_DOCUMENT_BYTES", 1)

    async def story():
        estimates = Estimates(store)
        for id in ("drinks", "drinks", "age", "drinks"):
            await estimates.of(id)

    asyncio.run(story())
    assert store.read == ["drinks", "age", "drinks"]


def test_what_cannot_be_estimated_is_said_each_time(store):
    async def story():
        estimates = Estimates(store)
        for id, error in [("nobody", NoSurvey), ("empty", NoReports), ("empty", NoReports)]:
            with pytest.raises(error):
                await estimates.of(id)
        await estimates.of("age")
        store.delete("age")
        with pytest.raises(NoSurvey):
            await estimates.of("age")

    contract = type(SURVEY)("Empty?", ["yes", "no"], 1.0, id="empty")
    store.create(contract)
    asyncio.run(story())
