"""Unary encodings for analysts: batches of bitmaps, and how many have each bit set."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.bits.optimized_unary import OptimizedUnary
from ..device.mechanisms.bits.two_level_unary import TwoLevelUnary
from ..device.mechanisms.bits.unary import Unary
from . import kernels
from .analyst import Analyst, half_of
from .arrays import Integers
from .batch import STRETCH_BYTES, Batches, Drawn, Rows, Words, words_of
from .counter import Counter, Reports, count_bits, padded
from .estimator import HitRates

# Planes that decide all but 1 in 256 bits of a batch.
PLANES = 8


@half_of.register(Unary)
def _(mechanism: Unary) -> Analyst:
    return _analyst(BitBatches(mechanism))


@half_of.register(OptimizedUnary)
def _(mechanism: OptimizedUnary) -> Analyst:
    return _analyst(TossedBatches(mechanism))


@half_of.register(TwoLevelUnary)
def _(mechanism: TwoLevelUnary) -> Analyst:
    return _analyst(TwoLevelBatches(mechanism))


def _analyst(batches: BitBatches) -> Analyst:
    return Analyst(HitRates(batches.mechanism), batches, BitCounter(batches.mechanism))


class BitBatches(Batches[Unary]):
    """Flips the bits of one-hot answers, plane by plane."""

    @property
    def rows(self) -> int:
        """As many rows as a stretch of planes is for."""
        return max(1, STRETCH_BYTES // (8 * prod(self._planes(1))))

    def _planes(self, rows: int) -> tuple[int, int, int]:
        """Return the shape of the random words behind a stretch's bits."""
        return PLANES, rows, words_of(self.mechanism.d)

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw the planes."""
        (planes,) = words.take(8 * prod(self._planes(rows)))
        return (planes.view("<u8").reshape(PLANES, -1),)

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports until the tail of further digits runs out."""
        values, drawn, out = rows
        rest = tail[: len(tail) // 8 * 8].view("<u8")
        is_wide = out.shape[1] % 8 == 0  # the bitmaps are rows of whole words themselves
        shape = len(out), words_of(self.mechanism.d)
        wide = out.view("<u8") if is_wide else np.empty(shape, dtype="<u8")
        integers = first, self.mechanism.d, np.uint64(self.mechanism.flip)
        done, used = kernels.entry_draws.fill_flips(
            values, drawn[0], rest, wide.reshape(-1), *integers
        )
        if not is_wide:
            kernels.entry_draws.narrow(wide[first:done], out[first:done])
        return done, 8 * used


class TossedBatches(BitBatches):
    """Also tosses a fair coin for the bit of the person's value."""

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw the planes, and a byte for each coin."""
        planes, coins = words.take(8 * prod(self._planes(rows)), rows)
        return planes.view("<u8").reshape(PLANES, -1), coins

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports until the tail of further digits runs out."""
        done, used = super().fill(rows, tail, first)
        kernels.entry_draws.toss_own_bits(rows.values, rows.words[1], rows.out, first, done)
        return done, used


class TwoLevelBatches(BitBatches):
    """Draws each person's permanent response, and one report over it."""

    def __init__(self, mechanism: TwoLevelUnary) -> None:
        super().__init__(mechanism)
        self._flips = mechanism.flip, mechanism.noise

    @property
    def rows(self) -> int:
        """Half as many rows, as there are two levels of planes."""
        return max(1, super().rows // 2)

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw the planes of both levels, and a byte for each coin."""
        size = 8 * prod(self._planes(rows))
        *levels, coins = words.take(size, size, rows)
        return *(level.view("<u8").reshape(PLANES, -1) for level in levels), coins

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write all reports, first one level and then the other, or none if the tail is short.

        Both levels invert the bit of the person's value, and so neither does in the end.
        """
        values, (*levels, coins), out = rows
        m, rest = self.mechanism, tail[: len(tail) // 8 * 8].view("<u8")
        wide, used = np.zeros((len(out), words_of(m.d)), dtype="<u8"), 0
        for planes, flip in zip(levels, self._flips, strict=True):
            bits = np.empty_like(wide)
            integers = 0, m.d, np.uint64(flip)
            done, more = kernels.entry_draws.fill_flips(
                values, planes, rest[used:], bits.reshape(-1), *integers
            )
            if done < len(out):
                return 0, 0
            wide ^= bits
            used += more
        kernels.entry_draws.narrow(wide, out)
        kernels.entry_draws.toss_own_bits(values, ~coins, out, 0, len(out))
        return len(out), 8 * used


class BitCounter(Counter[Unary]):
    """Counts how many bitmaps have each bit set."""

    def invalid(self, reports: Reports) -> NDArray[np.bool_]:
        """Return which rows have a bit too many."""
        return padded(reports, self.mechanism.d)

    def add_few(self, reports: Reports, total: Integers) -> None:
        """Add checked reports to a total."""
        total += count_bits(reports, self.mechanism.d)

    def add_many(self, reports: Reports, total: Integers) -> int:
        """Check and count reports; return the first invalid row, or -1."""
        return int(kernels.report_counts.count_bitmaps(reports, self.mechanism.d, total))
