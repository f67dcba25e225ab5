"""Covariance: how the errors of several categories depend on each other.

One person's report z adds some c_j(z) to the estimate of each category j: ([j in z] − h)/(g − h),
or what regression makes of it. For a sum of categories with weights w, there are

- `noise`: the variance of Σ_j w_j c_j(z) for a person with each value x. If θ are the people's
  shares, the variance of the estimated sum for these n people is Σ_x θ_x noise_x / n; for the
  population they were drawn from, add Var_θ(w) / n.
- `covariance`: the covariance matrix of the contribution of one person drawn at random from θ, as
  a linear operator.

Both are exact. To support another kind of mechanism, register its own functions.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import singledispatch
from typing import cast

import numpy as np

from ...device.mechanisms.base import Mechanism
from ...device.mechanisms.bits.unary import Unary
from ...device.mechanisms.hashes.cohorts import Cohorts
from ...device.mechanisms.hashes.local_hash import LocalHash
from ...device.mechanisms.hashes.one_bit import OneBit
from ...device.mechanisms.noise.geometric import GeometricNoise
from ...device.mechanisms.scales.interval import Interval
from ...device.mechanisms.subsets.design import Design
from ...device.mechanisms.subsets.k_subset import KSubset
from ...device.mechanisms.symmetric import Symmetric
from ...errors import InvalidArgument
from ..arrays import Floats
from ..cohorts import Regression
from ..incidence import reported_sets
from ..scales import WindowRegression

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
    rule = "one whose covariances are known"
    return InvalidArgument("covariance", "mechanism", rule, mechanism)


# --- all pairs of values alike: k-subsets and independent bits ------------------------------------


@singledispatch
def pair_covariances(mechanism: Symmetric) -> tuple[Fraction, Fraction]:
    """Return Cov([i in z], [j in z]) for i ≠ j, exactly: if i is the person's value, if neither is.

    For independent bits, both are 0. A k-subset that contains the person's value (probability g)
    contains any other with probability (k − 1)/(d − 1), and so on without replacement. Where hashes
    never map three values to one bucket, two collide with probability c, alone.

    >>> from privet.mechanisms import MultivariateRR
    >>> own, other = pair_covariances(MultivariateRR(4, 1.0))
    >>> g, h = MultivariateRR(4, 1.0).hit_rates
    >>> own == -g * h, other == -h * h
    (True, True)
    """
    raise TypeError(f"Not all pairs of values are alike by {mechanism!r}.")


@pair_covariances.register
def _(mechanism: KSubset) -> tuple[Fraction, Fraction]:
    (g, h), d, k = mechanism.hit_rates, mechanism.d, mechanism.k
    with_own = g * Fraction(k - 1, d - 1)
    neither = (g * (k - 2) + (1 - g) * k) * Fraction(k - 1, (d - 1) * max(d - 2, 1))
    return with_own - g * h, neither - h * h


@pair_covariances.register
def _(mechanism: Unary) -> tuple[Fraction, Fraction]:
    return Fraction(0), Fraction(0)


@pair_covariances.register
def _(mechanism: LocalHash) -> tuple[Fraction, Fraction]:
    (g, h), (_, q) = mechanism.hit_rates, mechanism.response_rates
    c = (h - q) / (g - q)
    return g * c - g * h, q * c - h * h


@singledispatch
def least_chances(mechanism: Symmetric) -> tuple[float, float]:
    """Return the least P(i and j in z) for i ≠ j: if i is the person's value, if neither is.

    Where all pairs are alike, that is what they are. In a design or a hash function, the second
    depends on how the person's value lies to i and j, and is more where they meet.

    >>> from privet.mechanisms import KSubset, OneBit
    >>> [round(chance, 3) for chance in least_chances(KSubset(8, 1.0, k=3))]
    [0.177, 0.084]
    >>> [round(chance, 3) for chance in least_chances(OneBit(8, 1.0))]
    [0.366, 0.25]
    """
    return 0.0, 0.0


@least_chances.register(KSubset)
@least_chances.register(Unary)
def _least_of_pairs(mechanism: KSubset | Unary) -> tuple[float, float]:
    (g, h), (own, other) = mechanism.hit_rates, pair_covariances(mechanism)
    return float(own + g * h), float(other + h * h)


@least_chances.register
def _(mechanism: Design) -> tuple[float, float]:
    g, near = mechanism.hit_rates[0], Fraction(mechanism.k - 1, mechanism.points - 1)
    return float(g * near), float(mechanism.k * near * (1 << mechanism.scale) / mechanism.total)


@least_chances.register(LocalHash)
@least_chances.register(OneBit)
def _least_of_hashes(mechanism: LocalHash | OneBit) -> tuple[float, float]:
    (g, h), (own, q) = mechanism.hit_rates, mechanism.response_rates
    c = (h - q) / (own - q)
    # Of two buckets, one or the other is reported, and both values have it if they collide.
    return float(g * c), float(h - (1 - c) / 2 if mechanism.buckets == 2 else q * c)


@noise.register(KSubset)
def _noise_of_subsets(mechanism: KSubset, weights: Floats) -> Floats:
    # Every report has k members, so a constant weight adds no variance, and would only cost digits.
    return _noise_of_pairs(mechanism, weights - weights.mean())


@noise.register(Unary)
def _noise_of_pairs(mechanism: KSubset | Unary | LocalHash, weights: Floats) -> Floats:
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
def _covariance_of_pairs(mechanism: KSubset | Unary | LocalHash, theta: Floats) -> Operator:
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


# --- one of many sets, likelier with the person's value: block designs and hashes -----------------


@noise.register(Design)
@noise.register(OneBit)
def _noise_of_sets(mechanism: Design | LocalHash | OneBit, weights: Floats) -> Floats:
    """Return E[c(z)² | x] − E[c(z) | x]², where c(z) is the weight of z less about its mean."""
    excess, gain, base = _rates(mechanism)
    mean = weights.mean()
    centre = mechanism.h * weights.sum() + gain * mean
    second = np.zeros(len(weights))
    for sets, times in reported_sets(mechanism):
        squares = (sets.forward(weights) - centre) ** 2
        second += times * base * (squares.sum() + excess * sets.adjoint(squares))
    variance: Floats = second / gain**2 - (weights - mean) ** 2
    return np.maximum(variance, 0)


@covariance.register(Design)
@covariance.register(OneBit)
def _covariance_of_sets(mechanism: Design | LocalHash | OneBit, theta: Floats) -> Operator:
    """Return the sum over all sets, each weighted by the probability that it is reported."""
    excess, gain, base = _rates(mechanism)
    rates = mechanism.h + gain * theta

    def apply(u: Floats) -> Floats:
        product, mean = np.zeros(len(u)), rates @ u
        for sets, times in reported_sets(mechanism):
            chances = times * base * (1 + excess * sets.forward(theta))
            product += sets.adjoint(chances * (sets.forward(u) - mean))
        return product / gain**2

    return apply


def _in_pairs(mechanism: LocalHash) -> bool:
    """Return whether no bucket has more than two residues, so that all pairs are alike."""
    return mechanism.prime < 2 * mechanism.buckets


@noise.register(LocalHash)
def _noise_of_hashes(mechanism: LocalHash, weights: Floats) -> Floats:
    return (_noise_of_pairs if _in_pairs(mechanism) else _noise_of_sets)(mechanism, weights)


@covariance.register(LocalHash)
def _covariance_of_hashes(mechanism: LocalHash, theta: Floats) -> Operator:
    return (_covariance_of_pairs if _in_pairs(mechanism) else _covariance_of_sets)(mechanism, theta)


def _rates(mechanism: Design | LocalHash | OneBit) -> tuple[float, float, float]:
    """Return E − 1, g − h, and Q(z | x) for an x that is not in z."""
    (g, h), ratio = mechanism.hit_rates, mechanism.likelihood_ratio
    holding = mechanism.holding if isinstance(mechanism, Design) else mechanism.functions
    return float(ratio - 1), float(g - h), float(g / ratio / holding)


# --- regression on cohorts and windows, and noise on every entry ----------------------------------


def _regression(mechanism: Cohorts | Interval) -> Regression | WindowRegression:
    return cast("Regression | WindowRegression", mechanism.analyst.estimator)


@noise.register(Cohorts)
@noise.register(Interval)
def _noise_of_regression(mechanism: Cohorts | Interval, weights: Floats) -> Floats:
    return np.maximum(_regression(mechanism).spread(weights[:, None])[:, 0], 0)


@covariance.register(Cohorts)
@covariance.register(Interval)
def _covariance_of_regression(mechanism: Cohorts | Interval, theta: Floats) -> Operator:
    return _regression(mechanism).covariance(theta)


@noise.register(GeometricNoise)
def _noise_of_entries(mechanism: GeometricNoise, weights: Floats) -> Floats:
    variance: Floats = mechanism.analyst.estimator.noise(weights) * np.square(weights).sum()
    return variance


@covariance.register(GeometricNoise)
def _covariance_of_entries(mechanism: GeometricNoise, theta: Floats) -> Operator:
    each = mechanism.analyst.estimator.noise(theta)
    return lambda u: (each + theta) * u - (theta @ u) * theta
