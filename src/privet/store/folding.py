"""From inbox to chunk: reports in random order, and the tally that is the sum of the chunks.

A fold is one transaction. It takes the inbox's rows, puts their reports in an order that nobody
could know, writes them as chunks, adds them to the tally and deletes the rows: whatever happens,
a report is in exactly one of inbox and chunk.
"""

from __future__ import annotations

from secrets import randbits
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..analysis.permuting import permute
from ..analysis.tally import Tally
from ..entropy import secure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..contract import Contract

    Reports = NDArray[np.uint8]

__all__ = ["Run", "due", "fold", "new_id", "read_tally", "waiting", "write_tally"]

# A row of the database holds at most so many bytes of reports, or of a tally.
MOST_BYTES = 16 << 20
LEAST_FOLD = 1 << 20


class Cursor(Protocol):
    """What a statement gave."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""


class Run(Protocol):
    """Runs a statement, with `?` for each value, inside a transaction."""

    def __call__(self, sql: str, *values: object) -> Cursor:
        """Run it."""


def new_id() -> int:
    """Return a random number for a row, so that the order of rows says nothing."""
    return randbits(63)


def due(contract: Contract, waiting: int) -> bool:
    """Say whether so many waiting bytes are worth writing the whole tally once more."""
    return waiting >= max(LEAST_FOLD, 8 * contract.mechanism.aggregate_size // 4)


def waiting(run: Run, contract: Contract) -> Reports:
    """Return the reports in the inbox."""
    rows = run("SELECT reports FROM inbox WHERE survey = ?", contract.id).fetchall()
    return _joined(rows, contract)


def fold(run: Run, contract: Contract, *, keep: bool) -> int:
    """Move what is in the inbox to chunks and the tally; return how many reports."""
    taken = run("DELETE FROM inbox WHERE survey = ? RETURNING reports", contract.id).fetchall()
    reports = _joined(taken, contract)
    if not len(reports):
        return 0
    tally = read_tally(run, contract)
    tally.update(reports)
    for chunk in in_chunks(reports):
        body = chunk.tobytes() if keep else None
        insert = "INSERT INTO chunks (id, survey, n, reports) VALUES (?, ?, ?, ?)"
        run(insert, new_id(), contract.id, len(chunk), body)
    write_tally(run, tally)
    return len(reports)


def in_chunks(reports: Reports) -> Iterator[Reports]:
    """Put reports in random order, in place, and yield them in pieces that fit a row."""
    permute(reports, secure().keystream())
    most = max(1, MOST_BYTES // reports.shape[1])
    for at in range(0, len(reports), most):
        yield reports[at : at + most]


def read_tally(run: Run, contract: Contract) -> Tally:
    """Return the tally of the chunks."""
    select = "SELECT data FROM tallies WHERE survey = ? ORDER BY part"
    parts = [data for (data,) in run(select, contract.id).fetchall()]
    return Tally.from_bytes(b"".join(parts), contract) if parts else contract.tally()


def write_tally(run: Run, tally: Tally) -> None:
    """Replace the tally of the chunks."""
    survey, data = tally.survey.id, tally.to_bytes()
    run("DELETE FROM tallies WHERE survey = ?", survey)
    for part, at in enumerate(range(0, len(data), MOST_BYTES)):
        insert = "INSERT INTO tallies (survey, part, data) VALUES (?, ?, ?)"
        run(insert, survey, part, data[at : at + MOST_BYTES])


def _joined(rows: list[tuple[bytes]], contract: Contract) -> Reports:
    """Return reports of several rows as one array that can be written to."""
    data = bytearray().join(reports for (reports,) in rows)
    return np.frombuffer(data, np.uint8).reshape(-1, contract.mechanism.report_bytes)
