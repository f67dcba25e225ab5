"""How the command line shows estimates, one file for each way.

`rendering_of` finds it by the survey's kind of answer. Most kinds have estimates of shares, and are
shown as such; one with another estimate has a file of its own, and a line here:
`register(Scale, Numbers)`.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from ...device.answers.base import Answers
from ...device.answers.scale import Scale
from ...device.survey import Survey
from .base import Compared, Looks, Pair, Rendering, TestOfAll
from .scale import ScaleRendering
from .shares import SharesRendering

__all__ = ["Compared", "Looks", "Pair", "Rendering", "TestOfAll", "register", "rendering_of"]


@singledispatch
def _class_of(answers: Answers[Any]) -> type[Rendering[Any]]:
    return SharesRendering


def register(kind: type[Answers[Any]], rendering: type[Rendering[Any]]) -> None:
    """Let a kind of answer be shown in a way of its own."""
    _class_of.register(kind, lambda answers: rendering)


register(Scale, ScaleRendering)


def rendering_of(survey: Survey[Any]) -> Rendering[Any]:
    """Return how the estimates of a survey are shown."""
    return _class_of(survey.answers)(survey)
