"""Estimators: from counts to the shares of the people, without bias and with errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ..device.mechanisms.forwards import Target
from .arrays import Floats, Integers
from .hits import Hits, drawn
from .holders import Rates

__all__ = ["Averages", "Estimator", "HitRates", "Rated"]


class Estimator(ABC):
    """Estimates the share of each value."""

    @abstractmethod
    def frequencies(self, counts: Integers, n: int) -> Floats:
        """Return the unbiased estimate of each value's share."""

    @abstractmethod
    def noise(self, theta: Floats) -> Floats:
        """Return n times the variance of each estimated share of n people with shares theta."""

    def variance(self, theta: ArrayLike, n: int, target: Target = "population") -> Floats:
        """Return the variance of each estimated share where the true ones are theta.

        People drawn at random from a population add θ(1 − θ)/n, or what is left of it (`drawn`).
        """
        shares = np.asarray(theta, dtype=np.float64)
        return (self.noise(shares) + drawn(target, n) * shares * (1 - shares)) / n

    @abstractmethod
    def spreads(self, shares: Floats) -> tuple[Any, Any]:
        """Return n times the variance of each estimated share if everybody holds it, or nobody.

        Where it depends on what the others hold, that is taken from the estimated shares.
        """

    def standard_errors(self, counts: Integers, n: int) -> Floats:
        """Return the standard error of each estimated share, for the population."""
        return np.sqrt(self.variance(np.clip(self.frequencies(counts, n), 0, 1), n))

    def interval(
        self, counts: Integers, n: int, alpha: float, target: Target
    ) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share, which misses with probability alpha.

        They are those of binomial counts with the same variances (`hits`), unless the counts are
        binomial themselves.
        """
        shares = self.frequencies(counts, n)
        return Hits.matched(*self.spreads(shares)).interval(shares, n, alpha, target)

    def p_values(self, counts: Integers, n: int) -> Floats:
        """Return how likely each count is to be as large or larger, if nobody holds its value.

        It is the least alpha/2 at which the lower end of the interval exceeds 0.
        """
        shares = self.frequencies(counts, n)
        return Hits.matched(*self.spreads(shares)).p_values_of(shares, n)


@runtime_checkable
class Rated(Protocol):
    """A mechanism by which a count rises by 1 with one chance if a person holds a value, or not."""

    @property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """These chances, exactly."""


class Averages(Estimator):
    """Estimates from counts f that are n(h + θ(g − h)) on average.

    A person adds g to a count on average, with the variance `own`, who holds the value, and h with
    the variance `other`, who does not.
    """

    def __init__(self, h: Fraction | float, gain: Fraction | float, own: Any, other: Any) -> None:
        self._h, self._gain = float(h), float(gain)
        self._own, self._other = float(own / gain**2), float(other / gain**2)

    def frequencies(self, counts: Integers, n: int) -> Floats:
        """Return the unbiased estimate (f/n − h)/(g − h)."""
        shares: Floats = (counts / n - self._h) / self._gain
        return shares

    def noise(self, theta: Floats) -> Floats:
        """Return (θ·own + (1−θ)·other) / (g−h)²: of hit rates, these are g(1−g) and h(1−h)."""
        return theta * self._own + (1 - theta) * self._other

    def spreads(self, shares: Floats) -> tuple[Any, Any]:
        """Return both variances."""
        return self._own, self._other


class HitRates(Averages):
    """Estimates from how many reports support each value, with the chances g and h of a hit."""

    def __init__(self, mechanism: Rated) -> None:
        g, h = mechanism.hit_rates
        super().__init__(h, g - h, g * (1 - g), h * (1 - h))
        rates = Rates((float(g), float(1 - g)), (float(h), float(1 - h)))
        self._hits = Hits(rates, float(g - h))

    def interval(
        self, counts: Integers, n: int, alpha: float, target: Target
    ) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share, which misses with probability alpha.

        A population's count is exactly Binomial(n, h + θ(g − h)), so that it covers at least at the
        level (`hits`).
        """
        different, places = np.unique(counts, return_inverse=True)
        low, high = self._hits.ends(different, n, alpha, target)
        return low[places], high[places]

    def p_values(self, counts: Integers, n: int | Integers) -> Floats:
        """Return the chance of a binomial count that is as large: exact for any target."""
        return self._hits.p_values(counts, n)
