"""Batches: reports for an array of values, in chunks over threads, in stretches of bounded memory.

A small batch uses the device's own sampler, one report at a time, because loading numba takes half
a second. Which of the two runs depends on the amount of work alone. A seeded batch is small up to a
constant, so that a seed gives the same reports on every machine. With secure randomness, all
batches of a mechanism so far count together, so that many small ones become fast.

In a large batch, each chunk of rows is one thread's work and has its own random streams, so that
the reports do not depend on the number of threads. Within a chunk, stretches of rows bound the
memory for random words, and are large enough to keep Python's share of the time small.

A chunk has two streams: one of fixed length for each stretch, with a coin, starting coins and
rounds of positions for every report, and a tail for the rest. If the tail ends in the middle of a
report, that report starts over with a longer tail. No word that was read is dropped, because
dropping it would bias the draw. The plain twin in the tests runs the enumerated sampler on the same
words, so the proof of the sampler holds for batches as well.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..device.entropy import Entropy, Fractions, Stream, secure
from ..device.keystream import FILL_SLACK, Keystream
from ..device.mechanisms.base import Randomizer
from ..errors import InvalidArgument
from ..errors.arguments import whole
from . import kernels
from .threads import cores, in_threads

Drawn = tuple[NDArray[Any], ...]

__all__ = ["Batches", "Rows", "Words", "are_few", "words_of"]

M = TypeVar("M", bound=Randomizer)

WORD = 64
STRETCH_BYTES = 1 << 21
CHUNK_BYTES = 1 << 22
CHUNK_ROWS = 1 << 17
MOST_IDLE = 64
TAIL_BYTES, MOST_TAIL_BYTES = 1 << 14, 1 << 19
# A report's work is its random bytes and 200 more. Up to this much work, the sampler is done before
# numba is loaded. The bound is part of what a seed means, so it does not depend on the machine.
PLAIN_WORK, PLAIN_REPORT = 1 << 23, 200
# The sampler reads random bytes for so many reports at a time.
_READ_AHEAD = 32


class Rows(NamedTuple):
    """A stretch of rows to fill: the values, the random words drawn for them, and the reports."""

    values: NDArray[np.int64]
    words: Drawn
    out: NDArray[np.uint8]


class Batches(ABC, Generic[M]):
    """Makes reports of one mechanism for arrays of values."""

    _work = 0  # of all secure reports so far

    def __init__(self, mechanism: M) -> None:
        self.mechanism = mechanism

    # --- what a mechanism's batches say ---------------------------------------------------------

    @property
    def rows(self) -> int:
        """How many reports are made at a time, so that their random words take bounded memory.

        By default each takes two words.
        """
        return STRETCH_BYTES // 16

    @abstractmethod
    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw the random words whose number does not depend on what is drawn."""

    @abstractmethod
    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports from row `first` on, until the tail runs out.

        Return the first row that is not written, and how many bytes of the tail the others used.
        """

    # --- the same for every mechanism -----------------------------------------------------------

    def randomize(
        self, values: ArrayLike, entropy: Entropy | None = None, workers: int | None = None
    ) -> NDArray[np.uint8]:
        """Return one report per row, uint8 (n, report_bytes)."""
        owner = type(self.mechanism).__name__
        array = self.as_values(values)
        threads = cores() if workers is None else whole(owner, "workers", workers, 1)
        if entropy is not None and not isinstance(entropy, Entropy):
            rule = "an Entropy, such as privet.entropy.seeded(1)"
            raise InvalidArgument(owner, "entropy", rule, entropy)
        if self._is_little(len(array), seeded=entropy is not None):
            return self._one_by_one(array, entropy or secure())
        return self.side_by_side(array, entropy or secure(), threads)

    def _is_little(self, n: int, *, seeded: bool) -> bool:
        work = n * (self.mechanism.stream_bytes + PLAIN_REPORT)
        if seeded:
            return work <= PLAIN_WORK
        self._work += work
        return self._work <= PLAIN_WORK

    def _one_by_one(self, values: NDArray[np.int64], entropy: Entropy) -> NDArray[np.uint8]:
        self._check_range(values)
        sample, size = self.mechanism.sample, self.mechanism.report_bytes
        expected = min(len(values), _READ_AHEAD) * self.mechanism.stream_bytes
        stream = Stream(entropy.keystream().read, expected)
        reports = b"".join([sample(value, stream) for value in self.people(values)])
        return np.frombuffer(bytearray(reports), dtype=np.uint8).reshape(-1, size)

    def side_by_side(
        self, values: NDArray[np.int64], entropy: Entropy, threads: int = 1
    ) -> NDArray[np.uint8]:
        """Make reports by compiled code, whatever their number."""
        out = np.empty((len(values), self.mechanism.report_bytes), dtype=np.uint8)
        most = min(max(1, CHUNK_BYTES // self.mechanism.report_bytes), CHUNK_ROWS)
        rows = -(-len(values) // max(1, -(-len(values) // most)))  # chunks of equal size
        chunks = [
            (values[at : at + rows], out[at : at + rows], entropy.keystream(), entropy.keystream())
            for at in range(0, len(values), max(1, rows))
        ]

        def fill(chunk: tuple[Any, ...]) -> None:
            part, target, *streams = chunk
            with borrowed_buffers() as buffers:
                self._fill_chunk(part, target, Words(buffers, *streams))

        try:
            in_threads(fill, chunks, threads)
        except InvalidArgument:
            self._check_range(values)  # another chunk may hold an earlier one
            raise
        return out

    def _fill_chunk(self, values: NDArray[np.int64], out: NDArray[np.uint8], words: Words) -> None:
        """Fill the chunk stretch by stretch; what one leaves of the tail is kept for the next."""
        self._check_range(values)
        coded = self.coded(values)
        for at in range(0, len(values), self.rows):
            part, target = coded[at : at + self.rows], out[at : at + self.rows]
            stretch = Rows(part, self.draw(len(part), words), target)
            done = 0
            while True:
                done, used = self.fill(stretch, words.tail, done)
                words.tail = words.tail[used:]
                if done == len(part):
                    break
                words.extend_tail()

    def coded(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return checked values as `fill` takes them."""
        return values

    def people(self, values: NDArray[np.int64]) -> list[Any]:
        """Return each person's value as the sampler takes it."""
        found: list[Any] = values.tolist()
        return found

    def as_values(self, values: ArrayLike) -> NDArray[np.int64]:
        """Return values as an array of integers, which may be out of range yet."""
        array = np.asarray(values)
        owner = type(self.mechanism).__name__
        if array.ndim != 1:
            given = f"{array.ndim} dimensions"
            raise InvalidArgument(owner, "values", "one-dimensional", given)
        if array.size and array.dtype.kind not in "iu":
            rule = "an array of integers"
            raise InvalidArgument(owner, "values", rule, f"dtype {array.dtype}")
        if is_masked(values):
            raise InvalidArgument(owner, "values", "free of masked entries", "a masked array")
        if array.dtype.str[1:] == "u8":
            self._check_range(array)  # before they become negative
        return np.ascontiguousarray(array, dtype=np.int64)

    def _check_range(self, values: NDArray[Any]) -> None:
        d = self.mechanism.d
        if values.size and (values.min() < 0 or values.max() >= d):
            row = int(np.argmax((values < 0) | (values >= d)))
            owner, given = type(self.mechanism).__name__, int(values[row])
            raise InvalidArgument(owner, f"values[{row}]", f"in [0, {d - 1}]", given)


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


