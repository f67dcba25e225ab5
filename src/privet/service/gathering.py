"""Group commit: requests that arrive together are on disk together.

The event loop gathers arrivals while one thread commits those before them; then the thread takes
the whole list, and adds it to the store in one transaction. So one sync of the disk serves as many
requests as came in during the last one, and nobody is told "counted" before it is on disk.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from threading import Condition, Thread
from time import perf_counter
from typing import TYPE_CHECKING

from ..errors import NoSurvey, StoreFailure
from ..store import Outcome
from .problems import as_problem

if TYPE_CHECKING:
    from datetime import date

    from ..store import Arrival, Store
    from .metrics import Metrics

__all__ = ["Gathering"]

log = logging.getLogger("privet.service")

# After so many bytes the store is asked whether a fold is due, as asking is not free.
_FOLD_BYTES = 1 << 20
_IDLE_SECONDS = 60.0


class Gathering:
    """One thread that writes, and what waits for it."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store, self._metrics = store, metrics
        self._changed, self._ending = Condition(), False
        self._waiting: list[tuple[Arrival, asyncio.Future[Outcome]]] = []
        self._unfolded: Counter[str] = Counter()
        self._day: date | None = None

    def start(self) -> None:
        """Begin to write, for the event loop that runs."""
        self._loop = asyncio.get_running_loop()
        self._thread = Thread(target=self._write, name="privet-writer", daemon=True)
        self._thread.start()

    async def add(self, arrival: Arrival) -> Outcome:
        """Return what became of an arrival, once that is on disk."""
        future: asyncio.Future[Outcome] = self._loop.create_future()
        with self._changed:
            self._waiting.append((arrival, future))
            self._changed.notify()
        return await future

    async def end(self) -> None:
        """Write what was taken, and stop."""
        with self._changed:
            self._ending = True
            self._changed.notify()
        await asyncio.to_thread(self._thread.join)

    # --- the thread that writes -------------------------------------------------------------------

    def _write(self) -> None:
        while True:
            with self._changed:
                if not self._waiting and not self._ending:
                    self._changed.wait(_IDLE_SECONDS)
                group, self._waiting = self._waiting, []
                ending = self._ending
            if group:
                self._commit(group)
            elif ending:
                return
            self._keep_up()

    def _commit(self, group: list[tuple[Arrival, asyncio.Future[Outcome]]]) -> None:
        arrivals, futures = [arrival for arrival, _ in group], [future for _, future in group]
        began = perf_counter()
        try:
            outcomes = self._store.add(arrivals)
        except Exception as error:  # whatever it is, those who wait must know
            note(error)
            self._loop.call_soon_threadsafe(_fail, futures, error)
            return
        self._metrics.committed(len(group), perf_counter() - began)
        self._loop.call_soon_threadsafe(_tell, futures, outcomes)
        for arrival, outcome in zip(arrivals, outcomes, strict=True):
            if outcome is Outcome.COUNTED:
                self._unfolded[arrival.survey] += len(arrival.reports)

    def _keep_up(self) -> None:
        """Fold what is due; once a day, forget old keys and look at all surveys."""
        today = datetime.now(UTC).date()
        due = [id for id, size in self._unfolded.items() if size >= _FOLD_BYTES]
        try:
            if today != self._day:
                self._store.expire(today)
                due, self._day = list(self._store.entries()), today
            for id in due:
                del self._unfolded[id]
                self._fold(id)
        except Exception as error:  # reports are safe where they are
            note(error)

    def _fold(self, id: str) -> None:
        with suppress(NoSurvey):  # which was deleted in the meantime
            self._store.fold(id)


def note(error: Exception) -> None:
    """Log what is wrong, without anything of a request."""
    first = str(error).partition("\n")[0] if isinstance(error, StoreFailure) else ""
    log.error("%s %s", type(error).__name__, first)


def _tell(futures: list[asyncio.Future[Outcome]], outcomes: list[Outcome]) -> None:
    for future, outcome in zip(futures, outcomes, strict=True):
        if not future.done():  # as that of a client who has gone
            future.set_result(outcome)


def _fail(futures: list[asyncio.Future[Outcome]], error: Exception) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(as_problem(error))
