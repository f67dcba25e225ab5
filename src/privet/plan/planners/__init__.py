"""How each kind of answer is planned, and written in drafts, one file a kind.

`planner_of` finds the planner of some answers by their class, and `drafts` has the fields of drafts
by their names. A new kind has a file of its own and is registered here. Without that, it is planned
by the shares that are estimated of it, and drafts do not know it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from numbers import Integral
from typing import Any, TypeVar

from ...device.answers.base import Answers
from ...device.answers.choice import Choice
from ...device.answers.scale import Scale
from ...device.answers.several import Several
from ...errors import InvalidArgument
from .base import PERCENT, Alternative, Draft, Planner, Unit
from .scale import SCALE, ScalePlanner
from .several import SEVERAL, SetPlanner
from .shares import CATEGORIES, AnswersPlanner, CountPlanner

A = TypeVar("A", bound=Answers)

__all__ = ["PERCENT", "Alternative", "Draft", "Planner", "Unit", "drafts", "planner_of", "register"]

# How drafts write answers, by the name of the field.
drafts: dict[str, Draft] = {}


@singledispatch
def planner_of(answers: object) -> Planner[Any]:
    """Return the planner of some answers, or of one choice among a number of categories."""
    if not isinstance(answers, Integral) or isinstance(answers, bool):
        rule = "a number of categories, or answers such as a Several or a Scale"
        raise InvalidArgument("plan", "answers", rule, answers)
    return CountPlanner(int(answers))


planner_of.register(Answers, AnswersPlanner)


def register(kind: type[A], planner: Callable[[A], Planner[Any]], draft: Draft) -> None:
    """Let a kind of answers be planned, and drafts ask for it."""
    planner_of.register(kind, planner)
    drafts[draft.field] = draft


register(Choice, AnswersPlanner, CATEGORIES)
register(Several, SetPlanner, SEVERAL)
register(Scale, ScalePlanner, SCALE)
