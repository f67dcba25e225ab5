"""Estimators: from counts to the shares of the people, without bias and with errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .holders import Rates, fewest_holders
from .presence import binomial_tail, clopper_pearson

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import ArrayLike, NDArray

    from ..mechanisms.forwards import Target

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

__all__ = ["Averages", "Estimator", "HitRates", "drawn", "score_ends"]


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


def score_ends(
    shares: Any, n: int, alpha: float, target: Target, inside: float, outside: float
) -> tuple[Any, Any]:
    """Return the ends of intervals for estimated shares, which may lie outside [0, 1].

    They hold all shares θ that a score test does not reject: n(share − θ)² <= z²(θ·inside +
    (1 − θ)·outside), with θ(1 − θ) added in the brackets for the population, or the part of it that
    is left where n of N people took part; without noise this is Wilson's (1927). `inside` and
    `outside` are n times the variance where everybody holds the value, or nobody.
    """
    spread = NormalDist().inv_cdf(1 - alpha / 2) ** 2 / n
    sampled = spread * drawn(target, n)
    square = 1 + sampled
    middle = (shares + (spread * (inside - outside) + sampled) / 2) / square
    reach = np.sqrt(np.maximum(middle**2 - (shares**2 - spread * outside) / square, 0))
    return middle - reach, middle + reach


_ROUNDING = 1e-6  # of a person


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

    def interval(
        self, counts: Integers, n: int, alpha: float, target: Target
    ) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share, which misses with probability alpha.

        By the normal approximation, unless a mechanism has something better.
        """
        estimate = self.frequencies(counts, n)
        deviation = np.sqrt(self.variance(np.clip(estimate, 0, 1), n, target))
        reach = NormalDist().inv_cdf(1 - alpha / 2) * deviation
        return estimate - reach, estimate + reach

    def p_values(self, counts: Integers, n: int) -> Floats:
        """Return how likely each count is to be as large or larger, if nobody holds its value.

        By the normal approximation, unless a mechanism has something better.
        """
        from scipy.special import ndtr

        estimate = self.frequencies(counts, n)
        chances: Floats = ndtr(-estimate / np.sqrt(self.variance(np.clip(estimate, 0, 1), n)))
        return chances


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


class HitRates(Averages):
    """Estimates from how many reports support each value, with the chances g and h of a hit."""

    def __init__(self, mechanism: Rated) -> None:
        g, h = mechanism.hit_rates
        super().__init__(h, g - h, g * (1 - g), h * (1 - h))
        self._rates = Rates((float(g), float(1 - g)), (float(h), float(1 - h)))

    def interval(
        self, counts: Integers, n: int, alpha: float, target: Target
    ) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share, which misses with probability alpha.

        A population's count is exactly Binomial(n, h + θ(g − h)): Clopper and Pearson's (1934). So
        is that of a sample at θ = 0 and θ = 1, and between them its ends are whole numbers of
        people (`holders`): both cover at least at the level. Between the two, where n of N people
        took part, the variance is between theirs, and so are the squares of how far the ends are
        from the estimate; the ends are then whole numbers of the N people.
        """
        different, places = np.unique(counts, return_inverse=True)
        if isinstance(target, str):
            ends = self._population_interval if target == "population" else self._sample_interval
            low, high = ends(different, n, alpha)
        else:
            low, high = self._finite_interval(different, n, alpha, target)
        return low[places], high[places]

    def p_values(self, counts: Integers, n: int | Integers) -> Floats:
        """Return the chance of a binomial count that is as large: exact for any target."""
        return binomial_tail(counts, n, self._h)

    def _finite_interval(
        self, counts: Integers, n: int, alpha: float, people: int
    ) -> tuple[Floats, Floats]:
        estimate, part = self.frequencies(counts, n), drawn(people, n)
        sample = self._sample_interval(counts, n, alpha)
        crowd = self._population_interval(counts, n, alpha)
        down, up = (
            np.sqrt((1 - part) * (one - estimate) ** 2 + part * (all_ - estimate) ** 2)
            for one, all_ in zip(sample, crowd, strict=True)
        )
        low, high = people * (estimate - down), people * (estimate + up)
        return np.floor(low + _ROUNDING) / people, np.ceil(high - _ROUNDING) / people

    def _population_interval(self, counts: Integers, n: int, alpha: float) -> tuple[Floats, Floats]:
        low, high = clopper_pearson(counts, n, alpha)
        return (low - self._h) / self._gain, (high - self._h) / self._gain

    def _sample_interval(self, counts: Integers, n: int, alpha: float) -> tuple[Floats, Floats]:
        """Return whole numbers of people within (0, n), over n; else the population's ends."""
        lows = _is_within(counts, n, self._rates, alpha / 2)
        highs = _is_within(n - counts, n, self._rates.mirrored(), alpha / 2)
        low, high = np.empty(len(counts)), np.empty(len(counts))
        beyond = ~(lows & highs)
        low[beyond], high[beyond] = self._population_interval(counts[beyond], n, alpha)
        low[lows] = fewest_holders(counts[lows], n, self._rates, alpha / 2) / n
        others = fewest_holders(n - counts[highs], n, self._rates.mirrored(), alpha / 2)
        high[highs] = (n - others) / n
        estimate = self.frequencies(counts, n)
        return np.minimum(low, estimate), np.maximum(high, estimate)


def _is_within(counts: Integers, n: int, rates: Rates, chance: float) -> NDArray[np.bool_]:
    """Tell whether a count refuses that nobody holds its value, and not that everybody does."""
    nobody, everybody = (binomial_tail(counts, n, p) for p, _ in (rates.other, rates.own))
    return (nobody <= chance) & (everybody > chance)
