"""What a kind of answer does before anyone is asked: it is planned, and drafts write it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from ...device.answers.base import Answers
from ...device.mechanisms.base import Mechanism
from ..plans import SurveyPlan

P = TypeVar("P", bound=SurveyPlan)

__all__ = ["PERCENT", "Alternative", "Draft", "Planner", "Unit"]


class Draft(NamedTuple):
    """How drafts write one kind of answer: in a field, with others that may stand beside it.

    `read` takes these fields, without the question and the mechanism. It raises InvalidArgument, or
    InvalidSurvey with what is wrong.
    """

    field: str
    beside: frozenset[str]
    read: Callable[[dict[str, Any]], Answers]


class Unit(NamedTuple):
    """How errors are written: times a factor, rounded to some digits, with a name.

    >>> PERCENT.error(0.01234), PERCENT.reach(0.01234), Unit(1, "years", 3).error(2.5678)
    ('± 1.2 %', '± 1.23 %', '± 2.57 years')
    """

    factor: float
    name: str
    digits: int

    def error(self, value: float) -> str:
        """Return a standard error as text."""
        return f"± {self.factor * value:.{self.digits}g} {self.name}".rstrip()

    def reach(self, value: float) -> str:
        """Return a margin as text, in three digits."""
        return self._replace(digits=3).error(value)


PERCENT = Unit(100, "%", 2)


class Alternative(Protocol):
    """A mechanism that a plan is compared with, and its costs."""

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism."""

    @property
    def report_bytes(self) -> int:
        """The size of its reports."""


class Planner(ABC, Generic[P]):
    """Plans surveys of some answers; `planner_of` finds it by their kind."""

    # A few words on the answers, such as '3 categories', and what JSON says of them.
    described: str
    fields: dict[str, int | str]
    # What pictures call the margin; its unit, and half of what the answers span in that unit.
    label: str
    unit: Unit = PERCENT
    half: float = 1.0
    # Which answers a false report is worth the most of, where that is to be said.
    worth: ClassVar[str] = ""

    @abstractmethod
    def check(self, margin: float) -> None:
        """Raise InvalidArgument for a margin that no plan can be made for."""

    @abstractmethod
    def choose(self, epsilon: float) -> Mechanism:
        """Return the mechanism of a survey that names none."""

    def best(self, epsilon: float) -> Mechanism:
        """Return the mechanism of the least error, however long its reports are."""
        return self.choose(epsilon)

    @abstractmethod
    def reach(self, mechanism: Mechanism, n: int, alpha: float) -> float:
        """Return the margin that plans are made for."""

    @abstractmethod
    def plan(self, mechanism: Mechanism, n: int, level: float) -> P:
        """Return the plan of a survey of n people, or raise InvalidArgument for its mechanism."""

    @abstractmethod
    def lines(self, plan: P) -> dict[str, str]:
        """Return what a plan promises, a line each."""

    @abstractmethod
    def compared(self, plan: P) -> Sequence[Alternative]:
        """Return what the survey could be with other mechanisms."""

    def shape(self, mechanism: Mechanism) -> dict[str, int]:
        """Return what tells a mechanism from others of its name."""
        return {}
