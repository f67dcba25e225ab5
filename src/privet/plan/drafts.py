"""Drafts: a questionnaire as people write it, in TOML or JSON.

    title = "Health"
    epsilon = 1.0
    tables = [["smokes", "region"]]

    [questions.smokes]
    question = "Do you smoke?"
    categories = ["yes", "no"]

    [questions.region]
    question = "Where do you live?"
    categories = ["north", "south", "west"]

    [questions.drinks]
    question = "What did you drink today?"
    several = ["tea", "coffee", "milk"]
    most = 2

    [questions.age]
    question = "How old are you?"
    scale = [0, 120]
    unit = "years"
    whole = true

    [shares]                       # optional: who draws which page
    smokes = 0.2
    "smokes, region" = 0.4

The names of the questions are their ids, and the names of their columns in files of answers. A
draft of one question may also be a survey's.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from ..device.answers.base import Answers
from ..device.contract import Contract
from ..device.questionnaire import Questionnaire
from ..device.survey import Survey
from ..errors import InvalidArgument, InvalidFile, InvalidSurvey, PrivetError
from .planners import drafts

__all__ = ["contract_of", "parsed", "read_draft"]

_FIELDS = {"title", "epsilon", "id", "tables", "questions", "shares"}


def read_draft(path: Path) -> Questionnaire:
    """Return the questionnaire that a file drafts, or raise InvalidFile, which names it."""
    try:
        return _questionnaire(parsed(path.read_bytes()))
    except PrivetError as error:
        raise InvalidFile(f"{path}: {error}") from None


def parsed(data: bytes) -> dict[str, Any]:
    """Return what a TOML or JSON text says, not checked yet, or raise InvalidSurvey."""
    try:
        text = data.decode("utf-8-sig")
        is_json = text.lstrip().startswith("{")
        found = json.loads(text) if is_json else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidSurvey(f"neither TOML nor JSON: {error}.") from None
    if not isinstance(found, dict):
        raise InvalidSurvey("a draft is an object with a title and questions.")
    return found


def contract_of(draft: dict[str, Any]) -> Contract:
    """Return the contract that a draft is of: a survey, where there is one question.

    >>> drink = {"question": "Tea?", "categories": ["yes", "no"]}
    >>> contract_of({"title": "Tea", "epsilon": 1.0, "questions": {"tea": drink}})
    Survey('Tea?', 2 categories, KSubset(d=2, epsilon=1.0, k=1))
    """
    surveys = _surveys(draft)
    if len(surveys) != 1:
        return _questionnaire(draft)

    (only,) = surveys
    id = draft.get("id", only.id)
    return Survey(only.question, only.answers, only.epsilon, mechanism=only.mechanism, id=id)


def _surveys(draft: dict[str, Any]) -> list[Survey]:
    _check("a draft", draft, _FIELDS, {"title", "epsilon", "questions"})
    questions = draft["questions"]
    if not isinstance(questions, dict) or not all(isinstance(q, dict) for q in questions.values()):
        raise InvalidSurvey("the questions are tables, [questions.ID] each.")
    surveys = []
    for name, fields in questions.items():
        try:
            answers = _answers(name, fields)
            how = fields.get("mechanism", "auto")
            said = fields.get("question", name)
            surveys.append(Survey(said, answers, draft["epsilon"], mechanism=how, id=name))
        except InvalidArgument as error:
            raise InvalidSurvey(f"question {name!r}: {error}") from None
    return surveys


def _questionnaire(draft: dict[str, Any]) -> Questionnaire:
    surveys = _surveys(draft)
    shares: Any = draft.get("shares")
    if isinstance(shares, dict):
        shares = {_page(name): share for name, share in shares.items()}
    return Questionnaire(
        draft["title"], surveys, draft["epsilon"], tables=draft.get("tables", ()), shares=shares,
        id=draft.get("id"),
    )  # fmt: skip


def _answers(name: str, fields: dict[str, Any]) -> Answers:
    """Return the answers that a question's fields describe."""
    found = [draft for draft in drafts.values() if draft.field in fields]
    if len(found) != 1:
        raise InvalidSurvey(f"question {name!r}: one of {', '.join(drafts)} is needed.")
    (draft,) = found
    _check(f"question {name!r}", fields, {"question", draft.field} | draft.beside, set())
    own = {one: fields[one] for one in fields if one not in ("question", "mechanism")}
    try:
        return draft.read(own)
    except InvalidSurvey as error:
        raise InvalidSurvey(f"question {name!r}: {error}") from None


def _check(what: str, fields: Mapping[str, Any], known: Set[str], needed: Set[str]) -> None:
    for name in fields:
        if name not in known:
            there = ", ".join(sorted(known))
            raise InvalidSurvey(f"{what} has no field {name!r:.60}: there are {there}.")
    for name in sorted(needed):
        if name not in fields:
            raise InvalidSurvey(f"{what} needs the field {name!r}.")


def _page(name: str) -> str | tuple[str, ...]:
    """Return a page by the ids of its questions.

    >>> _page("smokes"), _page("smokes, region")
    ('smokes', ('smokes', 'region'))
    """
    ids = tuple(part.strip() for part in name.split(","))
    return ids[0] if len(ids) == 1 else ids
