"""What each kind of answer does on the analyst's side, one file a kind.

`kind_of` finds the kind of some answers by their class. A new kind has a file of its own, and a
line here: `register(Dates, DatesInColumns)`.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from ...device.answers.base import Answers, S
from ...device.answers.choice import Choice
from ...device.answers.scale import Scale
from ...device.answers.several import Several
from .base import Kind
from .choice import OneChoice
from .scale import OneNumber
from .several import SeveralChoices

__all__ = ["Kind", "kind_of", "register"]


@singledispatch
def _made(answers: Answers[Any]) -> Kind[Any, Any]:
    raise TypeError(f"There is no analyst's side of {type(answers).__name__}.")


def kind_of(answers: Answers[S]) -> Kind[Any, S]:
    """Return what answers of this kind do."""
    return _made(answers)


register = _made.register
register(Choice, OneChoice)
register(Several, SeveralChoices)
register(Scale, OneNumber)
