"""The random words that samplers use, for tests of randomness: without end, piece by piece.

`biased` is a control, which any test must refuse.
"""

import os
from collections.abc import Iterator

import numpy as np

from privet import Survey
from privet.device.entropy import KeyedBytes
from privet.device.keystream import FILL_SLACK
from privet.entropy import Stream, keyed, secure

PIECE = 1 << 20
SURVEY = Survey("Which?", [f"answer {i}" for i in range(100)], 1.0)


def batches() -> Iterator[bytes]:
    """Yield the words of compiled batches: AES-256-CTR, a megabyte of each stream of one key."""
    entropy = secure()
    buffer = np.empty(PIECE + FILL_SLACK, dtype=np.uint8)
    while True:
        yield entropy.keystream().fill(buffer, PIECE).tobytes()


def counter() -> Iterator[bytes]:
    """Yield the bytes of one person's key on and on: HMAC-SHA256 of a counter."""
    source = KeyedBytes(os.urandom(32))
    while True:
        yield source.read(1 << 12)  # as long texts are joined slowly


def people() -> Iterator[bytes]:
    """Yield what keyed reports read: the first bytes of one key after another, person by person.

    Secrets are counted up, so that they differ as little as secrets can.
    """
    context = bytes.fromhex(SURVEY.fingerprint) + bytes(8)
    first = int.from_bytes(os.urandom(16))
    size = SURVEY.mechanism.stream_bytes
    for person in range(2**64):
        yield keyed(((first + person) % 2**128).to_bytes(16), context)(size)


def draws() -> Iterator[bytes]:
    """Yield words as single reports draw them from the operating system, by a `Stream`."""
    while True:
        stream = Stream(os.urandom, 1 << 12)
        yield b"".join([stream.below(2**64).to_bytes(8, "little") for _ in range(1 << 9)])


def biased() -> Iterator[bytes]:
    """Yield bits of which 51 % are ones."""
    random = np.random.default_rng()
    while True:
        yield np.packbits(random.random(PIECE) < 0.51).tobytes()
