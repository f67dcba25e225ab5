"""Arrivals that come together are committed together, and a failure is everyone's."""

import asyncio
from threading import Event

import pytest

from arrivals import SURVEY, answers, arrival
from privet.errors import StoreFull
from privet.service.gathering import Gathering
from privet.service.metrics import Metrics
from privet.service.problems import Problem
from privet.store import Outcome, Store, open_store
from privet.store.sqlite import Sqlite


class Watched(Store):
    """A real store that writes down what is asked of it, and waits for leave to commit."""

    def __init__(self, path):
        super().__init__(Sqlite(path))
        self.leave, self.began = Event(), Event()
        self.leave_to_fold = Event()
        self.leave_to_fold.set()
        self.groups, self.folds, self.failing = [], [], False

    def add(self, arrivals):
        self.groups.append(len(arrivals))
        self.began.set()
        assert self.leave.wait(10)
        if self.failing:
            raise StoreFull("full\nof what is not to be logged")
        return super().add(arrivals)

    def fold(self, id, *, force=False):
        self.folds.append(id)
        assert self.leave_to_fold.wait(10)
        return super().fold(id, force=force)


@pytest.fixture
def store(tmp_path):
    with Watched(tmp_path / "s.db") as store:
        store.create(SURVEY)
        yield store


def gathered(store, story):
    """Run a story with a gathering, which ends after it."""

    async def whole():
        gathering = Gathering(store, Metrics())
        gathering.start()
        try:
            return await story(gathering)
        finally:
            store.leave.set()
            await gathering.end()

    return asyncio.run(whole())


def new(n, key=None):
    return arrival(SURVEY, answers(SURVEY, n), key)


def test_what_comes_during_a_commit_is_the_next_group(store):
    async def story(gathering):
        first = asyncio.create_task(gathering.add(new(1)))
        await asyncio.to_thread(store.began.wait)
        others = [asyncio.create_task(gathering.add(new(2))) for _ in range(10)]
        await asyncio.sleep(0.05)
        assert not first.done()  # as it is not on disk yet
        store.leave.set()
        return await asyncio.gather(first, *others)

    assert gathered(store, story) == [Outcome.COUNTED] * 11
    assert store.groups == [1, 10]
    assert store.tally(SURVEY.id).n == 21


def test_what_comes_turn_after_turn_of_the_loop_is_one_group(store):
    store.leave.set()

    async def story(gathering):
        tasks = []
        for _ in range(5):
            tasks += [asyncio.create_task(gathering.add(new(1))) for _ in range(4)]
            await asyncio.sleep(0)
        return await asyncio.gather(*tasks)

    assert gathered(store, story) == [Outcome.COUNTED] * 20
    assert store.groups == [20]


def test_arrivals_without_end_are_not_waited_for(store):
    store.leave.set()

    async def story(gathering):
        tasks = []
        while not store.began.is_set() and len(tasks) < 20_000:
            tasks.append(asyncio.create_task(gathering.add(new(1))))
            await asyncio.sleep(0)  # so that each turn of the loop brings one more
        began = store.began.is_set()
        await asyncio.gather(*tasks)
        return began

    assert gathered(store, story)


def test_a_failure_is_said_to_all_of_the_group_and_the_next_may_succeed(store, caplog):
    async def story(gathering):
        store.failing = True
        failed = [asyncio.create_task(gathering.add(new(1, b"key"))) for _ in range(2)]
        await asyncio.to_thread(store.began.wait)
        store.leave.set()
        for task in failed:
            with pytest.raises(Problem) as caught:
                await task
            assert caught.value.status == 507
        store.failing = False
        return await gathering.add(new(1, b"key"))

    assert gathered(store, story) is Outcome.COUNTED
    assert {record.getMessage() for record in caplog.records} == {"StoreFull: full"}


def test_who_has_gone_is_not_missed(store):
    async def story(gathering):
        gone = asyncio.create_task(gathering.add(new(1)))
        stays = asyncio.create_task(gathering.add(new(1)))
        await asyncio.sleep(0)
        gone.cancel()
        store.leave.set()
        return await stays

    assert gathered(store, story) is Outcome.COUNTED
    assert store.tally(SURVEY.id).n == 2  # what was taken is counted


def test_what_was_taken_is_written_before_the_end(store):
    async def story(gathering):
        tasks = [asyncio.create_task(gathering.add(new(1))) for _ in range(5)]
        await asyncio.to_thread(store.began.wait)
        return tasks

    gathered(store, story)
    assert store.tally(SURVEY.id).n == 5


def test_folds_come_when_there_is_enough_and_for_all_at_the_start(store, tmp_path):
    store.leave.set()

    async def story(gathering):
        await gathering.add(new(1))
        body = new(1)._replace(reports=answers(SURVEY, 1)[0] * (1 << 20))
        await gathering.add(body)
        async with asyncio.timeout(10):
            while len(store.folds) < 2:  # which comes a moment after the first
                await asyncio.sleep(0.01)

    gathered(store, story)
    assert store.folds == [SURVEY.id] * 2
    with open_store(tmp_path / "s.db") as other:
        assert other.fold(SURVEY.id, force=True) == 0  # nothing was left to fold
        assert other.tally(SURVEY.id).n == 1 + (1 << 20)


def test_arrivals_do_not_wait_for_folds(store):
    store.leave.set()
    store.leave_to_fold.clear()

    async def story(gathering):
        outcomes = [await gathering.add(new(1)) for _ in range(3)]
        store.leave_to_fold.set()
        return outcomes

    assert gathered(store, story) == [Outcome.COUNTED] * 3
    assert store.folds == [SURVEY.id]
