"""Reports of bits, each drawn by itself, held against their law: unary, filters, and noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

from ...analysis.counter import count_bits, read_numbers
from ...mechanisms.bits.unary import Unary
from ...mechanisms.flips import ONE
from ...mechanisms.hashes.rappor import Rappor
from ...mechanisms.noise.geometric import GeometricNoise
from ..events import bits_at, filters_of
from .base import Fit, fit_of
from .statistics import Check, binomial, cells, coded, spread

if TYPE_CHECKING:
    from .base import Reports

# How many bits are looked at together, and how many steps of noise.
_TOGETHER, _STEPS = 8, 64


class _Bits:
    """Counts bits of which one has a chance of its own, and all others have another."""

    def __init__(self, size: int, own: int | None) -> None:
        self._size, self._own = size, own
        spaced = np.linspace(0, size - 1, _TOGETHER).astype(int).tolist()
        self._together = list(dict.fromkeys([*([] if own is None else [own]), *spaced]))
        self._each = np.zeros(size, dtype=np.int64)
        self._many = np.zeros(size + 1, dtype=np.int64)
        self._patterns = np.zeros(1 << len(self._together), dtype=np.int64)

    def add(self, bitmaps: Reports) -> None:
        self._each += count_bits(bitmaps, self._size)
        many = np.bitwise_count(bitmaps).sum(axis=1, dtype=np.int64)
        if self._own is not None:
            many -= bits_at(bitmaps, [self._own])[:, 0]
        self._many += np.bincount(many, minlength=self._size + 1)
        codes = coded(bits_at(bitmaps, self._together))
        self._patterns += np.bincount(codes, minlength=len(self._patterns))

    def checks(self, n: int, g: float, h: float) -> list[Check]:
        others, each = self._size, self._each
        found = []
        if self._own is not None:
            others, each = self._size - 1, np.delete(self._each, self._own)
            found.append(Check("hits", binomial(int(self._each[self._own]), n, g)))
        chances = np.ones(1)
        for place in reversed(self._together):
            rate = g if place == self._own else h
            chances = np.multiply.outer(chances, [1 - rate, rate]).ravel()
        number = binom.pmf(np.arange(self._size + 1), others, h)
        return [
            *found,
            Check("other bits", spread(each, n, h)),
            Check("bits together", cells(self._patterns, chances)),
            Check("number of other bits", cells(self._many, number)),
        ]


class OneBitEach(Fit[Unary]):
    """Looks at the bit of the person's value, at all others, and at how they go together."""

    def __init__(self, mechanism: Unary, value: int) -> None:
        super().__init__(mechanism, value)
        self._bits = _Bits(mechanism.d, value)

    def count(self, reports: Reports) -> None:
        """Count bits."""
        self._bits.add(reports)

    def checks(self) -> list[Check]:
        """Return the p-value of each look."""
        return self._bits.checks(self.n, self.mechanism.g, self.mechanism.h)


class Noise(Fit[GeometricNoise]):
    """Looks at which entries are above 0, as bits, and at how far they are from there."""

    def __init__(self, mechanism: GeometricNoise, value: int) -> None:
        super().__init__(mechanism, value)
        self._bits = _Bits(mechanism.d, value)
        self._steps = np.zeros(min(_STEPS, mechanism.limit) + 1, dtype=np.int64)

    def count(self, reports: Reports) -> None:
        """Count signs and steps."""
        m = self.mechanism
        entries = np.ascontiguousarray(reports).view(f"<u{m.entry_bytes}").astype(np.int32)
        above = entries > m.limit
        self._bits.add(np.packbits(above, axis=1, bitorder="little"))
        steps = np.where(above, entries - m.limit - 1, m.limit - entries)
        last = len(self._steps) - 1
        self._steps += np.bincount(steps.clip(max=last).ravel(), minlength=last + 1)

    def checks(self) -> list[Check]:
        """Return the p-value of each look."""
        m = self.mechanism
        flip, alpha = m.flip / ONE, float(m.alpha)
        law = (1 - alpha) * alpha ** np.arange(len(self._steps))
        law[-1] = alpha ** (len(law) - 1)
        return [
            *self._bits.checks(self.n, 1 - flip, flip),
            Check("steps of noise", cells(self._steps, law)),
        ]


class Filters(Fit[Rappor]):
    """Looks at cohorts, and at which bits differ from the value's filter."""

    def __init__(self, mechanism: Rappor, value: int) -> None:
        super().__init__(mechanism, value)
        self._filters = filters_of(mechanism, value)
        self._cohorts = np.zeros(mechanism.cohorts, dtype=np.int64)
        self._flips = _Bits(mechanism.bits, None)

    def count(self, reports: Reports) -> None:
        """Count cohorts and flips."""
        first = self.mechanism.cohort_bytes
        cohorts = read_numbers(reports[:, :first]).astype(np.int64)
        self._cohorts += np.bincount(cohorts, minlength=len(self._cohorts))
        self._flips.add(reports[:, first:] ^ self._filters[cohorts])

    def checks(self) -> list[Check]:
        """Return the p-value of each look."""
        even = np.full(len(self._cohorts), 1 / len(self._cohorts))
        q = float(self.mechanism.telling_rates[1])
        return [Check("cohorts", cells(self._cohorts, even)), *self._flips.checks(self.n, q, q)]


fit_of.register(Unary, OneBitEach)
fit_of.register(GeometricNoise, Noise)
fit_of.register(Rappor, Filters)
