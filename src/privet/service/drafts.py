"""Drafts of surveys, and what people can expect of them, before anyone is asked.

A draft is what the editor has, or a file of `privet questionnaire new`, or a contract as it is. The
pictures are of made-up answers: what they show is how far the intervals would reach.
"""

from __future__ import annotations

import asyncio
from statistics import NormalDist
from typing import Any, Literal

import msgspec
import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from ..analysis.scale_estimate import ScaleEstimate
from ..device.answers.scale import Scale
from ..device.contract import Contract
from ..device.survey import Survey
from ..errors import InvalidArgument, InvalidSurvey
from ..plan.drafts import contract_of, parsed
from ..plan.margins import expected_interval
from ..plan.planning import plan_with
from ..plan.questionnaires import PlannedQuestion, plan_questionnaire
from ..shuffle.amplification import DELTA, if_shuffled
from .bodies import media_type
from .estimates import LEVEL, as_json, described
from .ingest import JSON
from .languages import privacy
from .messages import Planned
from .problems import Problem
from .state import Service

__all__ = ["TOML", "draft"]

TOML = "application/toml"
_PEOPLE, _MOST_PEOPLE = 1000, 10**9
_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
# Of a picture: the most bars and cells, and how much rarer each answer is than the one before.
_BARS, _CELLS, _RARER = 8, 64, 0.72
_OF: dict[str, Literal["share", "option"]] = {"choice": "share", "several": "option"}


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


def _survey(survey: Survey, n: int) -> Planned:
    """Say what people tell of one question."""
    answers: Any = survey.answers
    if isinstance(answers, Scale):
        return _scale(survey, n, plan_with(answers, survey.mechanism, n, LEVEL).margin)
    asked = answers if answers.kind == "several" else survey.mechanism.d
    plan: Any = plan_with(asked, survey.mechanism, n, LEVEL)
    shares = _made_up(survey)
    ends = [expected_interval(survey.mechanism, one, n, 1 - LEVEL) for one in shares]
    picture = _bars(survey, n, shares, ends)
    return Planned([survey.id], _OF[answers.kind], n, plan.common_margin, plan.detectable, picture)


def _planned(contract: Any, n: int) -> list[Planned]:
    """Say what people tell of each question and each table."""
    if isinstance(contract, Survey):
        return [_survey(contract, n)]
    return [_row(contract[row.asks[0]], row, n) for row in plan_questionnaire(contract, n)]


def _row(survey: Survey, row: PlannedQuestion, n: int) -> Planned:
    """Say what people tell of a question among others, or of a table that begins with it."""
    margin = _Z * row.standard_error
    if row.of == "mean":
        return _scale(survey, row.people, margin)
    if len(row.asks) > 1:
        return Planned(list(row.asks), "share", row.people, margin, None, None)
    shares = _made_up(survey)
    ends = [(max(one - margin, 0.0), min(one + margin, 1.0)) for one in shares]
    picture = _bars(survey, n, shares, ends)
    return Planned([survey.id], _OF[survey.answers.kind], row.people, margin, None, picture)


def _scale(survey: Survey, people: float, margin: float) -> Planned:
    """Say what so many people tell of numbers, and draw as many that lie about the middle."""
    scale: Any = survey.answers
    if people < 1:
        return Planned([survey.id], "mean", people, margin, None, None)
    shape = Scale(scale.low, scale.high, min(scale.cells, _CELLS), scale.unit, bands=scale.bands)
    coarse = Survey(survey.question, shape, survey.epsilon, id=survey.id)
    bell = np.exp(-(np.linspace(-3, 2.5, shape.cells) ** 2))
    chances = coarse.mechanism.analyst.estimator.chances @ (bell / bell.sum())  # type: ignore[attr-defined]
    below = np.rint(round(people) * np.minimum(np.cumsum(chances), 1)).astype(np.int64)
    below[-1] = round(people)
    drawn = ScaleEstimate(coarse, round(people), np.diff(below, prepend=0))
    return Planned([survey.id], "mean", people, margin, None, described(drawn))


def _made_up(survey: Survey) -> list[float]:
    """Return shares that fall from answer to answer: a distribution, if there is one choice."""
    d, several = len(survey.categories), survey.answers.kind == "several"
    first = 0.6 if several else (1 - _RARER) / (1 - _RARER**d)
    return [first * _RARER**i for i in range(min(d, _BARS))]


def _bars(
    survey: Survey, n: int, shares: list[float], ends: list[tuple[float, float]]
) -> dict[str, Any]:
    """Return a picture as an estimate describes it."""
    low, high = (list(side) for side in zip(*ends, strict=True))
    return {
        "kind": survey.answers.kind,
        "n": n,
        "categories": list(survey.categories[: len(shares)]),
        "frequencies": shares,
        "low": low,
        "high": high,
        "found": [end > 0 for end in low],
    }
