"""What comes and goes as JSON, as types that check it and describe it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from .problems import Problem
from .settings import Settings

__all__ = [
    "Counted", "Created", "Drafted", "Imported", "Invitations", "Invite", "Listed", "OneSurvey",
    "Planned", "Progress", "Reports", "Shuffled", "Status", "read",
]  # fmt: skip

T = TypeVar("T")


class Reports(Struct, forbid_unknown_fields=True):
    """Reports as texts."""

    reports: Annotated[
        list[Annotated[str, Meta(description="A report in base64url, not padded.")]],
        Meta(min_length=1),
    ]


class Counted(Struct):
    """What became of reports; by the survey's id and fingerprint, a client knows who replies."""

    outcome: Literal["counted", "already"]
    reports: int
    survey: str
    fingerprint: str


class Created(Struct):
    """A survey that is there now."""

    id: str
    fingerprint: str


class OneSurvey(Struct):
    """A survey, as its administrator sees it."""

    id: str
    title: str
    fingerprint: str
    open: bool
    since: str
    closed: str | None
    reports: int
    settings: Settings


class Listed(Struct):
    """All surveys."""

    surveys: list[OneSurvey]


class Invite(Struct, forbid_unknown_fields=True):
    """How many invitations to make."""

    count: Annotated[int, Meta(ge=1, le=10_000)]


class Invitations(Struct):
    """Invitations, which are not shown again."""

    invitations: list[str]


class Imported(Struct):
    """How many reports of a file were new, and how many had been imported before."""

    counted: int
    already: int


class Planned(Struct):
    """What people would tell of a question, or of a table of several."""

    asks: list[str]
    of: Literal["share", "option", "mean"]
    people: Annotated[float, Meta(description="How many are expected to be asked it.")]
    margin: Annotated[
        float | None, Meta(description="How far 95 % intervals reach; null is without bound.")
    ]
    detectable: Annotated[
        float | None, Meta(description="The smallest share distinguishable from zero, if known.")
    ]
    picture: Annotated[
        dict[str, Any] | None, Meta(description="An estimate of made-up answers, to draw.")
    ]


class Shuffled(Struct):
    """How private the reports of so many people are once nobody can link them to people."""

    epsilon: Annotated[float | None, Meta(description="The central ε; null if not known.")]
    delta: float


class Drafted(Struct):
    """The contract of a draft, and what to expect of it."""

    contract: dict[str, Any]
    privacy: Annotated[str, Meta(description="What its ε means, in plain words.")]
    shuffled: Shuffled
    plan: list[Planned]
    draft: Annotated[
        dict[str, Any] | None, Meta(description="As it was read; null if it was a contract.")
    ]


class Progress(Struct):
    """How far a survey is."""

    open: bool
    results: Literal["none", "private", "shown"]
    detail: Annotated[str, Meta(description="Why there is nothing to see, in a sentence.")]


class Status(Struct):
    """That all is well."""

    status: Literal["ok"] = "ok"


def read(body: bytes, kind: type[T]) -> T:
    """Return the message in a body, or refuse it."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        detail = f"The body is not the JSON that is asked for: {error}."
        raise Problem(400, "invalid-body", detail) from None
