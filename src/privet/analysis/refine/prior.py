"""The law of the shares, learned from the counts: nonparametric empirical Bayes.

The shares θ_1, …, θ_d are taken for independent draws of one unknown law (Robbins 1956; Kiefer,
Wolfowitz 1956; Efron 2010, Large-Scale Inference). A count is exactly Binomial(n, h + (g − h) θ),
so that with weights w on a grid of shares, value i is at the grid's share t with probability

    r_it ∝ Binomial(f_i; n, h + (g − h) t) · w_t,    w_t = b_t + d/(d + 6) Σ_{j ≠ i} r_jt,

where each weight is what the other values say, less so where there are few of them, and the
pseudo-values b. This is solved by going round (zero-order collapsed variational Bayes: Asuncion,
Welling, Smyth, Teh 2009). Leaving a value itself out keeps a giant from being its own prior.

The pseudo-values b, however many values there are: one that nobody holds and one that everyone
holds; and half a one to every standard deviation of the noise near a count, in the arcsine scale,
in which that deviation is everywhere the same (Jeffreys's law), less where it is but a few reports.
So a value with hardly any neighbour keeps its unbiased estimate, and a crowd of neighbours outvotes
them. How many they are was chosen on the grid of benchmarks/accuracy.py: more of the even ones gain
where values lie a few deviations apart, and lose where all are alike; more at the ends gain for
values that are empty or have all, and lose for those that nearly are or do.

The shares sum to 1. The law's level is set accordingly, by a factor exp(λ t/(1 + t/κ)) on w, which
levels off beyond the noise, at κ: what stands out of the noise knows its level by itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

Places = NDArray[np.intp]

_STEP = 1 / 3  # of the grid, in standard deviations of the noise
_NEAR = 4.5  # the grid reaches so far around a count, …
_REACH = 8.0  # … and a count's likelihood so far
_LEAST_PLACES = 32
_MULTIPLES = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)  # of 1/d, where the noise is wider than the shares
_END, _DENSITY = 1.0, 0.5  # pseudo-values; half of the density at a variance of _FEW reports
_FEW = 5.0
_CAUTION = 6.0  # so many values are trusted half
_OWN = 3.0  # a value's own posterior reaches so far
_LEVEL = 6.0  # κ, in standard deviations
_ROUNDS, _SETTLED = 100, 1e-5


class Noise(NamedTuple):
    """Counts of n reports, Binomial(n, h + (g − h) θ), and their arcsine scale.

    There, at 2√n·asin√p, a count has a standard deviation of about 1 wherever it lies.
    """

    n: int
    g: float
    h: float

    def rate(self, theta: Floats) -> Floats:
        """Return how probable it is that a report supports a value with this share."""
        return self.h + (self.g - self.h) * theta

    def place(self, rate: Floats) -> Floats:
        """Return where on the arcsine scale a rate lies."""
        place: Floats = 2 * np.sqrt(self.n) * np.arcsin(np.sqrt(rate))
        return place

    def rate_at(self, place: Floats) -> Floats:
        """Return the rate at a place on the arcsine scale."""
        rate: Floats = np.sin(place / (2 * np.sqrt(self.n))) ** 2
        return rate

    def share_of(self, rate: Floats) -> Floats:
        """Return the share in [0, 1] that a rate belongs to."""
        return np.clip((rate - self.h) / (self.g - self.h), 0, 1)

    def share_at(self, place: Floats) -> Floats:
        """Return the share in [0, 1] at a place on the arcsine scale."""
        return self.share_of(self.rate_at(place))

    def variance(self, theta: Floats) -> Floats:
        """Return the variance of the unbiased estimate of a share."""
        rate = self.rate(theta)
        return rate * (1 - rate) / (self.n * (self.g - self.h) ** 2)

    def log_likelihood(self, hits: Floats, rate: Floats) -> Floats:
        """Return log P(hits | rate) − log P(hits | hits/n).

        With φ(u) = log(1 + u) − u it is f φ(p n/f − 1) + (n − f) φ((1 − p) n/(n − f) − 1): what
        would cancel is left out.
        """
        misses = self.n - hits
        gap = rate - hits / self.n
        some, rest = np.where(hits > 0, hits, 1.0), np.where(misses > 0, misses, 1.0)
        up, down = self.n * gap / some, -self.n * gap / rest
        from_hits = np.where(hits > 0, hits * (np.log1p(up) - up), -self.n * gap)
        from_misses = np.where(misses > 0, misses * (np.log1p(down) - down), self.n * gap)
        return from_hits + from_misses

    def places_near(self, hits: Floats, step: float, reach: float) -> Floats:
        """Return even steps on the arcsine scale, between the shares 0 and 1 and near counts."""
        low, high = (float(end) for end in self.place(np.array([self.h, self.g])))
        step = min(step, (high - low) / _LEAST_PLACES)
        cells = np.unique(np.rint((np.clip(self.place(hits / self.n), low, high) - low) / step))
        wide = np.ceil(min(reach, high - low) / step)
        near: Floats = low + step * np.unique(cells[:, None] + np.arange(-wide, wide + 1))
        return near[(near >= low) & (near <= high)]


class Learned(NamedTuple):
    """The law (shares and weights), and the posterior of each different count under it.

    `others` are the weights as one of the values sees them, itself not counted, not normalized. A
    count's posterior is a run of `chance`, from its `start` on, over the shares numbered `share`.
    """

    shares: Floats
    edges: Floats
    weights: Floats
    others: Floats
    start: Places
    share: Places
    chance: Floats
    mean: Floats
    variance: Floats


def learn(noise: Noise, hits: Floats, times: Floats, d: int) -> Learned:
    """Learn the law of d shares from different counts, and how many values have each."""
    theta, edges, pseudo = _grid(noise, hits, d)
    start, share, logs = runs(noise, hits, theta)
    length = np.diff(np.append(start, len(share)))
    likelihood = np.exp(logs - np.repeat(np.maximum.reduceat(logs, start), length))
    t, each = theta[share], np.repeat(times, length)
    deviation = float(np.sqrt(noise.variance(theta[0])))
    level = theta / (1 + theta / (_LEVEL * deviation))
    weights, chance = pseudo.copy(), np.zeros_like(likelihood)
    tilt, mean, trust = 0.0, np.zeros(len(hits)), d / (d + _CAUTION)
    for _ in range(_ROUNDS):
        factor = np.exp(tilt * level - max(tilt * level[-1], 0.0))
        mass = likelihood * factor[share] * np.maximum(weights[share] - trust * chance, 1e-300)
        chance = mass / np.repeat(np.add.reduceat(mass, start), length)
        before, mean = mean, np.add.reduceat(chance * t, start)
        weights = pseudo + np.bincount(share, trust * each * chance, len(theta))
        along = chance * level[share]
        slope = np.add.reduceat(along * t, start) - mean * np.add.reduceat(along, start)
        excess = float(times @ mean - 1) / max(float(times @ slope), 1e-300)
        tilt -= float(np.clip(excess / 2, -1 / deviation, 1 / deviation))
        if times @ np.abs(mean - before) < _SETTLED:
            break
    square = np.add.reduceat(chance * np.square(t - np.repeat(mean, length)), start)
    law = weights * factor
    others = factor * (pseudo + _without_one(noise, theta, weights - pseudo, trust))
    return Learned(theta, edges, law / law.sum(), others, start, share, chance, mean, square)


def _without_one(noise: Noise, theta: Floats, weights: Floats, one: float) -> Floats:
    """Return the weights of values, less one of those in the neighbourhood of each share."""
    place = noise.place(noise.rate(theta))
    sums = np.append(0.0, np.cumsum(weights))
    first, last = (np.searchsorted(place, place + side * _OWN) for side in (-1, 1))
    near = sums[last] - sums[first]
    left: Floats = weights * np.maximum(1 - one / np.maximum(near, 1e-300), 0)
    return left


def _grid(noise: Noise, hits: Floats, d: int) -> tuple[Floats, Floats, Floats]:
    """Return the shares, the edges of their cells, and their pseudo-values."""
    multiples = [multiple / d for multiple in _MULTIPLES if multiple < d]
    near = noise.share_at(noise.places_near(hits, _STEP, _NEAR))
    near = near[(near > 1e-9 / d) & (near < 1 - 1e-9)]
    theta = np.unique(np.concatenate([near, multiples, [0.0, 1.0]]))
    place = noise.place(noise.rate(theta))
    middle = (place[1:] + place[:-1]) / 2
    # A cell does not reach into where no count is near.
    low = np.maximum(np.append(place[0], middle), place - _STEP)
    high = np.minimum(np.append(middle, place[-1]), place + _STEP)
    rate = noise.rate(theta)
    expected = noise.n * rate * (1 - rate)
    pseudo = _DENSITY * (high - low) * expected / (expected + _FEW)
    pseudo[[0, -1]] += _END
    return theta, noise.share_at(np.stack([low, high])), pseudo


def runs(noise: Noise, hits: Floats, theta: Floats) -> tuple[Places, Places, Floats]:
    """Return the shares that may explain each count: a run of numbers and log-likelihoods.

    With where each count's run starts. Beyond a run nothing counts, however large the grid is.
    """
    rate = noise.rate(theta)
    place = noise.place(rate)
    own = np.clip(noise.place(hits / noise.n), place[0], place[-1])
    first = np.searchsorted(place, own - _REACH)
    length = np.searchsorted(place, own + _REACH, side="right") - first
    start = np.cumsum(length) - length
    share = np.arange(length.sum()) - np.repeat(start - first, length)
    logs = noise.log_likelihood(np.repeat(hits, length), rate[share])
    return start, share, logs