@contextmanager
def borrowed_buffers() -> Iterator[Buffers]:
    """Lend buffers that no thread is using."""
    try:
        buffers = _idle.pop()
    except IndexError:
        buffers = Buffers()
    try:
        yield buffers
    finally:
        _idle.append(buffers)


class Words:
    """The random words of one chunk of reports.

    One stream is for those whose number is fixed, stretch after stretch, and one for a tail.
    """

    def __init__(self, buffers: Buffers, fixed: Keystream, tail: Keystream) -> None:
        self._buffers = buffers
        self._fixed, self._further = fixed, tail
        self.tail = np.empty(0, dtype=np.uint8)  # for whatever else is needed, in order of need
        self._more = TAIL_BYTES

    def take(self, *sizes: int) -> list[NDArray[np.uint8]]:
        """Return pieces of these sizes, multiples of 8 but for the last; until called again."""
        total = sum(sizes)
        words = self._fixed.fill(self._buffers.room("fixed", total), total)
        return [words[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True)]

    def take_tossed(self, count: int, coin: tuple[int, int], *sizes: int) -> list[NDArray[Any]]:
        """Return so many coins, tossed from words with some to spare, and pieces of these sizes."""
        coins, *pieces = self.take(8 * (count + count // 64 + 16), *sizes)
        return [self.toss(coins, count, coin), *pieces]

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
        done = kernels.subset_draws.toss(words, 0, *bounds, result)
        while done < count:
            result[done] = self._next_below(total) < heads
            done = kernels.subset_draws.toss(words[:count], done + 1, *bounds, result)
        return result

    def below(self, piece: NDArray[np.uint8], n: int) -> NDArray[np.uint64]:
        """Return uniform integers of [0, n), one from each word of the piece, for n < 2**64.

        A word at or above the largest multiple of n that fits is replaced by reading on.
        """
        limit = (1 << 64) // n * n
        words = piece.view("<u8")
        for i in np.flatnonzero(words > np.uint64(limit - 1)):
            words[i] = self._next_below(limit)
        words %= np.uint64(n)
        return words

    def pick(self, piece: NDArray[np.uint8], fractions: Fractions) -> NDArray[np.int64]:
        """Return for each word of the piece how many fractions are at or below a uniform number.

        Where the word does not tell, as good as never, it takes reading on (`Stream.pick`).
        """
        words, leads = piece.view("<u8"), np.array(fractions[0], dtype=np.uint64)
        picked = self._buffers.room("picks", 8 * len(words))[: 8 * len(words)].view(np.int64)
        done = kernels.option_draws.pick(words, leads, 0, picked)
        while done < len(words):
            picked[done] = Stream(self._after(words[done].tobytes()), 8).pick(*fractions)
            done = kernels.option_draws.pick(words, leads, done + 1, picked)
        return picked

    def _after(self, seen: bytes) -> Callable[[int], bytes]:
        """Return a source of bytes that were seen already, and then reads on."""
        pieces = [seen]
        return lambda size: pieces.pop() if pieces else self._fixed.read(size)

    def _next_below(self, limit: int) -> int:
        word = limit
        while word >= limit:
            word = int.from_bytes(self._fixed.read(8), "little")
        return word

    def extend_tail(self) -> None:
        """Read on, each time more; never less than is left, for which one report may be waiting."""
        left = len(self.tail)
        more = max(left, self._more)
        self._more = min(2 * self._more, MOST_TAIL_BYTES)
        kept = self.tail.copy()
        room = self._buffers.room("tail", left + more)
        room[:left] = kept
        self._further.fill(room[left:], more)
        self.tail = room[: left + more]


def words_of(d: int) -> int:
    """Return how many 64-bit words hold d bits."""
    return (d + WORD - 1) // WORD


def are_few(rows: NDArray[Any]) -> bool:
    """Tell if numpy looks at so few rows sooner than numba is loaded."""
    return len(rows) * PLAIN_REPORT <= PLAIN_WORK


def is_masked(array: object) -> bool:
    """Tell if entries are hidden; where there is such an array, its module is imported."""
    return "numpy.ma" in sys.modules and bool(np.ma.is_masked(array))
