"""The posterior of the shares: its means, spread, intervals and draws."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...errors.arguments import alpha_of, whole
from ..arrays import Floats
from ..presence import clopper_pearson
from .intervals import pratt
from .prior import Learned, Noise, Places

__all__ = ["Shrunk"]

# No shrunk share leaves the confidence interval that holds for all of them together at this level.
_WITHIN = 0.95


@dataclass(frozen=True, eq=False, repr=False)
class Shrunk:
    """A distribution learned from noisy counts: the mean and spread of a posterior."""

    frequencies: Floats
    """The posterior mean of each share. None is negative, and they sum to 1."""

    standard_deviations: Floats
    """The posterior standard deviation of each share."""

    flat: bool
    """Whether the counts could well be those of a crowd in which all values are equally common."""

    _noise: Noise = field(repr=False)
    _law: Learned = field(repr=False)
    _hits: Floats = field(repr=False)
    _which: Places = field(repr=False)

    @property
    def remark(self) -> str:
        """A word for tables, empty unless there was too little signal."""
        return "too little signal" if self.flat else ""

    @property
    def prior(self) -> tuple[Floats, Floats]:
        """The learned law of the shares, as some shares and how common each is."""
        return self._law.shares, self._law.weights

    def __repr__(self) -> str:
        top = f"largest {self.frequencies.max():.4f}"
        return f"<Shrunk: {len(self.frequencies)} shares, {self.remark or top}>"

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share.

        It covers a share with probability `level`, whatever the share is, and is on average
        shorter than `Estimate.interval` for shares like those of the learned law (intervals.py).
        The shrunk share is in it.
        """
        alpha = alpha_of("Shrunk.interval", level)
        low, high = pratt(self._noise, self._law, self._hits, alpha)
        shrunk = self.frequencies
        return np.minimum(low[self._which], shrunk), np.maximum(high[self._which], shrunk)

    def sample(self, size: int, seed: int | np.random.Generator) -> NDArray[np.float64]:
        """Return draws from the posterior, float64 (size, d): distributions that sum to 1.

        For ranks, totals and whatever else is computed from all shares. Every share is drawn from
        its own posterior; what is then missing from 1, or too much, is shared out as in `shrink`.
        To the law all values are alike: the total of values that belong together because they are
        large, or small, is drawn too near to that of any others. For totals of known categories,
        `Estimate.total` is unbiased.

        >>> from privet.mechanisms import KSubset
        >>> from privet.refine import shrink
        >>> draws = shrink(KSubset(3, 2.0), [600, 250, 150], 1000).sample(1000, seed=1)
        >>> f"{np.mean(draws[:, 1] > draws[:, 2]):.2f}"
        '1.00'
        """
        size = whole("Shrunk.sample", "size", size, 1)
        rng = np.random.default_rng(seed)
        law, which = self._law, self._which
        ends = np.cumsum(law.chance)
        before = np.append(0.0, ends)[law.start]
        after = np.append(before[1:], ends[-1])
        times = np.bincount(which).astype(np.float64)
        give = _give(self._noise, law.mean, law.variance, times)[which]
        none, one = np.zeros(len(which)), np.ones(len(which))
        draws = np.empty((size, len(which)))
        for row in draws:
            at = before[which] + rng.random(len(which)) * (after - before)[which]
            place = np.minimum(np.searchsorted(ends, at, side="right"), len(ends) - 1)
            cell = law.share[place]
            drawn = law.edges[0, cell] + rng.random(len(which)) * np.ptp(law.edges, axis=0)[cell]
            row[:] = mend(np.where(cell > 0, drawn, 0.0), one, give, none, one)
        return draws


def shrunk_means(noise: Noise, law: Learned, hits: Floats, times: Floats) -> Floats:
    """Return the posterior means of different counts, mended so that all shares sum to 1.

    None is moved out of its simultaneous confidence interval (limited translation: Efron, Morris
    1972), so that a share that is unlike all others is not taken for one of them.
    """
    ends = clopper_pearson(hits, noise.n, (1 - _WITHIN) / times.sum())
    low, high = map(noise.share_of, ends)
    if not times @ low <= 1 <= times @ high:  # as if from no crowd at all
        low, high = np.zeros_like(low), np.ones_like(high)
    give = _give(noise, law.mean, law.variance, times)
    return mend(law.mean, times, give, low, high)


def _give(noise: Noise, mean: Floats, variance: Floats, times: Floats) -> Floats:
    """Return how much each share gives way where the sum is not 1.

    As much as it goes with the sum: by its own posterior variance; and by that of the law's level,
    as far as the share rests on the law (B, one minus its variance over the noise's) and is large.
    """
    noises = noise.variance(mean)
    rests = np.clip(1 - variance / noises, 0, 1)
    part = rests * mean
    level = float(times @ (rests * noises)) / max(float(times @ part), 1e-300)
    give: Floats = variance + level * part
    return give + 1e-9 * noises


def mend(values: Floats, times: Floats, give: Floats, low: Floats, high: Floats) -> Floats:
    """Return the values moved by one multiple of `give`, within bounds, so that they sum to 1.

    The bounds allow it: times @ low <= 1 <= times @ high. O(d log d): the sum is piecewise linear.
    """
    # Where each value meets its bounds, in multiples of `give`, and how fast the sum grows between.
    knots = np.concatenate([(low - values) / give, (high - values) / give])
    order = np.argsort(knots)
    speed = np.cumsum(np.concatenate([times * give, -times * give])[order])
    knots = knots[order]
    sums = times @ low + np.append(0.0, np.cumsum(speed[:-1] * np.diff(knots)))
    at = min(int(np.searchsorted(sums, 1.0)), len(sums) - 1)
    multiple = knots[at]
    if at > 0 and speed[at - 1] > 0:
        multiple = knots[at - 1] + (1 - sums[at - 1]) / speed[at - 1]
    mended: Floats = np.clip(values + multiple * give, low, high)
    mended /= times @ mended  # what rounding left
    return mended
