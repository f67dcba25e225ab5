"""A smooth distribution over ordered cells, as smooth as the reports say.

The logarithms of the shares are a spline, θ ∝ exp(Xβ) with cubic B-splines in the columns of X,
and the likelihood of the windows is penalised for its third differences (Eilers, Marx 1996; for
counts that are blurred, Eilers 2007):

    ℓ(β) − λ|Dβ|²/2,    ℓ(β) = Σ_z r_z log (Mθ)_z,

with r the windows' counts and M the chances of windows for cells. A large λ makes θ a parabola's
exponential, such as a normal curve; a small one lets it follow the reports. How likely each λ is,
given the reports, is known by Laplace's approximation (Tierney, Kadane 1986) of the integral of the
likelihood over β ~ N(0, (λDᵀD)⁻¹), and the distributions for several λ are averaged by it.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from ...device.mechanisms.scales.interval import Interval
from ..arrays import Floats
from ..incidence import Windows

__all__ = ["smooth"]

# The pieces of the spline, at most; and the order of the differences that are 0 if λ is infinite.
_PIECES, _ORDER = 48, 3
_PENALTIES = 10.0 ** np.arange(5, -4.5, -0.5)
# When to stop: at a step that gains less, and at a λ that is less likely by so much.
_SETTLED, _UNLIKELY, _STEPS = 1e-3, 12, 60
# What holds the parabolas, which differences say nothing of: next to nothing.
_RIDGE = 1e-6


def smooth(mechanism: Interval, windows: NDArray[np.int64]) -> Floats:
    """Return a smooth distribution of cells, from how often each window was reported.

    >>> from privet.mechanisms import Interval
    >>> smooth(Interval(5, 3.0, window=1), np.array([10, 30, 42, 31, 9])).round(2)
    array([0.05, 0.24, 0.4 , 0.24, 0.05])

    """
    fit = _Fit(mechanism, windows, _splines(mechanism.d))
    beta, heights, shares = np.zeros(fit.basis.shape[1]), [], []
    for bend, before in _bends(len(beta)):
        beta, height, information = fit.climb(bend, beta)
        after = np.linalg.slogdet(information + bend).logabsdet
        heights.append(height + (before - after) / 2)
        shares.append(_softmax(fit.basis @ beta))
        if heights[-1] < max(heights) - _UNLIKELY:
            break
    mixture: Floats = _softmax(np.array(heights)) @ np.array(shares)
    return mixture


@cache
def _bends(size: int) -> list[tuple[Floats, float]]:
    """Return λDᵀD for each λ, with a ridge, and the logarithm of its determinant."""
    differences = np.diff(np.eye(size), _ORDER, axis=0)
    parabolas = np.linalg.qr(np.vander(np.linspace(-1, 1, size), _ORDER))[0]
    flat, ridge = differences.T @ differences, _RIDGE * parabolas @ parabolas.T
    bends = [penalty * flat + ridge for penalty in _PENALTIES]
    return [(bend, float(np.linalg.slogdet(bend).logabsdet)) for bend in bends]


class _Fit:
    """Newton's steps up the penalised likelihood, or Fisher's where it curves up."""

    def __init__(self, mechanism: Interval, windows: NDArray[np.int64], basis: Floats) -> None:
        incidence = Windows(mechanism)
        self.windows, self.basis = windows, basis
        self.cover, self.adjoint = incidence.forward, incidence.adjoint
        self.n, self.excess = windows.sum(), float(mechanism.likelihood_ratio - 1)
        self.total = mechanism.window * self.excess + mechanism.numbers

    def odds(self, shares: Floats) -> Floats:
        """Return T·M·shares, with T the sum of a cell's weights."""
        odds: Floats = shares.sum(axis=0) + self.excess * self.cover(shares)
        return odds

    def shares(self, beta: Floats) -> tuple[Floats, Floats]:
        """Return the shares of cells, and how fast they move with β."""
        theta = _softmax(self.basis @ beta)
        return theta, theta[:, None] * (self.basis - theta @ self.basis)

    def height(self, beta: Floats, bend: Floats) -> float:
        """Return the penalised logarithm of the likelihood, but for n log T."""
        logs = np.log(self.odds(_softmax(self.basis @ beta)))
        return float(self.windows @ logs - beta @ bend @ beta / 2)

    def turn(self, theta: Floats, weights: Floats) -> Floats:
        """Return the part of the second derivatives that is due to those of the shares."""
        pull = theta * (self.excess * self.adjoint(weights) + weights.sum())
        pull -= theta * pull.sum()
        across = np.outer(self.basis.T @ theta, pull @ self.basis)
        turned: Floats = self.basis.T @ (self.basis * pull[:, None]) - across - across.T
        return turned

    def climb(self, bend: Floats, beta: Floats) -> tuple[Floats, float, Floats]:
        """Return the highest point from there, its height, and the information there.

        A step is halved until it leads up.
        """
        from scipy.linalg import cho_factor, cho_solve

        height = self.height(beta, bend)
        for _ in range(_STEPS):
            theta, moves = self.shares(beta)
            odds, slopes = self.odds(theta), self.odds(moves)
            information = self.n / self.total * slopes.T @ (slopes / odds[:, None])
            weights = self.windows / odds
            uphill = slopes.T @ weights - bend @ beta
            observed = slopes.T @ (slopes * (weights / odds)[:, None]) - self.turn(theta, weights)
            try:
                step = cho_solve(cho_factor(observed + bend), uphill)
            except np.linalg.LinAlgError:
                step = np.linalg.solve(information + bend, uphill)
            while (higher := self.height(beta + step, bend)) < height:
                if abs(step).max() <= _SETTLED:
                    break
                step /= 2
            gain, beta, height = higher - height, beta + step, higher
            if gain < _SETTLED:
                break
        return beta, height, information


@lru_cache(maxsize=8)
def _splines(cells: int) -> Floats:
    """Return cubic B-splines at the centres of cells: [x, spline]."""
    from scipy.interpolate import BSpline

    pieces = min(cells, _PIECES)
    knots = np.arange(-3, pieces + 4) / pieces
    places = (np.arange(cells) + 0.5) / cells
    splines: Floats = BSpline.design_matrix(places, knots, 3).toarray()
    return splines


def _softmax(logs: Floats) -> Floats:
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    shares: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return shares
