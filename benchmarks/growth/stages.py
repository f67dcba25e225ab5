"""The stages of one machine, from answers to shares: each does its work while the clock runs."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from privet.bulk import ReportsWriter, read_reports
from privet.store import Arrival, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .work import Work

_REQUEST_BYTES = 1 << 22
_INBOX_BYTES = 1 << 24  # about what waits when a busy service folds
_TRANSACTION = 50  # as many as 50 connections have on their way


def randomize(work: Work) -> None:
    """Make reports of answers."""
    answers = work.answers
    with work.clock:
        for rows in work.chunks:
            work.mechanism.randomize(answers[:rows])


def write(work: Work) -> None:
    """Write a file of reports."""
    reports = work.reports
    with work.clock, ReportsWriter(work.folder / "reports", work.survey) as writer:
        for rows in work.chunks:
            writer.write(reports[:rows])


def read(work: Work) -> None:
    """Read a file of reports, which is in the system's cache as far as it fits."""
    if not (work.folder / "reports").exists():
        write(work)
        work.clock.reset()
    with work.clock:
        for _ in read_reports(work.folder / "reports", work.survey):
            pass


def count(work: Work) -> None:
    """Check reports, and add them to a tally."""
    reports, tally = work.reports, work.survey.tally()
    with work.clock:
        for rows in work.chunks:
            tally.update(reports[:rows])


def fold(work: Work) -> None:
    """Move reports from the inbox of a store (SQLite) to its chunks and its tally."""
    id, waiting = work.survey.id, 0
    with open_store(work.folder / "surveys.db") as store:
        store.create(work.survey)
        for body in _requests(work):
            store.add([Arrival(id, None, None, body)])
            waiting += len(body)
            if waiting >= _INBOX_BYTES:
                waiting = 0
                with work.clock:
                    store.fold(id)
        with work.clock:
            store.fold(id, force=True)
    _tidy(work)


def keep(work: Work) -> None:
    """Store keyed reports that came one by one (SQLite); its memory is what the file takes."""
    bodies = [one.tobytes() for one in work.reports[:_TRANSACTION]]
    with open_store(work.folder / "surveys.db") as store:
        store.create(work.survey)
        for at in range(0, work.n, len(bodies)):
            keys = [sha256(b"%d" % number).digest() for number in range(at, at + len(bodies))]
            pairs = zip(keys, bodies, strict=True)
            some = [Arrival(work.survey.id, key, key, body) for key, body in pairs]
            with work.clock:
                store.add(some)
        store.fold(work.survey.id, force=True)
    work.clock.megabytes = (work.folder / "surveys.db").stat().st_size / 1e6
    _tidy(work)


def decode(work: Work) -> None:
    """Turn what a tally holds into a count for each category."""
    aggregate = work.aggregate
    with work.clock:
        work.mechanism.counts(aggregate)


def estimate(work: Work) -> None:
    """Give every category a share, an interval and a p-value."""
    estimated = work.estimate
    with work.clock:
        estimated.interval()
        _ = estimated.p_values


def shrink(work: Work) -> None:
    """Learn the prior, and shrink every share."""
    estimated = work.estimate
    with work.clock:
        estimated.shrink()


_ALL = (randomize, write, read, count, fold, keep, decode, estimate, shrink)
STAGES: dict[str, Callable[[Work], None]] = {stage.__name__: stage for stage in _ALL}


def _requests(work: Work) -> Iterator[bytes]:
    rows = max(1, _REQUEST_BYTES // work.mechanism.report_bytes)
    for chunk in work.chunks:
        for at in range(0, chunk, rows):
            yield work.reports[at : min(at + rows, chunk)].tobytes()


def _tidy(work: Work) -> None:
    for file in work.folder.iterdir():
        file.unlink()
