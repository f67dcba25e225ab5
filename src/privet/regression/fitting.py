"""`fit`: from a survey, its reports and covariates to a regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..answers.scale import Scale
from ..errors import InvalidArgument, NoReports
from ..refine import project_simplex
from .covariates import Covariates, check_independent
from .fitted import Linear, Logit
from .linear import least_squares, stand_ins
from .logit import Likelihood, maximize
from .supports import supports_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..survey import Survey

    Floats = NDArray[np.float64]
    Reports = NDArray[np.uint8]

__all__ = ["fit"]

_OWNER = "fit"
_MOST_COEFFICIENTS = 2000


def fit(survey: Survey, reports: Any, covariates: Any) -> Logit | Linear:
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

    """
    mechanism = survey.mechanism
    array = mechanism.analyst.counter.as_array(reports)
    mechanism.check(array)
    if not len(array):
        raise NoReports("There are no reports to fit a regression to.")
    terms, columns = Covariates.read(_OWNER, covariates, len(array))
    scaling = _scaling(columns)
    scaled = columns @ scaling
    check_independent(_OWNER, scaled, terms.names)
    if not isinstance(survey.answers, Scale):
        return _fit_logit(survey, array, terms, scaled, scaling)
    numbers = stand_ins(mechanism, array, *survey.answers.edges)  # type: ignore[arg-type]
    coefficients, covariance = least_squares(scaled, numbers)
    return Linear(terms, len(array), scaling @ coefficients, scaling @ covariance @ scaling.T)


def _scaling(columns: Floats) -> Floats:
    """Return T with columns·T centred and of length 1 from least to most, but for the intercept.

    What does not vary stays as it is; coefficients b of the scaled columns are T·b of the others.
    """
    lengths = np.ptp(columns, axis=0)
    lengths[lengths == 0] = 1
    scaling = np.diag(1 / lengths)
    scaling[0, 1:] = -columns.mean(axis=0)[1:] / lengths[1:]
    return scaling


def _fit_logit(
    survey: Survey, reports: Reports, terms: Covariates, scaled: Floats, scaling: Floats
) -> Logit:
    d, width = survey.mechanism.d, scaled.shape[1]
    if width * (d - 1) > _MOST_COEFFICIENTS:
        rule = f"so few that there are at most {_MOST_COEFFICIENTS} coefficients"
        raise InvalidArgument(_OWNER, "covariates", rule, f"{width} × {d - 1}")
    likelihood = Likelihood(scaled, supports_of(_OWNER, survey.mechanism, reports))
    maximum = maximize(_OWNER, likelihood, _start(survey, reports, width), survey.categories)
    back = np.kron(scaling, np.eye(d - 1))
    return Logit(
        terms,
        len(reports),
        scaling @ maximum.coefficients,
        back @ maximum.covariance @ back.T,
        survey.categories,
        maximum.log_likelihood,
    )


def _start(survey: Survey, reports: Reports, width: int) -> Floats:
    """Return coefficients by which everybody has half the estimated shares, and half even ones."""
    mechanism, n = survey.mechanism, len(reports)
    shares = project_simplex(mechanism.frequencies(mechanism.tally(reports), n))
    logs = np.log((shares + 1 / mechanism.d) / 2)
    start = np.zeros((width, mechanism.d - 1))
    start[0] = logs[1:] - logs[0]
    return start
