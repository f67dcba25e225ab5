"""What shares may be like before any report is seen: the candidates that `shrink` weighs.

The shares θ_1, …, θ_d are taken for independent draws from one law with mean 1/d, given that they
sum to 1. The laws are mixtures of generalized gamma laws (Stacy 1962), whose density is

    power / (scale Γ(shape/power)) · (θ/scale)^(shape − 1) · exp(−(θ/scale)^power).

    gamma a           shares that sum to 1 are then Dirichlet(a, …, a): from a single value that
                      everyone holds (a << 1) through any distribution alike (1) to even ones (>> 1)
    two-level p, c    a part p of the values is common, the others are near the low level c/d
    ceiling           evenly spread from 0 to 2/d and hardly beyond, as in the paper's experiments
    flat              all shares are 1/d

What a candidate weighs before any report is seen matters where the counts say little of the law:
with few values, or under much noise. Sparse laws weigh less, like the root of their shape or part,
so that many values under much noise are not taken for a few common ones; even laws weigh less the
fewer values there are, like 1 / (1 + 64 shape/d), so that a few values are not taken for equals.
"""

from __future__ import annotations

from math import exp, lgamma, log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# A law of this shape is told from a flat one only by a great many reports.
_LARGEST_SHAPE = 64.0
_LEVELS = (1 / 32, 1 / 8, 1 / 2)
_LEVEL_SHAPE = 4.0
_LEVEL_WEIGHT = 0.25
_CEILING_POWER = 6.0
_CEILING_WEIGHT = 6.0
_UNIFORM_SHAPE = 3.0  # of the gamma law with the variance of uniform numbers
_SPARSEST = 0.01  # no law weighs less than one this sparse


class Component(NamedTuple):
    """A generalized gamma law with this mean, and its part of a mixture."""

    part: float
    mean: float
    shape: float
    power: float = 1.0

    @property
    def log_scale(self) -> float:
        """The log of the scale that gives this mean."""
        return log(self.mean) - self._log_moment(1)

    @property
    def mean_square(self) -> float:
        """E θ²."""
        return exp(2 * self.log_scale + self._log_moment(2))

    def log_density(self, log_theta: Floats) -> Floats:
        """Return the log of the part times the density of log θ."""
        above = log_theta - self.log_scale
        constant = log(self.part) + log(self.power) - lgamma(self.shape / self.power)
        density: Floats = constant + self.shape * above - np.exp(self.power * above)
        return density

    def _log_moment(self, order: int) -> float:
        """Return log E(θ/scale)^order."""
        shape, power = self.shape, self.power
        return lgamma((shape + order) / power) - lgamma(shape / power)


class Prior(NamedTuple):
    """A law that shares may be drawn from, with mean 1/d; without components, all are 1/d."""

    name: str
    log_weight: float
    components: tuple[Component, ...]

    @property
    def variance(self) -> float:
        """The variance of one share."""
        mean = sum(law.part * law.mean for law in self.components)
        return sum(law.part * law.mean_square for law in self.components) - mean**2

    @property
    def shape_at_zero(self) -> float:
        """The a for which small shares have a density like θ^(a − 1)."""
        return min(law.shape for law in self.components)

    def log_density(self, log_theta: Floats) -> Floats:
        """Return the log density of log θ."""
        density = self.components[0].log_density(log_theta)
        for law in self.components[1:]:
            density = np.logaddexp(density, law.log_density(log_theta))
        return density


def flat_prior(d: int) -> Prior:
    """Return the law whose shares are all 1/d."""
    return Prior("flat", -_evenness(_LARGEST_SHAPE, d), ())


def spread_priors(d: int) -> list[Prior]:
    """Return all other candidates."""
    even = 1 / d
    ceiling = Component(1.0, even, 1.0, _CEILING_POWER)
    weight = log(_CEILING_WEIGHT) - _evenness(_UNIFORM_SHAPE, d)
    priors = [Prior("ceiling", weight, (ceiling,))]
    shape = _LARGEST_SHAPE
    while shape > 0.025 / d:
        weight = -_sparsity(shape) - _evenness(shape, d)
        priors.append(Prior(f"gamma {shape:g}", weight, (Component(1.0, even, shape),)))
        shape /= 4
    part = 1 / d
    while part <= 0.5:
        for level in _LEVELS:
            low = Component(1 - part, level * even, _LEVEL_SHAPE)
            high = Component(part, (1 - (1 - part) * level) * even / part, 1.0)
            weight = log(_LEVEL_WEIGHT) - _sparsity(part)
            priors.append(Prior(f"two-level {part:g}, {level:g}", weight, (low, high)))
        part *= 4
    return priors


def _sparsity(shape: float) -> float:
    """Return how much less a sparse law weighs, as a log."""
    return -log(min(max(shape, _SPARSEST), 1.0)) / 2


def _evenness(shape: float, d: int) -> float:
    """Return how much less an even law weighs, as a log."""
    return log(1 + 64 * shape / d)
