"""Deviance: how unlikely one share, common to all groups, makes the counts of a category.

Where a mechanism is symmetric, a group's count is exactly binomial, and its deviance is twice what
the log-likelihood of the common share lacks to that of the best one for this group. Elsewhere it is
the square of the distance over its variance. For the likeliest common share, the sum over groups is
approximately chi-squared with groups − 1 degrees of freedom, far out in the tails as well, where
squares alone are not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...device.mechanisms.symmetric import Symmetric
from ..arrays import Floats, Integers
from ..counted_shares import CountedShares

# The chance of a report is kept this far from 0 and 1.
_LEAST_CHANCE = 1e-12
# Where the mechanisms are alike, the first round finds the common share.
_ROUNDS, _PRECISION = 40, 1e-9


class _Binomial:
    """Counts that are binomial with chance h + θ(g − h)."""

    def __init__(self, mechanism: Symmetric, counts: Integers, n: int) -> None:
        g, h = mechanism.hit_rates
        self._h, self._gain = float(h), float(g - h)
        self._counts, self._n = counts, n
        self.shares = mechanism.frequencies(counts, n)

    def _chance(self, common: Floats) -> Floats:
        return np.clip(self._h + self._gain * common, _LEAST_CHANCE, 1 - _LEAST_CHANCE)

    def precision(self, common: Floats) -> Floats:
        """Return 1 over the variance of the shares, if the true ones are these."""
        chance = self._chance(common)
        return self._n * self._gain**2 / (chance * (1 - chance))

    def deviance(self, common: Floats) -> Floats:
        """Return how unlikely these true shares are."""
        from scipy.special import rel_entr

        expected = self._n * self._chance(common)
        hits = rel_entr(self._counts, expected)
        misses = rel_entr(self._n - self._counts, self._n - expected)
        return np.asarray(2 * (hits + misses))


class _Normal:
    """Shares that are normal, with the variance that the mechanism has at theta."""

    def __init__(self, group: CountedShares, counts: Integers, theta: Floats) -> None:
        mechanism, n = group.survey.mechanism, group.n
        self.shares = np.array([mechanism.frequencies(row, n) for row in counts])
        self._precision = 1 / mechanism.variance(theta, n)

    def precision(self, common: Floats) -> Floats:
        return np.broadcast_to(self._precision, common.shape)

    def deviance(self, common: Floats) -> Floats:
        return self._precision * (self.shares - common) ** 2


def _part(group: CountedShares, counts: Integers, theta: Floats) -> _Binomial | _Normal:
    """Return what one group says of each category, in one survey a row."""
    mechanism = group.survey.mechanism
    if isinstance(mechanism, Symmetric):
        return _Binomial(mechanism, counts, group.n)
    return _Normal(group, counts, theta)


def deviances_from(theta: Floats, group: CountedShares, counts: Integers) -> Floats:
    """Return the deviance of each category from a known share, in one survey a row."""
    part = _part(group, counts, theta)
    return _not_negative(part.deviance(np.broadcast_to(theta, part.shares.shape)))


def deviances(groups: Sequence[CountedShares], counts: Sequence[Integers], theta: Floats) -> Floats:
    """Return the deviance of each category, summed over groups, in one survey a row.

    The counts are given for each group, (surveys, d); theta is about what the shares are.
    """
    parts = [_part(group, rows, theta) for group, rows in zip(groups, counts, strict=True)]
    common = np.broadcast_to(theta, parts[0].shares.shape)
    for _ in range(_ROUNDS):
        precisions = [part.precision(common) for part in parts]
        shares = [part.shares for part in parts]
        common, last = np.average(shares, axis=0, weights=precisions), common
        if np.abs(common - last).max() <= _PRECISION:
            break
    return _not_negative(sum((part.deviance(common) for part in parts), np.zeros(common.shape)))


def _not_negative(deviances: Floats) -> Floats:
    """Forgive the rounding of those that are 0."""
    return np.maximum(deviances, 0)
