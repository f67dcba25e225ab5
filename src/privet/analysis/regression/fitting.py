"""`fit`: from a survey, its reports and covariates to a regression."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any, NamedTuple, cast, overload

import numpy as np
from numpy.typing import NDArray

from ...device.answers.base import Answers
from ...device.answers.scale import Scale
from ...device.mechanisms.scales.interval import Interval
from ...device.survey import Survey
from ...errors import InvalidArgument, NoReports
from ..arrays import Floats
from ..estimate import Estimate
from ..scale_estimate import ScaleEstimate
from .covariates import Covariates, check_independent, weights_of
from .fitted import Linear, Logit
from .linear import least_squares, stand_ins
from .logit import LogitLikelihood, maximize
from .predicting import Predictor
from .profiles import Profiles
from .supports import supports_of

Reports = NDArray[np.uint8]

__all__ = ["fit", "fit_linear", "fit_logit", "scaling_of"]

_OWNER = "fit"
_MOST_COEFFICIENTS = 2000


@overload
def fit(
    survey: Survey[ScaleEstimate], reports: Any, covariates: Any, *, weights: Any = None,
    reference: str | None = None, baselines: Mapping[str, str] | None = None,
) -> Linear: ...  # fmt: skip


@overload
def fit(
    survey: Survey[Estimate], reports: Any, covariates: Any, *, weights: Any = None,
    reference: str | None = None, baselines: Mapping[str, str] | None = None,
) -> Logit: ...  # fmt: skip


@overload
def fit(
    survey: Survey, reports: Any, covariates: Any, *, weights: Any = None,
    reference: str | None = None, baselines: Mapping[str, str] | None = None,
) -> Logit | Linear: ...  # fmt: skip


def fit(
    survey: Survey[Any],
    reports: Any,
    covariates: Any,
    *,
    weights: Any = None,
    reference: str | None = None,
    baselines: Mapping[str, str] | None = None,
) -> Logit | Linear:
    """Fit how people's answers depend on covariates, from reports of the answers.

    Parameters
    ----------
    survey : Survey
        The survey: its answers are numbers on a scale, whose mean is fitted, or everybody holds one
        of its categories. By its mechanism, a report then supports some values, all alike: any but
        geometric noise, RAPPOR and those for several choices.
    reports : reports
        What `Tally.update` takes: bytes, uint8 (n, report_bytes), or a column of Arrow data.
    covariates : array (n, p), rows, mapping of names to columns, or table
        What is known of each person in the clear, in the order of the reports. Text becomes a
        column for each level but the first.
    weights : numbers, optional
        A survey weight for each report, above 0; only their ratios matter. Standard errors are then
        those of a sandwich, which allow for unequal weights.
    reference : str, optional
        The category that others are compared with; by default the survey's first.
    baselines : mapping, optional
        The level that the others are compared with, for covariates of text; by default the first.

    References
    ----------
    Louis: Finding the observed information matrix when using the EM algorithm, 1982.

    >>> import privet
    >>> survey = privet.Survey("Tea or coffee?", ["tea", "coffee"], epsilon=2.0)
    >>> age = np.arange(4000) % 60 + 20
    >>> answers = np.where(np.random.default_rng(1).random(4000) < age / 100, "coffee", "tea")
    >>> reports = survey.randomize_batch(answers, entropy=privet.entropy.seeded(1))
    >>> fitted = privet.regression.fit(survey, reports, {"age": age})
    >>> fitted.names, fitted.coefficients.shape
    (['intercept', 'age'], (2, 1))
    >>> fitted.predict({"age": [20, 80]}).round(1).tolist()  # shares of tea and coffee
    [[0.8, 0.2], [0.2, 0.8]]
    >>> low, high = fitted.predict_interval({"age": [20, 80]})
    >>> bool((low < [[0.8, 0.2], [0.2, 0.8]]).all() and (high > [[0.8, 0.2], [0.2, 0.8]]).all())
    True

    """
    mechanism = survey.mechanism
    array = mechanism.analyst.counter.as_array(reports)
    mechanism.check(array)
    if not len(array):
        raise NoReports("There are no reports to fit a regression to.")
    terms, columns = Covariates.read(_OWNER, covariates, len(array), baselines or {})
    scaling = scaling_of(columns)
    scaled = columns @ scaling
    check_independent(_OWNER, scaled, terms.names)
    known = None if weights is None else weights_of(_OWNER, weights, len(array))
    return _fitted(survey.answers, _People(survey, array, terms, scaled, scaling, known), reference)


class _People(NamedTuple):
    """The reports of a survey's people, their covariates, and their weights."""

    survey: Survey[Any]
    reports: Reports
    terms: Covariates
    scaled: Floats
    scaling: Floats
    weights: Floats | None


