"""Reports in an order drawn at random, so that a report's place says nothing of whose it is.

Any number of them in bounded memory: each goes to one of a few piles, drawn at random, and at the
end every pile is put in random order. All orders of all reports are then equally likely.
"""

from __future__ import annotations

from contextlib import ExitStack
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

from ..entropy import secure

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from .reports import ReportsWriter

# Piles, a power of 2 up to 256, and how much of each stays in memory.
_PILES, _PILE_BYTES = 64, 1 << 20


class Shuffling:
    """Hand reports on to a writer, in random order, when the block ends without error."""

    def __init__(self, writer: ReportsWriter) -> None:
        self._writer = writer
        self._words = secure().keystream()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._piles = [
                stack.enter_context(SpooledTemporaryFile(_PILE_BYTES)) for _ in range(_PILES)
            ]
            self._stack = stack.pop_all()
        return self

    def write(self, reports: NDArray[np.uint8]) -> None:
        """Take reports, uint8 (n, report_bytes)."""
        self._size = reports.shape[1]
        pile_of = np.frombuffer(self._words.read(len(reports)), dtype=np.uint8) % _PILES
        order = np.argsort(pile_of, kind="stable")
        ends = np.cumsum(np.bincount(pile_of, minlength=_PILES))
        for pile, some in zip(self._piles, np.split(order, ends[:-1]), strict=True):
            pile.write(reports[some].tobytes())

    def __exit__(self, kind: Any, *error: Any) -> None:
        with self._stack:
            for pile in self._piles if kind is None else ():
                pile.seek(0)
                data = pile.read()
                if data:
                    self._hand_on(np.frombuffer(data, dtype=np.uint8).reshape(-1, self._size))

    def _hand_on(self, reports: NDArray[np.uint8]) -> None:
        keys = np.frombuffer(self._words.read(8 * len(reports)), dtype=np.uint64)
        self._writer.write(reports[np.argsort(keys)])
