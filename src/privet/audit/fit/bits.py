"""Reports of bits, each drawn by itself, held against their law: unary, filters, and noise."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

from ...analysis.counter import count_bits, read_numbers
from ...device.mechanisms.bits.unary import Unary
from ...device.mechanisms.flips import ONE
from ...device.mechanisms.hashes.rappor import Rappor
from ...device.mechanisms.noise.geometric import GeometricNoise
from ..events import bits_at, filters_of
from .base import FitToLaw, M, Reports, fit_of
from .statistics import Check, binomial, cells, coded, spread

# How many bits are looked at together, and how many steps of noise.
_TOGETHER, _STEPS = 8, 64


class Bits(FitToLaw[M]):
    """Looks at bits of which one has a chance of its own, g, and all others have another, h."""

    def __init__(
        self, mechanism: M, value: int, size: int, own: int | None, g: float, h: float
    ) -> None:
        super().__init__(mechanism, value)
        self._size, self._own, self._rates = size, own, (g, h)
        spaced = np.linspace(0, size - 1, _TOGETHER).astype(int).tolist()
        self._together = list(dict.fromkeys([*([] if own is None else [own]), *spaced]))
        self._each = np.zeros(size, dtype=np.int64)
        self._many = np.zeros(size + 1, dtype=np.int64)
        self._patterns = np.zeros(1 << len(self._together), dtype=np.int64)

    def count(self, reports: Reports) -> None:
        """Count bits, by themselves and together."""
        self._each += count_bits(reports, self._size)
        many = np.bitwise_count(reports).sum(axis=1, dtype=np.int64)
        if self._own is not None:
            many -= bits_at(reports, [self._own])[:, 0]
        self._many += np.bincount(many, minlength=self._size + 1)
        codes = coded(bits_at(reports, self._together))
        self._patterns += np.bincount(codes, minlength=len(self._patterns))

    def checks(self) -> list[Check]:
        """Return the p-value of each look."""
        (g, h), others, each = self._rates, self._size, self._each
        found = []
        if self._own is not None:
            others, each = self._size - 1, np.delete(self._each, self._own)
            found.append(Check("hits", binomial(int(self._each[self._own]), self.n, g)))
        chances = np.ones(1)
        for place in reversed(self._together):
            rate = g if place == self._own else h
            chances = np.multiply.outer(chances, [1 - rate, rate]).ravel()
        number = binom.pmf(np.arange(self._size + 1), others, h)
        return [
            *found,
            Check("other bits", spread(each, self.n, h)),
            Check("bits together", cells(self._patterns, chances)),
            Check("number of other bits", cells(self._many, number)),
        ]


@fit_of.register(Unary)
def _(mechanism: Unary, value: int) -> Bits[Unary]:
    return Bits(mechanism, value, mechanism.d, value, mechanism.g, mechanism.h)


@fit_of.register(GeometricNoise)
class FitOfNoise(Bits[GeometricNoise]):
    """Looks at which entries are above 0, as bits, and at how far they are from there."""

    def __init__(self, mechanism: GeometricNoise, value: int) -> None:
        flip = mechanism.flip / ONE
        super().__init__(mechanism, value, mechanism.d, value, 1 - flip, flip)
        self._steps = np.zeros(min(_STEPS, mechanism.limit) + 1, dtype=np.int64)

    def count(self, reports: Reports) -> None:
        """Count signs and steps."""
        m = self.mechanism
        entries = np.ascontiguousarray(reports).view(f"<u{m.entry_bytes}").astype(np.int32)
        above = entries > m.limit
        super().count(np.packbits(above, axis=1, bitorder="little"))
        steps = np.where(above, entries - m.limit - 1, m.limit - entries)
        last = len(self._steps) - 1
        self._steps += np.bincount(steps.clip(max=last).ravel(), minlength=last + 1)

    def checks(self) -> list[Check]:
        """Return the p-value of each look."""
        alpha = float(self.mechanism.alpha)
        law = (1 - alpha) * alpha ** np.arange(len(self._steps))
        law[-1] = alpha ** (len(law) - 1)
        return [*super().checks(), Check("steps of noise", cells(self._steps, law))]


@fit_of.register(Rappor)
class Filters(Bits[Rappor]):
    """Looks at cohorts, and at which bits differ from the value's filter."""

    def __init__(self, mechanism: Rappor, value: int) -> None:
        q = float(mechanism.telling_rates[1])
        super().__init__(mechanism, value, mechanism.bits, None, q, q)
        self._filters = filters_of(mechanism, value)
        self._cohorts = np.zeros(mechanism.cohorts, dtype=np.int64)

    def count(self, reports: Reports) -> None:
        """Count cohorts and flips."""
        first = self.mechanism.cohort_bytes
        cohorts = read_numbers(reports[:, :first]).astype(np.int64)
        self._cohorts += np.bincount(cohorts, minlength=len(self._cohorts))
        super().count(reports[:, first:] ^ self._filters[cohorts])

    def checks(self) -> list[Check]:
        """Return the p-value of each look."""
        even = np.full(len(self._cohorts), 1 / len(self._cohorts))
        return [Check("cohorts", cells(self._cohorts, even)), *super().checks()]
