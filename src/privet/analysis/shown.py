"""What is shown of shares, whatever they come from: tables, pictures and pages of notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.base import Exclusive, exclusive
from ..device.mechanisms.forwards import Target
from ..device.survey import Survey
from ..errors import InvalidArgument
from ..errors.arguments import alpha_of, check_target, whole
from .arrays import Floats
from .columns import arrow, frame
from .notebook import of_estimate
from .presence import discoveries
from .refine.simplex import project_simplex

if TYPE_CHECKING:  # which take long to import, or are not installed
    import pyarrow
    from matplotlib.axes import Axes
    from pandas import DataFrame

Sort = Literal["survey", "share", "name"]

__all__ = ["SORTS", "Shown", "decimals", "in_order"]

SORTS = "survey", "share", "name"
_MOST_MORE_DECIMALS = 6


def decimals(low: Floats, high: Floats, least: int) -> int:
    """Return how many decimals show that no interval is empty, unless it is one, within reason.

    >>> decimals(np.array([0, 0.1]), np.array([0.2, 0.3]), 2)
    2
    >>> decimals(np.array([0, 0.1]), np.array([0.0004, 0.3]), 2)
    4
    """
    wide = high > low
    for digits in range(least, least + _MOST_MORE_DECIMALS):
        if (np.round(low, digits) < np.round(high, digits))[wide].all():
            return digits
    return least + _MOST_MORE_DECIMALS


def in_order(shares: Floats, names: Sequence[str], top: int | None, sort: Sort) -> NDArray[np.intp]:
    """Return the places of the `top` largest shares, sorted by share, by name or as they come.

    >>> in_order(np.array([0.2, 0.5, 0.3]), ["c", "b", "a"], 2, "name")
    array([2, 1])
    """
    if sort not in SORTS:
        raise InvalidArgument("Estimate.order", "sort", f"one of {', '.join(SORTS)}", sort)
    if top is not None:
        whole("Estimate.order", "top", top, 1)
    largest = np.argsort(-shares, kind="stable")[:top]
    if sort == "share":
        return largest
    places = np.sort(largest)
    if sort == "survey":
        return places
    return places[np.argsort(np.array([names[i].casefold() for i in places]), kind="stable")]


def in_people(shares: Floats, low: Floats, high: Floats, target: Target) -> dict[str, Any]:
    """Return shares and their intervals as numbers of people, if the target is so many people."""
    if isinstance(target, str):
        return {}
    return {"people": target * shares, "people_low": target * low, "people_high": target * high}


class Shown(ABC):
    """Shares of a survey's categories, with standard errors and intervals.

    `n` people answered the question, and `took_part` is how many took part: as many, or all who
    answered any page of a questionnaire, of whom those n are a random part.
    """

    def __init__(self, survey: Survey, n: int, counts: NDArray[np.int64]) -> None:
        self.survey = survey
        self.n = self.took_part = n
        self.counts = counts.copy()
        self.counts.flags.writeable = False

    @property
    @abstractmethod
    def frequencies(self) -> Floats:
        """The unbiased estimate of each share."""

    @property
    @abstractmethod
    def standard_errors(self) -> Floats:
        """The standard error of each frequency."""

    @property
    @abstractmethod
    def p_values(self) -> Floats:
        """How likely each count is to be as large or larger, if nobody holds the category."""

    @property
    @abstractmethod
    def can_shrink(self) -> bool:
        """Whether the mechanism says enough of its noise for `shrink`."""

    @abstractmethod
    def interval(
        self, level: float = 0.95, *, target: Target = "population", simultaneous: bool = False
    ) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of a confidence interval for each category."""

    @abstractmethod
    def shrink(self) -> Floats:
        """Return a distribution to show."""

    @property
    def is_distribution(self) -> bool:
        """Whether everybody holds exactly one category, so that shares add up to 1."""
        return isinstance(self.survey.mechanism, Exclusive)

    def whose(self, owner: str, target: Target) -> Target:
        """Check a target; return it as mechanisms understand it, who know of n people alone."""
        check_target(owner, target, self.took_part)
        return self.took_part if target == "sample" and self.took_part > self.n else target

    def found(self, rate: float = 0.05) -> NDArray[np.bool_]:
        """Return which categories are held by someone, as far as can be told from the noise.

        Of the categories that are found, at most this share is held by nobody, on average (the
        false discovery rate of Benjamini and Hochberg 1995, from `p_values`). The others need not
        be empty: their shares are too small for so few people.
        """
        alpha_of("Estimate.found", rate, "rate")
        return discoveries(self.p_values, rate)

    def project(self) -> Floats:
        """Return the distribution nearest to the frequencies: non-negative, and sums to 1."""
        exclusive("Estimate.project", self.survey.mechanism)
        return project_simplex(self.frequencies)

    def order(self, top: int | None = None, sort: Sort = "share") -> NDArray[np.intp]:
        """Return the places of the `top` largest categories, in the order to show them in.

        `sort` is "share", the largest first; "name"; or "survey", as they are there.
        """
        return in_order(self.frequencies, self.survey.categories, top, sort)

    def columns(
        self, level: float = 0.95, *, target: Target = "population", simultaneous: bool = False
    ) -> dict[str, Any]:
        """Return the table that every output format is made from, column by column.

        With target=N, it also says how many of the N people that is.
        """
        low, high = self.interval(level, target=target, simultaneous=simultaneous)
        return {
            "category": list(self.survey.categories),
            "count": self.counts if self.counts.ndim == 1 else self.counts[:, 0],
            "frequency": self.frequencies,
            "standard_error": self.standard_errors,
            "low": low,
            "high": high,
            **in_people(self.frequencies, low, high, target),
            "p_value": self.p_values,
            "found": self.found(),
            **({"projected": self.project()} if self.is_distribution else {}),
            **({"shrunk": self.shrink()} if self.can_shrink else {}),
        }

    def to_frame(self, level: float = 0.95, **options: Any) -> DataFrame:
        """Return a pandas DataFrame, one row per category; options as those of `interval`."""
        return frame(self.columns(level, **options))

    def to_arrow(self, level: float = 0.95, **options: Any) -> pyarrow.Table:
        """Return a pyarrow Table, one row per category; options as those of `interval`."""
        return arrow().table(self.columns(level, **options))

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the shares with their intervals; return the matplotlib axes.

        The options are those of `privet.figures.plot_estimate`: level, target, truth, simultaneous,
        top and sort. Without axes of one's own, the picture is pyplot's, which a notebook shows.
        """
        from ..figures import plot_estimate

        return plot_estimate(self, ax, **options)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return of_estimate(self)
