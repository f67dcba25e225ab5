"""What a kind of answer does on the analyst's side: from columns to values, and to an estimate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...device.answers.base import Answers, S
from ...device.entropy import Entropy
from ...device.mechanisms.base import Mechanism
from ...device.survey import Survey
from ...errors import InvalidAnswer
from ..cleaning import Cleaning

__all__ = ["Found", "Kind", "Values", "spread_at"]

# As good as infinitely many people, for variances that depend on their number.
_MANY = 10**9

Values = NDArray[np.int64]
A = TypeVar("A", bound=Answers[Any])


class Found(NamedTuple):
    """The values of all rows of a column.

    `states` are 0, or why a row has no value of its own; `error` says what is wrong with that row.
    `seen` are the categories or options that occur, None where answers have no names, and `outside`
    counts numbers beyond a scale.
    """

    values: Values
    states: NDArray[np.int8]
    error: Callable[[int], InvalidAnswer]
    seen: set[int] | None
    outside: int = 0


class Kind(ABC, Generic[A, S]):
    """One kind of answer, for these answers; `kinds.kind_of` finds it.

    What a value is, the kind says: a position among the categories, a row of positions with -1 for
    none, or a place on a scale.
    """

    # What the errors of its estimate are of, in a plan.
    measured: ClassVar[str]
    # What tables call a row, and several.
    row: ClassVar[str] = "category"
    rows: ClassVar[str] = "categories"
    # What missing answers and those that are not allowed may become.
    choices: ClassVar[str]
    # Whether a cell of a column may be a list.
    takes_lists: ClassVar[bool] = False

    def __init__(self, answers: A) -> None:
        self.answers = answers

    @abstractmethod
    def find(self, column: Any, cleaning: Cleaning) -> Found:
        """Return the value of every row of an Arrow array, cleaned."""

    @abstractmethod
    def values(self, given: list[Any] | NDArray[Any]) -> Values:
        """Return the values of a list or an array, or raise InvalidAnswer with the row."""

    @abstractmethod
    def estimate(self, survey: Survey[S], n: int, aggregate: NDArray[np.int64]) -> S:
        """Return what n reports with this aggregate say."""

    @abstractmethod
    def spread(self, mechanism: Mechanism) -> float:
        """Return n times the mean variance of what is measured, where the mean is on [-1, 1]."""

    @abstractmethod
    def may_become(self, parameter: str, choice: str) -> bool:
        """Say whether answers that are `missing` or `unknown` may become this one."""

    def value(self, answer: str) -> Any:
        """Return the value that takes the place of answers that are missing or not allowed."""
        return self.answers.value(answer)

    def settled(self, values: Values, entropy: Entropy | None) -> Values:
        """Return what the mechanism randomizes."""
        return values

    def in_tables(self, values: Values) -> Values:
        """Return where the values are in a table with another question."""
        return values

    def note_outside(self, outside: int) -> None:
        """Warn of numbers that were taken for an end of their scale; other answers have none."""

    def one_by_one(self, answers: Iterable[object]) -> list[Any]:
        """Return the value of each answer, or raise InvalidAnswer with the row."""
        values = []
        for row, answer in enumerate(answers):
            try:
                values.append(self.answers.value(answer))
            except InvalidAnswer as error:
                raise error.at(row) from None
        return values


def spread_at(mechanism: Mechanism, share: float) -> float:
    """Return n times the mean variance of shares that are all this one, for many people."""
    variance = mechanism.variance(np.full(mechanism.d, share), _MANY)
    return _MANY * float(variance.mean())
