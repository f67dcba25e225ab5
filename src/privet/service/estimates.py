"""Estimates as JSON documents, of every kind of contract."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

from ..analysis.scale_estimate import QUANTILES, ScaleEstimate

if TYPE_CHECKING:
    from ..analysis.numbers import Measured
    from ..analysis.questionnaire_estimate import QuestionnaireEstimate
    from ..analysis.shown import Shown
    from ..analysis.tally import Tally

__all__ = ["LEVEL", "as_json", "describe", "describe_question", "tag"]

LEVEL = 0.95


def tag(tally: Tally) -> str:
    """Return what tells an estimate from others: a tally only grows, by whole reports."""
    return f'"{tally.survey.fingerprint[:32]}-{tally.n}"'


def describe(tally: Tally) -> dict[str, Any]:
    """Return what the reports say; numbers that are not known are null."""
    from ..survey import Survey

    contract, estimate = tally.survey, tally.estimate()
    head = {"survey": contract.id, "fingerprint": contract.fingerprint, "level": LEVEL}
    one = isinstance(contract, Survey)
    return head | (describe_question(estimate) if one else _questionnaire(estimate))


def as_json(document: Any) -> bytes:
    """Return a document as JSON, with null for what is no number."""
    text = json.dumps(_finite(document), ensure_ascii=False, allow_nan=False)
    return text.encode()


def describe_question(estimate: Shown) -> dict[str, Any]:
    """Return what the reports say of one question."""
    head = {"kind": estimate.survey.answers.kind, "n": estimate.n}
    if isinstance(estimate, ScaleEstimate):
        return head | _scale(estimate)
    low, high = estimate.interval(LEVEL)
    return {
        **head,
        "categories": list(estimate.survey.categories),
        "frequencies": estimate.frequencies.tolist(),
        "standard_errors": estimate.standard_errors.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "found": estimate.found().tolist(),
    }


def _scale(estimate: ScaleEstimate) -> dict[str, Any]:
    curve = estimate.curve(LEVEL)
    return {
        "unit": estimate.scale.unit,
        "mean": _measured(estimate.mean()),
        "quantiles": [{"q": q, **_measured(estimate.quantile(q))} for q in QUANTILES],
        "bands": [{"name": name, **_measured(share)} for name, share in estimate.bands()],
        "curve": {
            name: values.tolist()
            for name, values in zip(("at", "shares", "low", "high"), curve, strict=True)
        },
    }


def _questionnaire(estimate: QuestionnaireEstimate) -> dict[str, Any]:
    return {
        "kind": "questionnaire",
        "n": estimate.n,
        "pages": [{"asks": list(ids), "n": drew} for ids, drew in estimate.people.items()],
        "questions": {name: describe_question(one) for name, one in estimate.questions.items()},
        "tables": [_table(ids, table) for ids, table in estimate.tables.items()],
    }


def _table(ids: tuple[str, ...], table: Any) -> dict[str, Any]:
    low, high = table.interval(LEVEL)
    return {
        "questions": list(ids),
        "categories": [list(names) for names in table.categories],
        "frequencies": table.frequencies.tolist(),
        "standard_errors": table.standard_errors.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
    }


def _measured(one: Measured) -> dict[str, float]:
    low, high = one.interval(LEVEL)
    return {"value": one.value, "standard_error": one.standard_error, "low": low, "high": high}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return value
