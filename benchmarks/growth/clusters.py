"""Spark with executors in processes of their own, each with one core.

python -m benchmarks.growth.clusters WORKERS reads sizes as JSON, and prints points as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..memory import memory
from . import ONE_WORKER, TWO_WORKERS, Point, Series, Size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .work import Work

_NAMES = {1: ONE_WORKER, 2: TWO_WORKERS}
_FILES = 8
_WARM = Size(100_000, 64)
_MOST_DRAWN = 10**7  # people, whose reports executors hold


def measured(workers: int, several: Iterable[Series]) -> list[Point]:
    """Measure all points of a cluster, in one session."""
    sizes = [(series.name, *size) for series in several for size in series.sizes]
    command = [sys.executable, "-m", __name__, str(workers)]
    done = subprocess.run(
        command, input=json.dumps(sizes), text=True, stdout=subprocess.PIPE, check=True
    )
    return [Point(_NAMES[workers], *point) for point in json.loads(done.stdout)]


def randomize(cluster: Any, work: Work) -> float:
    """Return the time of making reports, which executors then hold."""
    from privet.bulk import spark

    answers = cluster.range(work.n).selectExpr(f"concat('c', id % {work.d}) AS answer")
    return _timed(lambda: spark.randomize(answers, work.survey, "answer"))


def count(cluster: Any, work: Work) -> float:
    """Return the time of counting reports in files."""
    from privet.bulk import ReportsWriter, spark

    paths = [work.folder / f"{number}.parquet" for number in range(_FILES)]
    for number, path in enumerate(paths):
        with ReportsWriter(path, work.survey) as writer:
            for rows in work.chunks[number::_FILES]:
                writer.write(work.reports[:rows])
    frame = spark.read_reports(cluster, paths, work.survey)
    return _timed(lambda: spark.tally(frame, work.survey))


def _timed(run: Callable[[], object]) -> float:
    began = perf_counter()
    run()
    return perf_counter() - began


def _processes(parent: str = "self") -> list[str]:
    """Return the processes that a process began, and those that these began."""
    try:
        tasks = list(Path("/proc", parent, "task").iterdir())
        children = [(task / "children").read_text().split() for task in tasks]
    except OSError:  # it has ended meanwhile
        return []
    found = list(chain.from_iterable(children))
    return [*found, *chain.from_iterable(map(_processes, found))]


def main() -> None:
    from privet.bulk import spark

    from .work import Work

    sizes = [(name, Size(*size)) for name, *size in json.load(sys.stdin)]
    settings = {"spark.executor.memory": "1g", "spark.sql.shuffle.partitions": "4"}
    cluster = spark.session(f"local-cluster[{sys.argv[1]},1,1024]", **settings)
    points: list[tuple[str, str, int, int, float, float]] = []
    for name, size in [("", _WARM), *sizes]:
        for stage, run in (("randomize", randomize), ("count", count)):
            if stage == "randomize" and size.n > _MOST_DRAWN:
                continue
            with TemporaryDirectory() as folder:
                seconds = run(cluster, Work(size, Path(folder)))
            most = sum(memory("VmHWM", process) for process in _processes())
            points.append((stage, name, size.n, size.d, seconds, most))
    cluster.stop()
    print(json.dumps(points[2:]))


if __name__ == "__main__":
    main()
