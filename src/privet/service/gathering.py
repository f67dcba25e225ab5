"""Group commit: requests that arrive together are on disk together.

The event loop gathers arrivals while one thread commits those before them; then the thread takes
the whole list, and adds it to the store in one transaction. So one sync of the disk serves as many
requests as came in during the last one, and nobody is told "counted" before it is on disk. Folds
go on beside it, in a thread of their own.

The thread is woken when a turn of the loop has brought no more arrivals. That is at once for a lone
one; and where many come, each turn brings the next ones, and they share a commit.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from math import inf
from pathlib import Path
from threading import Condition, Thread
from time import perf_counter
from traceback import extract_tb

from ..errors import NoSurvey, StoreFailure
from ..store import Arrival, Outcome, Store
from .metrics import Metrics
from .problems import as_problem

_Waiting = tuple[Arrival, asyncio.Future[Outcome]]

__all__ = ["Gathering"]

log = logging.getLogger("privet.service")

# After so many bytes the store is asked whether a fold is due, as asking is not free.
_FOLD_BYTES = 1 << 20
_IDLE_SECONDS = 60.0
# Folds are so far apart, as each has the disk write everything that came before.
_FOLD_SECONDS = 0.25
# What was deleted while somebody read, a backup say, is tried again so often.
_SETTLE_SECONDS = 3.0
# When the process ends, the database has so long for what was taken.
_END_SECONDS = 20.0
# So many do not wait for more, as others may come for ever.
_MOST_GATHERED = 128


class Gathering:
    """One thread that writes, and what waits for it."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store, self._metrics = store, metrics
        self._changed, self._ending = Condition(), False
        self._gathered: list[_Waiting] = []  # in this turn of the loop, which alone touches it
        self._waiting: list[_Waiting] = []
        self._unfolded: Counter[str] = Counter()
        self._day: date | None = None
        self._next_fold = self._next_settling = 0.0
        self._upkeep = ThreadPoolExecutor(1, "privet-upkeep")

    def start(self) -> None:
        """Begin to write, for the event loop that runs."""
        self._loop = asyncio.get_running_loop()
        self._thread = Thread(target=self._write, name="privet-writer", daemon=True)
        self._thread.start()

    async def add(self, arrival: Arrival) -> Outcome:
        """Return what became of an arrival, once that is on disk."""
        future: asyncio.Future[Outcome] = self._loop.create_future()
        self._gathered.append((arrival, future))
        if len(self._gathered) == 1:
            self._loop.call_soon(self._hand_over, 0)
        return await future

    def _hand_over(self, before: int) -> None:
        """Give the thread what came, once a turn of the loop has brought no more."""
        if before < len(self._gathered) < _MOST_GATHERED:
            self._loop.call_soon(self._hand_over, len(self._gathered))
            return
        with self._changed:
            self._waiting += self._gathered
            self._changed.notify()
        self._gathered = []

    def look(self) -> None:
        """Have the thread look soon whether something lingers that was deleted."""
        with self._changed:
            self._changed.notify()

    async def end(self) -> None:
        """Write what was taken, and stop."""
        self._hand_over(len(self._gathered))
        with self._changed:
            self._ending = True
            self._changed.notify()
        waiting = asyncio.create_task(asyncio.to_thread(self._join))
        done, _ = await asyncio.wait([waiting], timeout=_END_SECONDS)
        if not done:  # nobody is told "counted" of what fails now
            log.error("The database does not answer; what was not stored is given up.")
            self._store.interrupt()
        await waiting

    def _join(self) -> None:
        self._thread.join()
        self._upkeep.shutdown()

    # --- the thread that writes -------------------------------------------------------------------

    def _write(self) -> None:
        while True:
            with self._changed:
                if not self._waiting and not self._ending:
                    self._changed.wait(self._patience())
                group, self._waiting = self._waiting, []
                ending = self._ending
            if group:
                self._commit(group)
            elif ending:
                return
            self._keep_up()

    def _commit(self, group: list[_Waiting]) -> None:
        arrivals, futures = [arrival for arrival, _ in group], [future for _, future in group]
        began = perf_counter()
        try:
            outcomes = self._store.add(arrivals)
        except Exception as error:  # whatever it is, those who wait must know
            note(error)
            self._loop.call_soon_threadsafe(_fail, futures, error)
            return
        self._metrics.count("privet_commits_total")
        self._metrics.count("privet_commit_requests_total", by=len(group))
        self._metrics.count("privet_commit_seconds_total", by=perf_counter() - began)
        self._loop.call_soon_threadsafe(_tell, futures, outcomes)
        for arrival, outcome in zip(arrivals, outcomes, strict=True):
            if outcome is Outcome.COUNTED:
                self._unfolded[arrival.survey] += len(arrival.reports)

    def _keep_up(self) -> None:
        """Have folded what may be due; once a day, look at all surveys."""
        today = datetime.now(UTC).date()
        if today != self._day:
            self._day = today
            self._upkeep.submit(self._begin_day, today)
        elif (due := self._due()) and perf_counter() >= self._next_fold:
            self._next_fold = inf  # until this one has ended
            for id in due:
                del self._unfolded[id]
            self._upkeep.submit(self._fold, due)
        elif not self._store.settled and perf_counter() >= self._next_settling:
            self._next_settling = perf_counter() + _SETTLE_SECONDS
            self._upkeep.submit(self._settle)

    def _patience(self) -> float:
        if self._due():
            return _FOLD_SECONDS
        return _IDLE_SECONDS if self._store.settled else _SETTLE_SECONDS

    def _settle(self) -> None:
        with noting():
            self._store.settle()

    def _due(self) -> list[str]:
        return [id for id, size in self._unfolded.items() if size >= _FOLD_BYTES]

    def _begin_day(self, today: date) -> None:
        """Forget old keys, and fold whatever an earlier process may have left."""
        with noting():
            self._store.expire(today)
            self._fold(self._store.entries())

    def _fold(self, due: Iterable[str]) -> None:
        with noting():  # reports are safe where they are
            for id in due:
                with suppress(NoSurvey):  # which was deleted in the meantime
                    self._store.fold(id)
        self._next_fold = perf_counter() + _FOLD_SECONDS
        if not self._store.settled:
            self.look()


@contextmanager
def noting() -> Iterator[None]:
    """Log what goes wrong, and go on."""
    try:
        yield
    except Exception as error:
        note(error)


def note(error: Exception) -> None:
    """Log what is wrong, without anything of a request."""
    if isinstance(error, StoreFailure):
        words = str(error).partition("\n")[0]  # further lines of a database may quote a row
    else:
        at = extract_tb(error.__traceback__)[-1]
        words = f"in {Path(at.filename).name}, line {at.lineno}"
    log.error("%s: %s", type(error).__name__, words)


def _tell(futures: list[asyncio.Future[Outcome]], outcomes: list[Outcome]) -> None:
    for future, outcome in zip(futures, outcomes, strict=True):
        if not future.done():  # as that of a client who has gone
            future.set_result(outcome)


def _fail(futures: list[asyncio.Future[Outcome]], error: Exception) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(as_problem(error))
