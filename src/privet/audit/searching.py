"""An event for reports that nothing is known of: learned on one half of them, tested on the other.

What is learned is how likely each byte at each place is of one value and of another, as if bytes
were independent; short reports are taken whole. The logarithms of the ratios add up to a score, and
the event is a score above a threshold, the one with the largest bound on the first half. Tested on
the other half it is an event like any other. It finds what lies in the bytes beside what they
should say: an order that was kept, padding that is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    half = min(len(of_x), len(of_y)) // 2
    symbols = [_symbols(part[: 2 * half]) for part in (of_x, of_y)]
    weights = _weights(symbols[0][:half]) - _weights(symbols[1][:half])
    scores = [_scores(part, weights) for part in symbols]
    learned = [np.sort(part[:half]) for part in scores]
    places = np.arange(_THRESHOLDS) * half // _THRESHOLDS
    levels = np.unique(np.concatenate([part[places] for part in learned]))
    hits, false_hits = (half - np.searchsorted(part, levels) for part in learned)
    pairs = zip(hits.tolist(), false_hits.tolist(), strict=True)
    bounds = [lower_bound(true, half, false, half, alpha) for true, false in pairs]
    least = levels[int(np.argmax(bounds))]
    true, false = (int((part[half:] >= least).sum()) for part in scores)
    return lower_bound(true, half, false, half, alpha), true, false, half


def _symbols(reports: Reports) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Return reports of two bytes as one symbol each, others as their bytes."""
    return np.ascontiguousarray(reports).view("<u2") if reports.shape[1] == 2 else reports


def _weights(symbols: NDArray[Any]) -> NDArray[np.float64]:
    """Return the logarithm of how often each symbol is at each place, (places, symbols)."""
    size = 1 << 8 * symbols.itemsize
    counts = [np.bincount(column, minlength=size) for column in symbols.T]
    logarithms: NDArray[np.float64] = np.log(np.array(counts) + _DOUBT)
    return logarithms


def _scores(symbols: NDArray[Any], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of the weights of each report's symbols."""
    total = np.zeros(len(symbols))
    for column, own in zip(symbols.T, weights, strict=True):
        total += own[column]
    return total
