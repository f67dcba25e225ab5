"""Rows in an order drawn at random, so that a report's place says nothing of whose it is.

Any number of them in bounded memory: each goes to one of a few piles, drawn at random, and at the
end every pile is put in random order. All orders of all rows are then equally likely.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile, gettempdir
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..analysis import kernels
from ..analysis.permuting import permute
from ..device.entropy import secure
from ..device.files import NO_ROOM

__all__ = ["Shuffling"]

# Piles, a power of 2 up to 256, and how much of each stays in memory.
_PILES, _PILE_BYTES = 64, 1 << 20
_PLAIN_ROWS = 1 << 16  # up to so many dealt at once, numba is not worth loading


class Shuffling:
    """Takes rows of bytes, all of one length, and gives them back in random order."""

    def __init__(self) -> None:
        self._words = secure().keystream()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._piles = [
                stack.enter_context(SpooledTemporaryFile(_PILE_BYTES)) for _ in range(_PILES)
            ]
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def add(self, rows: NDArray[np.uint8], numbers: NDArray[np.int32] | None = None) -> None:
        """Take rows, uint8 (n, width), and a number for each, which stays with it."""
        self._width = rows.shape[1]
        if numbers is not None:
            rows = np.hstack([rows, numbers[:, None].view(np.uint8)])
        self._whole = rows.shape[1]
        pile_of = np.frombuffer(self._words.read(len(rows)), dtype=np.uint8) % _PILES
        dealt, ends = _deal(rows, pile_of)
        try:
            for pile, some in zip(self._piles, np.split(dealt, ends[:-1]), strict=True):
                pile.write(some.data)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            rule = (
                f"{error.strerror} while the reports' order is drawn; TMPDIR names another folder"
            )
            raise OSError(error.errno, rule, gettempdir()) from None

    def drain(self) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int32] | None]]:
        """Yield the rows, pile after pile, and their numbers."""
        for pile in self._piles:
            pile.seek(0)
            data = pile.read()
            if data:
                rows = np.frombuffer(bytearray(data), dtype=np.uint8).reshape(-1, self._whole)
                permute(rows, self._words)
                numbers = np.ascontiguousarray(rows[:, self._width :]).view(np.int32)
                yield rows[:, : self._width], numbers[:, 0] if numbers.size else None


def _deal(
    rows: NDArray[np.uint8], pile_of: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the rows pile after pile, each pile's in their order, and where each pile ends."""
    if len(rows) <= _PLAIN_ROWS:
        ends = np.cumsum(np.bincount(pile_of, minlength=_PILES))
        return rows[np.argsort(pile_of, kind="stable")], ends
    dealt, ends = np.empty_like(rows), np.zeros(_PILES, dtype=np.int64)
    kernels.row_orders.deal(rows, pile_of, dealt, ends)
    return dealt, ends
