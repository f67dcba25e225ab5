"""Less error from the same reports: the posterior mean of the shares, the prior learned from them.

Each unbiased estimate y_j is a share θ_j plus noise of known size. Where the noise is larger than
the shares differ, most of what y shows is noise, and the best guess lies nearer to 1/d; how much
nearer can be learned from how far the d estimates scatter (empirical Bayes: Robbins 1956; James,
Stein 1961; Efron 2010, Large-Scale Inference).

Likelihood. The variance of y_j is linear in θ_j, and the noise of several values depends on each
other only through their sums: the people are drawn once, and each report supports a fixed number of
values. Both are what remains of independent noise once the sum is known, as a multinomial law is
one of independent Poisson counts with a given sum. So the likelihood is a product of terms

    exp ∫ (y_j − t) / V(t) dt    up to θ_j,    V(t) = V0 + t (V1 − V0),

restricted to Σ θ_j = 1: the quasi-likelihood (Wedderburn 1974), exact for randomized response.

Posterior. With a prior that is a product as well (priors.py), only the restriction ties the shares
together. Tilting every term by e^(λθ_j) changes nothing on the simplex; with the λ for which the
posterior means sum to 1, the tilted terms are nearly the posterior's marginals (the saddlepoint
approximation: Daniels 1954), the more so the larger d. The next term of its expansion is added to
the means. Its value at the sum 1 is the evidence of the prior, and the posterior is averaged over
all candidates by evidence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import InvalidArgument
from ..mechanisms.symmetric import Symmetric
from .priors import flat_prior, spread_priors
from .simplex import project_simplex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["Shrunk", "shrink"]

# The grid that a share is integrated over: even steps of log θ as far as the likelihood reaches.
# Sums over it are as exact as integrals, while a step is no longer than a standard deviation.
_GRID = 96
_REACH = 7.0
# Estimates are taken together on a line with so many places to a standard deviation of the noise.
_PLACES = 8
_MOST_NODES = 2048
_STEPS = 100


@dataclass(frozen=True)
class Shrunk:
    """A distribution learned from noisy counts: the mean and spread of a posterior."""

    frequencies: Floats = field(repr=False)
    """The posterior mean of each share: >= 0, and they sum to 1."""

    standard_deviations: Floats = field(repr=False)
    """The posterior standard deviation of each share."""

    prior: Mapping[str, float]
    """How probable each law of the shares is, given the counts; see priors.py."""

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of a posterior interval for each share.

        It holds `level` of the posterior, as a beta law with its mean and standard deviation. That
        is no confidence interval: it covers at its level on average over shares like those that
        the prior describes, and less for a share that is unlike the others.
        """
        if not isinstance(level, float) or not 0 < level < 1:
            raise InvalidArgument("Shrunk.interval", "level", "a float in (0, 1)", level)
        from scipy.special import betaincinv

        mean, variance = self.frequencies, self.standard_deviations**2
        low, high = mean.copy(), mean.copy()
        wide = (variance > 0) & (variance < mean * (1 - mean))
        size = mean[wide] * (1 - mean[wide]) / variance[wide] - 1
        own, other = mean[wide] * size, (1 - mean[wide]) * size
        low[wide] = betaincinv(own, other, (1 - level) / 2)
        high[wide] = betaincinv(own, other, (1 + level) / 2)
        return low, high


def shrink(mechanism: Symmetric, counts: ArrayLike, n: int) -> Shrunk:
    """Return the posterior of the population's shares, given how many reports support each value.

    Parameters
    ----------
    mechanism : Symmetric
        What the reports were made with; its hit rates say how large the noise is.
    counts : array of d integers in [0, n]
        How many reports support each value.
    n : int >= 1
        How many reports there are.

    Deterministic; a hundred thousand values take a fraction of a second. For sums over many values
    and for tests, the unbiased frequencies are the right ones: shrinking is a bias.

    >>> from privet.mechanisms import KSubset
    >>> shrunk = shrink(KSubset(4, 1.0, k=2), [590, 480, 470, 460], n=1000)
    >>> shrunk.frequencies.round(2)
    array([0.47, 0.21, 0.18, 0.15])

    """
    y, v0, v1 = _checked(mechanism, counts, n)
    nodes = _nodes(y, min(v0, v1))
    mean, variance, prior = _posterior(nodes, mechanism.d, v0, v1)
    frequencies = nodes.spread(mean)
    frequencies /= frequencies.sum()
    return Shrunk(frequencies, np.sqrt(nodes.spread(variance)), prior)


