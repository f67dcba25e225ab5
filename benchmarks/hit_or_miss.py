"""Whether the time that a report takes says if it is a hit: it should not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import choice
from statistics import median
from time import perf_counter_ns
from typing import TYPE_CHECKING

import numpy as np

from privet import Survey
from privet.mechanisms import for_one

from .rows import Bar, Row
from .timing import show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .timing import Scale

_ROOT = Path(__file__).resolve().parent.parent
_D, _EPSILON, _REPORTS = 100, 2.0, 20_000
_PROCESSES = 7


def hit_or_miss(scale: Scale) -> Iterator[Row]:
    """Time, and what it says of an answer.

    One answer at a time, d = 100 and ε = 2, through `Survey.randomize`. A hit is a report that
    supports the person's answer. The AUC is how often a hit takes longer than a miss: what the best
    guess from the time alone can do. 1/2 says nothing, and the distance from it is shown: of the
    median of seven processes, because where code happens to lie in memory moves each by some
    hundredths, this way or that.
    """
    for mechanism, kind in for_one.items():
        if not hasattr(kind, "members"):  # all bits are drawn alike
            continue
        if scale.quick:
            runs = [_measure(mechanism, 1000)]
        else:
            runs = [_measure_apart(mechanism) for _ in range(_PROCESSES)]
        hit, miss, auc = (median(each) for each in zip(*runs, strict=True))
        yield Row(
            f"one report, {mechanism}",
            show_time(hit * 1e-9),
            f"a miss {show_time(miss * 1e-9)}",
            abs(auc - 0.5),
            "from AUC ½",
            Bar(0.05, at_most=True),
        )


def _measure_apart(mechanism: str) -> tuple[float, float, float]:
    """Return the same as is measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.hit_or_miss", mechanism]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=_ROOT)
    hit, miss, auc = json.loads(done.stdout)
    return hit, miss, auc


def _measure(mechanism: str, reports: int) -> tuple[float, float, float]:
    """Return the median nanoseconds of a hit and of a miss, and the AUC."""
    survey = Survey("Which?", [str(i) for i in range(_D)], _EPSILON, mechanism=mechanism)
    hits, misses = _times(survey, reports)
    return float(np.median(hits)), float(np.median(misses)), _auc(hits, misses)


def _times(survey: Survey, reports: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return nanoseconds of hits and of misses."""
    times: tuple[list[int], list[int]] = ([], [])
    for _ in range(reports):
        value = choice(range(len(survey.categories)))
        answer = survey.categories[value]
        begin = perf_counter_ns()
        report = survey.randomize(answer)
        taken = perf_counter_ns() - begin
        times[value in survey.mechanism.members(report)].append(taken)
    misses, hits = (np.array(side) for side in times)
    return hits, misses


def _auc(hits: NDArray[np.int64], misses: NDArray[np.int64]) -> float:
    misses = np.sort(misses)
    longer = np.searchsorted(misses, hits, "left") + np.searchsorted(misses, hits, "right")
    return float(longer.mean()) / 2 / len(misses)


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], _REPORTS)))
