"""Symmetric mechanisms: a report supports some of the values, every wrong one as likely as another.

With the chances g for the own value and h for any other, the number f of reports that support a
value says all: its share is estimated by (f/n − h)/(g − h), without bias (paper, Algorithm 2).
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .base import Mechanism

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from .base import Target

    Floats = NDArray[np.float64]


class Symmetric(Mechanism):
    """A mechanism whose reports support the own value with probability g, any other with h."""

    @property
    @abstractmethod
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """How likely a report supports the own value (g) and any other value (h), exactly."""

    @cached_property
    def g(self) -> float:
        """The probability that a report supports the own value."""
        return float(self.hit_rates[0])

    @cached_property
    def h(self) -> float:
        """The probability that a report supports any one other value."""
        return float(self.hit_rates[1])

    def frequencies(self, counts: NDArray[np.int64], n: int) -> Floats:
        """Return the unbiased estimate (f/n − h)/(g − h)."""
        g, h = self.hit_rates
        return (counts / n - self.h) / float(g - h)

    def variance(self, theta: Floats, n: int, target: Target = "population") -> Floats:
        """Return the variance of each estimated frequency where the true ones are theta.

        For the sample (these n people), θ·g(1−g) + (1−θ)·h(1−h), over n(g−h)²; for the
        population they were drawn from, θ(1−θ)/n more.
        """
        g, h = self.hit_rates
        own, other = float(g * (1 - g) / (g - h) ** 2), float(h * (1 - h) / (g - h) ** 2)
        noise = (theta * own + (1 - theta) * other) / n
        return noise + theta * (1 - theta) / n if target == "population" else noise

    def interval(
        self, counts: NDArray[np.int64], n: int, alpha: float, target: Target
    ) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share, which misses with probability alpha.

        A population's count is exactly Binomial(n, h + θ(g − h)): Clopper and Pearson's (1934). For
        the sample, the score test is inverted.
        """
        return (
            self._population_interval(counts, n, alpha)
            if target == "population"
            else self._sample_interval(self.frequencies(counts, n), n, alpha)
        )

    def _population_interval(
        self, counts: NDArray[np.int64], n: int, alpha: float
    ) -> tuple[Floats, Floats]:
        from scipy.special import betaincinv

        hits, misses = counts.astype(np.float64), (n - counts).astype(np.float64)
        low, high = np.zeros(len(hits)), np.ones(len(hits))
        some, rest = hits > 0, misses > 0
        low[some] = betaincinv(hits[some], misses[some] + 1, alpha / 2)
        high[rest] = betaincinv(hits[rest] + 1, misses[rest], 1 - alpha / 2)
        g, h = self.hit_rates
        return (low - self.h) / float(g - h), (high - self.h) / float(g - h)

    def _sample_interval(self, estimate: Floats, n: int, alpha: float) -> tuple[Floats, Floats]:
        """Solve n(θ̂ − θ)² <= z²(θ·V1 + (1 − θ)·V0) for θ."""
        from statistics import NormalDist

        other, own = self.variance(np.array([0.0, 1.0]), 1, "sample")
        spread = NormalDist().inv_cdf(1 - alpha / 2) ** 2 / n
        middle = estimate + spread * (own - other) / 2
        inner = middle**2 - estimate**2 + spread * other
        reach = np.sqrt(np.maximum(inner, 0))
        return middle - reach, middle + reach
