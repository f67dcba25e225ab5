"""The margin of error to expect: that of the interval which an estimate will show.

The count of a category with share θ is Binomial(n, h + θ(g − h)), and every count has its interval
(`Estimate.interval`, for the population), so that its ends have expected values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..analysis.presence import binomial_tail

if TYPE_CHECKING:
    from ..mechanisms.symmetric import Symmetric

__all__ = ["common_margin", "expected_interval", "rare_margin"]

# Counts this many standard deviations from the mean, and so many steps of counts to a deviation:
# every count, where a deviation is less.
_FAR, _STEPS = 7, 16


def rare_margin(mechanism: Symmetric, n: int, alpha: float) -> float:
    """Return how far the interval of a category that nobody holds will reach up, on average.

    That is how far its upper end is from the estimate, on average, since estimates are unbiased.
    Below the estimate there is nothing to reach: intervals end at 0.
    """
    return expected_interval(mechanism, 0.0, n, alpha)[1]


def common_margin(mechanism: Symmetric, n: int, alpha: float) -> float:
    """Return half the expected width of the interval of a category that half of the crowd holds."""
    low, high = expected_interval(mechanism, 0.5, n, alpha)
    return (high - low) / 2


def expected_interval(
    mechanism: Symmetric, theta: float, n: int, alpha: float
) -> tuple[float, float]:
    """Return the expected ends of the interval of a share, as it is shown: within [0, 1].

    A sum over all counts that occur, or, where they are many, over runs of neighbouring ones.

    >>> from privet.mechanisms import KSubset
    >>> [round(end, 4) for end in expected_interval(KSubset(30, 1.0), 0.5, 50_000, 0.05)]
    [0.4822, 0.5179]
    """
    rate = mechanism.h + theta * (mechanism.g - mechanism.h)
    deviation = np.sqrt(n * rate * (1 - rate))
    run = 2 * int(deviation / _STEPS / 2) + 1  # odd, so that a run has a middle
    reach = int((_FAR * deviation + _FAR**2) / run) + 1
    middles = int(n * rate) + run * np.arange(-reach, reach + 1)
    middles = middles[(middles > -run) & (middles < n + run)]
    ends = np.append(middles - run // 2, middles[-1] + run // 2 + 1)
    chances = -np.diff(binomial_tail(ends, n, rate))
    low, high = mechanism.interval(np.clip(middles, 0, n), n, alpha, "population")
    total = chances.sum()
    return (
        float(chances @ np.clip(low, 0, 1) / total),
        float(chances @ np.clip(high, 0, 1) / total),
    )
