"""Reports that are sets of k of v points, held against their law.

They are likelier, and all equally so, if they meet the person's own points: the value itself, the
number of a set of options, or a set of options with blanks.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any

import numpy as np

from ...device.mechanisms.subsets.listed_sets import ListedSets
from ...device.mechanisms.subsets.packed import Packed
from ...device.mechanisms.subsets.set_subset import SetSubset
from ..events import holds, own_points
from .base import FitToLaw, Reports, fit_of
from .statistics import Check, binomial, cells, coded, exchangeable

# How many points are looked at together.
_TOGETHER = 8


@fit_of.register(Packed)
class Sets(FitToLaw[Packed]):
    """Looks at hits, at single members given a hit or a miss, and at some members together."""

    def __init__(self, mechanism: Packed, value: Any) -> None:
        super().__init__(mechanism, value)
        self._own = own_points(mechanism, value)
        spaced = np.linspace(0, mechanism.points - 1, _TOGETHER - 1).astype(int).tolist()
        self._together = list(dict.fromkeys([self._own[0], *spaced]))
        self._overlaps = np.zeros(len(self._own) + 1, dtype=np.int64)
        self._patterns = np.zeros(1 << len(self._together), dtype=np.int64)
        self._members = np.zeros((2, mechanism.points), dtype=np.int64)

    def count(self, reports: Reports) -> None:
        """Count overlaps, patterns and members."""
        m = self.mechanism
        overlaps = holds(m, reports, self._own).sum(axis=1)
        self._overlaps += np.bincount(overlaps, minlength=len(self._overlaps))
        patterns = coded(holds(m, reports, self._together))
        self._patterns += np.bincount(patterns, minlength=len(self._patterns))
        for met in (0, 1):
            m.fold(reports[(overlaps > 0) == met], self._members[met])

    def checks(self) -> list[Check]:
        """Return the p-value of each look."""
        misses = int(self._overlaps[0])
        hits, own = self.n - misses, len(self._own)
        others = np.delete(self._members, self._own, axis=1)
        missing = [self._of_a_miss(few) for few in (1, 2)]
        hitting = [self._of_a_hit(few, own=0) for few in (1, 2)]
        found = [
            Check("hits", binomial(hits, self.n, self._hit)),
            Check("members of misses", exchangeable(others[0], misses, *missing)),
            Check("members of hits", exchangeable(others[1], hits, *hitting)),
            Check("members together", cells(self._patterns, self._pattern_law())),
        ]
        if own > 1:
            law = [self._hit * self._overlap(j) for j in range(1, own + 1)]
            both = [self._of_a_hit(few, own=few) for few in (1, 2)]
            held = self._members[1][self._own]
            overlap = cells(self._overlaps, [1 - self._hit, *law])
            found += [
                Check("overlap with the person's set", overlap),
                Check("the person's members", exchangeable(held, hits, *both)),
            ]
        return found

    # --- the law --------------------------------------------------------------------------------

    @property
    def _hit(self) -> float:
        """How likely a report meets the person's points."""
        m: Any = self.mechanism
        if isinstance(m, SetSubset):
            return m.meet / 2**64
        return float((m.listed if isinstance(m, ListedSets) else m).g)

    def _sets(self, held: int, left_out: int = 0) -> int:
        """Return how many sets hold so many given points, and none of so many others."""
        v, k = self.mechanism.points, self.mechanism.k
        return comb(v - held - left_out, k - held) if held <= k else 0

    def _meeting(self, held: int = 0) -> int:
        """Return how many sets hold so many given points of others, and meet the person's."""
        return self._sets(held) - self._sets(held, len(self._own))

    def _of_a_hit(self, few: int, own: int) -> float:
        """Return how likely a hit holds a few given points, so many of them the person's."""
        return (self._sets(few) if own else self._meeting(few)) / self._meeting()

    def _of_a_miss(self, few: int) -> float:
        """Return how likely a miss holds a few given points of others."""
        own = len(self._own)
        return self._sets(few, own) / self._sets(0, own)

    def _overlap(self, j: int) -> float:
        """Return how likely a hit holds just j of the person's points."""
        own = len(self._own)
        return comb(own, j) * self._sets(j, own - j) / self._meeting()

    def _pattern_law(self) -> list[float]:
        """Return how likely just these of a few points are held, for all choices of them."""
        own, together = set(self._own), len(self._together)
        away = len(own.difference(self._together))

        @cache
        def chance(size: int, met: bool) -> float:
            every = self._sets(size, together - size)
            missing = 0 if met else self._sets(size, together - size + away)
            hit = (every - missing) / self._meeting()
            return self._hit * hit + (1 - self._hit) * (missing / self._sets(0, len(own)))

        chances = []
        for pattern in range(1 << together):
            chosen = {point for i, point in enumerate(self._together) if pattern >> i & 1}
            chances.append(chance(len(chosen), not own.isdisjoint(chosen)))
        return chances
