"""Covariance: how the errors of several categories go together.

One person's report z adds ([j in z] − h)/(g − h) to the estimate of each category j. For a sum of
categories with weights w, two things follow from how often a report holds two values at a time:

- `noise`: the variance of Σ_j w_j ([j in z] − h)/(g − h) for a person of each value x. With θ the
  people's shares, the variance of the estimated sum for these n people is Σ_x θ_x noise_x / n; for
  the population they were drawn from, Var_θ(w) / n more.
- `covariance`: the covariance matrix of one person's contribution, drawn at random from θ, as a
  linear operator.

Both are exact. A mechanism of another kind is added by registering its own.
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
    """Return the variance of the weighted sum of one person's contributions, for each own value."""
    raise _unknown(mechanism)


@singledispatch
def covariance(mechanism: Mechanism, theta: Floats) -> Operator:
    """Return u ↦ Σu, with Σ the covariance of one person's contributions, drawn from theta."""
    raise _unknown(mechanism)


def _unknown(mechanism: Mechanism) -> InvalidArgument:
    rule = "one whose covariances are known: subsets, unary encodings or block designs"
    return InvalidArgument("covariance", "mechanism", rule, mechanism)


# --- any two values alike: all k-subsets, and independent bits ------------------------------------


def pair_covariances(mechanism: KSubset | Unary) -> tuple[Fraction, Fraction]:
    """Return Cov([i in z], [j in z]) of different i, j where i is the own value, and where neither
    is, exactly.

    Independent bits have none. Of k-subsets, one that holds the own value (probability g) holds any
    other with probability (k − 1)/(d − 1), and so on without replacement.

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
    # A report has k members whatever they are: equal weights have no variance, and take no digits.
    return _noise_of_pairs(mechanism, weights - weights.mean())


@noise.register(Unary)
def _noise_of_pairs(mechanism: KSubset | Unary, weights: Floats) -> Floats:
    """Return the sum of variances and covariances, times weights, for each own value."""
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
    """Diagonal plus rank two: off the diagonal, a + b(θ_i + θ_j) − θ_i θ_j."""
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
    """Return E[c(B)² | x] − E[c(B) | x]², with c(B) the weight of block B less its mean."""
    blocks = incidence.Blocks(mechanism)
    total = weights.sum()
    squares = (blocks.forward(weights) - total * mechanism.k / mechanism.points) ** 2
    base, excess, gain = _rates(mechanism)
    second = base * (squares.sum() + excess * blocks.adjoint(squares)) / gain**2
    variance: Floats = second - (weights - total / mechanism.points) ** 2
    return np.maximum(variance, 0)


@covariance.register(Design)
def _covariance_of_blocks(mechanism: Design, theta: Floats) -> Operator:
    """Sum over the blocks, each with the probability that it is reported."""
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
