"""Homogeneity: a test of whether two or more crowds, or waves of a survey, are alike.

If they are, all estimates are of the same shares. Where noise is made of many events, the distance
between the estimates follows the chi-squared law. Where it is not, all groups are drawn anew many
times, and their distances are what the real one is held against: reports that each name one value,
by one mechanism, are dealt out to the groups again, which is exact whatever the shares are; others
are drawn from the pooled shares (`privet.simulate`). Single categories are tested alongside.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...device.mechanisms.subsets.k_subset import KSubset
from ..arrays import Floats, Integers
from ..counted_shares import CountedShares
from ..refine.simplex import project_simplex
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
from .deviance import deviances
from .totals import check_categories, estimate_of

__all__ = ["Homogeneity", "homogeneity"]

# What numpy deals out.
_MOST_DEALT = 10**9


class Homogeneity(Tested):
    """The result of a test of whether crowds are alike: a small p-value says they are not.

    Attributes
    ----------
    statistic : float
        How far apart the crowds are, in all categories together.
    degrees_of_freedom : int
        (groups − 1)(d − 1), the mean of the statistic where it is chi-squared.
    p_value : float
        The probability of a statistic at least this large if the crowds are alike.
    by_category : dict of floats
        A p-value for each category, adjusted for there being many: if all categories at or below
        0.05 are said to differ, the chance that any one of them does not is 0.05.
    method : "chi-square" or "resampled"
        Where the p-values come from: the chi-squared law, and Holm's adjustment (1979); or surveys
        drawn anew, and the adjustment of Westfall and Young (1993) by their largest distance.

    """


def homogeneity(
    first: CountedShares | Tallied,
    second: CountedShares | Tallied,
    *others: CountedShares | Tallied,
) -> Homogeneity:
    """Test whether independent surveys come from crowds with the same shares.

    If Δ are the differences of the estimates from one of them and Σ their covariance under the
    pooled shares, the statistic is the largest (u·Δ)² / u·Σu over all u that sum to 0 in each
    difference, which equals Δ·Σ⁻Δ if the frequencies add up to 1 anyway. If the crowds are alike,
    it is approximately chi-squared with (groups − 1)(d − 1) degrees of freedom. At k = 1 it is
    nearly Pearson's test (1900). Σ is never stored: it is applied to vectors, and conjugate
    gradients find u.

    The approximation is good if n·h, the expected number of reports that support a category nobody
    holds, is 25 or more in every group. Where it is less, the statistic is the sum of the
    categories' deviances (`deviance`), and p is (1 + how many of the groups drawn anew
    are at least as far apart) / (1 + how many are drawn): 999, or fewer where drawing takes long,
    and none, the method saying so, where it takes too long. The draws depend on the counts alone,
    so that the same counts have the same p-value.

    >>> from privet import Estimate, Survey
    >>> drinks = ["tea", "coffee", "cocoa", "none"]
    >>> survey = Survey("Tea or coffee?", drinks, 1.0, mechanism="k-subset")
    >>> before = Estimate(survey, 1000, np.array([320, 270, 230, 180]))
    >>> after = Estimate(survey, 1000, np.array([270, 320, 230, 180]))
    >>> test = homogeneity(before, after)
    >>> f"{test.p_value:.3f}"
    '0.037'
    >>> {name: round(p, 3) for name, p in test.by_category.items()}
    {'tea': 0.057, 'coffee': 0.057, 'cocoa': 1.0, 'none': 1.0}
    """
    named = {"first": first, "second": second}
    named |= {f"others[{i}]": other for i, other in enumerate(others)}
    groups = [estimate_of("homogeneity", name, given) for name, given in named.items()]
    check_categories(groups)
    theta = _pooled(groups)
    freedom = (len(groups) - 1) * (len(theta) - 1)
    draws = draws_for(groups)
    if draws:
        statistic, p_value, each = _resampled(groups, theta, draws)
    else:
        statistic, p_value, each = _chi_square(groups, theta, freedom)
    by_category = dict(zip(groups[0].survey.categories, each.tolist(), strict=True))
    method: Method = "resampled" if draws else "chi-square"
    return Homogeneity(statistic, freedom, p_value, by_category, method)


def _pooled(groups: Sequence[CountedShares]) -> Floats:
    """Return the shares if all crowds are alike: a distribution, precise groups counting more."""
    shares = [group.frequencies for group in groups]
    return project_simplex(np.average(shares, axis=0, weights=_precisions(groups)))


def _precisions(groups: Sequence[CountedShares]) -> list[float]:
    """Return 1 over the mean variance of each group's shares, if all categories were alike."""
    flat = np.full(len(groups[0].counts), 1 / len(groups[0].counts))
    return [1 / group.survey.mechanism.variance(flat, group.n).mean() for group in groups]


