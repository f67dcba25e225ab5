"""Measure everything, and write the page, its picture, and the points that both are made of."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from .. import report
from . import (
    BITMAPS,
    NUMBERS,
    ONE_WORKER,
    PEOPLE,
    TWO_WORKERS,
    Point,
    clusters,
    kept,
    measuring,
    serving,
    smaller,
)
from .page import markdown
from .picture import save
from .stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from . import Series

    Measure = Callable[..., list[Point]]

_HERE = Path(__file__).parents[1]
_MOST = {"fold": 10**8, "keep": 10**6}  # people; more would take an hour


class Job(NamedTuple):
    """Points that are measured together, by the name that asks for them."""

    name: str
    size: str
    measure: Callable[[], list[Point]]


def main() -> None:
    """Run what was asked for."""
    jobs = list(_jobs())
    names = list(dict.fromkeys(job.name for job in jobs))
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the page once more")
    parser.add_argument("--only", action="append", choices=names, help="measure this anew")
    given = parser.parse_args()
    if not given.page:
        _measure([job for job in jobs if not given.only or job.name in given.only])
    machine, points = kept.read()
    save(points, _HERE / "growth.png")
    (_HERE / "GROWTH.md").write_text(markdown(points, machine), "utf-8")
    Console().print("written: benchmarks/GROWTH.md", highlight=False)


def _measure(jobs: Sequence[Job]) -> None:
    """Put new points in the place of old ones."""
    points = {point[:5]: point for point in kept.read()[1]}
    columns = TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=len(jobs))
        for job in jobs:
            progress.update(task, description=f"{job.name}{job.size}")
            points |= {point[:5]: point for point in job.measure()}
            kept.write(report.machine()[:3], points.values())
            progress.advance(task)


def _jobs() -> Iterator[Job]:
    for stage in STAGES:
        for series in (PEOPLE,) if stage == "keep" else (PEOPLE, BITMAPS, NUMBERS):
            yield from _sizes(measuring.measured, stage, smaller(series, _MOST.get(stage, 10**9)))
    yield from _sizes(serving.measured, "take", smaller(PEOPLE, 10**8))
    yield from _sizes(serving.measured, "take", NUMBERS)
    yield from _sizes(serving.measured, "post", smaller(PEOPLE, 10**5))
    several = smaller(PEOPLE, 10**8), NUMBERS
    for workers, name in enumerate((ONE_WORKER, TWO_WORKERS), 1):
        yield Job(name, "", partial(clusters.measured, workers, several))


def _sizes(measure: Measure, stage: str, series: Series) -> Iterator[Job]:
    for size in series.sizes:
        shown = f", {size.n:,} people, d = {size.d:,}"
        yield Job(stage, shown, partial(measure, stage, series, size))


if __name__ == "__main__":
    main()
