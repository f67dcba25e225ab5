"""How time and memory grow with people and with categories, and what breaks first.

    make scale                                  # all of it, in about half an hour
    python -m benchmarks.growth --only count    # one stage anew

Each point is measured in a process of its own: `stages` has the work of one machine, `clusters`
that of Spark and `serving` that of the service. `exponents` holds them against theory, `a_day` says
what a billion people a day would need, and `page` and `picture` show it all.
"""

from __future__ import annotations

from typing import NamedTuple

MACHINE, SERVICE = "one machine", "the service"
ONE_WORKER, TWO_WORKERS = "Spark, one worker", "Spark, two workers"


class Size(NamedTuple):
    """So many people and categories, and a mechanism; "auto" is what a survey takes by itself."""

    n: int
    d: int
    mechanism: str = "k-subset"


class Series(NamedTuple):
    """Sizes of which one number grows."""

    name: str
    grows: str
    sizes: tuple[Size, ...]


class Point(NamedTuple):
    """What one stage took for one size: seconds, and the memory that it added."""

    where: str
    stage: str
    series: str
    n: int
    d: int
    seconds: float
    megabytes: float


_DOMAINS = (2, 10, 100, 1000, 10_000, 100_000, 1_000_000)
PEOPLE = Series("people", "n", tuple(Size(10**power, 64) for power in range(4, 10)))
BITMAPS = Series("bitmaps", "d", tuple(Size(10_000, d) for d in _DOMAINS))
NUMBERS = Series("numbers", "d", tuple(Size(1_000_000, d, "auto") for d in _DOMAINS))
SERIES = {series.name: series for series in (PEOPLE, BITMAPS, NUMBERS)}


def smaller(series: Series, most: int) -> Series:
    """Return a series without the sizes of more people."""
    return series._replace(sizes=tuple(size for size in series.sizes if size.n <= most))
