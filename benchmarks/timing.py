"""How long work takes: medians of repeats that take turns, so that noise hits all alike."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from timeit import timeit
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Scale:
    """How much work to measure; quick only shows that everything runs."""

    quick: bool = False

    @property
    def repeats(self) -> int:
        return 1 if self.quick else 9

    def __call__(self, size: int) -> int:
        return max(16, size // 1000) if self.quick else size


class Work(NamedTuple):
    """Something to run, and how many units (reports, bytes) one run of it does."""

    run: Callable[[], object]
    units: int = 1


def seconds_a_unit(repeats: int, *works: Work) -> list[float]:
    """Return the median time of one unit of each work; before several, a round that compiles."""
    if repeats > 1:
        for work in works:
            work.run()
    rounds = [[timeit(work.run, number=1) for work in works] for _ in range(repeats)]
    return [
        median(times) / work.units
        for work, times in zip(works, zip(*rounds, strict=True), strict=True)
    ]


def show_time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
