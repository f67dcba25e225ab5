"""Multinomial logit of answers that nobody has seen, from reports of them.

A person with the covariates x (a 1 first) has the shares p = softmax(xβ), with xβ = 0 for the
reference category. Up to a constant, the log-likelihood of the reports z_i with the weights w_i is

    ℓ(β) = Σ_i w_i log Σ_j p_ij o_ij,    o_ij = 1 + (E − 1)[j in z_i].

With r_ij = p_ij o_ij / Σ_l p_il o_il, the shares once the report is known, its derivatives are

    gradient      Σ_i w_i x_i ⊗ (r_i − p_i)
    information   Σ_i w_i x_i x_i' ⊗ (diag(p_i) − p_i p_i' − diag(r_i) + r_i r_i'),

the information of the answers, less what the reports leave open (Louis 1982). ℓ need not be
concave, so each Newton step divides by the absolute value of each curvature, which always leads up,
and is halved until ℓ rises enough.

People with the same covariates and the same report are one row, with the sum of their weights.
"""

from __future__ import annotations

from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .supports import Supports

__all__ = ["LogitLikelihood", "Maximum", "maximize", "softmax"]

# A penalty of −τ/2 Σβ² keeps coefficients finite: over the range of a covariate, it is a prior with
# a standard deviation of 10 for log-odds, which moves no coefficient that the reports determine.
PENALTY = 0.01
_ENTRIES_AT_ONCE = 1 << 20
_MOST_STEPS, _LONGEST_STEP, _ENOUGH_RISE = 200, 10.0, 1e-4
# The maximum is reached when Newton's next step, in standard errors and squared, is below this.
_NEAR = 1e-11
# Log-odds between the ends of a covariate's range beyond which a share is 0 for all purposes.
_TOO_FAR = 300.0


class Look(NamedTuple):
    """The log-likelihood at a point, its gradient, and minus its second derivatives."""

    value: float
    gradient: Floats
    information: Floats


class Maximum(NamedTuple):
    """Where the likelihood is largest: coefficients (columns, d − 1), and a look at them.

    `inverse` is that of the information, with the absolute value of each curvature.
    """

    coefficients: Floats
    look: Look
    inverse: Floats


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


