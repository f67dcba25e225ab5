"""Whether the time that a report takes says if it is a hit: it should not."""

from __future__ import annotations

from random import choice
from time import perf_counter_ns
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from privet import Survey
from privet.mechanisms import by_name

from .rows import Bar, Row
from .timing import show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .timing import Scale

_D, _EPSILON, _REPORTS = 100, 2.0, 20_000


def hit_or_miss(scale: Scale) -> Iterator[Row]:
    """Time, and what it says of an answer.

    One answer at a time, d = 100 and ε = 2, through `Survey.randomize`. A hit is a report that
    supports the person's answer. The AUC is how often a hit takes longer than a miss: what the best
    guess from the time alone can do. 1/2 says nothing, and the distance from it is shown.
    """
    names = [str(i) for i in range(_D)]
    for mechanism, kind in by_name.items():
        if not hasattr(kind, "members"):  # all bits are drawn alike
            continue
        survey = Survey("Which?", names, _EPSILON, mechanism=mechanism)
        hits, misses = _times(survey, max(scale(_REPORTS), 1000))
        yield Row(
            f"one report, {mechanism}",
            show_time(float(np.median(hits)) * 1e-9),
            f"a miss {show_time(float(np.median(misses)) * 1e-9)}",
            abs(_auc(hits, misses) - 0.5),
            "from AUC ½",
            Bar(0.05, at_most=True),
        )


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
    ranks = rankdata(np.concatenate([hits, misses]))[: len(hits)].sum()
    return float(ranks - len(hits) * (len(hits) + 1) / 2) / (len(hits) * len(misses))
