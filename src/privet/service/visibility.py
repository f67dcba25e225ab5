"""Who may see results, decided before any report is read.

A refusal must not tell whether anyone has answered, nor by its time. So a request for the results
of a survey that is not public yet reads nothing: the number of reports is known from before. This
process adds to it what it counts itself; what other processes count is read beside the requests.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import monotonic

from ..errors import NoSurvey, StoreFailure
from ..store import Store

__all__ = ["Visibility"]

_FRESH_SECONDS = 5.0
_MOST_KEPT = 4096


class _Known:
    """What is known of a survey's number of reports: it has at least n."""

    def __init__(self, least: int) -> None:
        self.n, self.least = 0, least
        self.more = 0  # counted by this process since the last read began
        self.read = monotonic()
        self.first: asyncio.Task[None]


class Visibility:
    """Which surveys are known to have enough reports for their results to be public."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, _Known] = {}
        self._reading: set[asyncio.Task[None]] = set()

    async def reached(self, id: str, least: int) -> bool:
        """Tell whether a survey is known to have so many reports; its first request reads it."""
        if least == 0:
            return True
        known = self._known.get(id)
        if known is None:
            while len(self._known) >= _MOST_KEPT:
                self._known.pop(next(iter(self._known)))
            known = self._known[id] = _Known(least)
            known.first = asyncio.create_task(self._read(id, known))
        try:
            await asyncio.shield(known.first)
        except (NoSurvey, StoreFailure):
            self.forget(id)
            raise
        known.least = least
        if known.n < least and monotonic() > known.read + _FRESH_SECONDS:
            task = asyncio.create_task(self._read_again(id, known))
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)
        return known.n >= least

    async def counted(self, id: str, reports: int) -> None:
        """Note reports that were counted; where they may be the last ones needed, read all."""
        known = self._known.get(id)
        if known is not None and known.n < known.least:
            known.more += reports
            if known.n + known.more >= known.least:
                await self._read_again(id, known)

    def forget(self, id: str) -> None:
        """Know nothing of a survey."""
        self._known.pop(id, None)

    async def _read(self, id: str, known: _Known) -> None:
        known.read, known.more = monotonic(), 0
        known.n = max(known.n, await asyncio.to_thread(self._store.size, id))

    async def _read_again(self, id: str, known: _Known) -> None:
        with suppress(NoSurvey, StoreFailure):  # the request itself is answered without it
            await self._read(id, known)