class LogitLikelihood:
    """ℓ for the columns of a regression, (n, columns), and the values that reports support.

    Attributes
    ----------
    weights : array
        The sum of the weights of each row's people.
    squares : array or None
        The sum of their squares; None if all weights are 1.

    """

    def __init__(
        self, columns: Floats, supports: Supports, weights: Floats, squares: Floats | None = None
    ) -> None:
        self.columns, self.supports = columns, supports
        self.weights, self.squares = weights, squares
        self.shape = columns.shape[1], supports.d - 1
        self._rows = max(1, _ENTRIES_AT_ONCE // (self.shape[0] * supports.d))
        self._odds = supports.odds(slice(None)) if len(columns) <= self._rows else None

    @classmethod
    def of_people(
        cls, columns: Floats, supports: Supports, weights: Floats | None = None
    ) -> LogitLikelihood:
        """Return ℓ for a row of columns and a report of each person, all of the same weight or not.

        Where people are alike, they become one row.
        """
        rows, place = _alike(columns, supports.bits)
        ones = np.ones(len(columns)) if weights is None else weights
        sums, squares = (_added(place, ones**k, len(rows)) for k in (1, 2))
        some = columns[rows], supports.take(rows), sums
        return cls(*some, None if weights is None else squares)

    def value(self, coefficients: Floats) -> float:
        """Return ℓ at coefficients (columns, d − 1), less the penalty."""
        return self.of_reports(coefficients) - PENALTY / 2 * float(np.square(coefficients).sum())

    def of_reports(self, coefficients: Floats) -> float:
        """Return ℓ at coefficients (columns, d − 1)."""
        value = 0.0
        for rows, _, odds, prior in self._parts(coefficients):
            value += float(np.log((odds * prior).sum(axis=1)) @ self.weights[rows])
        return value

    def look(self, coefficients: Floats) -> Look:
        """Return ℓ less the penalty, and its derivatives in the order of the coefficients."""
        width, others = self.shape
        value, gradient = (
            -PENALTY / 2 * float(np.square(coefficients).sum()),
            -PENALTY * coefficients,
        )
        outer, within = np.zeros((width * others,) * 2), np.zeros((others, width * width))
        for rows, x, odds, prior in self._parts(coefficients):
            weights = self.weights[rows]
            posterior = odds * prior
            chances = posterior.sum(axis=1)
            posterior /= chances[:, None]
            value += float(np.log(chances) @ weights)
            gain, twice = (posterior - prior)[:, 1:], (posterior + prior)[:, 1:]
            gain *= weights[:, None]
            gradient += x.T @ gain
            outer += _products(x, gain).T @ _products(x, twice)  # rr' − pp' and what is not even
            within += gain.T @ _products(x, x)
        information = (outer + outer.T) / 2
        for j in range(others):
            information[j::others, j::others] -= within[j].reshape(width, width)
        information[np.diag_indices_from(information)] += PENALTY
        return Look(value, gradient.ravel(), information)

    def sandwich(self, maximum: Maximum) -> Floats:
        """Return the covariance of the coefficients, which allows for unequal weights.

        The gradient of a report with the leverage h is taken as if it had been left out (HC3).
        """
        if self.squares is None:
            return maximum.inverse
        leverages = ((self.columns @ self._shape) * self.columns).sum(axis=1)
        leverages *= self.squares / self.weights  # of a person, by the average weight
        gradients = self.squares / np.square(1 - leverages.clip(0, 0.99))
        return maximum.inverse @ self._spread(maximum.coefficients, gradients) @ maximum.inverse

    @cached_property
    def design_effect(self) -> float:
        """How many times larger variances are for weights that depend on nothing: Σw²/Σw."""
        return 1.0 if self.squares is None else float(self.squares.sum() / self.weights.sum())

    @cached_property
    def _shape(self) -> Floats:
        """The inverse of Σ w x x'."""
        products = (self.columns * self.weights[:, None]).T @ self.columns
        return np.linalg.inv(products).astype(np.float64)

    @cached_property
    def crowding(self) -> Floats:
        """A, with which x'Ax is one over the number of people that a share at x is worth."""
        if self.squares is None:
            return self._shape
        squares = (self.columns * self.squares[:, None]).T @ self.columns
        return self._shape @ squares @ self._shape

    def _spread(self, coefficients: Floats, weights: Floats) -> Floats:
        """Return the sum of the squares of reports' gradients, weighted: Σ_i w_i g_i g_i'."""
        total = np.zeros((self.shape[0] * self.shape[1],) * 2)
        for rows, x, odds, prior in self._parts(coefficients):
            posterior = odds * prior
            posterior /= posterior.sum(axis=1, keepdims=True)
            gradients = _products(x, (posterior - prior)[:, 1:])
            total += (gradients * weights[rows, None]).T @ gradients
        return total

    def _parts(self, coefficients: Floats):  # type: ignore[no-untyped-def]
        """Yield some rows at a time: which, their columns, odds and shares."""
        for at in range(0, len(self.columns), self._rows):
            rows = slice(at, at + self._rows)
            x = self.columns[rows]
            odds = self.supports.odds(rows) if self._odds is None else self._odds
            yield rows, x, odds, softmax(x @ coefficients)


def _alike(columns: Floats, bits: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a row of each kind, and the kind of each row; all rows if few are alike."""
    every = np.arange(len(columns))
    numbers = np.ascontiguousarray(columns, dtype=np.float64).view(np.uint64)
    missing = -bits.shape[1] % 8
    padded = np.pad(bits, ((0, 0), (0, missing))) if missing else np.ascontiguousarray(bits)
    words = np.hstack([numbers, padded.view(np.uint64)])
    _, rows, place = np.unique(_mixed(words), return_index=True, return_inverse=True)
    if len(rows) > len(every) // 2 or (words[rows][place] != words).any():
        return every, every
    return rows, place


def _added(place: NDArray[np.int64], weights: Floats, rows: int) -> Floats:
    """Return the sum of the weights of each row."""
    return np.asarray(np.bincount(place, weights, rows), dtype=np.float64)


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a number for each row of words; different rows hardly ever have the same."""
    random = np.random.default_rng(0).integers(0, 1 << 63, words.shape[1], dtype=np.uint64)
    keys: NDArray[np.uint64] = (words * (2 * random + np.uint64(1))).sum(axis=1, dtype=np.uint64)
    return keys


def _products(x: Floats, y: Floats) -> Floats:
    """Return the products of the entries of two rows, for each pair of rows."""
    return (x[:, :, None] * y[:, None, :]).reshape(len(x), -1)


def maximize(
    likelihood: LogitLikelihood, start: Floats, along: Floats | None = None, near: float = _NEAR
) -> Maximum:
    """Return the maximum that is reached from a start.

    With `along`, only points are considered at which along·β is what it is at the start. A
    coefficient whose likelihood rises without end stops where the rest of the rise is negligible.
    """
    here, point = likelihood.look(start), start
    for steps in count():
        curvatures, axes = np.linalg.eigh(here.information)
        sizes = np.abs(curvatures).clip(1e-14 * np.abs(curvatures).max() + 1e-300)
        inverse = (axes / sizes) @ axes.T
        move = inverse @ here.gradient
        if along is not None:
            fixed = inverse @ along
            move -= fixed * ((along @ move) / (along @ fixed))
        rise = float(here.gradient @ move)
        if rise < near or steps == _MOST_STEPS or (np.abs(point) > _TOO_FAR).any():
            return Maximum(point, here, inverse)
        step = move.reshape(point.shape)
        step *= min(1.0, _LONGEST_STEP / float(np.abs(step).max()))
        slack = 1e-13 * abs(here.value)
        slope, part = float(here.gradient @ step.ravel()), 1.0
        while True:
            there = likelihood.look(point + part * step)
            if there.value >= here.value + _ENOUGH_RISE * part * slope - slack or part < 1e-9:
                break
            part /= 2
        here, point = there, point + part * step
    raise AssertionError  # steps are counted
