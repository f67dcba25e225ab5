"""A billion people a day, on paper: what a machine like this one can do of it, and what breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import MACHINE, ONE_WORKER, SERVICE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from . import Point

PEOPLE, DAY, PEAK = 10**9, 86_400, 3
MEAN = PEOPLE / DAY


class Need(NamedTuple):
    """How many reports a second something can do here, and how many it must."""

    what: str
    can: float
    must: float
    then: str

    @property
    def share(self) -> float:
        """How much of what it must do it can."""
        return self.can / self.must


def needs(points: Sequence[Point]) -> list[Need]:
    """Return what a day needs, the first to break first; while people answer, at their peak."""
    peak = PEAK * MEAN
    found = [
        Need("one report a request, by a core", _rate(points, SERVICE, "post, CPU"), peak,
             "a server process for each core, on several machines, with PostgreSQL"),
        Need("keys of such reports, into SQLite", _rate(points, MACHINE, "keep"), peak,
             "a database for each part of the keys"),
        Need("10,000 reports a request", _rate(points, SERVICE, "take"), peak,
             "nothing: collectors that send batches do with one machine"),
        Need("folding into the tally", _rate(points, MACHINE, "fold"), MEAN, "nothing"),
        Need("writing files", _rate(points, MACHINE, "write"), MEAN, "nothing"),
        Need("counting files with Spark, a worker", _rate(points, ONE_WORKER, "count"),
             MEAN, "nothing"),
        Need("counting in memory", _rate(points, MACHINE, "count"), MEAN, "nothing"),
    ]  # fmt: skip
    return sorted(found, key=lambda need: need.share)


def stored(points: Sequence[Point]) -> Iterator[tuple[str, float]]:
    """Yield what a day leaves on disk, in GB."""
    kept = _largest(points, MACHINE, "keep")
    yield "keys, until 30 days after the survey's close", PEOPLE * kept.megabytes / kept.n / 1e3
    for d, bytes_each, name in (
        (64, 8, "bitmaps"),
        (10**6, 125_000, "bitmaps"),
        (10**6, 3, "numbers"),
    ):
        yield f"reports as {name}, d = {d:,}", PEOPLE * bytes_each / 1e9


def _rate(points: Sequence[Point], where: str, stage: str) -> float:
    point = _largest(points, where, stage)
    return point.n / point.seconds


def _largest(points: Sequence[Point], where: str, stage: str) -> Point:
    of_people = [
        one for one in points if (one.where, one.stage, one.series) == (where, stage, "people")
    ]
    return max(of_people, key=lambda point: point.n)
