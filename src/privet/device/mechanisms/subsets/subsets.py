"""Reports that are sets of k of some points, E times likelier if they hold the person's value.

Whether all sets of k points occur (`KSubset`) or the blocks of a design (`Design`), the chances
depend on nothing but the number of points v, k, and E = odds / 2^scale <= e^ε.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from ..base import exactly
from ..symmetric import Shrinkable


class Subsets(Shrinkable):
    """A mechanism whose report holds the person's value with probability kE / D, D = kE + v − k."""

    points: int
    k: int
    odds: int
    scale: int

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """Exactly odds / 2^scale."""
        return exactly(self.odds, 1 << self.scale)

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly g = kE/D and h = (k − g)/(v − 1)."""
        g = exactly(self.k * self.odds, self.total)
        return g, (self.k - g) / (self.points - 1)

    @cached_property
    def total(self) -> int:
        """D · 2^scale."""
        return self.k * self.odds + (self.points - self.k << self.scale)

    @cached_property
    def coin(self) -> tuple[int, int]:
        """Heads and total of the hit, scaled up so that a 64-bit word is rarely redrawn."""
        factor = (2**64 - 1) // self.total
        return factor * self.k * self.odds, factor * self.total
