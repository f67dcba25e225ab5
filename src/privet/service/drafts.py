"""Drafts of surveys, and what people can expect of them, before anyone is asked.

A draft is what the editor has, or a file of `privet questionnaire new`, or a contract as it is. The
pictures are of made-up answers: what they show is how far the intervals would reach.
"""

from __future__ import annotations

import asyncio
from statistics import NormalDist

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ..device.contract import Contract
from ..device.survey import Survey
from ..errors import InvalidArgument, InvalidSurvey
from ..plan.drafts import contract_of, parsed
from ..plan.questionnaires import PlannedQuestion, plan_questionnaire
from ..shuffle.amplification import DELTA, if_shuffled
from .bodies import media_type
from .estimates import LEVEL, as_json
from .ingest import JSON
from .languages import privacy
from .made_up import made_up_of
from .messages import Planned
from .problems import Problem
from .state import Service

__all__ = ["TOML", "draft"]

TOML = "application/toml"
_PEOPLE, _MOST_PEOPLE = 1000, 10**9
_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)


async def draft(service: Service, request: Request) -> Response:
    """Return the contract of a draft, and what so many people would tell."""
    media_type(request, JSON, TOML)
    people = _people(request.query_params.get("people", str(_PEOPLE)))
    document = await asyncio.to_thread(_drafted, await request.body(), people)
    return Response(document, media_type=JSON)


def _people(said: str) -> int:
    if not said.isdecimal() or not 1 <= int(said[:12]) <= _MOST_PEOPLE:
        raise Problem(400, "invalid-draft", f"people is a whole number in [1, {_MOST_PEOPLE:,}].")
    return int(said)


def _drafted(body: bytes, people: int) -> bytes:
    try:
        fields = parsed(body)
        whole = "privet" in fields
        contract = Contract.from_json(body) if whole else contract_of(fields)
        rows = _planned(contract, people)
    except (InvalidArgument, InvalidSurvey) as error:
        raise Problem(400, "invalid-draft", str(error)) from None
    document = {
        "contract": contract.fields(),
        "privacy": privacy(contract.epsilon),
        "shuffled": {"epsilon": if_shuffled(contract.mechanism, people), "delta": DELTA},
        "plan": [msgspec.structs.asdict(row) for row in rows],
        "draft": None if whole else fields,
    }
    return as_json(document)


def _planned(contract: Contract, n: int) -> list[Planned]:
    """Return what people tell of each question and each table."""
    if contract.only is not None:
        return [made_up_of(contract.only.answers, contract.only).alone(n)]
    by_id = {one.id: one for one in contract.surveys}
    return [_row(by_id[row.asks[0]], row, n) for row in plan_questionnaire(contract, n)]


def _row(survey: Survey, row: PlannedQuestion, n: int) -> Planned:
    """Return what people tell of a question among others, or of a table that begins with it."""
    margin = _Z * row.standard_error
    if len(row.asks) > 1:
        return Planned(list(row.asks), "share", row.people, margin, None, None)
    return made_up_of(survey.answers, survey).among(n, row.people, margin)