def _checked(mechanism: Symmetric, counts: ArrayLike, n: int) -> tuple[Floats, float, float]:
    """Return the unbiased estimate, and V at θ = 0 and at 1."""
    if not isinstance(mechanism, Symmetric):
        rule = "a Symmetric mechanism, whose hit rates say how large the noise is"
        raise InvalidArgument("shrink", "mechanism", rule, mechanism)
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise InvalidArgument("shrink", "n", "an int >= 1, the number of reports", n)
    array = np.asarray(counts)
    if array.shape != (mechanism.d,) or array.dtype.kind not in "iu":
        rule = f"{mechanism.d} integers, how many reports support each value"
        raise InvalidArgument("shrink", "counts", rule, f"{array.dtype} of shape {array.shape}")
    good = (array >= 0) & (array <= n)
    if not good.all():
        row = int(np.argmin(good))
        raise InvalidArgument("shrink", f"counts[{row}]", f"in [0, {n}]", int(array[row]))
    v0, v1 = _noise(mechanism, int(array.sum()), int(n))
    return mechanism.frequencies(array.astype(np.int64), int(n)), v0, v1


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


class _Nodes(NamedTuple):
    """Estimates to integrate for, how many of them each stands for, and where all others lie."""

    y: Floats
    weight: Floats
    projected: Floats
    below: NDArray[np.intp]
    fraction: Floats

    def spread(self, value: Floats) -> Floats:
        """Return the values at all estimates from those at the nodes, in between linearly."""
        above = np.minimum(self.below + 1, len(value) - 1)
        return value[self.below] * (1 - self.fraction) + value[above] * self.fraction


def _nodes(y: Floats, variance: float) -> _Nodes:
    """Return the estimates themselves if they are few, or places on a line between which they lie.

    An estimate between two places is split among them, so that sums over all stay as they are.
    """
    projected = project_simplex(y)
    tau = y.max() - projected.max()
    base, width = y.min(), max(np.sqrt(variance) / _PLACES, np.ptp(y) / 2**50)
    while True:
        place = np.floor((y - base) / width)
        used = np.union1d(place, place + 1)
        if len(used) <= _MOST_NODES:
            break
        width *= 2
    if len(used) >= len(y):
        here = np.arange(len(y))
        return _Nodes(y, np.ones(len(y)), projected, here, np.zeros(len(y)))
    below = np.searchsorted(used, place)
    fraction = (y - base) / width - place
    weight = np.bincount(below, 1 - fraction, len(used))
    weight += np.bincount(below + 1, fraction, len(used))
    node = base + used * width
    return _Nodes(node, weight, np.clip(node - tau, 0, 1), below, fraction)


def _posterior(nodes: _Nodes, d: int, v0: float, v1: float) -> tuple[Floats, Floats, dict]:
    """Return the posterior mean and variance at each node, and the candidates' probabilities."""
    flat, priors = flat_prior(d), spread_priors(d)
    x = nodes.projected[:, None]
    slope = v1 - v0
    at_zero = _REACH * np.sqrt(v0) + _REACH**2 / 2 * abs(slope)
    reach = _REACH * np.sqrt(v0 + x * slope) + _REACH**2 / 2 * abs(slope)
    least = 0.002 * min(1.0, at_zero) / d
    low, high = np.maximum(x - reach, least), np.minimum(x + reach, 1.0)
    step = np.log1p((high - low) / low) / (_GRID - 1)
    log_theta = np.log(low) + step * np.arange(_GRID)
    theta = low * np.exp(step * np.arange(_GRID))
    likelihood = _log_likelihood(nodes, theta, v0, slope)

    width = np.repeat(step, _GRID, axis=1)
    width[:, -1] /= 2
    terms = np.empty((len(priors), *theta.shape))
    for prior, term in zip(priors, terms, strict=True):
        # Below the grid, the density falls like θ^a, and a geometric series sums it up.
        below = np.where(low == least, -1 / np.expm1(-prior.shape_at_zero * step), 0.5)
        width[:, 0] = (step * below)[:, 0]
        term[:] = prior.log_density(log_theta) + likelihood + np.log(width)
    tilted = _tilt(terms, theta, x, nodes.weight)

    spread = (tilted.variance @ nodes.weight)[:, None]
    skew = (tilted.third @ nodes.weight)[:, None]
    mean = tilted.mean + (tilted.variance * skew / spread - tilted.third) / (2 * spread)
    mean = np.maximum(mean, 0)
    mean /= (mean @ nodes.weight)[:, None]
    variance = np.maximum(tilted.variance * (1 - tilted.variance / spread), 0)

    before = np.array([d * prior.variance for prior in priors])
    evidence = tilted.log_mass - np.log(spread[:, 0] / before) / 2
    evidence += [prior.log_weight for prior in priors]
    even = _log_likelihood(nodes, np.full((len(x), 1), 1 / d), v0, slope)[:, 0] @ nodes.weight
    evidence = np.append(evidence, even + flat.log_weight)
    chance = np.exp(evidence - evidence.max())
    chance /= chance.sum()

    means = np.vstack([mean, np.full(len(x), 1 / d)])
    squares = np.square(means)
    squares[:-1] += variance
    average = chance @ means
    names = [prior.name for prior in (*priors, flat)]
    order = np.argsort(-chance, kind="stable")
    prior_given_counts = {names[i]: float(chance[i]) for i in order}
    return average, np.maximum(chance @ squares - average**2, 0), prior_given_counts


