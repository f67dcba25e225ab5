"""What a regression says: coefficients with errors, a table to read, and predictions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.columns import frame
from ..arguments import alpha_of
from .logit import softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .covariates import Covariates

    Floats = NDArray[np.float64]

__all__ = ["Fitted", "Linear", "Logit"]

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
        """The standard error of each coefficient."""
        return np.sqrt(np.diagonal(self.covariance)).reshape(self.coefficients.shape)

    @cached_property
    def p_values(self) -> Floats:
        """How likely a coefficient is to be as far from 0 or farther, if it is 0 in truth."""
        from scipy.special import stdtr

        away = -np.abs(self.coefficients / self.standard_errors)
        return np.asarray(2 * stdtr(self._freedom, away))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of a confidence interval for each coefficient."""
        from scipy.special import stdtrit

        alpha = alpha_of(f"{type(self).__name__}.interval", level)
        reach = stdtrit(self._freedom, 1 - alpha / 2) * self.standard_errors
        return self.coefficients - reach, self.coefficients + reach

    @property
    def _freedom(self) -> int:
        """Degrees of freedom of Student's law; with many, it is as good as the normal."""
        return self.n - len(self.names)

    @abstractmethod
    def predict(self, covariates: Any) -> Floats:
        """Return what is expected of people with these covariates."""

    @property
    @abstractmethod
    def _labels(self) -> dict[str, list[str]]:
        """What each coefficient is of, in columns; all of one category come together."""

    @property
    @abstractmethod
    def _title(self) -> str:
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

    def to_frame(self, level: float = 0.95) -> Any:
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
        return "\n".join([f"{self._title}; {100 * level:g} % intervals", *lines])

    def _cells(self, level: float) -> tuple[list[list[str]], list[list[str]]]:
        """Return the texts of the table's columns: what a row is of, and its numbers."""
        *labels, values, errors, low, high, p_values = self.columns(level).values()
        *categories, covariates = labels
        words = [  # a category is said once for all its rows
            [text if i % len(self.names) == 0 else "" for i, text in enumerate(column)]
            for column in categories
        ]
        numbers = [list(map(_rounded, column, errors)) for column in (values, errors, low, high)]
        shown = ["< 0.0001" if p < 1e-4 else f"{p:.4f}" for p in p_values]
        return [*words, covariates], [*numbers, shown]

    def __str__(self) -> str:
        return self.summary()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from ..html import of_table

        words, numbers = self._cells(0.95)
        return of_table(f"{self._title}; 95 % intervals", words, _HEADS, numbers)


class Linear(Fitted):
    """A linear regression of the mean of numbers on a scale; coefficients are (1 + p,)."""

    def predict(self, covariates: Any) -> Floats:
        """Return the mean number of people with each row of covariates, (n,)."""
        return self.covariates.matrix("Linear.predict", covariates) @ self.coefficients

    @property
    def _labels(self) -> dict[str, list[str]]:
        return {"covariate": self.names}

    @property
    def _title(self) -> str:
        return f"Linear regression of {self.n:,} reports"


@dataclass(frozen=True, eq=False, repr=False)
class Logit(Fitted):
    """A multinomial logit of categories; coefficients are (1 + p, d − 1).

    A coefficient is by how much the logarithm of a category's share, over that of the first
    category, grows with the covariate. Intervals and p-values are those of large samples.

    Attributes
    ----------
    categories : tuple of str
        The survey's; the first is the one that the others are compared with.
    log_likelihood : float
        The logarithm of how much likelier the reports are than if none supported any value;
        differences between fits to the same reports are those of their log-likelihoods.

    """

    categories: tuple[str, ...]
    log_likelihood: float

    def predict(self, covariates: Any) -> Floats:
        """Return the shares of all categories among people with each row of covariates, (n, d)."""
        return softmax(self.covariates.matrix("Logit.predict", covariates) @ self.coefficients)

    @property
    def _labels(self) -> dict[str, list[str]]:
        others = self.categories[1:]
        return {
            "category": [category for category in others for _ in self.names],
            "covariate": self.names * len(others),
        }

    @property
    def _title(self) -> str:
        return f"Multinomial logit of {self.n:,} reports, compared with {self.categories[0]!r}"


def _rounded(value: float, error: float) -> str:
    """Return a number with two digits of its error.

    >>> _rounded(1.23456, 0.0123), _rounded(-1234.5, 210.0)
    ('1.235', '-1234')
    """
    digits = max(0, 1 - int(np.floor(np.log10(error)))) if 0 < error < np.inf else 6
    return f"{value:.{digits}f}"
