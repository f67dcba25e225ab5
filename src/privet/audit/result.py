"""What an audit found: a lower bound on ε, and a verdict on each thing that it looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Any

__all__ = ["Audit", "Verdict"]

_TITLES = {
    "epsilon": ("ε held", "ε exceeded"),
    "law": ("the law is the contract's", "the law differs from the contract"),
    "repeats": ("repeats say no more", "repeats differ"),
    "leaks": ("no leak found", "a leak besides the report"),
    "page": ("nothing else depends on the answer", "the page gives the answer away"),
    "timing": ("time says nothing", "time tells hits from misses"),
}


@dataclass(frozen=True)
class Verdict:
    """What was found of one thing.

    Attributes
    ----------
    name : str
        "epsilon", "law", "repeats", "leaks", "page" or "timing".
    passed : bool or None
        None where it was not tested.
    found : str
        What was seen, in words.
    figures : dict
        The same in numbers.

    """

    name: str
    passed: bool | None
    found: str
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The verdict in a few words."""
        if self.passed is None:
            return f"{self.name} not tested"
        return _TITLES[self.name][not self.passed]

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "name": self.name, "passed": self.passed, "verdict": self.title, "found": self.found,
            **self.figures,
        }  # fmt: skip


@dataclass(frozen=True, repr=False)
class Audit:
    """What an audit found.

    Attributes
    ----------
    subject : str
        What was audited.
    epsilon : float
        The privacy level that it claims.
    lower_bound : float
        What the level is at least, at this confidence; -inf where nothing could be told.
    trials : int
        Reports made of each answer.
    answers : int
        Different answers that reports were made of.
    confidence : float
        One minus how likely a correct client fails, at most.
    verdicts : tuple of Verdict
        One for each thing that was looked at.

    """

    subject: str
    epsilon: float
    lower_bound: float
    trials: int
    answers: int
    confidence: float
    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong, as far as that was tested."""
        return all(verdict.passed is not False for verdict in self.verdicts)

    def __getitem__(self, name: str) -> Verdict:
        """Return the verdict with a name."""
        return next(verdict for verdict in self.verdicts if verdict.name == name)

    def __repr__(self) -> str:
        marks = {True: "passed", False: "FAILED", None: "-"}
        lines = [
            f"Audit of {self.subject}",
            f"  ε = {self.epsilon:g} claimed, at least {self.lower_bound:.3f} measured "
            f"({self.answers} answers, {self.trials:,} reports of each, {self.confidence:.4g})",
        ]
        lines += [f"  {marks[one.passed]:<6}  {one.title}: {one.found}" for one in self.verdicts]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "subject": self.subject,
            "passed": self.passed,
            "epsilon": self.epsilon,
            "lower_bound": self.lower_bound if isfinite(self.lower_bound) else None,
            "trials": self.trials,
            "answers": self.answers,
            "confidence": self.confidence,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
        }
