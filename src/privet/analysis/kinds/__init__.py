"""What each kind of answer does on the analyst's side, one file a kind.

`kind_of` finds the kind of some answers by their class. A new kind has a file of its own, which
registers it here: `kind_of.register(Dates, DatesInColumns)`.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from ...device.answers.base import Answers
from ...device.answers.choice import Choice
from ...device.answers.scale import Scale
from ...device.answers.several import Several
from .base import Kind
from .choice import OneChoice
from .scale import Numbers
from .several import SeveralChoices

__all__ = ["Kind", "kind_of"]


@singledispatch
def kind_of(answers: Answers[Any]) -> Kind[Any]:
    """Return what answers of this kind do."""
    raise TypeError(f"There is no analyst's side of {type(answers).__name__}.")


kind_of.register(Choice, OneChoice)
kind_of.register(Several, SeveralChoices)
kind_of.register(Scale, Numbers)
