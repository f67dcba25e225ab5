"""Less error from the same reports: the posterior mean of the shares, the prior learned from them.

Each unbiased estimate is a share plus noise of known law. Where the noise is larger than the shares
differ, most of what the estimates show is noise, and the best guess lies nearer to the others; how
much nearer can be learned from how far the d estimates scatter (empirical Bayes). prior.py learns
the law of the shares, posterior.py makes of it a distribution, intervals.py its intervals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...device.mechanisms.symmetric import Shrinkable, shrinkable
from ...errors import InvalidArgument
from ...errors.arguments import whole
from ..arrays import Floats
from .posterior import Shrunk, shrunk_means
from .prior import Noise, Places, learn

__all__ = ["Shrunk", "shrink"]

_MOST_REPORTS = 2**63 - 1
# Beyond so many different counts, they are rounded to this part of the noise's deviation.
_MOST_COUNTS, _ROUNDED = 2048, 1 / 6
_SIGNIFICANT = 0.05


def shrink(mechanism: Shrinkable, counts: ArrayLike, n: int) -> Shrunk:
    """Return the posterior of the population's shares, given how many reports support each value.

    Deterministic; a hundred thousand values take a fraction of a second. For sums over many values
    and for tests, the unbiased frequencies are the right ones: shrinking is a bias.

    Parameters
    ----------
    mechanism : Shrinkable
        What the reports were made with; its hit rates say how large the noise is.
    counts : array of d integers in [0, n]
        How many reports support each value.
    n : int >= 1
        How many reports there are.

    >>> from privet.mechanisms import KSubset
    >>> mechanism, counts = KSubset(5, 0.5), np.array([450, 408, 402, 395, 345])
    >>> mechanism.frequencies(counts, 1000).round(2)
    array([ 0.52,  0.25,  0.21,  0.17, -0.16])
    >>> shrink(mechanism, counts, 1000).frequencies.round(2)
    array([0.5 , 0.21, 0.17, 0.12, 0.01])

    """
    array = _checked(mechanism, counts, n)
    noise = Noise(int(n), mechanism.g, mechanism.h)
    hits, which, times = _different(noise, array)
    law = learn(noise, hits, times, mechanism.d)
    frequencies = shrunk_means(noise, law, hits, times)[which]
    deviations = np.sqrt(law.variance)[which]
    for result in (frequencies, deviations):
        result.flags.writeable = False
    flat = _is_flat(noise, mechanism.frequencies(array, int(n)))
    return Shrunk(frequencies, deviations, flat, noise, law, hits, which)


def _different(noise: Noise, counts: NDArray[np.int64]) -> tuple[Floats, Places, Floats]:
    """Return the different counts, which of them each value has, and how many values have each."""
    hits, which, times = np.unique(counts, return_inverse=True, return_counts=True)
    if len(hits) > _MOST_COUNTS:
        place = np.rint(noise.place(hits / noise.n) / _ROUNDED)
        _, cell = np.unique(place, return_inverse=True)
        together = np.bincount(cell, times)
        hits = np.rint(np.bincount(cell, times * hits.astype(np.float64)) / together)
        which, times = cell[which], together
    return hits.astype(np.float64), which, times.astype(np.float64)


def _is_flat(noise: Noise, y: Floats) -> bool:
    """Return whether neither the scatter of the estimates nor the largest is more than noise.

    Among equal values, Σ (y − 1/d)²/V · (d − 1)/d is chi-squared with d − 1 degrees of freedom
    (any two estimates are equally correlated), and no estimate is far above 1/d (Bonferroni).
    """
    from scipy.special import chdtrc, ndtri

    d = len(y)
    variance = float(noise.variance(np.array([1 / d]))[0])
    scatter = float(np.square(y - y.mean()).sum()) / variance * (d - 1) / d
    furthest = (float(y.max()) - 1 / d) / np.sqrt(variance)
    alpha = _SIGNIFICANT / 2
    return bool(chdtrc(d - 1, scatter) > alpha and furthest < -ndtri(alpha / d))


def _checked(mechanism: Shrinkable, counts: ArrayLike, n: int) -> NDArray[np.int64]:
    """Return the counts, or raise."""
    shrinkable("shrink", mechanism)
    whole("shrink", "n", n, 1, _MOST_REPORTS)
    array = np.asarray(counts)
    if array.shape != (mechanism.d,) or array.dtype.kind not in "iu":
        rule = f"{mechanism.d} integers, how many reports support each value"
        raise InvalidArgument("shrink", "counts", rule, f"{array.dtype} of shape {array.shape}")
    good = (array >= 0) & (array <= n)
    if not good.all():
        row = int(np.argmin(good))
        raise InvalidArgument("shrink", f"counts[{row}]", f"in [0, {n}]", int(array[row]))
    return array.astype(np.int64)
