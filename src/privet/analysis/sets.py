"""The k-subset mechanism for sets, for analysts: batches of reports of several choices.

Counters are those of packed sets, with a counter for every blank too; shares are estimated as those
of any symmetric mechanism, each by itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.subsets.set_subset import SetSubset
from . import kernels
from .analyst import Analyst, half_of
from .batch import WORD, Drawn, Rows, Words
from .choices import ChoiceBatches
from .estimator import HitRates
from .subsets import counter_of


@half_of.register(SetSubset)
def _(mechanism: SetSubset) -> Analyst:
    return Analyst(HitRates(mechanism), SetBatches(mechanism), counter_of(mechanism))


class SetBatches(ChoiceBatches[SetSubset]):
    """Makes sets that meet those of rows of options."""

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw how many of the person's points each report holds: none where it does not meet."""
        overlaps = self.mechanism.overlaps
        coins, picks = words.take(8 * rows, 8 * rows if overlaps[0] else 0)
        drawn = words.pick(picks, overlaps) if overlaps[0] else np.zeros(rows, np.int64)
        drawn += 1
        drawn *= coins.view("<u8") < np.uint64(self.mechanism.meet)
        return (drawn,)

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports until the tail of positions runs out."""
        m = self.mechanism
        size = 1 if m.d <= 1 << 8 else 2
        positions = tail[: len(tail) // size * size].view(f"<u{size}")
        integers = first, m.d, m.most, m.k, m.index_bits
        few = m.points + m.most < 2 * WORD and m.k * m.index_bits <= WORD
        fill = kernels.option_draws.fill_small_sets if few else kernels.option_draws.fill_sets
        done, used = fill(rows.values, *rows.words, positions, rows.out, *integers)
        return done, size * used
