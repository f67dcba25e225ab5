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

The names of the questions are their ids, and the names of their columns in files of answers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..errors import InvalidArgument, InvalidFile, InvalidSurvey, PrivetError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..questionnaire import Questionnaire

__all__ = ["read_draft"]

_FIELDS = {"title", "epsilon", "id", "tables", "questions", "shares"}
_QUESTION = {
    "categories": {"mechanism"},
    "several": {"most", "pairs", "mechanism"},
    "scale": {"cells", "unit", "aim", "whole", "bands"},
}


def read_draft(path: Path) -> Questionnaire:
    """Return the questionnaire that a file drafts, or raise InvalidFile, which names it."""
    try:
        return _made(_parsed(path))
    except PrivetError as error:
        raise InvalidFile(f"{path}: {error}") from None


def _parsed(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
        if text.lstrip().startswith("{"):
            found = json.loads(text)
        else:
            import tomllib

            found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidSurvey(f"neither TOML nor JSON: {error}.") from None
    if not isinstance(found, dict):
        raise InvalidSurvey("a draft is an object with a title and questions.")
    return found


def _made(draft: dict[str, Any]) -> Questionnaire:
    from ..questionnaire import Questionnaire
    from ..survey import Survey

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
    shares: Any = draft.get("shares")
    if isinstance(shares, dict):
        shares = {_page(name): share for name, share in shares.items()}
    return Questionnaire(
        draft["title"], surveys, draft["epsilon"], tables=draft.get("tables", ()), shares=shares,
        id=draft.get("id"),
    )  # fmt: skip


def _answers(name: str, fields: Mapping[str, Any]) -> Any:
    """Return the kind of answer that a question's fields describe."""
    from ..answers import Scale, Several

    kinds = [kind for kind in _QUESTION if kind in fields]
    if len(kinds) != 1:
        raise InvalidSurvey(f"question {name!r}: one of {', '.join(_QUESTION)} is needed.")
    (kind,) = kinds
    _check(f"question {name!r}", fields, {"question", kind} | _QUESTION[kind], set())
    also = dict(fields)
    for given in ("question", "mechanism"):
        also.pop(given, None)
    found: Any = also.pop(kind)
    if kind == "categories":
        return found
    if not isinstance(found, list):
        raise InvalidSurvey(f"question {name!r}: {kind} is an array. Got {found!r:.60}.")
    if kind == "several":
        also.setdefault("most", min(3, len(found)))
        return Several(found, **also)
    if len(found) != 2:
        raise InvalidSurvey(f"question {name!r}: a scale is [low, high]. Got {found!r:.60}.")
    return Scale(*found, **also)


def _check(what: str, fields: Mapping[str, Any], known: set[str], needed: set[str]) -> None:
    for name in fields:
        if name not in known:
            raise InvalidSurvey(f"{what} has no field {name!r:.60}: there are {_list(known)}.")
    for name in sorted(needed):
        if name not in fields:
            raise InvalidSurvey(f"{what} needs the field {name!r}.")


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names))


def _page(name: str) -> str | tuple[str, ...]:
    """Return a page by the ids of its questions.

    >>> _page("smokes"), _page("smokes, region")
    ('smokes', ('smokes', 'region'))
    """
    ids = tuple(part.strip() for part in name.split(","))
    return ids[0] if len(ids) == 1 else ids