def _log_likelihood(nodes: _Nodes, theta: Floats, v0: float, slope: float) -> Floats:
    """Return ∫ (y − t) / V(t) dt from the projection x to each θ.

    With e = θ − x and r = e (V1 − V0) / V(x), that is (y − x) e/V(x) · log(1 + r)/r
    − e²/V(x) · (r − log(1 + r))/r², where nothing cancels.
    """
    x = nodes.projected[:, None]
    variance = v0 + x * slope
    e = theta - x
    r = e * (slope / variance)
    small = np.abs(r) < 1e-4
    safe = np.where(small, 1.0, r)
    log_r = np.log1p(safe)
    first = np.where(small, 1 - r / 2 + r * r / 3, log_r / safe)
    second = np.where(small, 0.5 - r / 3 + r * r / 4, (safe - log_r) / safe**2)
    result: Floats = e / variance * ((nodes.y[:, None] - x) * first - e * second)
    return result


class _Tilted(NamedTuple):
    """For each candidate: moments of the tilted terms at the nodes, and Σ log of their masses."""

    mean: Floats
    variance: Floats
    third: Floats
    log_mass: Floats


def _tilt(terms: Floats, theta: Floats, x: Floats, weight: Floats) -> _Tilted:
    """Tilt each candidate's terms by the e^(λθ) for which the means sum to 1.

    The sum rises with λ: Newton's steps, no longer than a few standard deviations, and halving
    where they leave what is known to hold the solution.
    """
    lam = np.zeros(len(terms))
    low, high = np.full(len(terms), -np.inf), np.full(len(terms), np.inf)
    e = theta - x
    powers = np.stack([np.ones_like(e), e, e**2, e**3], axis=-1)
    least = 1e-12 * np.square(theta[:, -1] - theta[:, 0])  # where all mass is at an end of the grid
    goal = 1 - x[:, 0] @ weight
    for _ in range(_STEPS):
        logs = terms + lam[:, None, None] * e
        top = logs.max(axis=2)
        mass = np.exp(logs - top[:, :, None])
        moments = np.matmul(mass.transpose(1, 0, 2), powers)
        total, mean, square, cube = moments.transpose(2, 1, 0)
        mean, square, cube = mean / total, square / total, cube / total
        variance = np.maximum(square - mean**2, least)
        excess, spread = mean @ weight - goal, variance @ weight
        wrong = np.abs(excess) > 1e-9 * np.sqrt(spread)
        if not wrong.any():
            break
        low, high = np.where(excess < 0, lam, low), np.where(excess > 0, lam, high)
        longest = 4 / np.sqrt(variance.max(axis=1))
        to = lam + np.clip(-excess / spread, -longest, longest)
        to = np.where((to > low) & (to < high), to, low / 2 + high / 2)
        lam = np.where(wrong & np.isfinite(to), to, lam)
    third = cube - 3 * mean * square + 2 * mean**3
    log_mass = (top + np.log(total)) @ weight - lam * goal
    return _Tilted(mean + x[:, 0], variance, third, log_mass)
