"""Scales for analysts: batches of windows, and the shares of cells from those that cover them.

With A[z, x] = 1 where window z covers cell x, and r[z] the number of reports of window z, the
support of the cells is f = Aᵀr, whose mean is

    E f / n = (w + (E − 1)·K θ) / T,    K = AᵀA,    T = wE + B − 1,

where K[x, x'] = max(w − |x − x'|, 0) windows cover both. So W(T f/n − w)/(E − 1) with W = K⁻¹
estimates θ without bias. Neighbouring cells are hard to tell apart: single shares have much more
error than by subsets, and sums of neighbours less.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.scales.interval import Interval
from .analyst import Analyst, half_of
from .arrays import Floats, Integers
from .cohorts import spreads_of
from .counter import NumberCounter, write_numbers
from .estimator import Estimator
from .placed import PlacedBatches
from .refine.simplex import project_simplex


@half_of.register(Interval)
def _(mechanism: Interval) -> Analyst:
    batches, counter = WindowBatches(mechanism), WindowCounter(mechanism)
    return Analyst(WindowRegression(mechanism), batches, counter)


class WindowBatches(PlacedBatches[Interval]):
    """Writes the windows that cover values, and the others."""

    def write(
        self, values: NDArray[np.int64], places: NDArray[np.uint64], out: NDArray[np.uint8]
    ) -> None:
        """Write the number of the window at each value's place."""
        windows = np.add(values.view(np.uint64), places, out=places)
        around = windows - np.uint64(self.mechanism.numbers)  # very large where it is below 0
        write_numbers(np.minimum(windows, around, out=windows), out)


class WindowCounter(NumberCounter[Interval]):
    """Counts windows, and how many of them cover each cell."""

    def counts(self, aggregate: Integers) -> Integers:
        """Return Σ of the w windows that cover each cell."""
        sums = np.concatenate(([0], np.cumsum(aggregate)))
        counts: Integers = sums[self.mechanism.window :] - sums[: self.mechanism.d]
        return counts


class WindowRegression(Estimator):
    """Least squares over windows."""

    def __init__(self, mechanism: Interval) -> None:
        self._d, self._window = mechanism.d, mechanism.window
        self._excess = float(mechanism.likelihood_ratio - 1)
        self._total = self._window * self._excess + mechanism.numbers

    @cached_property
    def _covers(self) -> Floats:
        """A."""
        cells = np.arange(self._d)
        last = np.arange(self._d + self._window - 1)[:, None] - cells
        return ((last >= 0) & (last < self._window)).astype(np.float64)

    @cached_property
    def _weights(self) -> Floats:
        """W."""
        from scipy.linalg import cho_factor, cho_solve

        shared = self._covers.T @ self._covers
        inverse: Floats = cho_solve(cho_factor(shared), np.eye(self._d))
        return inverse

    @cached_property
    def _worth(self) -> Floats:
        """What a report of window z is worth about the share of cell j, and a constant: [z, j]."""
        worth: Floats = self._covers @ self._weights * (self._total / self._excess)
        return worth

    @cached_property
    def chances(self) -> Floats:
        """How likely window z is for value x, at [z, x]."""
        return (1 + self._excess * self._covers) / self._total

    def best_worth(self, theta: Floats) -> Floats:
        """Return what reports are worth under the unbiased linear estimate of least error: [z, j].

        With M the chances and P = diag(Mθ) it is P⁻¹M(MᵀP⁻¹M)⁻¹: whatever the shares are, a report
        of window z is worth u = (its row)·a about Σ a_j θ_j, without bias, and for θ no other
        linear estimate has less than its variance, aᵀ(MᵀP⁻¹M)⁻¹a − (a·θ)² over n.
        """
        from scipy.linalg import cho_factor, cho_solve

        weighted = self.chances / (self.chances @ theta)[:, None]
        worth: Floats = cho_solve(cho_factor(self.chances.T @ weighted), weighted.T).T
        return worth

    @cached_property
    def borders(self) -> Floats:
        """What a report of window z is worth about the share of cells below border b, at [z, b].

        By the estimate that is best for a flat truth. Border b has b cells below it, so that the
        first and the last column are 0 and 1.
        """
        worth = self.best_worth(np.full(self._d, 1 / self._d))
        borders = np.zeros((len(worth), self._d + 1))
        np.cumsum(worth, axis=1, out=borders[:, 1:])
        borders[:, -1] = 1
        return borders

    @cached_property
    def _spread(self) -> Floats:
        """The variance of what a report of value x is worth about the share of cell j: [x, j]."""
        return self.spread(np.eye(self._d))

    def spread(self, sums: Floats) -> Floats:
        """Return the variance of what a report of value x is worth about each weighted sum: [x, c].

        `sums` has the weights of all cells in its columns, (d, c).
        """
        worth = self._worth @ sums
        spread: Floats = self.chances.T @ worth**2 - (self.chances.T @ worth) ** 2
        return spread

    def covariance(self, theta: Floats) -> Callable[[Floats], Floats]:
        """Return u ↦ Σu, where Σ is the covariance of what one report from theta is worth."""
        chances = self.chances @ theta
        mean = chances @ self._worth

        def apply(u: Floats) -> Floats:
            product: Floats = (chances * (self._worth @ u - mean @ u)) @ self._worth
            return product

        return apply

    def frequencies(self, counts: Integers, n: int) -> Floats:
        """Return the unbiased estimate W(T f/n − w)/(E − 1)."""
        support = (self._total * counts / n - self._window) / self._excess
        frequencies: Floats = self._weights @ support
        return frequencies

    def noise(self, theta: Floats) -> Floats:
        """Return n times the variance of each estimated share, which depends on all of theta."""
        noise: Floats = project_simplex(theta) @ self._spread
        return noise

    def spreads(self, shares: Floats) -> tuple[Floats, Floats]:
        """Return each cell's variance if everybody is in it, and if all are in other cells."""
        return spreads_of(self._spread, shares)
