"""Covariance: how the errors of several categories depend on each other.

One person's report z adds ([j in z] − h)/(g − h) to the estimate of each category j. For a sum of
categories with weights w, two things follow from how often a report contains two values at once:

- `noise`: the variance of Σ_j w_j ([j in z] − h)/(g − h) for a person with each value x. If θ are
  the people's shares, the variance of the estimated sum for these n people is Σ_x θ_x noise_x / n;
  for the population they were drawn from, add Var_θ(w) / n.
- `covariance`: the covariance matrix of the contribution of one person drawn at random from θ, as
  a linear operator.

Both are exact. To support another kind of mechanism, register its own functions.
"""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidArgument
from ..mechanisms.bits.unary import Unary
from ..mechanisms.subsets.design import Design
from ..mechanisms.subsets.k_subset import KSubset
from . import incidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..mechanisms.base import Mechanism
    from .incidence import Floats

    Operator = Callable[[Floats], Floats]


@singledispatch
def noise(mechanism: Mechanism, weights: Floats) -> Floats:
    """Return the variance of one person's weighted contribution, for each value of the person."""
    raise _unknown(mechanism)


@singledispatch
def covariance(mechanism: Mechanism, theta: Floats) -> Operator:
    """Return u ↦ Σu, where Σ is the covariance of the contribution of one person from theta."""
    raise _unknown(mechanism)


def _unknown(mechanism: Mechanism) -> InvalidArgument:
    rule = "one whose covariances are known: subsets, unary encodings or block designs"
    return InvalidArgument("covariance", "mechanism", rule, mechanism)


# --- all pairs of values alike: k-subsets and independent bits ------------------------------------


def pair_covariances(mechanism: KSubset | Unary) -> tuple[Fraction, Fraction]:
    """Return Cov([i in z], [j in z]) for i ≠ j, exactly: if i is the person's value, if neither is.

    For independent bits, both are 0. A k-subset that contains the person's value (probability g)
    contains any other with probability (k − 1)/(d − 1), and so on without replacement.

    >>> from privet.mechanisms import MultivariateRR
    >>> own, other = pair_covariances(MultivariateRR(4, 1.0))
    >>> g, h = MultivariateRR(4, 1.0).hit_rates
    >>> own == -g * h, other == -h * h
    (True, True)
    """
    if isinstance(mechanism, Unary):
        return Fraction(0), Fraction(0)
    (g, h), d, k = mechanism.hit_rates, mechanism.d, mechanism.k
    with_own = g * Fraction(k - 1, d - 1)
    neither = (g * (k - 2) + (1 - g) * k) * Fraction(k - 1, (d - 1) * max(d - 2, 1))
    return with_own - g * h, neither - h * h


@noise.register(KSubset)
def _noise_of_subsets(mechanism: KSubset, weights: Floats) -> Floats:
    # Every report has k members, so a constant weight adds no variance, and would only cost digits.
    return _noise_of_pairs(mechanism, weights - weights.mean())


@noise.register(Unary)
def _noise_of_pairs(mechanism: KSubset | Unary, weights: Floats) -> Floats:
    """Return the weighted sum of variances and covariances, for each value of the person."""
    g, h = mechanism.hit_rates
    own, other = pair_covariances(mechanism)
    scale = (g - h) ** 2
    squares = weights**2
    others, other_squares = weights.sum() - weights, squares.sum() - squares
    variance: Floats = (
        float(g * (1 - g) / scale) * squares
        + float(h * (1 - h) / scale) * other_squares
        + float(2 * own / scale) * weights * others
        + float(other / scale) * (others**2 - other_squares)
    )
    return np.maximum(variance, 0)


@covariance.register(KSubset)
@covariance.register(Unary)
def _covariance_of_pairs(mechanism: KSubset | Unary, theta: Floats) -> Operator:
    """Return a diagonal plus rank two: off the diagonal, a + b(θ_i + θ_j) − θ_i θ_j."""
    g, h = mechanism.hit_rates
    own, other = (pair / (g - h) ** 2 for pair in pair_covariances(mechanism))
    a, b = float(other), float(own - other)
    diagonal = mechanism.variance(theta, 1) - (a + 2 * b * theta - theta**2)

    def apply(u: Floats) -> Floats:
        total, mean = u.sum(), theta @ u
        product: Floats = diagonal * u + (a * total + b * mean) + (b * total - mean) * theta
        return product

    return apply


# --- block designs --------------------------------------------------------------------------------


@noise.register(Design)
def _noise_of_blocks(mechanism: Design, weights: Floats) -> Floats:
    """Return E[c(B)² | x] − E[c(B) | x]², where c(B) is the weight of block B minus its mean."""
    blocks = incidence.Blocks(mechanism)
    total = weights.sum()
    squares = (blocks.forward(weights) - total * mechanism.k / mechanism.points) ** 2
    base, excess, gain = _rates(mechanism)
    second = base * (squares.sum() + excess * blocks.adjoint(squares)) / gain**2
    variance: Floats = second - (weights - total / mechanism.points) ** 2
    return np.maximum(variance, 0)


@covariance.register(Design)
def _covariance_of_blocks(mechanism: Design, theta: Floats) -> Operator:
    """Return the sum over all blocks, each weighted by the probability that it is reported."""
    blocks = incidence.Blocks(mechanism)
    base, excess, gain = _rates(mechanism)
    chances = base * (1 + excess * blocks.forward(theta))
    rates = mechanism.h + gain * theta

    def apply(u: Floats) -> Floats:
        return blocks.adjoint(chances * (blocks.forward(u) - rates @ u)) / gain**2

    return apply


def _rates(mechanism: Design) -> tuple[float, float, float]:
    """Return Q(B | x) for x not in B, E − 1 and g − h."""
    base = Fraction(mechanism.points << mechanism.scale, mechanism.total * mechanism.blocks)
    g, h = mechanism.hit_rates
    return float(base), float(mechanism.likelihood_ratio - 1), float(g - h)
