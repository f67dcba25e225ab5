"""The margin of error to expect: that of the interval which an estimate will show.

The count of a category with share θ is Binomial(n, h + θ(g − h)), and every count has its interval
(`Estimate.interval`, for the population), so that its ends have expected values. Several choices
have the same, where it is so; where each person is asked about one option, among as many people as
are asked; and where all sets are listed, by the normal law of the count.

Numbers on a scale have the intervals of the reports that are expected where all cells are alike.
"""

from __future__ import annotations

from functools import singledispatch
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ..analysis.arrays import Floats
from ..analysis.estimator import HitRates, Rated
from ..analysis.numbers import Numbers
from ..analysis.presence import binomial_tail
from ..analysis.ramps import regression_of
from ..device.answers.scale import Scale
from ..device.mechanisms.base import Mechanism
from ..device.mechanisms.hashes.one_option import OneOption
from ..device.mechanisms.scales.interval import Interval
from ..device.mechanisms.subsets.listed_sets import ListedSets
from ..errors import InvalidArgument

Ends = tuple[float, float]
Shown = tuple[float, float, float]
Counts = NDArray[np.int64]

__all__ = [
    "common_margin",
    "expected_interval",
    "mean_margin",
    "rare_margin",
    "rated",
    "share_margin",
]

# Counts this many standard deviations from the mean, and so many steps of counts to a deviation:
# every count, where a deviation is less. Of people who are asked about an option, fewer steps.
_FAR, _STEPS, _ASKED_STEPS = 7, 16, 2


def rated(mechanism: Mechanism) -> Rated:
    """Return a mechanism whose categories are alike, or raise InvalidArgument, as for RAPPOR."""
    if not isinstance(mechanism, Rated):
        rule = "one that hits every category at the same rate"
        raise InvalidArgument("plan", "mechanism", rule, mechanism)
    return mechanism


def rare_margin(mechanism: Rated, n: int, alpha: float) -> float:
    """Return how far the interval of a category that nobody holds will reach up, on average.

    That is how far its upper end is from the estimate, or from 0 where that is below. Below the
    estimate there is nothing to reach: intervals end at 0.
    """
    _, high, share = _expected(mechanism, 0.0, n, alpha)
    return high - share


def common_margin(mechanism: Rated, n: int, alpha: float) -> float:
    """Return half the expected width of the interval of a category that half of the crowd holds."""
    low, high = expected_interval(mechanism, 0.5, n, alpha)
    return (high - low) / 2


def expected_interval(mechanism: Rated, theta: float, n: int, alpha: float) -> Ends:
    """Return the expected ends of the interval of a share, as it is shown: within [0, 1].

    It is for a mechanism whose categories are alike (`rated`).

    >>> from privet.mechanisms import KSubset, OneOption
    >>> [round(end, 4) for end in expected_interval(KSubset(30, 1.0), 0.5, 50_000, 0.05)]
    [0.4822, 0.5179]
    >>> [round(end, 4) for end in expected_interval(OneOption(30, 1.0, 9), 0.5, 50_000, 0.05)]
    [0.4474, 0.5526]
    """
    low, high, _ = _expected(mechanism, theta, n, alpha)
    return low, high


@singledispatch
def _expected(mechanism: Rated, theta: float, n: int, alpha: float) -> Shown:
    """Return the expected ends of the interval, and the expected estimate, all within [0, 1]."""
    return _by_rates(mechanism, theta, n, alpha)


def _by_rates(mechanism: Rated, theta: float, n: int, alpha: float) -> Shown:
    """Sum over all counts that occur, or, where they are many, over runs of neighbouring ones."""
    g, h = map(float, mechanism.hit_rates)
    counts, chances = _likely(n, h + theta * (g - h), _STEPS)
    rates = HitRates(mechanism)
    low, high = rates.interval(counts, n, alpha, "population")
    return _within((low, high, rates.frequencies(counts, n)), chances)


@_expected.register
def _of_asked(mechanism: OneOption, theta: float, n: int, alpha: float) -> Shown:
    """Average over how many people are asked about the option: nothing is known if none is."""
    shown, (asked, chances) = [], _likely(n, 1 / mechanism.d, _ASKED_STEPS)
    for people in asked.tolist():
        known = people > 0
        nothing = 0.0, 1.0, 0.5
        shown.append(_by_rates(mechanism, theta, people, alpha) if known else nothing)
    low, high, share = (chances @ np.array(shown)).tolist()
    return low, high, share


@_expected.register
def _of_listed(mechanism: ListedSets, theta: float, n: int, alpha: float) -> Shown:
    """Take counts by the normal law, unless a report holds one set."""
    if mechanism.k == 1:
        return _by_rates(mechanism, theta, n, alpha)
    g, h = map(float, mechanism.hit_rates)
    deviation = n * (g - h) * sqrt(mechanism.variance(np.array([theta]), n)[0])
    steps = np.arange(-_FAR * _STEPS, _FAR * _STEPS + 1) / _STEPS
    counts = np.rint(n * (h + theta * (g - h)) + deviation * steps).astype(np.int64)
    chances = np.exp(-(steps**2) / 2)
    counts = np.maximum(counts, 0)
    low, high = mechanism.interval(counts, n, alpha, "population")
    shown = low, high, mechanism.frequencies(counts, n)
    return _within(shown, chances / chances.sum())


def _within(shown: tuple[Floats, Floats, Floats], chances: Floats) -> Shown:
    low, high, share = (float(chances @ np.clip(one, 0, 1)) for one in shown)
    return low, high, share


def _likely(n: int, rate: float, steps: int) -> tuple[Counts, Floats]:
    """Return counts that stand for all of a binomial law that occur, and their chances."""
    deviation = np.sqrt(n * rate * (1 - rate))
    run = 2 * int(deviation / steps / 2) + 1  # odd, so that a run has a middle
    reach = int((_FAR * deviation + _FAR**2) / run) + 1
    middles = int(n * rate) + run * np.arange(-reach, reach + 1)
    middles = middles[(middles > -run) & (middles < n + run)]
    ends = np.append(middles - run // 2, middles[-1] + run // 2 + 1)
    chances = -np.diff(binomial_tail(ends, n, rate))
    return np.clip(middles, 0, n), chances / chances.sum()


def mean_margin(scale: Scale, mechanism: Interval, n: int, alpha: float) -> float:
    """Return half the width of the interval of the mean, in the scale's units."""
    low, high = _expected_numbers(scale, mechanism, n).mean().interval(1 - alpha)
    return (high - low) / 2


def share_margin(scale: Scale, mechanism: Interval, n: int, alpha: float) -> float:
    """Return half the width of the interval of the share of numbers in the scale's lower half.

    That is the share below the border between cells that is next to the middle. Of an odd number
    of cells, the one in the middle counts with the upper half: if it were cut, the interval would
    also allow for any part of it.
    """
    low, middle = scale.edges[0], scale.edges[0] + scale.cells // 2 * scale.step
    low, high = _expected_numbers(scale, mechanism, n).share(low, middle).interval(1 - alpha)
    return (high - low) / 2


def _expected_numbers(scale: Scale, mechanism: Interval, n: int) -> Numbers:
    """Return what n reports say that are spread as one expects where all cells are alike."""
    chances = regression_of(mechanism).chances.mean(axis=1)
    below = np.rint(n * np.minimum(np.cumsum(chances), 1)).astype(np.int64)
    below[-1] = n
    windows = np.diff(below, prepend=0)
    return Numbers(mechanism, windows, n, *scale.edges, scale.rounded, (scale.low, scale.high))
