"""Random bytes, and the exact draws that reports are made of.

A single report reads `os.urandom`, or `keyed(secret, context)`: the same secret and context give
the same bytes, so that a client that is asked again gives the same report. A batch takes its bytes
from an `Entropy`: `secure()` is AES-256-CTR keyed by the operating system; `seeded(seed)` is
reproducible, for simulation and tests only, never for a person's answer.

A `Stream` turns bytes into draws. Each is exact: the outcomes are equally likely (or in an exact
rational proportion) when the bytes are uniform, because out-of-range values are drawn again and
never folded back by a modulo or scaled through a float. docs/algorithm.md is the normative text
that clients in other languages follow byte by byte.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from hashlib import sha256
from hmac import digest
from operator import length_hint
from struct import unpack_from
from typing import Any

from ..errors import InvalidArgument
from ..errors.arguments import whole
from .keystream import Keystream

# Numbers of [0, 1) as `fractions` returns them.
Fractions = tuple[list[int], list[int], int]

__all__ = ["Entropy", "Stream", "keyed", "secure", "seeded"]

MIN_SECRET_BYTES = 16
# How a key becomes bytes, as surveys name it.
HMAC_SHA256, AES_256_CTR = "hmac-sha256", "aes-256-ctr"

_MARK = 1 << 64
_CARRY = 3 * _MARK - 1

_from_bytes = int.from_bytes


@cache
def _bits(width: int) -> Callable[[int], int]:
    """Return a look-up from a byte to the bit at the position that its low bits name."""
    return tuple(1 << (byte & (1 << width) - 1) for byte in range(256)).__getitem__


@lru_cache(64)
def _whole_multiple(n: int) -> int:
    """Return the largest multiple of n that 64 bits can count up to."""
    return _MARK // n * n


def fractions(numerators: list[int], total: int) -> Fractions:
    """Return numbers numerator / total of [0, 1), as `Stream.pick` takes them.

    Those are the first 64 binary digits of each, and the numerators and the total of the rest.

    >>> fractions([1, 2], 3) == ([2**64 // 3, 2**65 // 3], [1, 2], 3)
    True
    """
    digits = [divmod(numerator << 64, total) for numerator in numerators]
    return [lead for lead, _ in digits], [rest for _, rest in digits], total


class Stream:
    """The draws that a report is made of, from a source of random bytes.

    `read(size)` returns that many bytes; `expected` is how many to ask for at first. However the
    bytes are chunked, the draws are the same.
    """

    __slots__ = ("_at", "_data", "_read")

    def __init__(self, read: Callable[[int], bytes], expected: int) -> None:
        self._read = read
        self._data = read(expected)
        self._at = 0

    def coin(self, heads: int, total: int) -> int:
        """Return 1 with probability heads / total exactly, else 0; 0 <= heads <= total <= 2**64.

        Eight bytes at a time, until their value is below `total`. The result is a carry, not a
        comparison, whose branch a processor would learn: it takes equally long for both.
        """
        return (_CARRY + heads - self._marked(total) >> 64) - 1

    def streak(self, heads: int, total: int, most: int) -> int:
        """Return how many coins in a row are heads, at most `most`: the same as coin by coin.

        Unlike a coin, it takes longer for more heads: it is for what is no secret.
        """
        length = 0
        while length < most:
            if self._at + 8 > len(self._data):
                self._refill(8)
            (word,) = unpack_from("<Q", self._data, self._at)
            self._at += 8
            if word < heads:
                length += 1
            elif word < total:
                break
        return length

    def below(self, n: int) -> int:
        """Return a uniform integer of [0, n), for n <= 2**64.

        Eight bytes at a time, until their value is below the largest multiple of n that fits.
        """
        return (self._marked(_whole_multiple(n)) - _MARK) % n

    def below_either(self, sizes: tuple[int, int], which: int) -> tuple[int, int]:
        """Return an integer below each of two sizes, of which the one at `which` is `below` its.

        The other is there so that the same work is done for both.
        """
        limits = _whole_multiple(sizes[0]), _whole_multiple(sizes[1])
        word = self._marked(limits[which]) - _MARK
        return word % sizes[0], word % sizes[1]

    def pick(self, leads: list[int], rests: list[int], total: int) -> int:
        """Return how many of increasing `fractions` are at or below a uniform number of [0, 1).

        Eight bytes are the first 64 binary digits of that number. Only where they are those of a
        fraction, too, do eight more say which of the two is larger, and so on: it is exact.
        """
        below = 0
        while leads:
            word = self.below(_MARK)
            first, end = bisect_left(leads, word), bisect_right(leads, word)
            below += first
            leads, rests, total = fractions(rests[first:end], total)
        return below

    def _marked(self, limit: int) -> int:
        """Return eight bytes as an integer, the first ones that are below the limit, plus 2**64.

        So marked, small ones take as long as large ones.
        """
        limit += _MARK
        while True:
            at = self._at
            end = at + 8
            if end > len(self._data):
                self._refill(8)
                continue
            self._at = end
            value = _from_bytes(self._data[at:end] + b"\1", "little")
            if value < limit:
                return value

    def coins(self, count: int, numerator: int, bits: int) -> int:
        """Return `count` independent bits, each 1 with probability numerator / 2**bits exactly.

        Bit planes, the most significant first, meet the binary digits of the numerator at all
        positions at once, until every position is decided: at a digit 1 a set bit means 1, at a
        digit 0 a clear bit means 0, and the others wait for the next plane.
        """
        size = (count + 7) >> 3
        undecided = (1 << count) - 1
        ones = 0
        data, at = self._data, self._at
        while bits and undecided:
            bits -= 1
            end = at + size
            if end > len(data):
                self._at = at
                self._refill(size)
                data, at, end = self._data, 0, size
            agree = undecided & _from_bytes(data[at:end], "little")
            at = end
            if numerator >> bits & 1:
                ones |= agree
                undecided ^= agree
            else:
                undecided = agree
        self._at = at
        return ones

    def members(self, n: int, population: int, count: int) -> tuple[int, int]:
        """Return `count` >= 1 members of a population, uniformly, and the one drawn last.

        Sets are bit masks over positions [0, n). Positions are drawn until `count` different ones
        lie in the population.
        """
        width = (n - 1).bit_length()
        rest = population
        if width <= 8:
            table = _bits(width)
            while True:
                positions = iter(self._data[self._at :])
                for bit in map(table, positions):
                    if rest & bit:
                        rest ^= bit
                        count -= 1
                        if not count:
                            self._at = len(self._data) - length_hint(positions)
                            return population ^ rest, bit
                self._at = len(self._data)
                self._refill(1)
        bit = 0
        positions = self._positions(width)
        while count:
            bit = 1 << next(positions)
            if rest & bit:
                rest ^= bit
                count -= 1
        return population ^ rest, bit

    def distinct(self, n: int, count: int) -> list[int]:
        """Return `count` different integers of [0, n), uniformly, in the order drawn.

        The sparse twin of `members`: the same bytes give the same positions.
        """
        drawn: dict[int, None] = {}
        positions = self._positions((n - 1).bit_length())
        while len(drawn) < count:
            position = next(positions)
            if position < n:
                drawn[position] = None
        return list(drawn)

    def _positions(self, width: int) -> Iterator[int]:
        """Yield uniform integers of `width` bits, each from the smallest word that holds them."""
        size, code = (1, "B") if width <= 8 else (2, "H") if width <= 16 else (4, "I")
        mask = (1 << width) - 1
        while True:
            count = (len(self._data) - self._at) // size
            for word in unpack_from(f"<{count}{code}", self._data, self._at):
                self._at += size
                yield word & mask
            self._refill(size)

    def _refill(self, need: int) -> None:
        """Keep the unread tail and read at least `need` bytes more, as many as last time."""
        tail = self._data[self._at :]
        self._data = tail + self._read(max(need, len(self._data)))
        self._at = 0


class KeyedBytes:
    """The bytes of a key: HMAC-SHA256 of a counter, block after block (docs/algorithm.md, 6)."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._block = 0
        self._left = b""

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        data = self._left
        while len(data) < size:
            data += digest(self._key, self._block.to_bytes(8, "big"), "sha256")
            self._block += 1
        self._left = data[size:]
        return data[:size]


class Entropy:
    """A 256-bit key from which any number of independent streams flow in order, for batches.

    Secure entropy cannot be pickled, and takes a new key in a forked process: two workers never
    share their randomness.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._secure = key is None
        self._key = os.urandom(32) if key is None else key
        self._next = 0
        self._process = os.getpid()

    def keystream(self) -> Keystream:
        """Return the next stream; no two calls return the same one."""
        if self._secure and self._process != os.getpid():
            self._key, self._process = os.urandom(32), os.getpid()
        index = self._next
        self._next += 1
        return Keystream(self._key, index)

    def __reduce__(self) -> str | tuple[Any, ...]:
        if self._secure:
            raise TypeError("Secure entropy cannot be pickled: make one where it is used.")
        return super().__reduce__()


def secure() -> Entropy:
    """Entropy keyed by the operating system."""
    return Entropy()


def seeded(seed: int) -> Entropy:
    """Reproducible entropy, for simulation and tests only: anyone with the seed has the answers.

    >>> seeded(1).keystream().read(4) == seeded(1).keystream().read(4)
    True
    """
    seed = whole("seeded", "seed", seed, 0)

    return Entropy(sha256(b"privet seed %d" % seed).digest())


def keyed(secret: bytes, context: bytes, stream: str = HMAC_SHA256) -> Callable[[int], bytes]:
    """Return a source of bytes that depend on a secret and a public context alone.

    `stream` names how the key becomes bytes, as a survey does: HMAC-SHA256 of a counter, or
    AES-256-CTR, which surveys of version 1 use and which needs privet[analysis].

    >>> first, second = (keyed(b"sixteen bytes ok", b"context") for _ in range(2))
    >>> first(8) == second(8)
    True
    """
    if not isinstance(secret, bytes) or len(secret) < MIN_SECRET_BYTES:
        # The value is a secret: say how long it is, not what it is.
        given = f"{len(secret)} bytes" if isinstance(secret, bytes) else type(secret).__name__
        raise InvalidArgument("keyed", "secret", f"at least {MIN_SECRET_BYTES} bytes", given)

    key = digest(secret, b"privet answer " + context, "sha256")
    if stream == HMAC_SHA256:
        return KeyedBytes(key).read
    return Entropy(key).keystream().read
