"""The posterior of d shares that sum to 1, averaged over the candidates of priors.py.

Prior and likelihood are products of one term a share, so that only the sum ties the shares
together. Tilting every term by e^(λθ) changes nothing where Σ θ_j = 1; with the λ for which the
means sum to 1, the tilted terms are nearly the marginals of the posterior, the more so the larger
d (the saddlepoint approximation: Daniels 1954). The next term of the same expansion is added to
the means: with the moments m, v, s of the tilted terms and their sums V = Σ v and S = Σ s,

    E θ_j ≈ m_j + (v_j S/V − s_j) / (2V),    Var θ_j ≈ v_j (1 − v_j/V).

The density of the sum at 1, by the same approximation, over that under the prior, is the evidence
of a candidate: e^(−λ) Π (masses of the tilted terms) · sqrt(d Var_prior / V).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .priors import flat_prior, spread_priors
from .simplex import project_simplex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# A share is integrated over even steps of log θ, as far as the likelihood reaches: to exp(−7²/2).
# Sums over steps are as exact as integrals while a step is no longer than a standard deviation.
_GRID = 128
_REACH = 7.0
# Where there are many estimates, they are put on a line with so many places to a standard
# deviation of the noise; with coarser ones should they be all over it.
_PLACES = 8
_MOST_NODES = 2048
_MOST_STEPS = 100


class Posterior(NamedTuple):
    """The mean and the variance of each share, and how probable each candidate is."""

    mean: Floats
    variance: Floats
    prior: dict[str, float]


def posterior(y: Floats, v0: float, v1: float) -> Posterior:
    """Return the posterior, given estimates y with noise of the variance v0 + θ (v1 − v0)."""
    d = len(y)
    nodes = _nodes(y, min(v0, v1))
    grid = _grid(nodes, d, v0, v1)
    priors = [*spread_priors(d), flat_prior(d)]
    terms = grid.log_likelihood + grid.log_width
    log_terms = np.stack([prior.log_density(grid.log_theta) for prior in priors[:-1]]) + terms
    for prior, term in zip(priors[:-1], log_terms, strict=True):
        # Below the grid, the density of log θ falls like θ^a: a geometric series sums it up.
        term[grid.from_zero, 0] -= np.log(-np.expm1(-prior.shape_at_zero * grid.step))
    tilted = _tilt(log_terms, grid.theta - nodes.x[:, None], nodes)

    spread, skew = ((tilted[moment] @ nodes.weight)[:, None] for moment in (1, 2))
    mean = nodes.x + tilted.mean + (tilted.variance * skew / spread - tilted.third) / (2 * spread)
    mean = np.vstack([np.maximum(mean, 0), np.full(len(nodes.x), 1 / d)])
    mean /= (mean @ nodes.weight)[:, None]
    within = np.zeros_like(mean)
    within[:-1] = tilted.variance * np.maximum(1 - tilted.variance / spread, 0)

    before = np.array([d * prior.variance for prior in priors[:-1]])
    even = _log_likelihood(nodes, np.full((len(nodes.x), 1), 1 / d), v0, v1)[:, 0] @ nodes.weight
    evidence = np.append(tilted.log_mass + np.log(before / spread[:, 0]) / 2, even)
    evidence += [prior.log_weight for prior in priors]
    chance = np.exp(evidence - evidence.max())
    chance /= chance.sum()

    average = chance @ mean
    variance = chance @ (within + np.square(mean - average))
    probable = {priors[i].name: float(chance[i]) for i in np.argsort(-chance, kind="stable")}
    return Posterior(nodes.spread(average), nodes.spread(variance), probable)


class _Nodes(NamedTuple):
    """Where to integrate: estimates y, their projections x, and how many each stands for."""

    y: Floats
    x: Floats
    weight: Floats
    below: NDArray[np.intp]
    fraction: Floats

    def spread(self, values: Floats) -> Floats:
        """Return the values at all estimates from those at the nodes, in between linearly."""
        above = np.minimum(self.below + 1, len(values) - 1)
        spread: Floats = values[self.below] * (1 - self.fraction) + values[above] * self.fraction
        return spread


def _nodes(y: Floats, variance: float) -> _Nodes:
    """Return the estimates themselves, or if that is fewer, places on a line.

    An estimate between two places is shared out to them, so that sums over all stay as they are.
    """
    x = project_simplex(y)
    width = max(np.sqrt(variance) / _PLACES, np.ptp(y) / 2**50)
    while True:
        place = np.floor((y - y.min()) / width)
        used = np.union1d(place, place + 1)
        if len(used) <= _MOST_NODES:
            break
        width *= 2
    if len(used) >= len(y):
        return _Nodes(y, x, np.ones(len(y)), np.arange(len(y)), np.zeros(len(y)))
    below = np.searchsorted(used, place)
    fraction = (y - y.min()) / width - place
    weight: Floats = np.bincount(below, 1 - fraction, len(used)).astype(np.float64)
    weight += np.bincount(below + 1, fraction, len(used))
    node = y.min() + used * width
    tau = y.max() - x.max()
    return _Nodes(node, np.clip(node - tau, 0, 1), weight, below, fraction)


class _Grid(NamedTuple):
    """For each node, the shares to sum over, with the likelihood there."""

    theta: Floats
    log_theta: Floats
    log_width: Floats
    step: Floats  # of those that begin at zero
    from_zero: NDArray[np.bool_]
    log_likelihood: Floats


def _grid(nodes: _Nodes, d: int, v0: float, v1: float) -> _Grid:
    # Where the noise is normal, its deviation counts; where counts are small, Poisson's long tail.
    tail = _REACH**2 / 2 * abs(v1 - v0)
    reach = _REACH * np.sqrt(v0 + nodes.x * (v1 - v0)) + tail
    least = 0.002 * min(1.0, _REACH * np.sqrt(v0) + tail) / d  # so that d of them do not matter
    low, high = np.maximum(nodes.x - reach, least), np.minimum(nodes.x + reach, 1.0)
    step = np.log1p((high - low) / low) / (_GRID - 1)
    above = step[:, None] * np.arange(_GRID)
    theta = low[:, None] * np.exp(above)
    from_zero = low == least
    log_width = np.repeat(np.log(step)[:, None], _GRID, axis=1)
    log_width[:, -1] -= np.log(2)
    log_width[~from_zero, 0] -= np.log(2)
    log_likelihood = _log_likelihood(nodes, theta, v0, v1)
    log_theta = np.log(low)[:, None] + above
    return _Grid(theta, log_theta, log_width, step[from_zero], from_zero, log_likelihood)


def _log_likelihood(nodes: _Nodes, theta: Floats, v0: float, v1: float) -> Floats:
    """Return ∫ (y − t) / V(t) dt from x to θ, V(t) = v0 + t (v1 − v0).

    With e = θ − x and r = e (v1 − v0) / V(x), that is (y − x) e/V(x) · log(1 + r)/r
    − e²/V(x) · (r − log(1 + r))/r², where nothing cancels.
    """
    x = nodes.x[:, None]
    variance = v0 + x * (v1 - v0)
    e = theta - x
    r = e * ((v1 - v0) / variance)
    small = np.abs(r) < 1e-4
    safe = np.where(small, 1.0, r)
    logs = np.log1p(safe)
    first = np.where(small, 1 - r / 2 + r * r / 3, logs / safe)
    second = np.where(small, 0.5 - r / 3 + r * r / 4, (safe - logs) / safe / safe)
    result: Floats = e / variance * ((nodes.y[:, None] - x) * first - e * second)
    return result


class _Tilted(NamedTuple):
    """Of each candidate: the moments of the tilted terms, about x, and Σ log mass − λ."""

    mean: Floats
    variance: Floats
    third: Floats
    log_mass: Floats


def _tilt(log_terms: Floats, e: Floats, nodes: _Nodes) -> _Tilted:
    """Tilt each candidate's terms by the e^(λθ) for which the means sum to 1; e = θ − x.

    The sum rises with λ: Newton's steps, the first ones no longer than moves a share by a few
    standard deviations, and halving where one leaves what is known to hold the solution.
    """
    weight, goal = nodes.weight, 1 - nodes.x @ nodes.weight
    powers = np.stack([np.ones_like(e), e, e**2, e**3], axis=-1)
    least = 1e-12 * np.square(e[:, -1] - e[:, 0])  # for a candidate that puts all on one point
    lam = np.zeros(len(log_terms))
    low, high = np.full_like(lam, -np.inf), np.full_like(lam, np.inf)
    top, moments = np.empty(log_terms.shape[:2]), np.empty((4, *log_terms.shape[:2]))
    todo = np.arange(len(log_terms))
    for step in range(_MOST_STEPS):
        logs = log_terms[todo] + lam[todo, None, None] * e
        top[todo] = logs.max(axis=2)
        mass = np.exp(logs - top[todo, :, None])
        sums = np.matmul(mass.transpose(1, 0, 2), powers).transpose(2, 1, 0)
        moments[:, todo] = sums[0], *(sums[1:] / sums[0])
        mean, square = moments[1:3, todo]
        variance = np.maximum(square - mean**2, least)
        excess, spread = mean @ weight - goal, variance @ weight
        wrong = np.abs(excess) > 1e-7 * np.sqrt(spread) + 1e-13
        if not wrong.any():
            break
        low[todo] = np.where(excess < 0, lam[todo], low[todo])
        high[todo] = np.where(excess > 0, lam[todo], high[todo])
        longest = 2.0**step / np.sqrt(variance.max(axis=1))
        to = lam[todo] + np.clip(-excess / spread, -longest, longest)
        with np.errstate(invalid="ignore"):  # as long as both ends are infinite
            to = np.where((low[todo] < to) & (to < high[todo]), to, (low / 2 + high / 2)[todo])
        wrong &= np.isfinite(to)
        todo, to = todo[wrong], to[wrong]
        lam[todo] = to
    total, mean, square, cube = moments
    variance = np.maximum(square - mean**2, least)
    third = cube - 3 * mean * square + 2 * mean**3
    return _Tilted(mean, variance, third, (top + np.log(total)) @ weight - lam * goal)
