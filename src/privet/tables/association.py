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

from math import nan, prod, sqrt
from typing import TYPE_CHECKING

import numpy as np

from ..analysis.numbers import Measured
from .surplus import apart, apart_adjoint, own_covariance
from .traces import SquaredLength, traces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .pages import Floats
    from .table import Margin, Table

__all__ = ["association"]

_HALF, _RARE = 0.5, 0.05
_LOOSE = 8


def association(table: Table) -> Measured:
    """Return Cramér's V of the two questions of a table."""
    most = min(table.frequencies.shape) - 1
    margins = [table.margin(question) for question in table.questions]
    test, law = table.distance, _law(table, margins)
    # The least of φ² for each unit of the distance of the test, whatever the answers' pattern is.
    ratio = prod(map(_least_ratio, margins)) / test.weight
    known = all((one.interval()[0] > 0).all() for one in margins)

    def tested(chance: float) -> float:
        return min(ratio * test.law.least(chance, most / ratio), most)

    # An estimate that is smaller than noise alone would make it is no sign of more certainty.
    above = law._replace(seen=max(law.seen, law.mean))

    def ends(alpha: float) -> tuple[float, float]:
        high = above.greatest(alpha / 2, most) if known else float(most)
        if test.law.above(0.0) > alpha:
            return 0.0, sqrt(high / most)
        unlikely = law._replace(seen=law.mean).greatest(alpha / 2, most) if known else most
        low = min(tested(alpha), unlikely)
        if known:
            better = law.least(alpha / 2, most)
            low = better if better > unlikely else low
        return sqrt(low / most), sqrt(max(low, high) / most)

    value = tested(0.5)
    if test.law.above(0.0) < (_HALF if known else _RARE):
        value = max(value, min(law.seen - law.mean, most))
    error = sqrt(law.scale(value) / most) if known else nan
    return Measured(sqrt(value / most), error, ends)


def _least_ratio(margin: Margin) -> float:
    """Return the least Σ x²/shares of numbers x with the sum 0 and the squared length 1.

    Shares count as two standard errors more than estimated, which makes it less.
    """
    errors = margin.standard_errors
    shares = np.minimum(np.maximum(margin.frequencies + 2 * errors, errors), 1)
    centre = np.eye(len(shares)) - 1 / len(shares)
    values = np.linalg.eigvalsh(centre @ np.diag(1 / shares) @ centre)
    return float(values[1])  # the first is 0, of numbers that are all the same


def _law(table: Table, margins: Sequence[Margin]) -> SquaredLength:
    """Return the law of the estimate of φ²: its value, noise, and variance in its direction."""
    theta = table.frequencies
    surplus = theta - np.multiply.outer(*(one.frequencies for one in margins))
    row, column = (np.maximum(one.frequencies, one.standard_errors) for one in margins)
    expected = np.multiply.outer(row, column)
    seen = float((surplus**2 / expected).sum())
    loose = 1 + _LOOSE * max(
        float(np.square(one.standard_errors / low).max())
        for one, low in zip(margins, (row, column), strict=True)
    )
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
    return SquaredLength(seen, mean, square, loose * along)
