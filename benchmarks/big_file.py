"""Randomize into a reports file, or count one; print the time and the most memory ever held."""

from __future__ import annotations

import json
import re
import resource
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

from privet import Survey
from privet.bulk import ReportsWriter, read_reports

_D = 1024
_CHUNK = 1 << 16


def randomize(path: Path, survey: Survey, n: int) -> None:
    rng = np.random.default_rng(1)
    with ReportsWriter(path, survey) as writer:
        for at in range(0, n, _CHUNK):
            writer.write(survey.mechanism.randomize(rng.integers(0, _D, min(_CHUNK, n - at))))


def count(path: Path, survey: Survey, n: int) -> None:
    tally = survey.tally()
    for reports in read_reports(path, survey):
        tally.update(reports)
    if tally.n != n:
        raise RuntimeError(f"{tally.n} reports counted instead of {n}")


def peak_megabytes() -> float:
    """Return the most memory held since this program began.

    Linux lets ru_maxrss begin at the size of the process that started this one, but not VmHWM.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s*(\d+) kB", status.read_text())[1]) * 1024 / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def main() -> None:
    _, step, path, n = sys.argv
    survey = Survey("Which?", [f"c{i}" for i in range(_D)], 1.0)
    start = perf_counter()
    {"randomize": randomize, "count": count}[step](Path(path), survey, int(n))
    print(json.dumps({"seconds": perf_counter() - start, "megabytes": peak_megabytes()}))


if __name__ == "__main__":
    main()
