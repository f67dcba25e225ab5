"""What the categories that are not found make up together, with an interval that allows for how
they were picked.

All shares add up to 1, so that the others make up what the found ones leave. But a category is
found because its count is large, which noise helps: the sum of the found shares is too large, and
its usual interval does not hold. Two ways out, by how many of the found ones might as well have
been missed:

- if they are few, their noise is at most what the noisiest of all categories add up to;
- if they are many, the excess is estimated. With a count that is Binomial(n, r), the sum of the
  noise of those with counts of at least c is, on average,

      E[(f − nr)·1(f >= c)] = c (1 − r) P(f = c),

  exactly (de Moivre), and added up over all categories this takes only the number of those whose
  count is near c, which can be seen (Efron, Tweedie's formula and selection bias, 2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.symmetric import Shrinkable
from ..errors.arguments import alpha_of
from .counted_shares import CountedShares
from .sums.totals import total

__all__ = ["Remainder", "remainder"]

# The least count of a category that is found must be so large for its noise to be normal.
_FEWEST = 10
# From so many that might have been missed on, their excess is estimated.
_MANY = 15
# How wide a window of counts is, in standard deviations; and what allows for it being a guess.
_WINDOW, _CAUTION = 0.5, 1.25
# How far the noisiest of all are taken to be above what they are on average, and with which part of
# alpha a category that is taken for clearly found is not.
_FAR, _PART = 2.5, 1 / 20
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Remainder:
    """The share of all categories that are not found.

    Attributes
    ----------
    categories : int
        How many there are.
    value : float
        What they make up, once the luck of those that were found is taken off.
    low, high : float
        The ends of an interval at the level that was asked for.

    """

    categories: int
    value: float
    low: float
    high: float


def remainder(estimate: CountedShares, level: float = 0.95) -> Remainder | None:
    """Return what the categories that are not found make up, or None where that is not known.

    It is for symmetric mechanisms, of whose counts the law is known, and withheld where a category
    was found with a count below 10: the noise of such counts is far from normal, and the interval
    would not hold.
    """
    alpha = alpha_of("remainder", level)
    mechanism, n, counts = estimate.survey.mechanism, estimate.n, estimate.counts
    if not isinstance(mechanism, Shrinkable):
        return None
    found = estimate.found()
    others = int((~found).sum())
    if not found.any() or not others:
        share = float(not found.any())
        return Remainder(others, share, share, share)
    least = int(counts[found].min())
    if least < _FEWEST:
        return None
    deviation = sqrt(least * max(1 - least / n, 1 / n))
    unit = 1 / (n * (mechanism.g - mechanism.h))
    lows, _ = mechanism.interval(counts, n, alpha * _PART / len(counts), "population")
    sure = _NORMAL.inv_cdf(1 - alpha * _PART / len(counts)) * deviation
    unsure = found & (lows <= (least + sure) * unit - mechanism.h * unit * n)
    lucky, error = _excess(counts, least, deviation)
    excess, error = deviation**2 * unit * lucky, deviation**2 * unit * error
    summed, spread = _found(estimate, found)
    z = _NORMAL.inv_cdf(1 - alpha / 2)
    if unsure.sum() >= _MANY:
        reach = _CAUTION * z * sqrt(spread**2 + error**2)
        ends = summed - excess - reach, summed - excess + reach
    else:
        clear = int(found.sum() - unsure.sum())
        most = deviation * unit * _noisiest(int(unsure.sum()), len(counts) - clear)
        below = min(float(estimate.frequencies[unsure].sum()), most) + z * spread
        ends = summed - below, summed + z * spread
    low, high = (min(max(1 - end, 0.0), 1.0) for end in reversed(ends))
    return Remainder(others, min(max(1 - summed + excess, low), high), low, high)


def _found(estimate: CountedShares, found: NDArray[np.bool_]) -> tuple[float, float]:
    """Return what the found categories add up to, and its standard error if they were fixed."""
    names = [estimate.survey.categories[i] for i in np.flatnonzero(found)]
    summed = total(estimate, names)
    return summed.value, summed.standard_error


def _excess(counts: NDArray[np.int64], least: int, deviation: float) -> tuple[float, float]:
    """Return how many categories have a count of exactly `least`, smoothly, and its error.

    The logarithm of their number is taken to be a line in a window of counts (Lindsey's method).
    """
    reach = max(ceil(_WINDOW * deviation), 2)
    steps = np.arange(-reach, reach + 1) / reach
    near = (counts[np.abs(counts - least) <= reach] - least) / reach
    size, mean, slope = len(near), float(near.mean()), 0.0
    for _ in range(50):
        weights = np.exp(slope * steps - abs(slope))
        weights /= weights.sum()
        middle = float(weights @ steps)
        variance = float(weights @ steps**2) - middle**2
        precision = size * variance + 0.1  # so that a single one has a slope as well
        change = (size * (mean - middle) - 0.1 * slope) / precision
        slope += min(max(change, -2.0), 2.0)
    number = size * float(weights[reach])
    return number, number * sqrt(1 / size + middle**2 / precision)


def _noisiest(some: int, every: int) -> float:
    """Return the most that the largest of independent standard normal numbers may add up to.

    Their average is every·φ(x), where x is what so many of them exceed.

    >>> round(_noisiest(1, 1000), 1)  # hardly any of a thousand is above 4.3
    4.3
    """
    if not some:
        return 0.0
    part = min(some / every, 0.5)
    x = _NORMAL.inv_cdf(1 - part)
    density = exp(-x * x / 2) / sqrt(2 * pi)
    variance = (1 + x * x) * part - x * density - (density - x * part) ** 2
    return every * density + _FAR * sqrt(every * variance)
