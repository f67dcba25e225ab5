"""A survey's JSON, version 1: the fields in canonical order, and their reading and writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from .errors import InvalidSurvey
from .mechanisms import Mechanism, by_name

if TYPE_CHECKING:
    from .survey import Survey

VERSION = 1


class Version(msgspec.Struct):
    """All that a reader may take for granted of a version it does not know."""

    privet: int


class Document(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON, field by field."""

    privet: int
    id: str
    question: str
    categories: list[str]
    epsilon: float
    mechanism: dict[str, Any]


def encode(survey: Survey) -> bytes:
    """Return the canonical text: these fields in this order, no space, UTF-8."""
    mechanism = {"name": survey.mechanism.name, **survey.mechanism.parameters}
    return msgspec.json.encode(
        Document(
            VERSION,
            survey.id,
            survey.question,
            list(survey.categories),
            survey.epsilon,
            mechanism,
        )
    )


def decode(text: str | bytes) -> Document:
    """Read the fields, refusing unknown ones and other versions."""
    if not isinstance(text, str | bytes):
        raise InvalidSurvey(f"Not a survey: its JSON is text, not {type(text).__name__}.")
    try:
        version = msgspec.json.decode(text, type=Version).privet
        if version != VERSION:
            raise InvalidSurvey(
                f"This is a survey of version {version}; this privet reads version {VERSION}."
            )
        return msgspec.json.decode(text, type=Document)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidSurvey(f"Not a survey: {error}.") from None


def mechanism_of(document: Document) -> Mechanism:
    """Rebuild the mechanism with the very integers of the document."""
    parameters = dict(document.mechanism)
    name = parameters.pop("name", None)
    if not isinstance(name, str) or name not in by_name:
        raise InvalidSurvey(
            f"The mechanism's name must be one of {', '.join(by_name)}. Got {name!r}."
        )
    return by_name[name].from_parameters(len(document.categories), document.epsilon, parameters)
