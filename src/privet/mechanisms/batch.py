"""Batches: reports for an array of values, in chunks over threads, in blocks of bounded memory.

A chunk of rows is a thread's work and has random streams of its own, so that the reports do not
depend on the number of threads. Within a chunk, blocks of rows bound the memory for random words,
and are large enough for Python's share of the time to be small.
"""

from __future__ import annotations

from collections import deque
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..analysis import kernels
from ..analysis.threads import cores, in_threads
from ..entropy import FILL_SLACK, Entropy, secure
from ..errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..entropy import Keystream
    from .base import Mechanism

    Block = tuple[NDArray[Any], ...]

WORD = 64
BLOCK_BYTES = 1 << 21
CHUNK_BYTES = 1 << 22
CHUNK_ROWS = 1 << 17
MOST_IDLE = 64
TAIL_BYTES, MOST_TAIL_BYTES = 1 << 14, 1 << 19


def randomize(
    mechanism: Mechanism, values: NDArray[np.int64], entropy: Entropy | None, workers: int | None
) -> NDArray[np.uint8]:
    """Return one report a row, uint8 (n, report_bytes), for integers checked on the way."""
    threads = _threads(mechanism, workers)
    if entropy is not None and not isinstance(entropy, Entropy):
        rule = "an Entropy, such as privet.entropy.seeded(1)"
        raise InvalidArgument(type(mechanism).__name__, "entropy", rule, entropy)
    out = np.empty((len(values), mechanism.report_bytes), dtype=np.uint8)
    source = entropy if entropy is not None else secure()
    most = min(max(1, CHUNK_BYTES // mechanism.report_bytes), CHUNK_ROWS)
    rows = -(-len(values) // max(1, -(-len(values) // most)))  # chunks of equal size
    chunks = [
        (values[at : at + rows], out[at : at + rows], source.keystream(), source.keystream())
        for at in range(0, len(values), max(1, rows))
    ]
    waiting = iter(chunks)

    def work() -> None:
        buffers = _take_buffers()
        try:
            for part, target, blocks, tail in waiting:
                _randomize_chunk(mechanism, part, target, Words(buffers, blocks, tail))
        finally:
            _idle.append(buffers)
            deque(waiting, maxlen=0)  # after an error, nothing is left to do for other threads

    in_threads(work, max(1, min(threads, len(chunks))))
    return out


class Rows(NamedTuple):
    """A block of rows to fill: the values, the random words drawn for them, and the reports."""

    values: NDArray[np.int64]
    words: Block
    out: NDArray[np.uint8]


class Buffers:
    """A thread's room for random words, by purpose; kept, because fresh memory is slow."""

    def __init__(self) -> None:
        self._rooms: dict[str, NDArray[np.uint8]] = {}

    def room(self, purpose: str, size: int) -> NDArray[np.uint8]:
        """Return a buffer that takes `size` bytes of a keystream."""
        found = self._rooms.get(purpose)
        if found is None or len(found) < size + FILL_SLACK:
            found = self._rooms[purpose] = np.empty(size + FILL_SLACK, dtype=np.uint8)
        return found


_idle: deque[Buffers] = deque(maxlen=MOST_IDLE)


def _take_buffers() -> Buffers:
    try:
        return _idle.pop()
    except IndexError:
        return Buffers()


class Words:
    """The random words of one chunk of reports: a stream for blocks of them, and one for a tail."""

    def __init__(self, buffers: Buffers, blocks: Keystream, tail: Keystream) -> None:
        self._buffers = buffers
        self._blocks, self._tail = blocks, tail
        self._unread = np.empty(0, dtype=np.uint8)
        self._more = TAIL_BYTES

    def take(self, *sizes: int) -> list[NDArray[np.uint8]]:
        """Return pieces of these sizes, multiples of 8 but for the last; until called again."""
        total = sum(sizes)
        block = self._blocks.fill(self._buffers.room("block", total), total)
        return [block[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True)]

    def toss(
        self, piece: NDArray[np.uint8], count: int, coin: tuple[int, int]
    ) -> NDArray[np.bool_]:
        """Return `count` coins, each true with probability heads / total exactly.

        Each has a word of the piece. One at or above the total is replaced by the next of the
        spare words that follow, and when those are used up by reading on.
        """
        heads, total = coin
        words = piece.view("<u8")
        result = self._buffers.room("coins", count)[:count].view(np.bool_)
        bounds = np.uint64(heads), np.uint64(total)
        done = kernels.toss(words, 0, *bounds, result)
        while done < count:
            word = total
            while word >= total:
                word = int.from_bytes(self._blocks.read(8), "little")
            result[done] = word < heads
            done = kernels.toss(words[:count], done + 1, *bounds, result)
        return result

    def below(self, piece: NDArray[np.uint8], n: int) -> NDArray[np.uint64]:
        """Return uniform integers of [0, n), one from each word of the piece, for n < 2**64.

        A word at or above the largest multiple of n that fits is replaced by reading on.
        """
        limit = (1 << 64) // n * n
        words = piece.view("<u8")
        for i in np.flatnonzero(words > np.uint64(limit - 1)):
            word = limit
            while word >= limit:
                word = int.from_bytes(self._blocks.read(8), "little")
            words[i] = word
        words %= np.uint64(n)
        return words

    @property
    def tail(self) -> NDArray[np.uint8]:
        """The bytes for whatever else is needed, in order of need."""
        return self._unread

    def used(self, size: int) -> None:
        """Drop the first `size` bytes of the tail."""
        self._unread = self._unread[size:]

    def extend_tail(self) -> None:
        """Read on, each time more; never less than is left, for which one report may be waiting."""
        left = len(self._unread)
        more = max(left, self._more)
        self._more = min(2 * self._more, MOST_TAIL_BYTES)
        kept = self._unread.copy()
        room = self._buffers.room("tail", left + more)
        room[:left] = kept
        self._tail.fill(room[left:], more)
        self._unread = room[: left + more]


def _randomize_chunk(
    mechanism: Mechanism, values: NDArray[np.int64], out: NDArray[np.uint8], words: Words
) -> None:
    """Fill the chunk block by block; what a block leaves of the tail is kept for the next."""
    mechanism._check_range(values)
    rows = mechanism._block_rows
    for at in range(0, len(values), rows):
        part, target = values[at : at + rows], out[at : at + rows]
        block = Rows(part, mechanism._block(len(part), words), target)
        done = 0
        while True:
            done, used = mechanism._fill(block, words.tail, done)
            words.used(used)
            if done == len(part):
                break
            words.extend_tail()


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
        kernels.narrow(wide[first:end], out[first:end])


def _threads(mechanism: Mechanism, workers: int | None) -> int:
    if workers is None:
        return cores()
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1:
        raise InvalidArgument(type(mechanism).__name__, "workers", "an int >= 1", workers)
    return int(workers)
