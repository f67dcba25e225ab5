"""Traces: the law of a squared length whose errors are normal.

If e has the covariance C, then |R e|² has the mean t = tr(RCRᵀ) and the variance 2 tr((RCRᵀ)²), and
is nearly a multiple of a chi-squared number with the same two moments (Satterthwaite 1946). If Re
is about a place at the squared distance Δ² from 0, its square has the mean t + Δ² and about the
variance 2 tr((RCRᵀ)²) + 4σ²Δ², where σ² is the variance in the direction of that place. So has a
times a noncentral chi-squared number with t/a degrees of freedom and noncentrality Δ²/a, if a is
(tr((RCRᵀ)²) + 2σ²Δ²)/(t + 2Δ²).
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..sums.covariance import Operator

__all__ = ["SquaredLength", "traces"]

# Up to so many cells traces are exact; beyond, they are estimated from as many random signs.
_MOST_PROBES = 256
_SEED = 7
_ROUNDS, _LARGE = 60, 1e4


class SquaredLength(NamedTuple):
    """A squared length as it was seen, and what is known of its law.

    Attributes
    ----------
    seen : float
        The squared length.
    mean : float
        What it is on average because of noise, t.
    square : float
        Half of its variance because of noise.
    along : float
        The variance σ² in the direction of what was seen.

    """

    seen: float
    mean: float
    square: float
    along: float

    def scale(self, distance: float) -> float:
        """Return a, where Δ² is this distance."""
        return (self.square + 2 * self.along * distance) / (self.mean + 2 * distance)

    def below(self, distance: float) -> float:
        """Return the probability of so small a squared length where Δ² is this distance.

        Where Δ² is very many times its noise, the root of a chi-squared number is normal.
        """
        from scipy.special import chdtr, chndtr

        a = self.scale(distance)
        mean, variance = (self.mean + distance) / a, (2 * self.mean + 4 * distance) / a
        if mean >= _LARGE:
            rooted = variance / mean / 4
            return NormalDist(sqrt(mean - rooted), sqrt(rooted)).cdf(sqrt(self.seen / a))
        if distance:
            return float(chndtr(self.seen / a, self.mean / a, distance / a))
        return float(chdtr(self.mean / a, self.seen / a))

    def above(self, distance: float) -> float:
        """Return the probability of so large a squared length where Δ² is this distance."""
        if distance or self.mean / self.scale(0) >= _LARGE:
            return 1 - self.below(distance)
        from scipy.special import chdtrc

        a = self.scale(0)
        return float(chdtrc(self.mean / a, self.seen / a))

    def least(self, chance: float, most: float) -> float:
        """Return the distance where so large a length has this chance; 0 if at 0 it has more."""
        return _root(lambda distance: self.above(distance) < chance, most)

    def greatest(self, chance: float, most: float) -> float:
        """Return the distance where so small a length has this chance; 0 if at 0 it has less."""
        return _root(lambda distance: self.below(distance) > chance, most)


def _root(is_too_small: Callable[[float], bool], most: float) -> float:
    """Return the distance in [0, most] up to which distances are too small."""
    low, high = 0.0, most
    if not is_too_small(low):
        return low
    if is_too_small(high):
        return high
    for _ in range(_ROUNDS):
        half = (low + high) / 2
        low, high = (half, high) if is_too_small(half) else (low, half)
    return (low + high) / 2


def traces(
    covariance: Operator, root: Operator, adjoint: Operator, shape: tuple[int, ...]
) -> tuple[float, float]:
    """Return tr(RCRᵀ) and tr((RCRᵀ)²), of R = root, which takes arrays of the shape.

    The axis after those of the shape is for several at once.
    """
    cells = int(np.prod(shape))
    if cells <= _MOST_PROBES:
        probes = np.eye(cells)
    else:
        signs = np.random.default_rng(_SEED).choice([-1.0, 1.0], (cells, _MOST_PROBES))
        probes = signs / np.sqrt(_MOST_PROBES)
    back = adjoint(probes.reshape(*shape, -1))
    image = covariance(back)
    return float((back * image).sum()), float(np.square(root(image)).sum())
