"""From inbox to chunk: reports in random order, and the tally that is the sum of the chunks.

A fold reads the inbox, puts the reports in an order that nobody could know and adds them to the
tally, while arrivals go on. Then one transaction deletes those rows, and writes the chunks and the
new tally: whatever happens, a report is in exactly one of inbox and chunk.
"""

from __future__ import annotations

from collections.abc import Iterator
from secrets import randbits
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..analysis.permuting import permute
from ..analysis.tally import Tally
from ..device.contract import Contract
from ..device.entropy import secure
from .database import Run

Reports = NDArray[np.uint8]

__all__ = [
    "Fold", "due", "in_chunks", "new_id", "read_tally", "waiting", "waiting_bytes",
    "waiting_keys", "write_tally",
]  # fmt: skip

# A row of the database holds at most so many bytes of reports, or of a tally.
MOST_BYTES = 16 << 20
LEAST_FOLD = 1 << 20


def new_id() -> int:
    """Return a random number for a row, so that the order of rows says nothing."""
    return randbits(63)


def due(contract: Contract, waiting: int) -> bool:
    """Say whether so many waiting bytes are worth writing the whole tally once more."""
    return waiting >= max(LEAST_FOLD, 8 * contract.mechanism.aggregate_size // 4)


def waiting_bytes(run: Run, survey: str) -> int:
    """Return how many bytes of a survey wait in the inbox."""
    total = "SELECT COALESCE(SUM(LENGTH(reports)), 0) FROM inbox WHERE survey = $1"
    return int(run(total, survey).fetchone()[0])


def waiting_keys(run: Run, survey: str) -> int:
    """Return how many keys are known to have come with the reports that wait in the inbox."""
    total = "SELECT COALESCE(SUM(keys), 0) FROM inbox WHERE survey = $1"
    return int(run(total, survey).fetchone()[0])


def waiting(run: Run, contract: Contract) -> tuple[list[int], Reports]:
    """Return the rows of the inbox, and their reports as an array that can be written to."""
    rows = run("SELECT id, reports FROM inbox WHERE survey = $1", contract.id).fetchall()
    data = bytearray().join(reports for _, reports in rows)
    array = np.frombuffer(data, np.uint8).reshape(-1, contract.mechanism.report_bytes)
    return [id for id, _ in rows], array


class Fold(NamedTuple):
    """What one transaction writes, and the rows of the inbox that it deletes."""

    survey: str
    rows: list[int]
    keys: int
    chunks: list[Reports]
    keep: bool
    tally: bytes

    @property
    def n(self) -> int:
        """How many reports are folded."""
        return sum(map(len, self.chunks))

    def write(self, run: Run) -> None:
        """Write the chunks, where they are kept, the tally, and how many keys there were."""
        insert = "INSERT INTO chunks (id, survey, n, reports) VALUES ($1, $2, $3, $4)"
        for chunk in self.chunks:
            run(insert, new_id(), self.survey, len(chunk), chunk.tobytes() if self.keep else None)
        write_tally(run, self.survey, self.tally)
        add = (
            "INSERT INTO key_totals (survey, keys) VALUES ($1, $2) "
            "ON CONFLICT (survey) DO UPDATE SET keys = key_totals.keys + excluded.keys"
        )
        run(add, self.survey, self.keys)


def in_chunks(reports: Reports) -> Iterator[Reports]:
    """Put reports in random order, in place, and yield them in pieces that fit a row."""
    permute(reports, secure().keystream())
    most = max(1, MOST_BYTES // reports.shape[1])
    for at in range(0, len(reports), most):
        yield reports[at : at + most]


def read_tally(run: Run, contract: Contract) -> Tally:
    """Return the tally of the chunks."""
    select = "SELECT data FROM tallies WHERE survey = $1 ORDER BY part"
    parts = [data for (data,) in run(select, contract.id).fetchall()]
    return Tally.from_bytes(b"".join(parts), contract) if parts else contract.tally()


def write_tally(run: Run, survey: str, data: bytes) -> None:
    """Replace the tally of the chunks, which is as long as the one before."""
    insert = (
        "INSERT INTO tallies (survey, part, data) VALUES ($1, $2, $3) "
        "ON CONFLICT (survey, part) DO UPDATE SET data = excluded.data"
    )
    for part, at in enumerate(range(0, len(data), MOST_BYTES)):
        run(insert, survey, part, memoryview(data)[at : at + MOST_BYTES])
