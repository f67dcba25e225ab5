"""Other ways to the distribution of numbers, for benchmarks.scales_peers.

Each takes what is truly below each number of a fine grid on [0, 1], ε and n; draws the reports'
counts from their exact law; and returns what it finds below each number.
"""

from __future__ import annotations

from functools import cache
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from privet.mechanisms import KSubset
from privet.refine import project_simplex
from privet.simulate import counts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Rng = np.random.Generator

__all__ = ["RIVALS", "cdf_of_cells", "quantiles_of"]

_LEAVES, _BUCKETS, _FINER = 256, 256, 4096


def cdf_of_cells(shares: Floats, fine: Floats) -> Floats:
    """Return what is below numbers if the numbers of a cell are spread evenly over it."""
    borders = np.linspace(0, 1, len(shares) + 1)
    return np.interp(fine, borders, np.concatenate(([0], np.cumsum(shares))))


def quantiles_of(below: Floats, fine: Floats, at: ArrayLike) -> Floats:
    """Return the first numbers that have so much below them."""
    places = np.searchsorted(np.maximum.accumulate(below), at)
    return fine[places.clip(0, len(fine) - 1)]


def _fine(below: Floats) -> Floats:
    return np.linspace(0, 1, len(below))


def _shares(below: Floats, cells: int) -> Floats:
    """Return the shares of cells, each with its upper end."""
    at = np.interp(np.linspace(0, 1, cells + 1), _fine(below), below)
    at[0] = 0
    return np.diff(at)


def _estimated(shares: Floats, epsilon: float, n: int, rng: Rng) -> tuple[Floats, float]:
    """Return unbiased shares from k-subset reports of n people, and about their variance."""
    mechanism = KSubset(len(shares), epsilon)
    found = mechanism.frequencies(counts(mechanism, rng.multinomial(n, shares), rng), n)
    return found, float(mechanism.variance(shares, n).mean())


def _coarse(cells: int):
    def rival(below: Floats, epsilon: float, n: int, rng: Rng) -> Floats:
        found, _ = _estimated(_shares(below, cells), epsilon, n, rng)
        return cdf_of_cells(project_simplex(found), _fine(below))

    return rival


def hierarchy(below: Floats, epsilon: float, n: int, rng: Rng) -> Floats:
    """Return the nearest distribution to the estimates of all nodes of a binary tree.

    Everybody reports on one level of it by k-subsets (Hay et al. 2010; Wang et al. 2019, with
    non-negative shares as HH-ADMM of Li et al. 2020 has). Nodes are weighted by their precision.
    """
    leaves, levels = _shares(below, _LEAVES), _LEAVES.bit_length() - 1
    gram, target = np.zeros((_LEAVES, _LEAVES)), np.zeros(_LEAVES)
    for level, people in enumerate(rng.multinomial(n, [1 / levels] * levels), 1):
        width = _LEAVES >> level
        found, variance = _estimated(leaves.reshape(-1, width).sum(axis=1), epsilon, people, rng)
        gram += np.kron(np.eye(1 << level), np.ones((width, width))) / variance
        target += np.repeat(found, width) / variance
    theta = _nearest(gram, target)
    return cdf_of_cells(theta, _fine(below))


def _nearest(gram: Floats, target: Floats) -> Floats:
    """Return the distribution with the least θGθ/2 − tθ, by accelerated projected gradients."""
    step = 1 / float(np.linalg.eigvalsh(gram)[-1])
    theta = ahead = np.full(len(target), 1 / len(target))
    inertia = 1.0
    for _ in range(400):
        new = project_simplex(ahead - step * (gram @ ahead - target))
        later = (1 + (1 + 4 * inertia**2) ** 0.5) / 2
        ahead = new + (inertia - 1) / later * (new - theta)
        theta, inertia = new, later
    return theta


@cache
def _wave(epsilon: float) -> tuple[Floats, Floats]:
    """Return the chances of the square wave's buckets for fine numbers, and for buckets of them."""
    e = exp(epsilon)
    b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    ends = np.linspace(-b, 1 + b, _BUCKETS + 1)
    x = (np.arange(_FINER) + 0.5) / _FINER
    inside = np.diff(np.clip(ends[:, None], x - b, x + b), axis=0)
    chances = (np.diff(ends)[:, None] + (e - 1) * inside) / (2 * b * e + 1)
    return chances, chances.reshape(_BUCKETS, _BUCKETS, -1).mean(axis=2)


def square_wave(below: Floats, epsilon: float, n: int, rng: Rng) -> Floats:
    """Return what expectation maximization with smoothing makes of square waves.

    SW + EMS (Li et al. 2020): after each step, shares are averaged with their neighbours by
    (1, 2, 1)/4, until a step gains less than 0.001 of log-likelihood.
    """
    finer, chances = _wave(epsilon)
    reports = rng.multinomial(n, finer @ _shares(below, _FINER))
    theta, last = np.full(_BUCKETS, 1 / _BUCKETS), -np.inf
    for _ in range(10_000):
        mixed = chances @ theta
        theta = theta * (chances.T @ (reports / mixed))
        padded = np.pad(theta, 1, mode="edge")
        theta = (padded[:-2] + 2 * theta + padded[2:]) / 4
        theta /= theta.sum()
        height = float(reports @ np.log(chances @ theta))
        if abs(height - last) < 1e-3:
            break
        last = height
    return cdf_of_cells(theta, _fine(below))


RIVALS = {
    "k-subset, 16 cells": _coarse(16),
    "k-subset, 32 cells": _coarse(32),
    "hierarchy": hierarchy,
    "SW + EMS": square_wave,
}
