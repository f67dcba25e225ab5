"""Regression: coefficients, predictions and their tests, for categories and for numbers.

People are in one of two groups, the second of which may be rare, and have a number heaped at three
values. How many people of each kind send each report is drawn by the exact law.

An interval that is unbounded counts as one, because that is what a fit returns for a coefficient
that the reports do not determine: no interval for log-odds that is always bounded could hold its
level (Gleser, Hwang 1987). A coefficient that is withheld has no standard error and no test.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import Scale, Survey
from privet.analysis.regression.covariates import Covariates
from privet.analysis.regression.fitting import fit_linear, fit_logit, scaling_of
from privet.analysis.regression.linear import stand_ins
from privet.analysis.regression.logit import LogitLikelihood, softmax
from privet.analysis.regression.supports import supports_of

from .study import LEVEL, Study
from .truths import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privet.mechanisms import KSubset

    from .study import Once, Score
    from .truths import Population

    Floats = NDArray[np.float64]

__all__ = ["STUDIES", "Crowd", "Means"]

WEIGHTS = np.array([0.5, 2.0])


@dataclass(frozen=True)
class Kinds:
    """The kinds of people: a group and a number each, and the probability of each kind."""

    second: float

    @property
    def covariates(self) -> dict[str, list[Any]]:
        """The covariates of one person of each kind."""
        return {"group": ["first"] * 3 + ["second"] * 3, "number": [0.0, 5.0, 10.0] * 2}

    @property
    def shares(self) -> Floats:
        """The probability of each kind."""
        return np.outer([1 - self.second, self.second], [0.4, 0.35, 0.25]).ravel()

    def read(self) -> tuple[Covariates, Floats, Floats]:
        """Return the covariates, their columns, and the scaling that a fit would choose."""
        terms, columns = Covariates.read("fit", self.covariates, 6)
        return terms, columns, scaling_of(columns, self.shares)


@dataclass(frozen=True)
class Crowd:
    """Categories: shares where all covariates are 0, and what the covariates add to log-odds."""

    shares: tuple[float, ...]
    group: tuple[float, ...]
    number: tuple[float, ...]
    second: float = 0.3

    @property
    def coefficients(self) -> Floats:
        """The coefficients of the intercept, the group and the number."""
        logs = np.log(np.maximum(self.shares, 1e-12))
        ten = np.array(self.number) / 10
        return np.stack([logs[1:] - logs[0], np.array(self.group), ten])


CROWDS = {
    "no effects": Crowd((0.3, 0.3, 0.2, 0.2), (0, 0, 0), (0, 0, 0)),
    "5 % in the fourth": Crowd((0.4, 0.35, 0.2, 0.05), (0.5, 0, 0), (0, 0.7, 0)),
    "1 % in the fourth": Crowd((0.4, 0.35, 0.24, 0.01), (0.5, 0, 0), (0, 0.7, 0)),
    "a giant": Crowd((0.9, 0.04, 0.03, 0.03), (0.5, 0, 0), (0, 0.7, 0)),
    "an empty one": Crowd((0.5, 0.3, 0.2, 0), (0.5, 0, 0), (0, 0.7, 0)),
    "strong effects": Crowd((0.4, 0.3, 0.2, 0.1), (1.5, -1, 1), (-2, 2, 0)),
    "a rare group": Crowd((0.4, 0.3, 0.2, 0.1), (0.8, 0, -0.5), (0, 0.7, 0), second=0.05),
}


def _logit(crowd: Crowd, epsilon: float, n: int, weights: Floats) -> Once:
    """Return a trial with people of these weights, equally many of each."""
    names = [str(j) for j in range(len(crowd.shares))]
    survey = Survey("Q", names, epsilon, mechanism="k-subset", id="q")
    mechanism: KSubset = survey.mechanism  # type: ignore[assignment]
    kinds, truth = Kinds(crowd.second), crowd.coefficients
    terms, columns, scaling = kinds.read()
    sets = [*combinations(range(mechanism.d), mechanism.k)]
    masks = np.array([sum(1 << j for j in one) for one in sets], dtype="<u8")
    reports = masks.view(np.uint8).reshape(len(sets), 8)[:, : mechanism.report_bytes]
    held = np.array([[j in one for j in range(mechanism.d)] for one in sets])
    law = np.where(held, float(mechanism.likelihood_ratio), 1.0)
    chances = softmax(columns @ truth) @ (law / law.sum(axis=0)).T
    joint = (kinds.shares[:, None] * chances).ravel()
    joint = np.outer(joint, np.full(len(weights), 1 / len(weights))).ravel()
    rows = np.repeat(columns, len(sets), axis=0) @ scaling
    supports = supports_of("fit", mechanism, np.tile(reports, (len(columns), 1)))
    some = np.array([0, len(columns) - 1])
    people = {name: [column[i] for i in some] for name, column in kinds.covariates.items()}
    shares = softmax(columns[some] @ truth)
    null = (truth == 0) & (np.arange(len(truth)) > 0)[:, None]

    def once(random: np.random.Generator, score: Score) -> None:
        counts = random.multinomial(n, joint / joint.sum()).reshape(-1, len(weights))
        kept = np.flatnonzero(counts.any(axis=1))
        counts = counts[kept].astype(np.float64)
        squares = None if len(weights) == 1 else counts @ weights**2
        likelihood = LogitLikelihood(rows[kept], supports.take(kept), counts @ weights, squares)
        fitted = fit_logit(survey, terms, likelihood, scaling, n)
        low, high = fitted.interval(LEVEL)
        for i, name in enumerate(("intercept", "group", "number")):
            score.interval(name, low[i], high[i], truth[i])
        for name, p_values in zip(("group", "number"), fitted.p_values[1:], strict=True):
            at = null[1 if name == "group" else 2]
            if at.any():
                score.test(f"{name}, p", np.where(np.isnan(p_values), 1.0, p_values)[at])
        low, high = fitted.predict_interval(people, LEVEL)
        for i, name in enumerate(("share in the first kind", "share in the last kind")):
            score.interval(name, low[i], high[i], shares[i])

    return once


def _plain(crowd: Crowd, epsilon: float, n: int) -> Once:
    return _logit(crowd, epsilon, n, np.ones(1))


def _weighted(crowd: Crowd, epsilon: float, n: int) -> Once:
    return _logit(crowd, epsilon, n, WEIGHTS)


@dataclass(frozen=True)
class Means:
    """Numbers: a population for each of two groups."""

    first: Population
    second: Population
    share: float = 0.3


_ONE, _LESS = NUMBERS["1 % at the high end"], NUMBERS[".3 % at the high end"]

MEANS = {
    "heaped at tens": Means(NUMBERS["heaped at tens"], NUMBERS["normal"]),
    "a rare group": Means(NUMBERS["normal"], NUMBERS["exponential"], share=0.05),
    "all at the low end": Means(NUMBERS["normal"], NUMBERS["all at the low end"]),
    "four spikes": Means(NUMBERS["four spikes"], NUMBERS["four spikes"]),
    "1 % at the high end": Means(_ONE, _ONE),
    ".3 % at the high end": Means(_LESS, _LESS, share=0.05),
}


def _linear(truth: Means, epsilon: float, n: int, weights: Floats) -> Once:
    scale = Scale(0, 120)
    survey = Survey("Q", scale, epsilon, id="q")
    mechanism = survey.mechanism
    kinds = Kinds(truth.share)
    terms, columns, scaling = kinds.read()
    windows = np.arange(mechanism.numbers)  # type: ignore[attr-defined]
    size = mechanism.report_bytes
    reports = windows.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :size]
    held = supports_of("fit", mechanism, reports).held(slice(None))
    law = np.where(held, float(mechanism.likelihood_ratio), 1.0)
    law /= law.sum(axis=0)
    chances = np.array(
        [law @ _cells(one, scale) for one in (truth.first, truth.second) for _ in range(3)]
    )
    joint = (kinds.shares[:, None] * chances).ravel()
    numbers = stand_ins(mechanism, reports, *scale.edges)  # type: ignore[arg-type]
    means = np.repeat([truth.first.mean, truth.second.mean], 3)
    weighed = columns * kinds.shares[:, None]
    exact = np.linalg.solve(columns.T @ weighed, weighed.T @ means)
    people = {name: [column[0], column[-1]] for name, column in kinds.covariates.items()}

    def once(random: np.random.Generator, score: Score) -> None:
        counts = random.multinomial(n, joint / joint.sum()).reshape(len(columns), -1)
        kind, window = (
            np.repeat(place.ravel(), counts.ravel()) for place in np.indices(counts.shape)
        )
        known = None if len(weights) == 1 else random.choice(weights, n)
        scaled = columns[kind] @ scaling
        fitted = fit_linear(terms, scaled, scaling, numbers[window], known, (0, 120))
        score.interval("coefficients", *fitted.interval(LEVEL), exact)
        score.error("standard errors", fitted.coefficients, fitted.standard_errors, exact)
        score.test("number, p", fitted.p_values[2])
        score.interval("mean of two kinds", *fitted.predict_interval(people, LEVEL), means[[0, -1]])

    return once


def _cells(population: Population, scale: Scale) -> Floats:
    """Return the share of people in each cell, once coins have fallen."""
    where = (population.numbers - scale.low) / scale.step
    below = np.floor(where).astype(int).clip(0, scale.cells - 2)
    part = where - below
    there = np.bincount(below, population.shares * (1 - part), scale.cells)
    there += np.bincount(below + 1, population.shares * part, scale.cells)
    return np.asarray(there, dtype=np.float64)


def _means(truth: Means, epsilon: float, n: int) -> Once:
    return _linear(truth, epsilon, n, np.ones(1))


def _weighted_means(truth: Means, epsilon: float, n: int) -> Once:
    return _linear(truth, epsilon, n, WEIGHTS)


def _some(truths: Mapping[str, object], *names: str) -> dict[str, object]:
    return {name: truths[name] for name in names}


_FITTED, _LOGIT, _LINEAR = (
    f"privet.analysis.regression.fitted.{name}" for name in ("Fitted", "Logit", "Linear")
)

STUDIES = [
    Study(
        "regression of categories",
        (
            f"{_LOGIT}.interval", f"{_LOGIT}.p_values", f"{_LOGIT}.predict_interval",
            f"{_LOGIT}.standard_errors", f"{_FITTED}.interval", f"{_FITTED}.p_values",
            f"{_FITTED}.predict_interval", f"{_FITTED}.standard_errors",
        ),
        CROWDS,
        _plain,
    ),
    Study(
        "regression of categories, weighted",
        (f"{_LOGIT}.interval", f"{_LOGIT}.standard_errors"),
        _some(CROWDS, "5 % in the fourth", "a rare group"),
        _weighted,
    ),
    Study(
        "regression of means",
        (
            f"{_LINEAR}.interval", f"{_LINEAR}.p_values", f"{_LINEAR}.predict_interval",
            f"{_LINEAR}.standard_errors",
        ),
        MEANS,
        _means,
    ),
    Study(
        "regression of means, weighted",
        (f"{_LINEAR}.interval", f"{_LINEAR}.standard_errors"),
        _some(MEANS, "heaped at tens", "a rare group"),
        _weighted_means,
    ),
]  # fmt: skip
