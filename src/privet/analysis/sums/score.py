"""Intervals for a weighted sum of the shares of several groups, by a score test.

An interval holds all shares t that a score test does not reject. Under t, the groups' hit rates
p_g are the likeliest for which Σ_g w_g θ_g = t, where each group counts one report more, with the
rate of all, so that a group of few does not seem to know its variance. The test is

    |Σ_g w_g θ̂_g − t| − step/2 <= z √(Σ_g w_g² b_g p_g(1 − p_g)/(n_g gain_g²)),

with the largest step that one report makes, and b_g = 1/(1 − n_g/(n_g + 1)²), which makes b_g p_g
(1 − p_g) unbiased where groups are alike. Where the estimate lies outside [0, 1], the end on the
other side is that of estimates that are all moved until their sum is possible, so that no interval
is empty. For one group and no noise this is about Wilson's (1927) with a continuity correction. To
add the squared distances to the ends of the groups' intervals would not do: an end that cannot be
below 0 is near by, in each of many small groups.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..arrays import Floats

# How far the groups are pushed, in logarithms, and how often that is halved.
_WIDEST, _ROUNDS = 25.0, 32
_AT_ONCE = 1 << 18


class Strata(NamedTuple):
    """What is known of the groups, a row each; `shares` has a column for each that is asked for.

    A report of someone without a value hits it at the rate h, of someone with it at h + gain;
    `drawn` is how much of the variance of drawing people remains.
    """

    shares: Floats
    weights: Floats
    n: Floats
    h: Floats
    gain: Floats
    drawn: Floats

    def ends(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share, which misses with probability alpha."""
        z, some = NormalDist().inv_cdf(1 - alpha / 2), max(1, _AT_ONCE // len(self.n))
        starts = range(0, self.shares.shape[1], some)
        parts = [self._columns(slice(at, at + some)) for at in starts]
        low, high = np.concatenate([part._ends(z) for part in parts], axis=1)
        return low, high

    def _columns(self, some: slice) -> Strata:
        """Return what is known of some shares; all have the same rates, or each its own."""
        h, gain = (one if one.shape[1] == 1 else one[:, some] for one in (self.h, self.gain))
        return self._replace(shares=self.shares[:, some], h=h, gain=gain)

    def _ends(self, z: float) -> Floats:
        """Return the shares furthest below and above the estimates that are not rejected.

        The further all groups are pushed, the further off is the sum and the surer its rejection.
        """
        side = np.array([[-1.0], [1.0]])
        weights, n = self.weights / self.gain, self.n + 1
        middle = (self.weights * self.shares).sum(axis=0)
        held = np.stack([np.minimum(middle, 1), np.maximum(middle, 0)])
        shares = self.shares + (held - middle)[:, np.newaxis]
        hits = np.clip(self.n * (self.h + self.gain * shares), 0, self.n)
        hits += (weights * hits / self.n).sum(axis=1, keepdims=True) / weights.sum(axis=0)
        step = (weights / self.n).max(axis=0) / 2
        far = np.zeros((2, len(middle)))
        low, high = far - _WIDEST, far + _WIDEST
        for _ in range(_ROUNDS):
            half = (low + high) / 2
            push = (side * self.n.sum() * np.exp(half))[:, np.newaxis] * weights
            rates = _pushed(push, hits, n)
            theta = (rates - self.h) / self.gain
            far = side * ((self.weights * theta).sum(axis=1) - held)
            inside = far < step + z * np.sqrt(self._variance(rates, np.clip(theta, 0, 1)))
            low, high = np.where(inside, half, low), np.where(inside, high, half)
        ends: Floats = held + side * np.maximum(far, 0)
        return ends

    def _variance(self, rates: Floats, theta: Floats) -> Floats:
        """Return the variance of the weighted sum, from rates that know one report too many."""
        whole = rates * (1 - rates) / self.gain**2 / (1 - self.n / (self.n + 1) ** 2)
        left = whole - (1 - self.drawn) * theta * (1 - theta)
        variance: Floats = (self.weights**2 * np.maximum(left, 0) / self.n).sum(axis=1)
        return variance


def _pushed(push: Floats, hits: Floats, n: Floats) -> Floats:
    """Return the rates p that maximize hits·log p + (n − hits)·log(1 − p) + push·p.

    They solve push·p² + (n − push)·p = hits.

    >>> _pushed(np.array([-1e9, -100.0, 0.0, 100.0, 1e9]), 20.0, 100.0).round(2)
    array([0.  , 0.11, 0.2 , 0.45, 1.  ])
    """
    linear = n - push
    root = np.sqrt(np.maximum(linear**2 + 4 * push * hits, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = np.where(linear > 0, 2 * hits / (linear + root), (root - linear) / (2 * push))
    return np.clip(rates, 0, 1)
