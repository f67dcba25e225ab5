"""One option asked of each, for analysts: shares from those who were asked about an option.

Who is asked what does not depend on anyone's choices. So given the number a of people who were
asked about an option, of share θ in the population, how many say yes is exactly
Binomial(a, q + θ(p − q)), where p and q = 1 − p are the chances of a yes from those who chose it
and those who did not. Everything is as for a symmetric mechanism and these a people, a random part
of all n. Counts are two for each option, (d, 2): how many said yes, and how many were asked.

Nothing is known of an option that nobody was asked about. Its share is then estimated by ½, in the
middle of all that it may be: a bias of at most (1 − 1/d)^n / 2, below 2·10⁻⁹ for n = 20d people.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.forwards import Target
from ..device.mechanisms.hashes.one_option import OneOption
from . import kernels
from .analyst import Analyst, half_of
from .arrays import Floats, Integers
from .batch import Drawn, Rows, Words
from .choices import ChoiceBatches
from .counter import NumberCounter
from .estimator import Estimator, HitRates


@half_of.register(OneOption)
def _(mechanism: OneOption) -> Analyst:
    return Analyst(AskedRates(mechanism), AskedBatches(mechanism), AskedCounter(mechanism))


class AskedBatches(ChoiceBatches[OneOption]):
    """Draws an option for each row, and answers whether it is there."""

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw whether each row is true, and its option."""
        truths, options = words.take_tossed(rows, self.mechanism.coin, 8 * rows)
        return truths, words.below(options, self.mechanism.d)

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write all reports, which needs no tail."""
        kernels.option_draws.fill_asked(rows.values, *rows.words, rows.out)
        return len(rows.values), 0


class AskedCounter(NumberCounter[OneOption]):
    """Counts options and answers."""

    def counts(self, aggregate: Integers) -> Integers:
        """Return how many said yes to each option, and how many were asked: (d, 2)."""
        no, yes = aggregate.reshape(-1, 2).T
        return np.stack((yes, no + yes), axis=1)


class AskedRates(Estimator):
    """Estimates the share of each option from the people who were asked about it."""

    def __init__(self, mechanism: OneOption) -> None:
        self._d, self._answers = mechanism.d, HitRates(mechanism)

    def frequencies(self, counts: Integers, n: int) -> Floats:
        """Return (yes/asked − q)/(p − q), which is unbiased, and ½ where nobody was asked."""
        yes, asked = counts.T
        shares = self._answers.frequencies(yes, np.maximum(asked, 1))
        return np.where(asked > 0, shares, 0.5)

    def noise(self, theta: Floats) -> Floats:
        """Return d·pq/(p − q)² + (d − 1)·θ(1 − θ), with n/d people asked about each option."""
        return self._d * self._answers.noise(theta) + (self._d - 1) * theta * (1 - theta)

    def spreads(self, shares: Floats) -> tuple[float, float]:
        """Return what the noise is if everybody chose an option, or nobody."""
        inside, outside = self._answers.spreads(shares)
        return self._d * inside, self._d * outside

    def standard_errors(self, counts: Integers, n: int) -> Floats:
        """Return the standard error of each share, by how many people were asked about it.

        Of an option that nobody was asked about, it is ½, for a share of ½.
        """
        _, asked = counts.T
        theta = np.clip(self.frequencies(counts, n), 0, 1)
        variance = self._answers.variance(theta, 1) / np.maximum(asked, 1)
        return np.where(asked > 0, np.sqrt(variance), 0.5)

    def interval(
        self, counts: Integers, n: int, alpha: float, target: Target
    ) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share, which misses with probability alpha.

        Those who were asked are a random part of the n people, as these are of all others.
        """
        people = n if target == "sample" else target
        ends = np.array([self._ends(yes, asked, alpha, people) for yes, asked in counts.tolist()])
        low, high = ends.T
        return low, high

    def _ends(self, yes: int, asked: int, alpha: float, people: Target) -> tuple[float, float]:
        if not asked:
            return 0.0, 1.0
        low, high = self._answers.interval(np.array([yes]), asked, alpha, people)
        return float(low[0]), float(high[0])

    def p_values(self, counts: Integers, n: int) -> Floats:
        """Return the chance of as many a yes if nobody chose the option, exactly."""
        return self._answers.p_values(*counts.T)
