"""Everything that privet raises on purpose, so that a caller can catch as widely as it likes.

    PrivetError
    ├── InvalidArgument    a parameter breaks a rule                      (also a ValueError)
    ├── InvalidSurvey      a survey's JSON is malformed or not private    (also a ValueError)
    ├── InvalidAnswer      an answer that the question does not allow     (also a ValueError)
    ├── InvalidReport      bytes that no client of this survey sends      (also a ValueError)
    ├── InvalidTally       bytes that are not a tally of this survey      (also a ValueError)
    ├── InvalidFile        a file cannot be read as what it should be     (also a ValueError)
    ├── SurveyMismatch     reports or tallies of another survey           (also a ValueError)
    ├── NoReports          nothing has been tallied yet                   (also a ValueError)
    ├── MissingExtra       an optional dependency is not installed        (also an ImportError)
    ├── SparkFailure       Spark cannot start, or gave up                 (also a RuntimeError)
    ├── NoSurvey           a store has no such survey, or not any more    (also a LookupError)
    ├── IdTaken            another survey has this id, or had it          (also a ValueError)
    ├── StoreFailure       a store's database cannot be used              (also a RuntimeError)
    ├── StoreFull          there is no room for more in a store           (also a StoreFailure)
    ├── ServiceFailure     a service cannot be reached, or refuses        (also a ConnectionError)
    ├── ClientFailure      a client that is audited cannot be run         (also a RuntimeError)
    ├── BudgetSpent        a person's privacy budget allows no more       (also a RuntimeError)
    ├── InvitationSpent    an invitation has let a report in already      (also a RuntimeError)
    └── Clamped            a warning of a number outside its scale        (also a UserWarning)

Each message is one line that names what is wrong, the rule, and the value.
"""

from __future__ import annotations

from reprlib import Repr

__all__ = [
    "BudgetSpent",
    "Clamped",
    "ClientFailure",
    "IdTaken",
    "InvalidAnswer",
    "InvalidArgument",
    "InvalidFile",
    "InvalidReport",
    "InvalidSurvey",
    "InvalidTally",
    "InvitationSpent",
    "MissingExtra",
    "NoReports",
    "NoSurvey",
    "PrivetError",
    "ServiceFailure",
    "SparkFailure",
    "StoreFailure",
    "StoreFull",
    "SurveyMismatch",
]


def _short(value: object) -> str:
    """Return a value as Python would write it, the middle left out if that is long."""
    form = Repr()
    form.maxstring = form.maxother = 80
    return form.repr(value)


class PrivetError(Exception):
    """The root of the tree."""


class InvalidArgument(PrivetError, ValueError):
    """A parameter of a function or class breaks its rule.

    >>> print(InvalidArgument("KSubset", "k", "an int in [1, 9]", 12))
    The 'k' parameter of KSubset must be an int in [1, 9]. Got 12 instead.
    """

    def __init__(self, owner: str, parameter: str, rule: str, value: object) -> None:
        shown = _short(value)
        super().__init__(
            f"The '{parameter}' parameter of {owner} must be {rule}. Got {shown} instead."
        )
        self.parameter = parameter
        self.rule = rule
        self.value = value


class InvalidSurvey(PrivetError, ValueError):
    """A survey's JSON is malformed, of unknown version, or promises more privacy than it gives."""


class InvalidAnswer(PrivetError, ValueError):
    """An answer is not what the question allows, which `rule` says.

    `row` counts from 0; None for a single answer. `question` is the id of one of several.
    """

    def __init__(
        self,
        answer: object,
        *,
        nearest: str | None = None,
        row: int | None = None,
        rule: str = "a category of this survey",
        question: str | None = None,
    ) -> None:
        self.answer = answer
        self.nearest = nearest
        self.row = row
        self.rule = rule
        self.question = question
        super().__init__(self.describe("" if row is None else f"answers[{row}]: "))

    def at(self, row: int | None, question: str | None = None) -> InvalidAnswer:
        """Return the same error with its row, and the question."""
        return InvalidAnswer(
            self.answer,
            nearest=self.nearest,
            row=row,
            rule=self.rule,
            question=question or self.question,
        )

    def describe(self, place: str) -> str:
        """Return the message with the caller's words for the place, such as a file and row."""
        asked = "" if self.question is None else f"question {self.question!r}: "
        if self.answer is None or self.answer == "":
            return f"{place}{asked}the answer is empty, which is not {self.rule}."
        if isinstance(self.answer, bytes):
            return f"{place}{asked}the answer is not UTF-8 text."
        hint = f" Did you mean {self.nearest!r}?" if self.nearest is not None else ""
        return f"{place}{asked}{_short(self.answer)} is not {self.rule}.{hint}"


class InvalidReport(PrivetError, ValueError):
    """A report has the wrong length, padding, set size or fields. `row` counts from 0."""

    def __init__(self, reason: str, *, row: int | None = None) -> None:
        self.reason = reason
        self.row = row
        super().__init__(reason if row is None else f"reports[{row}]: {reason}")


class InvalidTally(PrivetError, ValueError):
    """Bytes that are not a tally, or whose counts no reports could have produced."""


class InvalidFile(PrivetError, ValueError):
    """A file cannot be read as answers, reports or a survey.

    `parameter` is the one that would help, such as the name of the column to read.
    """

    def __init__(self, reason: str, *, parameter: str | None = None) -> None:
        self.parameter = parameter
        super().__init__(reason)


class SurveyMismatch(PrivetError, ValueError):
    """Reports or tallies that belong to another survey."""


class NoReports(PrivetError, ValueError):
    """An estimate was asked of a tally that has seen no report."""


class MissingExtra(PrivetError, ImportError):
    """An optional dependency is needed; the message says how to install it."""

    def __init__(self, what: str, package: str, install: str) -> None:
        super().__init__(f"{what} needs {package}: pip install '{install}'")


class SparkFailure(PrivetError, RuntimeError):
    """Spark cannot start, for want of Java say, or gave up: no fault of the data."""


class NoSurvey(PrivetError, LookupError):
    """A store has no survey of an id; `gone` where it had one, which was deleted."""

    def __init__(self, id: str, *, gone: bool = False) -> None:
        self.gone = gone
        shown = _short(id)
        super().__init__(
            f"The survey {shown} was deleted." if gone else f"There is no survey {shown}."
        )


class IdTaken(PrivetError, ValueError):
    """A new survey's id is another survey's, or was a deleted one's."""


class StoreFailure(PrivetError, RuntimeError):
    """A store cannot be opened, its database does not answer, or its tables are not privet's."""


class StoreFull(StoreFailure):
    """There is no room for more where a store is kept; nothing of what was there is lost."""


class ServiceFailure(PrivetError, ConnectionError):
    """A service cannot be reached, or does not give what is asked of it."""


class ClientFailure(PrivetError, RuntimeError):
    """A client that is audited cannot be run, or does not write one report for each answer."""


class BudgetSpent(PrivetError, RuntimeError):
    """One more report would cost more than is left of a person's privacy budget."""

    def __init__(self, id: str, epsilon: float, left: float) -> None:
        self.epsilon, self.left = epsilon, left
        super().__init__(
            f"A report to {id!r} costs epsilon = {epsilon:g}. The budget has {left:g} left."
        )


class InvitationSpent(PrivetError, RuntimeError):
    """An invitation is for one report, and there is one."""

    def __init__(self, id: str) -> None:
        super().__init__(f"The invitation to {id!r} is for one report, which was made before.")


class Clamped(PrivetError, UserWarning):
    """A number lies outside its scale, and is taken for the nearer end."""
