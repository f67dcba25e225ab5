"""A real server (SQLite) on this machine, with its clients beside it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from privet.store import open_store

from ..servers import Privet
from ..service_load import Load, send
from . import SERVICE, Point, Series, Size
from .work import Work

_BODY_BYTES, _MOST_REPORTS = 1 << 20, 10_000
_FEW_CONNECTIONS, _MANY_CONNECTIONS = 8, 48
_WARM = 100_000


def measured(stage: str, series: Series, size: Size) -> list[Point]:
    """Measure what a server takes: in batches, or each report in a request of its own."""
    with TemporaryDirectory() as folder:
        work = Work(size, Path(folder))
        with open_store(work.folder / "surveys.db") as store:  # contracts can exceed a request
            store.create(work.survey)
        with Privet(folder) as server:
            bodies, requests = _requests(work, one_by_one=stage == "post")
            connections = _MANY_CONNECTIONS if stage == "post" else _FEW_CONNECTIONS
            path = f"/surveys/{work.survey.id}/reports"
            load = Load(server.port, path, bodies, requests, connections, keyed=True)
            send(load._replace(requests=max(1, min(requests, _WARM // (size.n // requests)))))
            before = server.cpu_seconds
            seconds = send(load).seconds
            rows = {stage: seconds, f"{stage}, CPU": server.cpu_seconds - before}
            return [
                Point(SERVICE, name, series.name, size.n, size.d, taken, server.megabytes)
                for name, taken in rows.items()
            ]


def _requests(work: Work, *, one_by_one: bool) -> tuple[tuple[bytes, ...], int]:
    """Return some bodies, and how many requests make everybody's reports."""
    each = min(_MOST_REPORTS, max(1, _BODY_BYTES // work.mechanism.report_bytes), work.n)
    each = 1 if one_by_one else each
    starts = range(0, min(len(work.reports), 8 * each), each)
    return tuple(work.reports[at : at + each].tobytes() for at in starts), work.n // each
