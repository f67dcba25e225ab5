"""Intervals for single shares that hold for every share, and are short for shares like the others.

A posterior interval covers on average over all values, and so misses the few that are unlike the
rest: the largest. Pratt (1961) inverts tests instead: a share θ is refused by those counts f for
which

    (Σ_t w_t P(f | t)) / P(f | θ),

how probable f is under the learned law compared with θ, is largest; by as many as have the
probability α together. Whatever the law, θ is then in its interval with probability 1 − α, and the
better the law, the shorter the interval is on average (Yu, Hoff 2018). The ratio is convex in f,
so that θ accepts a run of counts. Each of the two tails it refuses has at most the probability α:
even a law chosen in view of the same count cannot make the interval miss more often than 2α. (The
robust intervals of Armstrong, Kolesár and Plagborg-Møller, 2022, are shorter where the noise is
large, and cover on average over the values: they may miss the largest.)
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from ..arrays import Floats
from .prior import Learned, Noise, runs

_SHARES, _COUNTS = 1 / 3, 1 / 5  # steps, in standard deviations of the noise
_ROWS_AT_ONCE = 1 << 12


def pratt(noise: Noise, law: Learned, hits: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return the ends of the interval for each count."""
    tail = 1.5 - NormalDist().inv_cdf(alpha / 2)
    near = noise.share_at(noise.places_near(hits, _SHARES, tail))
    theta = np.unique(np.concatenate([near, [0.0, 1.0]]))
    low, high = np.empty((2, len(theta)))
    for at in range(0, len(theta), _ROWS_AT_ONCE):
        some = slice(at, at + _ROWS_AT_ONCE)
        low[some], high[some] = _accepted(noise, law, theta[some], tail, alpha)
    # A larger share accepts larger counts. Between two shares, bounds are taken to be half way.
    lowest = np.minimum.accumulate(low[::-1])[::-1] - 0.5
    highest = np.maximum.accumulate(high) + 0.5
    return np.interp(hits, highest, theta), np.interp(hits, lowest, theta)


def _accepted(
    noise: Noise, law: Learned, theta: Floats, tail: float, alpha: float
) -> tuple[Floats, Floats]:
    """Return the least and the largest count that each share accepts."""
    rate = noise.rate(theta)
    counts, width = _counts(noise, rate, tail)
    place, places = noise.place(rate), noise.place(counts / noise.n)
    first = np.searchsorted(places, place - tail)
    many = np.searchsorted(places, place + tail, side="right") - first
    across = np.arange(many.max())
    cells = np.minimum(first[:, None] + across, len(counts) - 1)
    logs = noise.log_likelihood(counts[cells], rate[:, None])
    inside = across < many[:, None]
    chance = np.where(inside, np.exp(logs), 0.0) * (width * _best_chance(noise, counts))[cells]
    chance /= chance.sum(axis=1, keepdims=True)
    ratio = np.where(inside, _log_evidence(noise, law, counts)[cells] - logs, np.inf)
    order = np.argsort(ratio, axis=1, kind="stable")
    chance = np.take_along_axis(chance, order, axis=1)
    accepted = np.cumsum(chance, axis=1) - chance < 1 - alpha
    low = first + np.where(accepted, order, len(across)).min(axis=1)
    high = first + np.where(accepted, order, 0).max(axis=1)
    return counts[low] - (width[low] - 1) / 2, counts[high] + (width[high] - 1) / 2


def _counts(noise: Noise, rate: Floats, tail: float) -> tuple[Floats, Floats]:
    """Return counts that such rates make, and how many counts each stands for."""
    cells = np.unique(np.rint(noise.place(rate) / _COUNTS))
    around = np.arange(-np.ceil(tail / _COUNTS) - 1, np.ceil(tail / _COUNTS) + 2)
    places = _COUNTS * np.unique(cells[:, None] + around)
    places = np.clip(places, 0, noise.place(np.ones(1)))
    counts = np.unique(np.rint(noise.n * noise.rate_at(places)))
    gaps = np.diff(counts)
    reach = noise.n / 2 * np.sin(_COUNTS / np.sqrt(noise.n))  # no further into a gap than this
    before, after = np.append(1.0, gaps), np.append(gaps, 1.0)
    return counts, np.minimum(before, 2 * reach + 1) / 2 + np.minimum(after, 2 * reach + 1) / 2


def _best_chance(noise: Noise, counts: Floats) -> Floats:
    """Return P(f | f/n), by Stirling's series."""
    odd = np.clip(counts, 1, max(noise.n - 1, 1))
    ends = np.stack([odd, np.maximum(noise.n - odd, 1), np.full(len(odd), float(noise.n))])
    rest = 1 / (12 * ends) - 1 / (360 * ends**3) + 1 / (1260 * ends**5)
    root = np.sqrt(noise.n / (2 * np.pi * ends[0] * ends[1]))
    within = (counts > 0) & (counts < noise.n)
    return np.where(within, root * np.exp(rest[2] - rest[0] - rest[1]), 1.0)


def _log_evidence(noise: Noise, law: Learned, counts: Floats) -> Floats:
    """Return log Σ_t w_t P(f | t) − log P(f | f/n)."""
    start, share, logs = runs(noise, counts, law.shares)
    length = np.diff(np.append(start, len(share)))
    top = np.maximum.reduceat(logs, start)
    mass = law.others[share] * np.exp(logs - np.repeat(top, length))
    return top + np.log(np.add.reduceat(mass, start))
