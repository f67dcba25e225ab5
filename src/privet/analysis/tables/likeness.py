"""Likeness: the count of a binomial law whose variance is that of a share, whatever the share is.

The variance of an estimated share τ̂ is a polynomial in the true share τ (`table`), which is 0 at
two places, a <= 0 and b >= 1:

    Var(τ̂) = (τ − a)(b − τ)/n.

So is the variance of a + (b − a)·F/n if F is Binomial(n, (τ − a)/(b − a)). Where one page asks for
a share and a report is one answer, the count is exactly binomial, and this is its law; elsewhere it
has the same mean, the same variance and nearly the same skewness, and n need not be a whole number
(Korn and Graubard 1998 do the same for samples of clusters). So rare answers have intervals and
p-values that the normal law does not give them, and both are from the same tails: the lower end of
an interval at the level 1 − α exceeds 0 exactly when the p-value is below α/2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats

__all__ = ["Likeness", "lower_tail", "upper_tail"]

_TINY = 1e-300


def upper_tail(hits: Floats, people: Floats, rate: Floats) -> Floats:
    """Return P(F >= hits) for binomial counts; none of the numbers need be whole.

    >>> float(upper_tail(np.array(2.0), np.array(2.0), np.array(0.5)))
    0.25
    """
    from scipy.special import betainc

    inside = np.clip(hits, _TINY, people)
    tail = betainc(inside, people - inside + 1, rate)
    return np.where(hits <= 0, 1.0, tail)


def lower_tail(hits: Floats, people: Floats, rate: Floats) -> Floats:
    """Return P(F <= hits), which is P(people − F >= people − hits)."""
    return upper_tail(people - hits, people, 1 - rate)


@dataclass(frozen=True)
class Likeness:
    """The law that shares have as counts: their number, and the shares at which all agree.

    Attributes
    ----------
    least : array
        The share a <= 0 at which the variance would be 0.
    most : array
        The share b >= 1 at which it would be 0.
    people : array
        The number n.

    """

    least: Floats
    most: Floats
    people: Floats

    @classmethod
    def of(cls, polynomials: Floats) -> Likeness:
        """Return the law with these coefficients of the variance; the last ones are below 0."""
        constant, linear, square = polynomials
        people = -1 / square
        middle, product = linear * people / 2, np.maximum(constant, 0) * people
        reach = np.sqrt(middle**2 + product)
        # Without the loss of digits that a difference of nearly equal numbers has.
        larger = np.abs(middle) + reach
        smaller = product / np.maximum(larger, _TINY)
        least = -np.where(middle > 0, smaller, larger)
        most = np.where(middle > 0, larger, smaller)
        return cls(np.minimum(least, 0), np.maximum(most, 1), people)

    @property
    def step(self) -> Floats:
        """How much one count more adds to a share."""
        return np.asarray((self.most - self.least) / self.people)

    def hits(self, shares: Floats) -> Floats:
        """Return the counts behind shares, or what is expected of them."""
        return np.asarray((shares - self.least) / self.step)

    def rates(self, shares: Floats | float) -> Floats:
        """Return the chance of a hit for each person."""
        return np.asarray((shares - self.least) / (self.most - self.least))

    def ends(self, estimates: Floats, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends of Clopper and Pearson's (1934) intervals, of which part is in [0, 1].

        An estimate below 0 has the upper end of 0, and one above 1 the lower end of 1.
        """
        from scipy.special import betaincinv

        people, few = self.people, self._few(estimates)
        many = np.maximum(self.hits(estimates), self.hits(np.zeros(1)))
        low = betaincinv(np.maximum(few, _TINY), people - few + 1, alpha / 2)
        rest = np.maximum(people - many, _TINY)
        high = betaincinv(many + 1, rest, 1 - alpha / 2)
        low, high = np.where(few > 0, low, 0.0), np.where(many < people, high, 1.0)
        width = self.most - self.least
        return self.least + width * low, self.least + width * high

    def p_values(self, estimates: Floats) -> Floats:
        """Return how likely so large an estimate or a larger one is where the share is 0.

        An estimate above 1 counts as 1, as it does for the lower end of its interval.
        """
        return upper_tail(self._few(estimates), self.people, self.rates(0.0))

    def _few(self, estimates: Floats) -> Floats:
        """Return the counts behind estimates, of which none is more than that of 1."""
        return np.minimum(self.hits(estimates), self.hits(np.ones(1)))
