"""What a regression says: coefficients with errors, a table to read, and predictions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors.arguments import alpha_of
from ..arrays import Floats
from ..columns import frame
from ..notebook import of_table
from .covariates import Covariates
from .predicting import Predictor
from .profiles import Profiles

if TYPE_CHECKING:  # which take long to import, or are not installed
    from pandas import DataFrame

__all__ = ["Fitted", "Linear", "Logit"]

_MISSING = "—"
_HEADS = ["coefficient", "std. error", "low", "high", "p-value"]


@dataclass(frozen=True, eq=False, repr=False)
class Fitted(ABC):
    """Coefficients of an intercept and of covariates.

    Attributes
    ----------
    covariates : Covariates
        What the columns are, in their order.
    n : int
        The number of reports.
    coefficients : array
        A row for each of `names`.
    covariance : array
        The covariance of the coefficients, in the order of `coefficients.ravel()`.

    """

    covariates: Covariates
    n: int
    coefficients: Floats
    covariance: Floats

    def __post_init__(self) -> None:
        for array in (self.coefficients, self.covariance):
            array.flags.writeable = False

    @property
    def names(self) -> list[str]:
        """The intercept's name and those of the covariates' columns."""
        return self.covariates.names

    @cached_property
    def standard_errors(self) -> Floats:
        """The standard error of each coefficient; nan if the coefficient is."""
        errors = np.sqrt(np.diagonal(self.covariance)).reshape(self.coefficients.shape)
        return np.where(np.isnan(self.coefficients), np.nan, errors)

    @property
    @abstractmethod
    def p_values(self) -> Floats:
        """The probability of a coefficient as far from 0 or farther, if it is 0 in truth."""

    @abstractmethod
    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of a confidence interval for each coefficient."""

    @abstractmethod
    def predict_interval(self, covariates: Any, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of a confidence interval for everything that `predict` returns."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The categories that have coefficients; none if the mean of numbers has."""
        return ()

    @property
    def note(self) -> str:
        """What the table does not show, and why, in a sentence or two; mostly nothing."""
        return ""

    @abstractmethod
    def predict(self, covariates: Any) -> Floats:
        """Return what is expected of people with these covariates."""

    @property
    @abstractmethod
    def _labels(self) -> dict[str, list[str]]:
        """What each coefficient is of, in columns; all of one category come together."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What was fitted, in a line."""

    def columns(self, level: float = 0.95) -> dict[str, Any]:
        """Return the table that every output is made from, a row for each coefficient."""
        low, high = self.interval(level)
        numbers = {
            "coefficient": self.coefficients,
            "standard_error": self.standard_errors,
            "low": low,
            "high": high,
            "p_value": self.p_values,
        }
        return {**self._labels, **{name: column.T.ravel() for name, column in numbers.items()}}

    def to_frame(self, level: float = 0.95) -> DataFrame:
        """Return a pandas DataFrame, one row for each coefficient."""
        return frame(self.columns(level))

    def summary(self, level: float = 0.95) -> str:
        """Return the table as text."""
        words, numbers = self._cells(level)
        left = [["", *column] for column in words]
        right = [[head, *column] for head, column in zip(_HEADS, numbers, strict=True)]
        padded = [[text.ljust(max(map(len, column))) for text in column] for column in left]
        padded += [[text.rjust(max(map(len, column))) for text in column] for column in right]
        lines = ["  ".join(row) for row in zip(*padded, strict=True)]
        note = [self.note] if self.note else []
        return "\n".join([f"{self.title}; {100 * level:g} % intervals", *lines, *note])

    def _cells(self, level: float) -> tuple[list[list[str]], list[list[str]]]:
        """Return the texts of the table's columns: what a row is of, and its numbers."""
        *labels, values, errors, low, high, p_values = self.columns(level).values()
        *categories, covariates = labels
        words = [  # a category is said once for all its rows
            [text if i % len(self.names) == 0 else "" for i, text in enumerate(column)]
            for column in categories
        ]
        numbers = [list(map(_rounded, column, errors)) for column in (values, errors, low, high)]
        shown = [
            _MISSING if np.isnan(p) else "< 0.0001" if p < 1e-4 else f"{p:.4f}" for p in p_values
        ]
        return [*words, covariates], [*numbers, shown]

    def __str__(self) -> str:
        return self.summary()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        words, numbers = self._cells(0.95)
        return of_table(f"{self.title}; 95 % intervals", words, _HEADS, numbers)


@dataclass(frozen=True, eq=False, repr=False)
class Linear(Fitted):
    """A linear regression of the mean of numbers on a scale; coefficients are (1 + p,).

    Attributes
    ----------
    freedom : array
        The degrees of freedom of Student's law for each coefficient: few, where only the people of
        a small group tell it.

    """

    freedom: Floats

    @cached_property
    def p_values(self) -> Floats:
        """The probability of a coefficient as far from 0 or farther, if it is 0 in truth."""
        from scipy.special import stdtr

        away = np.abs(self.coefficients) / self.standard_errors
        return np.asarray(2 * stdtr(self.freedom, -away))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of a confidence interval for each coefficient."""
        reach = self._quantile("Linear.interval", level, self.freedom) * self.standard_errors
        return self.coefficients - reach, self.coefficients + reach

    def predict(self, covariates: Any) -> Floats:
        """Return the mean number of people with each row of covariates, (n,)."""
        return self.covariates.matrix("Linear.predict", covariates) @ self.coefficients

    def predict_interval(self, covariates: Any, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of a confidence interval for each mean number that `predict` returns."""
        columns = self.covariates.matrix("Linear.predict_interval", covariates)
        errors = np.sqrt(((columns @ self.covariance) * columns).sum(axis=1))
        freedom = self.freedom.min()
        reach = self._quantile("Linear.predict_interval", level, freedom) * errors
        means = columns @ self.coefficients
        return means - reach, means + reach

    @staticmethod
    def _quantile(owner: str, level: float, freedom: Any) -> Any:
        from scipy.special import stdtrit

        return stdtrit(freedom, 1 - alpha_of(owner, level) / 2)

    @property
    def _labels(self) -> dict[str, list[str]]:
        return {"covariate": self.names}

    @property
    def title(self) -> str:
        """What was fitted, in a line."""
        return f"Linear regression of {self.n:,} reports"


@dataclass(frozen=True, eq=False, repr=False)
class Logit(Fitted):
    """A multinomial logit of categories; coefficients are (1 + p, d − 1).

    A coefficient is by how much the logarithm of a category's share, over that of the reference,
    grows with the covariate. Where a category is too rare for the reports to determine it, it is
    withheld: the coefficient is nan and its interval is the whole line. An end of an interval that
    the reports do not determine is infinite.

    Attributes
    ----------
    categories : tuple of str
        The survey's.
    reference : str
        The category that the others are compared with. The columns of coefficients are the others,
        in the survey's order.
    log_likelihood : float
        The logarithm of how much likelier the reports are than if none supported any value;
        differences between fits to the same reports are those of their log-likelihoods.

    """

    categories: tuple[str, ...]
    reference: str
    log_likelihood: float
    profiles: Profiles = field(repr=False)
    predictor: Predictor = field(repr=False)

    @cached_property
    def p_values(self) -> Floats:
        """The probability of a coefficient as far from 0 or farther, if it is 0 in truth."""
        from scipy.special import stdtr

        away = np.abs(self.profiles.distances()).reshape(self.coefficients.shape)
        return np.asarray(2 * stdtr(self._freedom, -away))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of a confidence interval for each coefficient."""
        ends = self.profiles.interval(self._quantile("Logit.interval", level))
        low, high = (end.reshape(self.coefficients.shape) for end in ends)
        return low, high

    def predict(self, covariates: Any) -> Floats:
        """Return the shares of all categories among people with each row of covariates, (n, d)."""
        return self.predictor.shares(self.covariates.matrix("Logit.predict", covariates))

    def predict_interval(self, covariates: Any, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of a confidence interval for each share that `predict` returns.

        They are within 0 and 1; nothing is withheld, however rare a category is.
        """
        columns = self.covariates.matrix("Logit.predict_interval", covariates)
        z = self._quantile("Logit.predict_interval", level)
        return self.predictor.interval(columns, z)

    @property
    def rows(self) -> tuple[str, ...]:
        """The categories that are compared with the reference."""
        return tuple(one for one in self.categories if one != self.reference)

    @property
    def too_rare(self) -> tuple[str, ...]:
        """The categories too rare for the reports to determine any of their coefficients."""
        none = np.atleast_1d(np.isnan(self.coefficients).all(axis=0))
        if none.all():
            return self.categories
        return tuple(one for one, rare in zip(self.rows, none, strict=True) if rare)

    @property
    def note(self) -> str:
        """What the table does not show, and why."""
        withheld = np.isnan(self.coefficients)
        if not withheld.any():
            return ""
        if withheld.all():
            commonest = self.categories[self.predictor.commonest]
            hint = (
                f" {self.reference!r} may be too rare to compare with: take another reference, such"
                f" as {commonest!r}."
                if commonest != self.reference
                else " There are too few reports for their noise."
            )
            return f"Nothing shown: the reports determine no coefficient.{hint}"
        named = ", ".join(map(repr, self.too_rare))
        rest = int(withheld.sum()) - len(self.too_rare) * len(self.names)
        parts = [f"all of {named}"] if named else []
        if rest:
            parts.append(f"{rest} of other categories" if named else f"{rest} of them")
        return (
            f"{_MISSING} withheld, because too few people gave the answer for the reports to "
            f"determine it: {' and '.join(parts)}."
        )

    def _quantile(self, owner: str, level: float) -> float:
        from scipy.special import stdtrit

        return float(stdtrit(self._freedom, 1 - alpha_of(owner, level) / 2))

    @property
    def _freedom(self) -> int:
        """Degrees of freedom of Student's law; with many, it is as good as the normal."""
        return self.n - len(self.names)

    @property
    def _labels(self) -> dict[str, list[str]]:
        return {
            "category": [category for category in self.rows for _ in self.names],
            "covariate": self.names * len(self.rows),
        }

    @property
    def title(self) -> str:
        """What was fitted, in a line."""
        return f"Multinomial logit of {self.n:,} reports, compared with {self.reference!r}"


def _rounded(value: float, error: float) -> str:
    """Return a number with two digits of its error.

    >>> _rounded(1.23456, 0.0123), _rounded(-1234.5, 210.0)
    ('1.235', '-1234')
    """
    if np.isnan(value) or np.isnan(error):
        return _MISSING if not np.isinf(value) else ""
    digits = max(0, 1 - int(np.floor(np.log10(error)))) if 0 < error < np.inf else 6
    return f"{value:.{digits}f}"
