"""Estimates as they are sent: computed in a thread, once for the same reports."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import NamedTuple
from weakref import WeakValueDictionary

from ..store import Store
from .estimates import as_json, describe, tag
from .recent import Recent

__all__ = ["Document", "Estimates"]

MAX_KEPT_BYTES = 128 << 20


class Document(NamedTuple):
    """An estimate of n reports, which were read after a moment."""

    n: int
    since: float
    tag: str
    body: bytes


class Estimates:
    """The last estimate of each survey, as long as there is room for it.

    Of each survey, one at a time is computed. An id is one survey's for good, and reports are only
    added: as many reports are the same ones.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: Recent[Document] = Recent(MAX_KEPT_BYTES)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def of(self, id: str) -> Document:
        """Return an estimate of all reports that were there when it was asked for."""
        asked, n = monotonic(), await asyncio.to_thread(self._store.size, id)
        lock = self._locks.setdefault(id, asyncio.Lock())
        async with lock:
            found = self._kept.get(id)
            if found is None or (found.n != n and found.since < asked):
                found = await asyncio.to_thread(_computed, self._store, id)
                self._kept.keep(id, found)
        return found

    def forget(self, id: str) -> None:
        """Keep nothing of a survey."""
        self._kept.forget(id)


def _computed(store: Store, id: str) -> Document:
    since, tally = monotonic(), store.tally(id)
    return Document(tally.n, since, tag(tally), as_json(describe(tally)))
