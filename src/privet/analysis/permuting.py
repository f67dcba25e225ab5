"""Rows in an order drawn at random, in memory: all orders are equally likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..device.entropy import Stream
from ..device.keystream import Keystream
from . import kernels

__all__ = ["permute"]

_WORD_BITS = 32
_PLAIN_ROWS = 1 << 11  # up to so many, numba is not worth loading


def permute(rows: NDArray[np.uint8], words: Keystream) -> None:
    """Put rows in random order, in place.

    >>> from privet.entropy import seeded
    >>> rows = np.arange(5, dtype=np.uint8)[:, None]
    >>> permute(rows, seeded(1).keystream())
    >>> sorted(rows[:, 0].tolist())
    [0, 1, 2, 3, 4]
    """
    left = len(rows)
    if left <= _PLAIN_ROWS:
        below, order = Stream(words.read, 8 * left).below, list(range(left))
        for last in range(left - 1, 0, -1):
            other = below(last + 1)
            order[last], order[other] = order[other], order[last]
        rows[:] = rows[order]
        return
    while left > 1:  # words that draw nothing are few, and are made up for here
        some = np.frombuffer(words.read(left * _WORD_BITS // 8), dtype="<u4")
        left = kernels.row_orders.permute(rows, left, some, _WORD_BITS)
