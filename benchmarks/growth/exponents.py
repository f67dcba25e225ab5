"""Exponents: how fast each stage grows, against how fast theory lets it grow."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import MACHINE, SERIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from . import Point

_LARGEST = 4  # sizes that a line is fitted to: below, what every call costs is most of it
_LEAST_MEMORY = 20.0  # MB; less is within what an allocator happens to do
SLACK = 0.1  # for caches that overflow, and a noisy machine

# What theory says of the work, by the term that grows most.
_TERMS: dict[str, Callable[[int, int], float]] = {
    "1": lambda n, d: 1.0,
    "n": lambda n, d: n,
    "n log n": lambda n, d: n * log(n),
    "n d": lambda n, d: n * d,
    "n + d": lambda n, d: d,
    "d": lambda n, d: d,
    "d log d": lambda n, d: d * log(d),
}
_OF_COUNTS, _KEYED = {"decode", "estimate", "shrink"}, {"keep", "post"}


class Growth(NamedTuple):
    """The exponents of one stage over one series."""

    where: str
    stage: str
    series: str
    law: str
    theory: float
    time: float
    memory: float | None

    @property
    def holds(self) -> bool:
        """Whether time grows no faster than theory says."""
        return self.time <= self.theory + SLACK


def law(where: str, stage: str, series: str) -> str:
    """Return how the work of a stage grows.

    Shares are sorted, the numbers of a design decoded by a fast transform, and keys kept in a tree:
    hence logarithms. A contract names all categories, and a tally has a counter for each: hence
    n + d, though a report that is a number does not grow.

    >>> law(MACHINE, "count", "people"), law(MACHINE, "estimate", "people")
    ('n', '1')
    >>> law(MACHINE, "randomize", "bitmaps"), law(MACHINE, "randomize", "numbers")
    ('n d', 'n')
    """
    if series == "people":
        return "1" if stage in _OF_COUNTS else "n log n" if stage in _KEYED else "n"
    if stage in _OF_COUNTS:
        return "d" if (stage, series) == ("decode", "bitmaps") else "d log d"
    if series == "bitmaps":
        return "n d"
    return "n" if (where, stage) == (MACHINE, "randomize") else "n + d"


def growths(points: Iterable[Point]) -> list[Growth]:
    """Return how each stage grows; of what a server computes, only its time is told."""
    lines: dict[tuple[str, str, str], list[Point]] = {}
    for point in points:
        if not point.stage.endswith("CPU"):
            lines.setdefault((point.where, point.stage, point.series), []).append(point)
    return [_growth(*line, some) for line, some in lines.items()]


def _growth(where: str, stage: str, series: str, points: Sequence[Point]) -> Growth:
    said = law(where, stage, series)
    theory = exponent(points, [_TERMS[said](point.n, point.d) for point in points])
    time = exponent(points, [point.seconds for point in points])
    large = [point for point in points if point.megabytes >= _LEAST_MEMORY]
    memory = exponent(large, [point.megabytes for point in large]) if len(large) > 2 else None
    return Growth(where, stage, series, said, theory, time, memory)


def exponent(points: Sequence[Point], taken: Sequence[float]) -> float:
    """Return the slope of a line through the largest points, on logarithms of both.

    >>> from . import Point
    >>> points = [Point("", "", "people", n, 64, 0.0, 0.0) for n in (10, 100, 1000)]
    >>> exponent(points, [3.0, 300.0, 30_000.0])
    2.0
    """
    sizes = [getattr(point, SERIES[point.series].grows) for point in points]
    line = np.polyfit(np.log(sizes[-_LARGEST:]), np.log(taken[-_LARGEST:]), 1)
    return round(float(line[0]), 2) + 0.0  # so that no zero has a sign
