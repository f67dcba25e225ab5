"""Kinds of answer: one choice, several choices, a number on a scale.

A kind says how a person's answer is checked, what the mechanism gets of it, and which mechanisms
fit (`base`). Surveys, tallies, files and commands are written once against that.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from .base import Answers
    from .choice import Choice
    from .scale import Scale
    from .several import Several

__all__ = ["Answers", "Choice", "Scale", "Several"]

_HOMES = {"Answers": "base", "Choice": "choice", "Scale": "scale", "Several": "several"}


def __getattr__(name: str) -> object:
    """Import a kind when it is first used: a survey has one of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
