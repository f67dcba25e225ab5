"""Less error from the same reports: the posterior mean of the shares, the prior learned from them.

Each unbiased estimate y_j is a share θ_j plus noise of known size. Where the noise is larger than
the shares differ, most of what y shows is noise, and the best guess lies nearer to 1/d; how much
nearer can be learned from how far the d estimates scatter (empirical Bayes: Robbins 1956; James,
Stein 1961; Efron 2010, Large-Scale Inference). priors.py lists the laws that shares may have,
posterior.py averages over them by their evidence. The likelihood is a product of terms

    exp ∫ (y_j − t) / V(t) dt    up to θ_j,    V(t) = V0 + t (V1 − V0),

where Σ θ_j = 1: the quasi-likelihood (Wedderburn 1974) of counts with the mean and the covariances
that the mechanism says, and the very likelihood for randomized response, whose multinomial counts
are independent Poisson ones, given their sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidArgument
from ..mechanisms.symmetric import Symmetric
from .posterior import posterior

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["Shrunk", "shrink"]

_MOST_REPORTS = 2**63 - 1
# A beta law with parameters this large is normal.
_NORMAL_FROM = 1e8


@dataclass(frozen=True, eq=False, repr=False)
class Shrunk:
    """A distribution learned from noisy counts: the mean and spread of a posterior."""

    frequencies: Floats
    """The posterior mean of each share. None is negative, and they sum to 1."""

    standard_deviations: Floats
    """The posterior standard deviation of each share."""

    prior: Mapping[str, float]
    """How probable each law of the shares is, the most probable first (refine/priors.py)."""

    def __repr__(self) -> str:
        law, chance = next(iter(self.prior.items()))
        return (
            f"<Shrunk: {len(self.frequencies)} shares, law {law!r} with probability {chance:.2f}>"
        )

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of a posterior interval for each share.

        It holds `level` of the posterior, as a beta law with its mean and standard deviation. That
        is no confidence interval: it covers at its level on average over shares like those that
        the prior describes, and less for a share that is unlike the others.
        """
        if not isinstance(level, float) or not 0 < level < 1:
            raise InvalidArgument("Shrunk.interval", "level", "a float in (0, 1)", level)
        from statistics import NormalDist

        from scipy.special import betaincinv

        mean, variance = self.frequencies, self.standard_deviations**2
        with np.errstate(divide="ignore", over="ignore"):
            size = np.maximum(mean * (1 - mean) / variance - 1, 0)
        own, other = mean * size, (1 - mean) * size
        beta = (own > 0) & (other > 0) & (np.minimum(own, other) < _NORMAL_FROM)
        reach = NormalDist().inv_cdf((1 + level) / 2) * self.standard_deviations
        low, high = mean - reach, mean + reach
        low[beta] = betaincinv(own[beta], other[beta], (1 - level) / 2)
        high[beta] = betaincinv(own[beta], other[beta], (1 + level) / 2)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)


def shrink(mechanism: Symmetric, counts: ArrayLike, n: int) -> Shrunk:
    """Return the posterior of the population's shares, given how many reports support each value.

    Deterministic; a hundred thousand values take a fraction of a second. For sums over many values
    and for tests, the unbiased frequencies are the right ones: shrinking is a bias.

    Parameters
    ----------
    mechanism : Symmetric
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
    array([0.46, 0.2 , 0.16, 0.13, 0.04])

    """
    y, v0, v1 = _checked(mechanism, counts, n)
    mean, variance, prior = posterior(y, v0, v1)
    frequencies, deviations = mean / mean.sum(), np.sqrt(variance)
    for array in (frequencies, deviations):
        array.flags.writeable = False
    return Shrunk(frequencies, deviations, MappingProxyType(prior))


def _checked(mechanism: Symmetric, counts: ArrayLike, n: int) -> tuple[Floats, float, float]:
    """Return the unbiased estimate, and V at θ = 0 and at 1."""
    if not isinstance(mechanism, Symmetric):
        rule = "a Symmetric mechanism, whose hit rates say how large the noise is"
        raise InvalidArgument("shrink", "mechanism", rule, mechanism)
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not (1 <= n <= _MOST_REPORTS):
        raise InvalidArgument("shrink", "n", "an int in [1, 2^63 - 1], the number of reports", n)
    array = np.asarray(counts)
    if array.shape != (mechanism.d,) or array.dtype.kind not in "iu":
        rule = f"{mechanism.d} integers, how many reports support each value"
        raise InvalidArgument("shrink", "counts", rule, f"{array.dtype} of shape {array.shape}")
    good = (array >= 0) & (array <= n)
    if not good.all():
        row = int(np.argmin(good))
        raise InvalidArgument("shrink", f"counts[{row}]", f"in [0, {n}]", int(array[row]))
    hits = array.astype(np.int64)
    total = (int((hits >> 32).sum()) << 32) + int((hits & 0xFFFFFFFF).sum())  # beyond 64 bits
    v0, v1 = _noise(mechanism, total, int(n))
    return mechanism.frequencies(hits, int(n)), v0, v1


def _noise(mechanism: Symmetric, total: int, n: int) -> tuple[float, float]:
    """Return V at θ = 0 and at 1: the variance of y that is left once the sum is known.

    A report supports values i and j together with probability a if one is the own value, b if none
    is. Off its diagonal the covariance of a report is b + (θ_i + θ_j)(a − b) − p_i p_j, the p the
    hit rates. On vectors that sum to 0 only the last term is seen, which the drawing of people
    explains; so noise of the variance p_j − b − 2 θ_j (a − b) is independent, given the sum.
    """
    d, (g, h) = mechanism.d, mechanism.hit_rates
    size = g + (d - 1) * h
    if total == n * size:  # every report supports so many values
        a = g * (size - 1) / (d - 1)
        b = (size - 1) * (size - 2 * g) / ((d - 1) * max(d - 2, 1))
    else:  # values are supported, or not, by themselves
        a, b = g * h, h * h
    unit = n * (g - h) ** 2
    return float((h - b) / unit), float((g - 2 * a + b) / unit)