@singledispatch
def _fitted(answers: Answers[Any], people: _People, reference: str | None) -> Logit | Linear:
    """Fit what the kind of answer asks for: a logit, where it is not registered for another."""
    survey, mechanism, scaled = people.survey, people.survey.mechanism, people.scaled
    place = _place(survey, reference)
    if scaled.shape[1] * (mechanism.d - 1) > _MOST_COEFFICIENTS:
        rule = f"so few that there are at most {_MOST_COEFFICIENTS} coefficients"
        raise InvalidArgument(_OWNER, "covariates", rule, f"{scaled.shape[1]} × {mechanism.d - 1}")
    supports = supports_of(_OWNER, mechanism, people.reports).led_by(place)
    likelihood = LogitLikelihood.of_people(scaled, supports, people.weights)
    return fit_logit(survey, people.terms, likelihood, people.scaling, len(people.reports), place)


@_fitted.register
def _(answers: Scale, people: _People, reference: str | None) -> Linear:
    if reference is not None:
        rule = "left out for numbers on a scale, which have no categories"
        raise InvalidArgument(_OWNER, "reference", rule, reference)
    mechanism = cast("Interval", people.survey.mechanism)
    numbers = stand_ins(mechanism, people.reports, *answers.edges)
    ends = answers.low, answers.high
    return fit_linear(people.terms, people.scaled, people.scaling, numbers, people.weights, ends)


def scaling_of(columns: Floats, shares: Floats | None = None) -> Floats:
    """Return T with columns·T centred and of two standard deviations 1, but for the intercept.

    `shares` are those of people with each row, by default equal. What does not vary stays as it is;
    coefficients b of the scaled columns are T·b of the others.
    """
    means = np.average(columns, axis=0, weights=shares)
    lengths = 2 * np.sqrt(np.average(np.square(columns - means), axis=0, weights=shares))
    lengths[lengths == 0] = 1
    scaling = np.diag(1 / lengths)
    scaling[0, 1:] = -means[1:] / lengths[1:]
    return scaling


def _place(survey: Survey, reference: str | None) -> int:
    """Return the place of the reference among the categories."""
    if reference is None:
        return 0
    if reference not in survey.categories:
        rule = f"one of the categories, {', '.join(map(repr, survey.categories))}"
        raise InvalidArgument(_OWNER, "reference", rule, reference)
    return survey.categories.index(reference)


def fit_linear(
    terms: Covariates,
    scaled: Floats,
    scaling: Floats,
    numbers: Floats,
    weights: Floats | None,
    ends: tuple[float, float],
) -> Linear:
    """Return the fit of stand-ins for numbers between these ends by scaled columns."""
    found = least_squares(scaled, numbers, weights, ends)
    return Linear(
        terms,
        len(numbers),
        scaling @ found.coefficients,
        scaling @ found.covariance @ scaling.T,
        found.freedom(scaling),
    )


def fit_logit(
    survey: Survey,
    terms: Covariates,
    likelihood: LogitLikelihood,
    scaling: Floats,
    n: int,
    reference: int = 0,
) -> Logit:
    """Return the fit that a likelihood of scaled columns leads to, for n people."""
    width, others = likelihood.shape
    maximum = maximize(likelihood, np.zeros(likelihood.shape))
    covariance = likelihood.sandwich(maximum)
    back: Floats = np.kron(scaling, np.eye(others)).astype(np.float64)
    lengths = np.repeat(np.abs(np.diagonal(scaling)), others)
    profiles = Profiles(likelihood, maximum, back, lengths, covariance)
    covariances = back @ covariance @ back.T
    wider = profiles.standard_errors / np.sqrt(np.diagonal(covariances))
    order = [reference, *(j for j in range(others + 1) if j != reference)]
    return Logit(
        terms,
        n,
        np.where(profiles.withheld.reshape(width, others), np.nan, scaling @ maximum.coefficients),
        covariances * np.outer(wider, wider),
        survey.categories,
        survey.categories[reference],
        likelihood.of_reports(maximum.coefficients),
        profiles,
        Predictor(likelihood, maximum, scaling, covariance, np.argsort(order), survey.mechanism),
    )
