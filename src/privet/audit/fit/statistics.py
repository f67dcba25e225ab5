"""P-values of counts against exact chances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom, chi2

__all__ = ["Check", "binomial", "cells", "coded", "exchangeable", "spread"]

# With at least so many expected in each cell, χ² is right far into its tail.
_LEAST_EXPECTED = 25.0


class Check(NamedTuple):
    """One look at the reports of a value, and how likely it is that they look so odd."""

    what: str
    p: float


def binomial(count: int, n: int, chance: float) -> float:
    """Return the exact p-value, two-sided, of a count.

    >>> binomial(60, 100, 0.5) > 0.05, binomial(70, 100, 0.5) < 0.001
    (True, True)
    """
    if chance in (0.0, 1.0):
        return float(count == n * chance)
    tails = binom.cdf(count, n, chance), binom.sf(count - 1, n, chance)
    return float(min(1.0, 2 * min(tails)))


def cells(counts: NDArray[np.int64], chances: ArrayLike) -> float:
    """Return the p-value of counts of things whose chances add up to 1, by χ².

    Where few are expected, cells are put together, in an order that does not depend on the counts.

    >>> cells(np.array([50, 26, 24]), [0.5, 0.25, 0.25]) > 0.5
    True
    """
    observed, expected = counts.ravel().astype(float), np.ravel(chances) * float(counts.sum())
    if (observed[expected == 0] > 0).any():
        return 0.0
    order = np.argsort(expected, kind="stable")
    observed, expected = observed[order], expected[order]
    # Cells up to `few` go together with as many more as make up the least sum.
    few = int(np.searchsorted(expected, _LEAST_EXPECTED))
    if few:
        few = max(few, 1 + int(np.searchsorted(np.cumsum(expected), _LEAST_EXPECTED)))
        joined = [observed[:few].sum()], [expected[:few].sum()]
        observed = np.concatenate([joined[0], observed[few:]])
        expected = np.concatenate([joined[1], expected[few:]])
    if len(observed) < 2:
        return 1.0
    return float(chi2.sf(((observed - expected) ** 2 / expected).sum(), len(observed) - 1))


def exchangeable(counts: NDArray[np.int64], n: int, one: float, both: float) -> float:
    """Return the p-value of how far counts are apart that are alike, though not independent.

    Each of n reports holds one thing with chance `one` and two of them with chance `both`; then
    Σ(c − c̄)² / (n(one − both)) is χ² with one degree less than there are things.
    """
    scale = n * (one - both)
    if len(counts) < 2 or scale < _LEAST_EXPECTED:
        return 1.0
    return float(chi2.sf(((counts - counts.mean()) ** 2).sum() / scale, len(counts) - 1))


def spread(counts: NDArray[np.int64], n: int, chance: float) -> float:
    """Return the p-value of independent counts, each of n with the same chance."""
    scale = n * chance * (1 - chance)
    if not len(counts) or scale < _LEAST_EXPECTED:
        return 1.0
    return float(chi2.sf(((counts - n * chance) ** 2).sum() / scale, len(counts)))


def coded(bits: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return rows of a few bits as numbers, the first bit the lowest.

    >>> coded(np.array([[True, False], [True, True]])).tolist()
    [1, 3]
    """
    return bits @ (1 << np.arange(bits.shape[1]))
