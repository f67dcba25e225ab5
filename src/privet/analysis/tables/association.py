"""Association: Cramér's V, how closely the answers to two questions go together.

With margins r and c and γ = θ − r cᵀ, φ² = Σ γ_ab²/(r_a c_b), and V² is φ² over its largest value,
the smaller number of categories less 1. Squares of noise are not 0 on average: the estimate of φ²
is too large by t = tr(WΣ), Σ being the covariance of γ and W the weights 1/(r c), and t is taken
off. What is left has about the law of `SquaredLength`. In the weights, a share counts as its
standard error at least, so that answers which hardly anyone gave do not take over.

That law does not know how uncertain the weights are, and where they are, it finds association where
there is none. So the test of independence (`independence`) decides whether V is 0: the interval at
the level 1 − α is above 0 exactly where the test rejects at α. The test's statistic is at the
squared distance Δ² <= λ Σγ² from independence, and φ² >= κ Σγ², where κ is the least of
Σ x²/r over |x|² for numbers x that add up to 0, times that for c. So the least Δ² that the test
does not reject is a lower end for φ², whatever the pattern of γ is. Let φ0² be the upper end where
no more than noise was seen. For V below that, the upper tail alone has all of α, as V cannot be
below 0; beyond, both tails have α/2, and the lower end is by the law of φ². Upper ends are that
law's, and at least φ0, so that nothing is empty; they are 1 where the lower end of some answer's
own share is 0.

"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, prod, sqrt
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats
from ..measured import Measured
from .squared_lengths import SquaredLength, traces
from .surplus import apart, apart_adjoint, own_covariance

if TYPE_CHECKING:
    from .table import Margin, Table

__all__ = ["association"]

_HALF, _RARE = 0.5, 0.05
# By so many squared relative errors of the margins is the variance of φ² larger than to first
# order. It is measured: with 4, intervals of answers of 5 standard errors cover too rarely.
_LOOSE = 8


def association(table: Table) -> Measured:
    """Return Cramér's V of the two questions of a table.

    Its standard error is not a number where it is not certain that every answer was given.
    """
    most = min(table.frequencies.shape) - 1
    margins = [table.margin(question) for question in table.questions]
    test, law = table.distance, _law(table, margins)
    # The least of φ² for each unit of the distance of the test, whatever the answers' pattern is.
    ratio = float(prod(map(_least_ratio, margins))) / test.weight
    known = all((one.interval()[0] > 0).all() for one in margins)

    def tested(chance: float) -> float:
        return min(ratio * test.law.least(chance, most / ratio), float(most))

    # An estimate that is smaller than noise alone would make it is no sign of more certainty.
    above, noise = law._replace(seen=max(law.seen, law.mean)), law._replace(seen=law.mean)

    def ends(alpha: float) -> tuple[float, float]:
        high = above.greatest(alpha / 2, most) if known else float(most)
        if test.law.above(0.0) > alpha:
            return 0.0, sqrt(high / most)
        near = noise.greatest(alpha / 2, most) if known else float(most)
        low = law.least(alpha / 2, most) if known else 0.0
        low = low if low > near else min(tested(alpha), near)
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
