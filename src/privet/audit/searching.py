"""An event for reports that nothing is known of: learned on one half of them, tested on the other.

What is learned is how likely each byte at each place is of one value and of another, as if bytes
were independent; short reports are taken whole. The logarithms of the ratios add up to a score, and
the event is a score above a threshold, the one with the largest bound on the first half. Tested on
the other half it is an event like any other. It finds what lies in the bytes beside what they
should say: an order that was kept, padding that is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .bounds import lower_bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reports = NDArray[np.uint8]

__all__ = ["search"]

# Added to every count, so that bytes that are rare say little.
_DOUBT = 2.0
_THRESHOLDS = 64


def search(of_x: Reports, of_y: Reports, alpha: float) -> tuple[float, int, int, int]:
    """Return the bound of an event that is likelier of x than of y, its counts, and their trials.

    >>> rng = np.random.default_rng(1)
    >>> x, y = (rng.choice(2, (1000, 1), p=[1 - p, p]).astype(np.uint8) for p in (0.8, 0.2))
    >>> bound, hits, false_hits, trials = search(x, y, 0.01)
    >>> 1 < bound < np.log(4), trials
    (True, 500)
    """
    symbols = [_symbols(part) for part in (of_x, of_y)]
    learn = min(len(of_x), len(of_y)) // 2
    size = 1 << 16 if symbols[0].dtype == np.uint16 else 1 << 8
    weights = _weights(symbols[0][:learn], size) - _weights(symbols[1][:learn], size)
    scores = [_scores(part[: 2 * learn], weights) for part in symbols]
    first, second = ([part[:learn] for part in scores], [part[learn:] for part in scores])
    levels = np.quantile(np.concatenate(first), np.linspace(0, 1, _THRESHOLDS, endpoint=False))
    least = max(np.unique(levels), key=lambda level: _bound(*first, level, alpha)[0])
    return *_bound(*second, least, alpha), learn


def _symbols(reports: Reports) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Return short reports as one symbol each, others as their bytes."""
    if reports.shape[1] != 2:
        return reports
    return np.ascontiguousarray(reports).view("<u2")


def _weights(symbols: NDArray[np.unsignedinteger], size: int) -> NDArray[np.float64]:
    """Return the logarithm of how often each symbol is at each place, (places, size)."""
    counts = [np.bincount(column, minlength=size) for column in symbols.T]
    return np.log(np.array(counts) + _DOUBT)


def _scores(symbols: NDArray[np.unsignedinteger], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.zeros(len(symbols))
    for column, own in zip(symbols.T, weights, strict=True):
        total += own[column]
    return total


def _bound(
    of_x: NDArray[np.float64], of_y: NDArray[np.float64], least: float, alpha: float
) -> tuple[float, int, int]:
    hits, false_hits = int((of_x >= least).sum()), int((of_y >= least).sum())
    return lower_bound(hits, len(of_x), false_hits, len(of_y), alpha), hits, false_hits
