"""How near the machine's limits: the keystream that reports are made of, and reading memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.mechanisms import KSubset

from . import limits
from .against_peers import EPSILON, randomizing
from .rows import Bar, Row
from .timing import Scale, Work, seconds_a_unit, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator


def keystream_floor(scale: Scale) -> Iterator[Row]:
    """Randomize, as a share of the keystream's speed.

    Against AES-256-CTR alone, for as many random bytes as the run read, in blocks that stay in the
    cache: 100 % would be to make a report in no time once its random bytes are there.
    """
    for d in (16, 64, 100, 1024, 4096, 65_536):
        n = scale((1 << 27) // max(d, 128))
        mine = randomizing(KSubset(d, EPSILON), n)
        with limits.counting_random_bytes() as taken:
            mine.run()
        floor = limits.keystream(taken[0])
        own, byte = seconds_a_unit(scale.repeats, mine, floor)
        least = byte * taken[0] / n
        yield Row(
            f"randomize, d = {d:,}",
            show_time(own),
            f"{taken[0] / n:,.1f} random bytes {show_time(least)}",
            100 * least / own,
            "%",
            Bar(30, 50),
        )


def tally_bandwidth(scale: Scale) -> Iterator[Row]:
    """Tally, as a share of reading memory.

    Checking and counting 256 MB of bitmaps, against one core's summing of 64-bit words in 512 MB.
    """
    read = limits.reading(scale)
    bars = {64: Bar(75, 85), 1024: Bar(75, 85), 65_536: Bar(55)}
    for d in (64, 1024, 65_536, 65, 100, 1000, 4097):
        mechanism = KSubset(d, EPSILON)
        reports = _reports_of(mechanism, scale(1 << 28))
        work = Work(lambda m=mechanism, r=reports: m.tally(r), reports.nbytes)
        own, limit = seconds_a_unit(scale.repeats, work, read)
        yield Row(
            f"tally, d = {d:,}",
            f"{1e-9 / own:.3g} GB/s",
            f"reading {1e-9 / limit:.3g} GB/s",
            100 * limit / own,
            "%",
            bars.get(d, Bar(30, 60)),
        )


def _reports_of(mechanism: KSubset, size: int) -> np.ndarray:
    """Return at least `size` bytes of reports, a batch again and again."""
    batch = randomizing(mechanism, max(1, min(size, 1 << 23) // mechanism.report_bytes)).run()
    return np.tile(batch, (-(-size // batch.nbytes), 1))
