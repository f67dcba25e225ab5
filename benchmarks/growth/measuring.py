"""One stage and one size, in a process of its own.

python -m benchmarks.growth.measuring STAGE N D MECHANISM prints seconds and megabytes as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from . import MACHINE, Point, Series, Size

_REPEATS, _ENOUGH = 9, 3.0  # as many as begin within three seconds
_WARM_BYTES = 1 << 24


def measured(stage: str, series: Series, size: Size) -> list[Point]:
    """Measure a point of one machine."""
    command = [sys.executable, "-m", __name__, stage, *map(str, size)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return [Point(MACHINE, stage, series.name, size.n, size.d, *json.loads(done.stdout))]


def measure(stage: str, size: Size) -> tuple[float, float]:
    """Return the median time and the most memory, after a smaller round that loads what it uses."""
    import numba  # noqa: F401, as whatever is large loads it, which benchmarks.footprint measures

    from .stages import STAGES
    from .work import Work

    run, times, most = STAGES[stage], list[float](), 0.0
    with TemporaryDirectory() as first, TemporaryDirectory() as second:
        work = Work(size, Path(second))
        few = max(1, _WARM_BYTES // work.mechanism.report_bytes)
        run(Work(size._replace(n=min(size.n, few)), Path(first)))
        while len(times) < _REPEATS and sum(times) < _ENOUGH:
            work.clock.reset()
            run(work)
            times.append(work.clock.seconds)
            most = max(most, work.clock.megabytes)
    return median(times), most


def main() -> None:
    _, stage, n, d, mechanism = sys.argv
    print(json.dumps(measure(stage, Size(int(n), int(d), mechanism))))


if __name__ == "__main__":
    main()
