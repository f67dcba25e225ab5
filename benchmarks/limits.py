"""What the machine can do at most on one core: reading, writing, and random bytes."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numba import njit

from privet.device.keystream import Keystream

from .timing import Scale, Work, seconds_a_unit

if TYPE_CHECKING:
    from collections.abc import Iterator

# Far more than any cache, and a block of keystream that stays in the second level's.
_MEMORY_BYTES = 1 << 29
_BLOCK_BYTES = 1 << 18


@njit(nogil=True)
def _sum_words(words):
    """Compiled to four vector accumulators, which measures faster than as many written out."""
    total = np.uint64(0)
    for i in range(words.size):
        total += words[i]
    return total


@njit(nogil=True)
def _fill_words(words, word):
    for i in range(words.size):
        words[i] = word


def reading(scale: Scale) -> Work:
    """Read memory once; a unit is a byte."""
    words = np.ones(scale(_MEMORY_BYTES) // 8, dtype=np.uint64)
    return Work(lambda: _sum_words(words), words.nbytes)


def writing(scale: Scale) -> Work:
    """Write memory once; a unit is a byte."""
    words = np.ones(scale(_MEMORY_BYTES) // 8, dtype=np.uint64)
    return Work(lambda: _fill_words(words, np.uint64(1)), words.nbytes)


def keystream(size: int) -> Work:
    """Make `size` random bytes and forget them; a unit is a byte."""
    encryptor = Cipher(algorithms.AES256(os.urandom(32)), modes.CTR(bytes(16))).encryptor()
    zeros, out = bytes(_BLOCK_BYTES), bytearray(_BLOCK_BYTES)
    blocks, rest = divmod(size, _BLOCK_BYTES)
    tail = memoryview(zeros)[:rest]

    def run() -> None:
        for _ in range(blocks):
            encryptor.update_into(zeros, out)
        encryptor.update_into(tail, out)

    return Work(run, size)


def gigabytes_a_second(scale: Scale) -> dict[str, float]:
    works = {
        "reading memory": reading(scale),
        "writing memory": writing(scale),
        "AES-256-CTR keystream": keystream(scale(_MEMORY_BYTES)),
    }
    times = seconds_a_unit(scale.repeats, *works.values())
    return {name: 1e-9 / time for name, time in zip(works, times, strict=True)}


@contextmanager
def counting_random_bytes() -> Iterator[list[int]]:
    """Yield a list whose one item becomes the number of bytes read from keystreams meanwhile."""
    taken = [0]
    read, fill = Keystream.read, Keystream.fill

    def counted_read(self, size):
        taken[0] += size
        return read(self, size)

    def counted_fill(self, buffer, size):
        taken[0] += size
        return fill(self, buffer, size)

    Keystream.read, Keystream.fill = counted_read, counted_fill
    try:
        yield taken
    finally:
        Keystream.read, Keystream.fill = read, fill
    if not taken[0]:
        raise RuntimeError("privet read its random bytes in a way that is not counted here.")
