"""Hits: shares from counts that are binomial, or that a binomial count stands for.

If a report hits a value with probability g where the person holds it, and with probability h
elsewhere, the number f of hits of n people drawn at random is Binomial(n, h + θ(g − h)), where θ is
the value's share in the population. The ends of its interval are Clopper and Pearson's (1934), but
that the lower one is computed from min(f, ng) and the upper one from max(f, nh). A count
beyond these is one that no share makes likely; its own interval might lie outside [0, 1]. So every
interval has an upper end above 0 and a lower one below 1, and contains Clopper and Pearson's. The
p-value of "nobody holds it" is that of the same min(f, ng), so that it is at most alpha/2
exactly where the lower end exceeds 0.

Other estimates are sums of what single reports are worth, whose variance is `inside` for a person
who holds the value, and `outside` for others. There is one binomial count with these variances:

    g(1 − g)/(g − h)² = inside,   h(1 − h)/(g − h)² = outside.

It stands for such a sum (`matched`). The approximation is no worse than the normal law where events
are many, is skewed to the same side where they are few, and is exact without noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.forwards import Target
from .arrays import Floats
from .holders import Rates, fewest_holders
from .presence import binomial_tail, lower_limit, upper_limit

__all__ = ["Hits", "drawn"]

_ROUNDING = 1e-6  # of a person


def drawn(target: Target, n: int) -> float:
    """Return how much of the variance θ(1 − θ)/n of drawing n people remains, for the target.

    All of it for a population without end, none for the sample, and (N − n)/(N − 1) where they are
    n of N people (the finite population correction).

    >>> drawn("population", 100), drawn(199, 100), drawn(100, 100), drawn("sample", 100)
    (1.0, 0.5, 0.0, 0.0)
    """
    if isinstance(target, str):
        return 1.0 if target == "population" else 0.0
    return (target - n) / max(target - 1, 1)


class Hits:
    """Intervals and tests for shares, by the probabilities of hits; these may differ by count."""

    def __init__(self, rates: Rates, gain: Any) -> None:
        self._rates, self.gain = rates, gain  # the gain g − h, which floats g and h may not know
        (self._g, _), (self.h, _) = rates

    @classmethod
    def matched(cls, inside: Any, outside: Any) -> Hits:
        """Return those of the binomial count with the same variances.

        >>> Hits.matched(0.0, 0.0).interval(np.array([0.5]), 100, 0.05, "population")[0].round(3)
        array([0.398])
        """
        inside, outside = (np.asarray(each, dtype=np.float64) for each in (inside, outside))
        gain = 1 / np.sqrt(4 * outside + (1 + inside - outside) ** 2)
        h, not_g = (
            _smaller_root(gain * (1 + one - other), gain**2 * other)
            for one, other in ((inside, outside), (outside, inside))
        )
        return cls(Rates((1 - not_g, not_g), (h, 1 - h)), gain)

    def shares(self, counts: Any, n: int) -> Floats:
        """Return the unbiased estimate (f/n − h)/(g − h)."""
        shares: Floats = (counts / n - self.h) / self.gain
        return shares

    def interval(
        self, shares: Floats, n: int, alpha: float, target: Target
    ) -> tuple[Floats, Floats]:
        """Return the ends for estimated shares, which miss with probability alpha."""
        return self.ends(self._counts(shares, n), n, alpha, target)

    def p_values_of(self, shares: Floats, n: int) -> Floats:
        """Return how likely estimates are to be as large or larger if nobody holds the value."""
        return self.p_values(self._counts(shares, n), n)

    def _counts(self, shares: Floats, n: int) -> Floats:
        counts: Floats = n * (self.h + self.gain * shares)
        near = np.rint(counts)
        return np.where(np.abs(counts - near) <= _ROUNDING, near, counts)

    def ends(self, counts: Any, n: int, alpha: float, target: Target) -> tuple[Floats, Floats]:
        """Return the ends for counts. They may lie outside [0, 1], but never both on one side.

        A population's are Clopper and Pearson's. A sample's are whole numbers of people
        (`holders`); they cover at least at the level, too. Between the two, where n of N people
        took part, the variance is between theirs, and so are the squares of how far the ends are
        from the estimate; the ends are then whole numbers of the N people.
        """
        if isinstance(target, str):
            ends = self._of_population if target == "population" else self._of_sample
            return ends(counts, n, alpha)
        return self._of_people(counts, n, alpha, target)

    def p_values(self, counts: Any, n: int | NDArray[np.int64]) -> Floats:
        """Return the chance of a count that is as large, for any target."""
        return binomial_tail(self._least(counts, n), n, self.h)

    # --- the ways -----------------------------------------------------------------------------

    def _least(self, counts: Any, n: Any) -> Any:
        return np.minimum(counts, n * self._g)

    def _most(self, counts: Any, n: Any) -> Any:
        return np.maximum(counts, n * self.h)

    def _of_population(self, counts: Any, n: int, alpha: float) -> tuple[Floats, Floats]:
        low = lower_limit(self._least(counts, n), n, alpha / 2)
        high = upper_limit(self._most(counts, n), n, alpha / 2)
        return (low - self.h) / self.gain, (high - self.h) / self.gain

    def _of_sample(self, counts: Any, n: int, alpha: float) -> tuple[Floats, Floats]:
        others = Hits(self._rates.mirrored(), self.gain)
        hits, misses = self._least(counts, n), n - self._most(counts, n)
        low = self._fewest(hits, n, alpha / 2) / n
        high = (n - others._fewest(misses, n, alpha / 2)) / n
        shares = self.shares(counts, n)
        return np.minimum(low, shares), np.maximum(high, shares)

    def _fewest(self, counts: Any, n: int, chance: float) -> Floats:
        """Return the fewest holders among n people that counts allow, or a number below 0."""
        people, h = np.empty(len(counts)), np.broadcast_to(self.h, len(counts))
        some = self.p_values(counts, n) <= chance  # others do not refuse that nobody holds it
        hits = np.maximum(np.floor(counts[some] + _ROUNDING), 1)
        people[some] = fewest_holders(hits, n, self._rates.of(some), chance)
        rest = n * (lower_limit(counts[~some], n, chance) - h[~some])
        people[~some] = rest / (np.broadcast_to(self.gain, len(counts))[~some])
        return people

    def _of_people(self, counts: Any, n: int, alpha: float, people: int) -> tuple[Floats, Floats]:
        shares, part = self.shares(counts, n), drawn(people, n)
        sample = self._of_sample(counts, n, alpha)
        crowd = self._of_population(counts, n, alpha)
        down, up = (
            np.sqrt((1 - part) * (one - shares) ** 2 + part * (all_ - shares) ** 2)
            for one, all_ in zip(sample, crowd, strict=True)
        )
        low, high = people * (shares - down), people * (shares + up)
        return np.floor(low + _ROUNDING) / people, np.ceil(high - _ROUNDING) / people


def _smaller_root(span: Any, product: Any) -> Any:
    """Return x where 1 − 2x is the span and x(1 − x) the product, without losing digits."""
    return np.where(span > 0, 2 * product / (1 + span), (1 - span) / 2)
