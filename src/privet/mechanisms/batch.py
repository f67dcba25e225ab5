"""Batches: reports for an array of values, in chunks over threads, in blocks that fit the cache.

A chunk of rows is a thread's work and has random streams of its own, one for each purpose, so that
the reports do not depend on the number of threads. Within a chunk, blocks of rows are small enough
for their random words to stay in the second-level cache between drawing and using them.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ..entropy import secure
from ..errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..entropy import Entropy
    from .base import Mechanism

    Block = tuple[NDArray[Any], ...]

WORD = 64
BLOCK_BYTES = 1 << 19
CHUNK_BYTES = 1 << 20
CHUNK_ROWS = 1 << 17
TAIL_BYTES = 1 << 16


def randomize(
    mechanism: Mechanism, values: NDArray[np.int64], entropy: Entropy | None, workers: int | None
) -> NDArray[np.uint8]:
    """Return one report a row, uint8 (n, report_bytes), for checked values."""
    threads = _threads(mechanism, workers)
    out = np.empty((len(values), mechanism.report_bytes), dtype=np.uint8)
    source = entropy if entropy is not None else secure()
    rows = min(max(1, CHUNK_BYTES // mechanism.report_bytes), CHUNK_ROWS)
    chunks = [
        (mechanism, values[at : at + rows], out[at : at + rows], Words(source))
        for at in range(0, len(values), rows)
    ]
    if threads == 1 or len(chunks) <= 1:
        for chunk in chunks:
            _randomize_chunk(*chunk)
        return out
    with ThreadPoolExecutor(min(threads, len(chunks))) as pool:
        for job in [pool.submit(_randomize_chunk, *chunk) for chunk in chunks]:
            job.result()
    return out


class Words:
    """The random words of one chunk of reports, a stream for each purpose."""

    def __init__(self, entropy: Entropy) -> None:
        self.coins, self.planes, self.rounds, self.tail = (entropy.keystream() for _ in range(4))

    def toss(self, count: int, heads: int, total: int) -> NDArray[np.bool_]:
        """Return `count` coins, each true with probability heads / total exactly.

        Words at or above `total` are drawn again, all of them in order, until none is left.
        """
        from ..kernels.sampling import toss

        words = self.coins.take(8 * count).view("<u8")
        result, rejected = np.empty(count, np.bool_), np.empty(count + 1, np.int64)
        again = rejected[: toss(words, np.uint64(heads), np.uint64(total), result, rejected)]
        while again.size:
            words = np.frombuffer(self.coins.read(8 * again.size), dtype="<u8")
            result[again] = words < np.uint64(heads)
            again = again[words >= np.uint64(total)]
        return result


def _randomize_chunk(
    mechanism: Mechanism, values: NDArray[np.int64], out: NDArray[np.uint8], words: Words
) -> None:
    """Fill the chunk block by block; what a block leaves of the tail is kept for the next."""
    rows = mechanism._block_rows
    tail = np.empty(0, dtype=np.uint8)
    for at in range(0, len(values), rows):
        part, target = values[at : at + rows], out[at : at + rows]
        block = mechanism._block(len(part), words)
        done, used = mechanism._fill(part, block, tail, target, 0)
        while done < len(part):
            # Never less than was left: a tail too short for one report must grow.
            fresh = words.tail.read(max(len(tail), TAIL_BYTES))
            tail = np.concatenate([tail[used:], np.frombuffer(fresh, dtype=np.uint8)])
            done, used = mechanism._fill(part, block, tail, target, done)
        tail = tail[used:]


def words_of(d: int) -> int:
    """Return how many 64-bit words hold d bits."""
    return (d + WORD - 1) // WORD


def widen(out: NDArray[np.uint8], d: int) -> NDArray[np.uint64]:
    """Return rows of whole words: the bitmaps themselves where they are such, or a scratch."""
    if out.shape[1] % 8 == 0:
        return out.view("<u8")
    return np.empty((len(out), words_of(d)), dtype="<u8")


def narrow(wide: NDArray[np.uint64], out: NDArray[np.uint8], first: int, end: int) -> None:
    """Copy what was written to a scratch."""
    if out.shape[1] % 8:
        from ..kernels import sampling

        sampling.narrow(wide[first:end], out[first:end])


def _threads(mechanism: Mechanism, workers: int | None) -> int:
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _cores()
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise InvalidArgument(type(mechanism).__name__, "workers", "an int >= 1", workers)
    return workers


def _cores() -> int:
    return os.cpu_count() or 1
