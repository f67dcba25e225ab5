"""What a contract's JSON says of the answers to a question, and of the mechanism.

One choice is the field `categories`; the other kinds are an object `answers` that names its kind.
"""

from __future__ import annotations

from typing import Any

from ...errors import InvalidSurvey
from ..canonical import check_fields
from ..mechanisms.base import Mechanism
from ..mechanisms.registry import by_name
from .base import Answers
from .choice import Choice
from .scale import Scale
from .several import Several

__all__ = ["answers_field", "answers_fields", "answers_of", "mechanism_of", "register"]

_KINDS: dict[str, type[Answers]] = {}


def register(kind: type[Answers]) -> None:
    """Let contracts ask for answers of a kind, by the name that the kind gives itself."""
    _KINDS[kind.kind] = kind


register(Several)
register(Scale)


def answers_fields(answers: Answers) -> dict[str, Any]:
    """Return what JSON says of a kind of answer."""
    fields = answers.fields()
    return fields if answers.kind == Choice.kind else {"answers": fields}


def answers_field(fields: dict[str, Any]) -> dict[str, str]:
    """Return which of the two fields there should be, and its type; version 1 knew one."""
    other = "answers" in fields and fields.get("privet") != 1
    return {"answers": "object"} if other else {"categories": "array"}


def answers_of(fields: dict[str, Any]) -> Answers:
    """Rebuild a kind of answer from the fields of a contract."""
    if "categories" in fields:
        return Choice.from_fields(fields)
    found = fields["answers"]
    named = found.get("kind")
    kind = _KINDS.get(named) if isinstance(named, str) else None
    if kind is None:
        raise InvalidSurvey(
            f"The kind of answers must be one of {', '.join(_KINDS)}. Got {named!r:.60}."
        )
    return kind.from_fields(check_fields("a survey's answers", found, kind.field_types))


def mechanism_of(answers: Answers, epsilon: float, found: dict[str, Any]) -> Mechanism:
    """Rebuild the mechanism with the very integers of the contract."""
    parameters = dict(found)
    name = parameters.pop("name", None)
    if not isinstance(name, str) or name not in answers.fitting():
        names = ", ".join(answers.fitting())
        raise InvalidSurvey(f"The mechanism's name must be one of {names}. Got {name!r:.60}.")
    mechanism = by_name[name].from_parameters(answers.size, epsilon, parameters)
    if not answers.fits(mechanism):
        raise InvalidSurvey(f"{mechanism!r} is not for {answers.described()}.")
    return mechanism
