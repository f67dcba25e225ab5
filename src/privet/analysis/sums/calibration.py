"""Calibration: where the p-values of tests come from.

Where noise is made of many events, a statistic follows the chi-squared law. Where it is not,
surveys are drawn anew many times, and theirs are what the real one is held against. Either way,
many p-values at once are adjusted for their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from hashlib import sha256
from typing import Literal

import numpy as np

from ...device.entropy import Entropy
from ...device.mechanisms.base import Mechanism
from ...device.mechanisms.hashes.cohorts import Cohorts
from ...device.mechanisms.noise.geometric import GeometricNoise
from ...device.mechanisms.scales.interval import Interval
from ...device.mechanisms.subsets.k_subset import KSubset
from ...device.mechanisms.symmetric import Symmetric
from ..arrays import Floats, Integers
from ..counted_shares import CountedShares
from ..laws import draw_counts, makes_reports
from .covariance import Operator

Method = Literal["chi-square", "resampled"]

# Where to stop: the square of a residual relative to the first.
_SMALL = 1e-24
# From so many expected noise events a category on, n·h, the chi-squared law is good.
_MANY_EVENTS = 25
# How many times a survey is drawn anew, and about how many steps that may take.
_LEAST_DRAWS, _MOST_DRAWS = 99, 999
_STEPS_A_DRAW, _STEPS = 1 << 22, 1 << 24
_BYTES_AT_ONCE = 1 << 26


@dataclass(frozen=True)
class Tested:
    """The result of a test of crowds, and where its p-values come from."""

    statistic: float
    degrees_of_freedom: int
    p_value: float
    by_category: dict[str, float]
    method: Method


def draws_for(groups: Sequence[CountedShares]) -> int:
    """Return how many times to draw anew: not at all where events are many, or draws slow."""
    if all(group.n * _noise_rate(group.survey.mechanism) >= _MANY_EVENTS for group in groups):
        return 0
    steps = 0.0
    for group in groups:
        mechanism = group.survey.mechanism
        a_report, decoding = mechanism.server_steps
        steps += decoding + (group.n * max(a_report / 16, 1) if makes_reports(mechanism) else 0)
    return 0 if steps > _STEPS_A_DRAW else int(np.clip(_STEPS / steps, _LEAST_DRAWS, _MOST_DRAWS))


@singledispatch
def _noise_rate(mechanism: Mechanism) -> float:
    """Return how often noise supports a category, or fails to."""
    return 0.0


@_noise_rate.register
def _(mechanism: Symmetric) -> float:
    return min(mechanism.h, 1 - mechanism.h)


@_noise_rate.register
def _(mechanism: Cohorts) -> float:
    return float(mechanism.telling_rates[1])


@_noise_rate.register
def _(mechanism: Interval) -> float:
    return (mechanism.window << mechanism.scale) / mechanism.total


@_noise_rate.register
def _(mechanism: GeometricNoise) -> float:
    return float(mechanism.alpha)


def largest_contrast(apply: Operator, diagonal: Floats, delta: Floats) -> float:
    """Return the largest (u·Δ)² / u·Σu over u whose rows sum to 0.

    It is u·Δ where Σu = Δ up to a constant for each row, found by conjugate gradients among the u
    whose rows sum to 0, preconditioned by the diagonal. The constants are subtracted from every
    residual, so that their rounding error does not take over (Gould, Hribar, Nocedal 2001).
    """
    precision = 1 / diagonal

    def centre(residual: Floats) -> Floats:
        return residual - np.average(residual, axis=-1, weights=precision, keepdims=True)

    u, residual = np.zeros(delta.shape), centre(delta)
    direction = precision * residual
    size = first = np.vdot(residual, direction)
    for _ in range(2 * delta.size + 100):
        if size <= _SMALL * first:
            break
        image = apply(direction)
        length = size / np.vdot(direction, image)
        u, residual = u + length * direction, centre(residual - length * image)
        step = precision * residual
        size, last = np.vdot(residual, step), size
        direction = step + size / last * direction
    return max(float(np.vdot(u, delta)), 0.0)  # rounding apart


def holm(p_values: Floats) -> Floats:
    """Return the p-values adjusted for their number: the smallest times it, and so on."""
    order = np.argsort(p_values)
    adjusted = np.empty(len(p_values))
    times = np.arange(len(p_values), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(times * p_values[order]), 1)
    return adjusted


def seeded_by(groups: Sequence[CountedShares]) -> np.random.Generator:
    """Return draws that depend on the counts alone."""
    seed = sha256(b"".join(group.counts.tobytes() for group in groups)).digest()
    return np.random.default_rng(list(seed))


def redraw(group: CountedShares, theta: Floats, draws: int, rng: np.random.Generator) -> Integers:
    """Return the counts of the group if theta are the true shares, drawn anew so many times."""
    mechanism, n = group.survey.mechanism, group.n
    if isinstance(mechanism, KSubset) and mechanism.k == 1:  # a report names a value
        rates = mechanism.h + (mechanism.g - mechanism.h) * theta
        return rng.multinomial(n, rates / rates.sum(), size=draws)
    if draws * n * max(mechanism.report_bytes, 8) > _BYTES_AT_ONCE:
        crowds = (rng.multinomial(n, theta) for _ in range(draws))
        return np.array([draw_counts(mechanism, crowd, rng) for crowd in crowds])
    people = rng.choice(mechanism.d, size=draws * n, p=theta)
    reports = mechanism.randomize(people, entropy=Entropy(rng.bytes(32)))
    return np.array([mechanism.tally(each) for each in reports.reshape(draws, n, -1)])


def held_against(distances: Floats) -> tuple[float, float, Floats]:
    """Return the first survey's distance in all, its p-value, and those of its categories.

    The distances are of surveys, a row each, by category; all but the first are drawn anew. The
    first counts as one that is at least as far, and rounding is forgiven. The p-values of
    categories are held against the largest distance of any, which adjusts them for their number.
    """
    almost = 1 - 1e-9
    together, largest = distances.sum(axis=1), distances.max(axis=1)
    largest[0] = np.inf
    each = np.mean(largest[:, None] >= distances[0] * almost, axis=0)
    return float(together[0]), float(np.mean(together >= together[0] * almost)), each