# --- the chi-squared law --------------------------------------------------------------------------


def _chi_square(
    groups: Sequence[CountedShares], theta: Floats, freedom: int
) -> tuple[float, float, Floats]:
    """Return the statistic, its p-value, and those of the categories, adjusted."""
    from scipy.special import chdtrc

    variances = [group.survey.mechanism.variance(theta, group.n) for group in groups]
    base = int(np.argmin([variance.mean() for variance in variances]))
    rest = [i for i in range(len(groups)) if i != base]
    applies = [covariance(group.survey.mechanism, theta) for group in groups]

    def apply(u: Floats) -> Floats:
        common = applies[base](u.sum(axis=0)) / groups[base].n
        own = [applies[i](row) / groups[i].n for i, row in zip(rest, u, strict=True)]
        return np.array(own) + common

    delta = np.array([groups[i].frequencies - groups[base].frequencies for i in rest])
    diagonal = np.array([variances[i] + variances[base] for i in rest])
    statistic = largest_contrast(apply, diagonal, delta)
    distances = deviances(groups, [group.counts[None] for group in groups], theta)[0]
    each = chdtrc(len(groups) - 1, distances)
    return statistic, float(chdtrc(freedom, statistic)), holm(each)


# --- surveys drawn anew ---------------------------------------------------------------------------


def _resampled(
    groups: Sequence[CountedShares], theta: Floats, draws: int
) -> tuple[float, float, Floats]:
    """Return the statistic, its p-value, and those of the categories, adjusted."""
    rng = seeded_by(groups)
    if _exchangeable(groups):
        drawn = _dealt([group.counts for group in groups], draws, rng)
    else:
        smooth = _smoothed(groups, theta)
        drawn = [redraw(group, smooth, draws, rng) for group in groups]
    pairs = zip(groups, drawn, strict=True)
    counts = [np.concatenate((group.counts[None], rows)) for group, rows in pairs]
    return held_against(deviances(groups, counts, theta))


def _exchangeable(groups: Sequence[CountedShares]) -> bool:
    """Return whether the counts are all reports, and any report might be of any group."""
    mechanisms = {group.survey.mechanism for group in groups}
    names_one = all(isinstance(each, KSubset) and each.k == 1 for each in mechanisms)
    return len(mechanisms) == 1 and names_one and sum(group.n for group in groups) < _MOST_DEALT


def _dealt(counts: Sequence[Integers], draws: int, rng: np.random.Generator) -> list[Integers]:
    """Deal all groups' reports out anew, so many times: exact, whatever the shares are."""
    dealt = np.empty((len(counts), draws, len(counts[0])), dtype=np.int64)
    for draw in range(draws):
        left = np.sum(counts, axis=0)
        for i, own in enumerate(counts[:-1]):
            dealt[i, draw] = rng.multivariate_hypergeometric(left, own.sum())
            left -= dealt[i, draw]
        dealt[-1, draw] = left
    return list(dealt)


def _smoothed(groups: Sequence[CountedShares], theta: Floats) -> Floats:
    """Return the shares as if half a person more had each category.

    What no group reported may still be true, and surveys drawn anew would never have it. The people
    are counted as if they had answered openly, so many that their error would be the same.
    """
    d = len(theta)
    people = sum(_precisions(groups)) * (d - 1) / d**2
    smooth: Floats = (people * theta + 1 / 2) / (people + d / 2)
    return smooth
