"""Noisy answers for analysts: batches of noisy entries, and their sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.flips import ONE
from ..device.mechanisms.noise.geometric import GeometricNoise
from ..device.mechanisms.noise.laplace import LaplaceNoise
from . import kernels
from .analyst import Analyst, Estimating, half_of
from .arrays import Floats, Integers
from .batch import CHUNK_ROWS, Batches, Drawn, Rows, Words
from .counter import Counter, Reports
from .estimator import Averages


@half_of.register(GeometricNoise)
def _(mechanism: GeometricNoise) -> Analyst:
    estimator = NoisyMean(*_clamped(mechanism))
    return Analyst(estimator, NoiseBatches(mechanism), NoiseCounter(mechanism))


@half_of.register(LaplaceNoise)
def _(channel: LaplaceNoise) -> Estimating:
    return Estimating(NoisyMean(0.0, 8 / channel.epsilon**2))


class NoiseBatches(Batches[GeometricNoise]):
    """Adds two-sided geometric noise to one-hot answers, entry by entry."""

    @property
    def rows(self) -> int:
        """All draws are from the tail."""
        return CHUNK_ROWS

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw nothing beforehand."""
        return ()

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports until the tail of coins runs out."""
        values, _, out = rows
        words = tail[: len(tail) // 8 * 8].view("<u8")
        entries = out.view(f"<u{self.mechanism.entry_bytes}")
        bounds = np.uint64(self.mechanism.flip), np.uint64(ONE - self.mechanism.flip)
        limit = self.mechanism.limit
        done, used = kernels.entry_draws.fill_noise(values, words, entries, first, *bounds, limit)
        return done, 8 * used


class NoiseCounter(Counter[GeometricNoise]):
    """Adds up noisy entries; numpy does it as fast as compiled code."""

    def _coded(self, reports: Reports) -> NDArray[np.unsignedinteger[Any]]:
        """Return the entries, plus `limit` each."""
        return np.ascontiguousarray(reports).view(f"<u{self.mechanism.entry_bytes}")

    def invalid(self, reports: Reports) -> NDArray[np.bool_]:
        """Return which rows have an entry that is too large."""
        invalid: NDArray[np.bool_] = np.any(
            self._coded(reports) > 2 * self.mechanism.limit + 1, axis=1
        )
        return invalid

    def add_few(self, reports: Reports, total: Integers) -> None:
        """Add checked reports to a total."""
        total += self._coded(reports).sum(axis=0, dtype=np.int64)
        total -= len(reports) * self.mechanism.limit

    def problem(self, aggregate: Integers, n: int) -> str | None:
        """Any sum of n entries can occur."""
        low, high = -self.mechanism.limit * n, (self.mechanism.limit + 1) * n
        if int(aggregate.min()) < low or int(aggregate.max()) > high:
            return f"sums must be in [{low}, {high}]"
        return None


class NoisyMean(Averages):
    """Estimates from sums of noisy entries, which clamping moves by δ: (sum/n − δ)/(1 − 2δ).

    The variance of an entry does not depend on the value.
    """

    def __init__(self, shift: float, variance: float) -> None:
        super().__init__(shift, 1 - 2 * shift, variance, variance)

    def noise(self, theta: Floats) -> Floats:
        """Return the same for all shares."""
        return np.full(np.shape(theta), self._other)


def _clamped(mechanism: GeometricNoise) -> tuple[float, float]:
    """Return δ, and the variance of an entry of a report, 2α/(1 − α)² if nothing were clamped."""
    alpha, limit = float(mechanism.alpha), mechanism.limit
    shift = alpha ** (limit + 1) / (1 + alpha)
    steps = np.arange(1.0, limit + 1)
    beyond = alpha**steps  # the chance to go so many steps or more
    mean, square = beyond.sum(), ((2 * steps - 1) * beyond).sum()
    up = mechanism.flip / ONE
    return shift, float(up * (1 + 2 * mean) + square - shift**2)
