"""Whether anyone holds a value: the exact test of "nobody does", for symmetric mechanisms.

If nobody holds a value, its count is exactly Binomial(n, h), for the sample and for the population
alike. A large count is evidence against that.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..device.mechanisms.base import Mechanism
from ..device.mechanisms.symmetric import Symmetric
from .arrays import Floats

__all__ = [
    "binomial_tail",
    "clopper_pearson",
    "detectable_share",
    "discoveries",
    "least_count",
    "least_share",
    "lower_limit",
    "upper_limit",
]


_ALARM, _POWER = 0.05, 0.95


def discoveries(p_values: Floats, rate: float) -> NDArray[np.bool_]:
    """Return which hypotheses to reject so that, on average, this share of them is true at most.

    Benjamini and Hochberg (1995): as many of the smallest p-values as lie below a line that rises
    to `rate`.

    >>> discoveries(np.array([0.01, 0.04, 0.6, 0.02]), 0.05)
    array([ True, False, False,  True])
    """
    order = np.argsort(p_values, kind="stable")
    line = rate * np.arange(1, len(order) + 1) / len(order)
    below = np.flatnonzero(p_values[order] <= line)
    found = np.zeros(len(order), dtype=np.bool_)
    found[order[: below[-1] + 1 if len(below) else 0]] = True
    return found


def least_count(mechanism: Symmetric, n: int, chance: float) -> int:
    """Return the least count whose p-value is at most `chance`: n + 1 if there is none.

    >>> from privet.mechanisms import KSubset
    >>> least_count(KSubset(4, 1.0), 1000, 0.025)
    200
    """

    def is_rare(count: int) -> bool:
        return bool(binomial_tail(count, n, mechanism.h) <= chance)

    return bisect_left(range(n + 1), True, key=is_rare)


def least_share(mechanism: Symmetric, n: int, count: int, power: float) -> float | None:
    """Return the least share whose count is at least so large with this probability, if any.

    The people are drawn from a population with that share.

    >>> from privet.mechanisms import KSubset
    >>> round(least_share(KSubset(4, 1.0), 1000, 200, 0.95), 3)
    0.153
    """
    from scipy.special import betaincinv

    if binomial_tail(count, n, mechanism.g) < power:
        return None
    rate = float(betaincinv(count, n - count + 1, power))
    return min(max((rate - mechanism.h) / (mechanism.g - mechanism.h), 0.0), 1.0)


def detectable_share(mechanism: Mechanism, n: int) -> float | None:
    """Return the least share that is detected 19 times out of 20, if any, and if that is known.

    Detected is a count that any of d values nobody holds reaches at most one time in 20.

    >>> from privet.mechanisms import KSubset
    >>> round(detectable_share(KSubset(100, 1.0), 10_000), 3)
    0.095
    """
    if not isinstance(mechanism, Symmetric):
        return None
    return least_share(mechanism, n, least_count(mechanism, n, _ALARM / mechanism.d), _POWER)


def binomial_tail(counts: ArrayLike, n: int | NDArray[np.int64], rate: ArrayLike) -> Floats:
    """Return P(count >= f), if the count is Binomial(n, rate); f need not be whole.

    Between whole numbers it is what Clopper and Pearson's lower limit (`clopper_pearson`) inverts.

    >>> binomial_tail([0, 1, 2, 3], 2, 0.5).tolist()
    [1.0, 0.75, 0.25, 0.0]
    """
    from scipy.special import betainc

    hits = np.asarray(counts, dtype=np.float64)
    inside = np.minimum(np.where(hits > 0, hits, 1), n)
    tail: Floats = betainc(inside, n - inside + 1, rate)
    return np.where(hits <= 0, 1.0, np.where(hits > n, 0.0, tail))


def clopper_pearson(counts: ArrayLike, n: int, alpha: float) -> tuple[Floats, Floats]:
    """Return the ends of Clopper and Pearson's (1934) interval for the chance behind each count.

    >>> low, high = clopper_pearson([0, 2, 4], 4, 0.05)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.0, 0.07, 0.4], [0.6, 0.93, 1.0])
    """
    hits = np.asarray(counts, dtype=np.float64)
    return lower_limit(hits, n, alpha / 2), upper_limit(hits, n, alpha / 2)


def lower_limit(counts: ArrayLike, n: int, chance: float) -> Floats:
    """Return the least chance behind each count for which P(count >= f) exceeds `chance`.

    >>> lower_limit([0, 2, 4], 4, 0.025).round(2).tolist()
    [0.0, 0.07, 0.4]
    """
    from scipy.special import betaincinv

    hits = np.asarray(counts, dtype=np.float64)
    limit: Floats = betaincinv(np.where(hits > 0, hits, 1), n - hits + 1, chance)
    return np.where(hits > 0, limit, 0.0)


def upper_limit(counts: ArrayLike, n: int, chance: float) -> Floats:
    """Return the largest chance behind each count for which P(count <= f) exceeds `chance`.

    >>> upper_limit([0, 2, 4], 4, 0.025).round(2).tolist()
    [0.6, 0.93, 1.0]
    """
    from scipy.special import betaincinv

    hits = np.asarray(counts, dtype=np.float64)
    misses = n - hits
    limit: Floats = betaincinv(hits + 1, np.where(misses > 0, misses, 1), 1 - chance)
    return np.where(misses > 0, limit, 1.0)
