"""Goodness of fit: whether a crowd has the shares that are known from elsewhere.

The known shares say what every count should be. Where a mechanism is symmetric, each count is then
exactly binomial. In all categories together, the distance from the known shares follows the
chi-squared law where noise is made of many events; where it is not, surveys are drawn anew from the
known shares, which is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

import numpy as np
from numpy.typing import ArrayLike

from ...device.mechanisms.base import Exclusive
from ...device.mechanisms.symmetric import Symmetric
from ...device.survey import Survey
from ...errors import InvalidArgument
from ..arrays import Floats
from ..counted_shares import CountedShares
from ..presence import binomial_tail
from ..tallied import Tallied
from .calibration import (
    Method,
    Tested,
    draws_for,
    held_against,
    holm,
    largest_contrast,
    redraw,
    seeded_by,
)
from .covariance import covariance
from .deviance import deviances_from
from .totals import estimate_of

__all__ = ["Fit", "fit", "known_shares"]

# How far from 1 the sum of shares that were rounded to nine digits or more may be.
_ROUNDING = 1e-6


class Fit(Tested):
    """The result of a test of known shares: a small p-value says that the crowd has others.

    Attributes
    ----------
    statistic : float
        How far the estimates are from the known shares, in all categories together.
    degrees_of_freedom : int
        d − 1, the mean of the statistic where it is chi-squared.
    p_value : float
        The probability of a statistic at least this large if the crowd has the known shares.
    by_category : dict of floats
        A p-value for each category, adjusted for there being many: if all categories at or below
        0.05 are said to differ, the chance that any one of them does not is 0.05. Exact where the
        mechanism is symmetric.
    method : "chi-square" or "resampled"
        Where the p-value of all together comes from: the chi-squared law, or surveys drawn anew.

    """


def fit(estimate: CountedShares | Tallied, shares: Mapping[str, float] | ArrayLike) -> Fit:
    """Test whether a survey comes from a crowd with these shares, a census say.

    The shares are those of all categories by name, or in their order, and add up to 1.

    The statistic is the largest (u·Δ)² / u·Σu over all u that sum to 0, where Δ are the differences
    and Σ is their covariance under the known shares; it is approximately chi-squared with d − 1
    degrees of freedom. Where n·h, the expected number of reports that support a category nobody
    holds, is below 25, it is the sum of the categories' deviances, and p is (1 + how many surveys
    drawn anew are at least as far) / (1 + how many are drawn).

    >>> from privet import Estimate, Survey
    >>> drinks = ["tea", "coffee", "cocoa", "none"]
    >>> survey = Survey("Tea or coffee?", drinks, 1.0, mechanism="k-subset")
    >>> estimate = Estimate(survey, 1000, np.array([320, 270, 230, 180]))
    >>> test = fit(estimate, {"tea": 0.4, "coffee": 0.3, "cocoa": 0.2, "none": 0.1})
    >>> f"{test.p_value:.3f}"
    '0.149'
    >>> test = fit(estimate, [0.25, 0.25, 0.25, 0.25])
    >>> {name: round(p, 5) for name, p in test.by_category.items()}
    {'tea': 0.0, 'coffee': 0.30504, 'cocoa': 0.30504, 'none': 0.0}
    """
    counted = estimate_of("fit", "estimate", estimate)
    theta = known_shares(counted.survey, shares)
    draws = draws_for([counted])
    if draws:
        statistic, p_value, each = _resampled(counted, theta, draws)
    else:
        statistic, p_value, each = _chi_square(counted, theta)
    if isinstance(counted.survey.mechanism, Symmetric):
        each = holm(_binomial(counted.survey.mechanism, counted, theta))
    by_category = dict(zip(counted.survey.categories, each.tolist(), strict=True))
    method: Method = "resampled" if draws else "chi-square"
    return Fit(statistic, len(theta) - 1, p_value, by_category, method)


def known_shares(survey: Survey, shares: Mapping[str, float] | ArrayLike) -> Floats:
    """Return the shares of all categories in their order, or raise.

    They add up to 1, unless people choose several options.
    """
    if isinstance(shares, Mapping):
        positions = {survey.index(name): name for name in shares}
        for position, name in enumerate(survey.categories):
            if position not in positions:
                raise InvalidArgument("fit", "shares", "of all categories", f"no {name!r}")
        shares = [shares[positions[i]] for i in range(len(positions))]
    theta = np.asarray(shares, dtype=np.float64)
    if theta.shape != (len(survey.categories),):
        rule = f"one share for each of {len(survey.categories)} categories"
        raise InvalidArgument("fit", "shares", rule, theta.shape)
    if not isinstance(survey.mechanism, Exclusive):
        if not ((theta >= 0) & (theta <= 1)).all():
            raise InvalidArgument("changes", "before", "shares from 0 to 1", theta.tolist())
        return theta
    total = fsum(theta)
    if not (theta >= 0).all() or not abs(total - 1) <= _ROUNDING:
        rule = "numbers from 0 to 1 that add up to 1"
        raise InvalidArgument("fit", "shares", rule, f"a sum of {total:.9g}")
    return theta / total


def _binomial(mechanism: Symmetric, estimate: CountedShares, theta: Floats) -> Floats:
    """Return twice the smaller tail of each count, as the interval of a share leaves out.

    A count beyond what any share makes likely is no surer than the last one that is (`hits`).
    """
    n, counts = estimate.n, estimate.counts
    rates = mechanism.h + (mechanism.g - mechanism.h) * theta
    above = binomial_tail(np.minimum(counts, n * mechanism.g), n, rates)
    below = binomial_tail(n - np.maximum(counts, n * mechanism.h), n, 1 - rates)
    return np.asarray(np.minimum(2 * np.minimum(above, below), 1))


def _chi_square(estimate: CountedShares, theta: Floats) -> tuple[float, float, Floats]:
    """Return the statistic, its p-value, and those of the categories, adjusted."""
    from scipy.special import chdtrc

    mechanism, n = estimate.survey.mechanism, estimate.n
    apply = covariance(mechanism, theta)
    variances, delta = mechanism.variance(theta, n), estimate.frequencies - theta
    statistic = largest_contrast(lambda u: apply(u) / n, variances, delta)
    p_value = float(chdtrc(len(theta) - 1, statistic))
    return statistic, p_value, holm(chdtrc(1, delta**2 / variances))


def _resampled(estimate: CountedShares, theta: Floats, draws: int) -> tuple[float, float, Floats]:
    """Return the statistic, its p-value, and those of the categories, adjusted."""
    drawn = redraw(estimate, theta, draws, seeded_by([estimate]))
    counts = np.concatenate((estimate.counts[None], drawn))
    return held_against(deviances_from(theta, estimate, counts))
