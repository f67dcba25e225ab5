"""Whether the time that a report takes says if it is a hit: it should not."""

from __future__ import annotations

import os
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from privet.entropy import Stream
from privet.mechanisms import by_name

from .rows import Bar, Row
from .timing import show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .timing import Scale

_D, _EPSILON, _PAIRS = 100, 2.0, 10_000


def hit_or_miss(scale: Scale) -> Iterator[Row]:
    """Time, and what it says of an answer.

    One report at a time, d = 100 and ε = 2. The same random bytes, but for those of the coin, make
    a hit and a miss in turn. The AUC is how often a hit takes longer than a miss: what the best
    guess from the time alone can do. 1/2 says nothing, and the distance from it is shown.
    """
    for name in by_name:
        mechanism = by_name[name](_D, _EPSILON)
        if hasattr(mechanism, "coin"):  # the others draw alike for every answer
            hits, misses = _times(mechanism, scale(_PAIRS))
            yield Row(
                f"one report, {name}",
                show_time(float(np.median(hits)) * 1e-9),
                f"a miss {show_time(float(np.median(misses)) * 1e-9)}",
                abs(_auc(hits, misses) - 0.5),
                "from AUC ½",
                Bar(0.05, at_most=True),
            )


def _times(mechanism: Any, pairs: int) -> NDArray[np.int64]:
    """Return nanoseconds of hits and of misses."""
    heads, total = mechanism.coin
    coins = [int(word).to_bytes(8, "little") for word in (heads - 1, total - 1)]
    times = np.empty((2, pairs), dtype=np.int64)
    for pair in range(pairs):
        rest = os.urandom(2 * mechanism.stream_bytes)
        for side in (0, 1) if pair % 2 else (1, 0):
            data = [coins[side] + rest]
            stream = Stream(lambda size, data=data: data.pop() if data else os.urandom(size), 0)
            value = rest[0] % mechanism.d
            begin = perf_counter_ns()
            mechanism.sample(value, stream)
            times[side, pair] = perf_counter_ns() - begin
    return times


def _auc(hits: NDArray[np.int64], misses: NDArray[np.int64]) -> float:
    ranks = rankdata(np.concatenate([hits, misses]))[: len(hits)].sum()
    return float(ranks - len(hits) * (len(hits) + 1) / 2) / (len(hits) * len(misses))
