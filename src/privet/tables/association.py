"""Association: Cramér's V, how closely the answers to two questions go together.

With margins r and c and γ = θ − r cᵀ, φ² = Σ γ_ab²/(r_a c_b), and V² is φ² over its largest value,
the smaller number of categories less 1. Squares of noise are not 0 on average: the estimate of φ²
is too large by t = tr(WΣ), Σ being the covariance of γ and W the weights 1/(r c). It has about the
variance 2 tr((WΣ)²) + 4σ²φ², where σ² is the variance in the direction of γ. So has a times a
noncentral chi-squared number with t/a degrees of freedom and noncentrality φ²/a, if a is
(tr((WΣ)²) + 2σ²φ²)/(t + 2φ²). The estimate is what was seen of φ² less t; the interval holds all V
for which as much or as little as that is not too unlikely. In the weights, a share counts as its
standard error at least, so that answers which hardly anyone gave do not take over.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..analysis.numbers import Measured
from .surplus import apart, apart_adjoint, own_covariance
from .traces import traces

if TYPE_CHECKING:
    from .pages import Floats
    from .table import Table

__all__ = ["association"]

_ROUNDS, _LARGE = 50, 1e4


def association(table: Table) -> Measured:
    """Return Cramér's V of the two questions of a table."""
    most = min(table.frequencies.shape) - 1
    margins = [table.margin(question) for question in table.questions]
    law = _law(table, *(np.maximum(one.frequencies, one.standard_errors) for one in margins))
    square = min(max(law.seen - law.mean, 0.0), float(most))
    error = sqrt(law.scale(square) / most)
    # An estimate that is smaller than noise alone would make it is no sign of more certainty.
    above = law._replace(seen=max(law.seen, law.mean))

    def ends(alpha: float) -> tuple[float, float]:
        low, high = law.end(1 - alpha / 2, most), above.end(alpha / 2, most)
        return sqrt(low / most), sqrt(high / most)

    return Measured(sqrt(square / most), error, ends)


class _Law(NamedTuple):
    """What is known of the estimate of φ²: its value, noise, and variance in its direction."""

    seen: float
    mean: float
    square: float
    along: float

    def scale(self, phi: float) -> float:
        """Return a, of which the estimate is a multiple, if phi is φ²."""
        return (self.square + 2 * self.along * phi) / (self.mean + 2 * phi)

    def below(self, phi: float) -> float:
        """Return how likely so small an estimate is if phi is φ².

        Where φ² is very many times its noise, the root of a chi-squared number is normal.
        """
        from scipy.special import chndtr

        a = self.scale(phi)
        mean, variance = (self.mean + phi) / a, (2 * self.mean + 4 * phi) / a
        if mean < _LARGE:
            return float(chndtr(self.seen / a, self.mean / a, phi / a))
        rooted = variance / mean / 4
        return NormalDist(sqrt(mean - rooted), sqrt(rooted)).cdf(sqrt(self.seen / a))

    def end(self, chance: float, most: float) -> float:
        """Return the φ² for which so small an estimate has this chance."""
        low, high = 0.0, float(most)
        if self.below(low) <= chance:
            return low
        if self.below(high) >= chance:
            return high
        for _ in range(_ROUNDS):
            half = (low + high) / 2
            low, high = (half, high) if self.below(half) > chance else (low, half)
        return (low + high) / 2


def _law(table: Table, row: Floats, column: Floats) -> _Law:
    theta, expected = table.frequencies, np.multiply.outer(row, column)
    seen = float(np.square(theta - expected) @ (1 / column) @ (1 / row))
    covariance = own_covariance(table)
    weights = 1 / np.sqrt(expected)[..., None]

    def root(errors: Floats) -> Floats:
        return np.asarray(weights * apart(errors, row, column))

    def adjoint(probes: Floats) -> Floats:
        return apart_adjoint(weights * probes, row, column)

    mean, square = traces(covariance, root, adjoint, theta.shape)
    parts = theta**2 / expected
    gradient = 2 * theta / expected - parts.sum(axis=1)[:, None] / row[:, None]
    gradient -= parts.sum(axis=0) / column
    along = float((gradient * covariance(gradient)).sum()) / (4 * seen) if seen else square / mean
    return _Law(seen, mean, square, along)
