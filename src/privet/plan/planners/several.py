"""Several choices: shares of options, of which people choose half as many as they may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...device.answers.several import Several
from ...device.mechanisms.base import Mechanism
from ...errors import InvalidSurvey
from ..comparison import compare_for_sets
from ..plans import Plan
from .base import Alternative, Draft
from .shares import DETECTABLE, AnswersPlanner

__all__ = ["SEVERAL", "SetPlanner"]


class SetPlanner(AnswersPlanner):
    """Plans for shares of options."""

    rare: ClassVar[str] = "a rare option"
    common: ClassVar[str] = "an option chosen by half"

    def __init__(self, answers: Several) -> None:
        super().__init__(answers)
        self._several = answers

    def best(self, epsilon: float) -> Mechanism:
        """Return the mechanism that the options choose."""
        return self.choose(epsilon)

    def usual(self, d: int) -> float:
        """Return the share of each option if people choose half as many as they may."""
        return self._several.most / 2 / d

    def lines(self, plan: Plan) -> dict[str, str]:
        """Return both margins, and the least share that is detected if there is one."""
        lines = super().lines(plan)
        if plan.detectable is None:
            lines.pop(DETECTABLE, None)
        return lines

    def compared(self, plan: Plan) -> Sequence[Alternative]:
        """Return all mechanisms of sets."""
        return compare_for_sets(self._several.size, plan.epsilon, self._several.most)


def _read(fields: dict[str, Any]) -> Several:
    options = fields.pop("several")
    if not isinstance(options, list):
        raise InvalidSurvey(f"several is an array. Got {options!r:.60}.")
    fields.setdefault("most", min(3, len(options)))
    return Several(options, **fields)


SEVERAL = Draft("several", frozenset({"most", "pairs", "mechanism"}), _read)
