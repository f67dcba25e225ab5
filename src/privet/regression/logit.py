"""Multinomial logit of answers that nobody has seen, from reports of them.

A person with the covariates x (a 1 first) has the shares p = softmax(xβ), with xβ = 0 for the first
category. Up to a constant, the log-likelihood of the reports z_i is

    ℓ(β) = Σ_i log Σ_j p_ij o_ij,    o_ij = 1 + (E − 1)[j in z_i].

With r_ij = p_ij o_ij / Σ_l p_il o_il, the shares once the report is known, its derivatives are

    gradient      Σ_i x_i ⊗ (r_i − p_i)
    information   Σ_i x_i x_i' ⊗ (diag(p_i) − p_i p_i' − diag(r_i) + r_i r_i'),

what the answers would tell, less what the reports leave open of them (Louis 1982). ℓ need not be
concave, so that steps are Newton's with the size of each curvature in place of itself, which always
lead up, cut in half until they rise enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .supports import Supports

    Floats = NDArray[np.float64]

__all__ = ["Likelihood", "Maximum", "maximize", "softmax"]

_ENTRIES_AT_ONCE = 1 << 20
_MOST_STEPS, _LONGEST_STEP, _ENOUGH_RISE = 200, 10.0, 1e-4
# The maximum is found where Newton's next step is this part of a standard error, squared.
_NEAR = 1e-12
# Log-odds between the ends of a covariate's range, and standard errors of them, that only grow on.
_TOO_FAR, _ENDLESS = 300.0, 1e3


class Look(NamedTuple):
    """The log-likelihood at a point, its gradient, and minus its second derivatives."""

    value: float
    gradient: Floats
    information: Floats


class Maximum(NamedTuple):
    """Coefficients of the largest likelihood, (columns, d − 1), their covariance, and its log."""

    coefficients: Floats
    covariance: Floats
    log_likelihood: float


def softmax(predictors: Floats) -> Floats:
    """Return shares for the predictors of all categories but the first: (n, d).

    >>> softmax(np.array([[0.0, np.log(2)]])).tolist()
    [[0.25, 0.25, 0.5]]
    """
    shares = np.zeros((len(predictors), predictors.shape[1] + 1))
    shares[:, 1:] = predictors
    shares -= shares.max(axis=1, keepdims=True)
    np.exp(shares, out=shares)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


class Likelihood:
    """ℓ for the columns of a regression, (n, columns), and what the reports support."""

    def __init__(self, columns: Floats, supports: Supports) -> None:
        self.columns, self.supports = columns, supports
        self.shape = columns.shape[1], supports.d - 1
        self._rows = max(1, _ENTRIES_AT_ONCE // (self.shape[0] * supports.d))

    def look(self, coefficients: Floats) -> Look:
        """Return ℓ and its derivatives at coefficients (columns, d − 1), in their own order."""
        width, others = self.shape
        value, gradient = 0.0, np.zeros(self.shape)
        outer, within = np.zeros((width * others,) * 2), np.zeros((others, width, width))
        for at in range(0, len(self.columns), self._rows):
            rows = slice(at, at + self._rows)
            x, odds = self.columns[rows], self.supports.odds(rows)
            prior = softmax(x @ coefficients)
            odds *= prior
            chances = odds.sum(axis=1, keepdims=True)
            posterior = odds / chances
            value += float(np.log(chances).sum())
            gain, twice = (posterior - prior)[:, 1:], (posterior + prior)[:, 1:]
            gradient += x.T @ gain
            outer += _products(x, gain).T @ _products(x, twice)  # rr' − pp' and what is not even
            for j in range(others):
                within[j] += (x * gain[:, j : j + 1]).T @ x
        information = (outer + outer.T) / 2
        for j in range(others):
            information[j::others, j::others] -= within[j]
        return Look(value, gradient.ravel(), information)


def _products(x: Floats, y: Floats) -> Floats:
    """Return the products of the entries of two rows, for each pair of rows."""
    return (x[:, :, None] * y[:, None, :]).reshape(len(x), -1)


def maximize(
    owner: str, likelihood: Likelihood, start: Floats, categories: Sequence[str]
) -> Maximum:
    """Return the maximum that is reached from a start, or raise if there is none within reach."""
    here, point = likelihood.look(start), start
    for _ in range(_MOST_STEPS):
        curvatures, axes = np.linalg.eigh(here.information)
        sizes = np.abs(curvatures).clip(1e-14 * np.abs(curvatures).max() + 1e-300)
        along = axes.T @ here.gradient
        rise = float(along @ (along / sizes))
        if rise < _ENDLESS**-2:
            errors = np.sqrt(np.square(axes) @ (1 / sizes)).reshape(point.shape)
            if curvatures[0] <= 0 or errors.max() > _ENDLESS:
                raise _no_maximum(owner, categories, errors > _ENDLESS)
            if rise < _NEAR:
                return Maximum(point, (axes / sizes) @ axes.T, here.value)
        step = (axes @ (along / sizes)).reshape(point.shape)
        step *= min(1.0, _LONGEST_STEP / float(np.abs(step).max()))
        slack = 1e-13 * abs(here.value)
        slope, part = float(here.gradient @ step.ravel()), 1.0
        while True:
            there = likelihood.look(point + part * step)
            if there.value >= here.value + _ENOUGH_RISE * part * slope - slack or part < 1e-9:
                break
            part /= 2
        here, point = there, point + part * step
        if (np.abs(point) > _TOO_FAR).any():
            raise _no_maximum(owner, categories, np.abs(point) > _TOO_FAR)
    raise _no_maximum(owner, categories, np.ones(start.shape, np.bool_))


def _no_maximum(
    owner: str, categories: Sequence[str], endless: NDArray[np.bool_]
) -> InvalidArgument:
    names = [categories[j + 1] for j in np.flatnonzero(endless.any(axis=0)).tolist()]
    rule = (
        "enough to tell how answers depend on the covariates: their likelihood has no finite"
        " maximum, as for some people the likeliest share of a category is 0; with more reports, or"
        " fewer columns, it may have one"
    )
    shown = f"coefficients of {', '.join(map(repr, names))} without end"
    return InvalidArgument(owner, "reports", rule, shown)
