"""Estimates as they are sent: made in a thread, once for the same reports, and kept for a while.

The JSON of a survey's estimate is a `Document`; tables for spreadsheets and pictures are files.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Hashable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Generic, NamedTuple, Protocol, TypeVar
from weakref import WeakValueDictionary

from ..analysis.csv_text import csv_text
from ..analysis.questionnaire_estimate import QuestionnaireEstimate
from ..analysis.shown import Shown
from ..analysis.tables.table import Table
from ..analysis.tally import Tally
from ..errors import InvalidArgument
from ..figures import save
from ..store import Store
from .estimates import LEVEL, as_json, describe, tag
from .problems import Problem

__all__ = ["FORMATS", "Document", "Estimates", "Files", "Recent"]

FORMATS = {"csv": "text/csv", "svg": "image/svg+xml", "png": "image/png"}
MAX_DOCUMENT_BYTES, MAX_FILE_BYTES = 128 << 20, 32 << 20


class _HasBody(Protocol):
    @property
    def body(self) -> bytes:
        """Return what is sent."""


B = TypeVar("B", bound=_HasBody)


class Recent(Generic[B]):
    """Values with a body, by a key, in a bounded number of bytes; the ones used last are kept.

    The very last is kept even if it is larger, because others may be waiting for it.
    """

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._kept: OrderedDict[Hashable, B] = OrderedDict()

    def get(self, key: Hashable) -> B | None:
        """Return the value of a key, if it is still kept."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def keep(self, key: Hashable, value: B) -> None:
        """Keep a value in the place of the key's last one."""
        self.forget(key)
        self._kept[key] = value
        self._size += len(value.body)
        while self._size > self._most and len(self._kept) > 1:
            self.forget(next(iter(self._kept)))

    def forget(self, key: Hashable) -> None:
        """Keep nothing of a key."""
        if key in self._kept:
            self._size -= len(self._kept.pop(key).body)


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
        self._kept: Recent[Document] = Recent(MAX_DOCUMENT_BYTES)
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


# --- files ----------------------------------------------------------------------------------------


class Download(NamedTuple):
    """A file of the reports that a tag stands for."""

    tag: str
    body: bytes


class Files:
    """Files of estimates, made one at a time; the last used are kept, in bounded memory."""

    def __init__(self) -> None:
        self._making = asyncio.Lock()
        self._kept: Recent[Download] = Recent(MAX_FILE_BYTES)

    async def of(self, tally: Tally, asked: list[str], ending: str) -> bytes:
        """Return the file, made if need be; a file of fewer reports is not kept any more."""
        key, whole = (tally.survey.id, ending, *asked), tag(tally)
        async with self._making:
            found = self._kept.get(key)
            if found is None or found.tag != whole:
                found = Download(whole, await asyncio.to_thread(_file, tally, asked, ending))
                self._kept.keep(key, found)
        return found.body


def _file(tally: Tally, asked: list[str], ending: str) -> bytes:
    try:
        part = _part(tally, asked)
        return _table(part) if ending == "csv" else _picture(part, ending)
    except InvalidArgument as error:
        raise Problem(400, "question", str(error)) from None


def _part(tally: Tally, asked: list[str]) -> Shown | Table:
    """Return the estimate of what is asked for."""
    estimate = tally.estimate()
    if not isinstance(estimate, QuestionnaireEstimate):
        if asked not in ([], [tally.survey.id]):
            raise Problem(400, "question", "This survey is one question.")
        return estimate
    known = [one.id for one in tally.survey.surveys]
    if not asked or not set(asked) <= set(known):
        detail = f"Name a ?question=, or those of a table, of {', '.join(known)}."
        raise Problem(400, "question", detail)
    return estimate[asked[0]] if len(asked) == 1 else estimate.table(*asked)


def _table(part: Shown | Table) -> bytes:
    return csv_text(part.columns(LEVEL))[0].encode()


def _picture(part: Shown | Table, ending: str) -> bytes:
    with TemporaryDirectory(prefix="privet-") as folder:
        path = Path(folder, f"estimate.{ending}")
        save(part, path)
        return path.read_bytes()
