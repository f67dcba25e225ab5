"""Homogeneity: a test of whether two crowds, or two waves of a survey, are alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SurveyMismatch
from ..refine import project_simplex
from .covariance import covariance
from .totals import estimate_of

if TYPE_CHECKING:
    from ..analysis.estimate import Estimate
    from ..analysis.tally import Tally
    from .covariance import Operator
    from .incidence import Floats

__all__ = ["Homogeneity", "homogeneity"]

# Where to stop: the square of a residual relative to the first.
_SMALL = 1e-24


@dataclass(frozen=True)
class Homogeneity:
    """The result of a test of whether two crowds are alike: a small p-value says they are not.

    Attributes
    ----------
    statistic : float
        How far apart the two are; approximately chi-squared if the crowds are alike.
    degrees_of_freedom : int
        d − 1.
    p_value : float
        The probability of a statistic at least this large if the crowds are alike.

    """

    statistic: float
    degrees_of_freedom: int
    p_value: float


def homogeneity(first: Estimate | Tally, second: Estimate | Tally) -> Homogeneity:
    """Test whether two independent surveys come from crowds with the same shares.

    If Δ is the difference of the two estimates and Σ its covariance under the pooled shares, the
    statistic is the largest (u·Δ)² / u·Σu over all contrasts u (Σ_j u_j = 0), which equals Δ·Σ⁻Δ
    if the frequencies add up to 1 anyway. If the crowds are alike, it is approximately chi-squared
    with d − 1 degrees of freedom. The approximation is good if n·h, the expected number of reports
    that support a category nobody holds, is 5 or more. At k = 1 it is nearly Pearson's test (1900).
    Σ is never stored: it is applied to vectors, and conjugate gradients find u.

    >>> from privet import Estimate, Survey
    >>> drinks = ["tea", "coffee", "cocoa", "none"]
    >>> survey = Survey("Tea or coffee?", drinks, 1.0, mechanism="k-subset")
    >>> before = Estimate(survey, 1000, np.array([320, 270, 230, 180]))
    >>> after = Estimate(survey, 1000, np.array([270, 320, 230, 180]))
    >>> f"{homogeneity(before, after).p_value:.3f}"
    '0.037'
    """
    a = estimate_of("homogeneity", "first", first)
    b = estimate_of("homogeneity", "second", second)
    if a.survey.categories != b.survey.categories:
        raise SurveyMismatch(
            f"The surveys {a.survey.id!r} and {b.survey.id!r} do not have the same categories."
        )
    from scipy.special import gammaincc

    nobody = np.zeros(len(a.counts))
    precisions = [1 / x.survey.mechanism.variance(nobody, x.n).mean() for x in (a, b)]
    pooled = np.average([a.frequencies, b.frequencies], axis=0, weights=precisions)
    theta = project_simplex(pooled)
    of_a, of_b = (covariance(x.survey.mechanism, theta) for x in (a, b))
    diagonal = a.survey.mechanism.variance(theta, a.n) + b.survey.mechanism.variance(theta, b.n)
    statistic = _largest_contrast(
        lambda u: of_a(u) / a.n + of_b(u) / b.n, diagonal, a.frequencies - b.frequencies
    )
    freedom = len(theta) - 1
    return Homogeneity(statistic, freedom, float(gammaincc(freedom / 2, statistic / 2)))


def _largest_contrast(apply: Operator, diagonal: Floats, delta: Floats) -> float:
    """Return the largest (u·Δ)² / u·Σu over u with Σ_j u_j = 0.

    It is u·Δ where Σu = Δ up to a constant, found by conjugate gradients among the u that sum to 0,
    preconditioned by the diagonal. The constant is subtracted from every residual, so that its
    rounding error does not take over (Gould, Hribar, Nocedal 2001).
    """
    precision = 1 / diagonal

    def centre(residual: Floats) -> Floats:
        return residual - np.average(residual, weights=precision)

    u, residual = np.zeros(len(delta)), centre(delta)
    direction = precision * residual
    size = first = float(residual @ direction)
    for _ in range(2 * len(delta) + 100):
        if size <= _SMALL * first:
            break
        image = apply(direction)
        length = size / float(direction @ image)
        u, residual = u + length * direction, centre(residual - length * image)
        step = precision * residual
        size, last = float(residual @ step), size
        direction = step + size / last * direction
    return max(float(u @ delta), 0.0)  # rounding apart
