"""Estimates as JSON documents, of every kind of contract."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import msgspec
import numpy as np

from ..analysis.figures import QUANTILES
from ..analysis.measured import Measured
from ..analysis.questionnaire_estimate import QuestionnaireEstimate
from ..analysis.scale_estimate import ScaleEstimate
from ..analysis.shown import Shown
from ..analysis.tables.table import Table
from ..analysis.tally import Tally
from ..poisoning import check

__all__ = ["LEVEL", "as_json", "describe", "described", "tag"]

LEVEL = 0.95


def tag(tally: Tally) -> str:
    """Return what tells an estimate from others: a tally only grows, by whole reports."""
    return f'"{tally.survey.fingerprint[:32]}-{tally.n}"'


def describe(tally: Tally) -> dict[str, Any]:
    """Return what the reports say; numbers that are not known are null."""
    contract, estimate = tally.survey, tally.estimate()
    head = {"survey": contract.id, "fingerprint": contract.fingerprint, "level": LEVEL}
    return head | described(estimate) | {"checks": [found._asdict() for found in check(tally)]}


def as_json(document: Any) -> bytes:
    """Return a document as JSON, with null for what is no number."""
    return _JSON.encode(document)


def _listed(value: object) -> object:
    """Return what numpy has as what Python has."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"JSON has no {type(value).__name__}.")


_JSON = msgspec.json.Encoder(enc_hook=_listed)


@singledispatch
def described(estimate: object) -> dict[str, Any]:
    """Return what the reports say, by the class of the estimate; new ones are registered here."""
    raise TypeError(f"There is no JSON of {type(estimate).__name__}.")


@described.register
def _(estimate: Shown) -> dict[str, Any]:
    head = {"kind": estimate.survey.answers.kind, "n": estimate.n}
    categories = {"categories": estimate.survey.categories}
    return head | categories | _shares(estimate) | {"found": estimate.found()}


def _shares(estimate: Shown | Table) -> dict[str, Any]:
    low, high = estimate.interval(LEVEL)
    return {
        "frequencies": estimate.frequencies,
        "standard_errors": estimate.standard_errors,
        "low": low,
        "high": high,
    }


@described.register
def _(estimate: ScaleEstimate) -> dict[str, Any]:
    edges = estimate.band_edges
    bands = zip(estimate.bands(), edges, edges[1:], strict=False)
    return {
        "kind": estimate.survey.answers.kind,
        "n": estimate.n,
        "unit": estimate.scale.unit,
        "mean": _measured(estimate.mean()),
        "quantiles": [{"q": q, **_measured(estimate.quantile(q))} for q in QUANTILES],
        "bands": [
            {"name": name, "from": start, "to": end, **_measured(share)}
            for (name, share), start, end in bands
        ],
        "curve": dict(zip(("at", "shares"), estimate.curve(), strict=True)),
    }


@described.register
def _(estimate: QuestionnaireEstimate) -> dict[str, Any]:
    return {
        "kind": "questionnaire",
        "n": estimate.n,
        "pages": [{"asks": list(ids), "n": drew} for ids, drew in estimate.people.items()],
        "questions": {name: described(one) for name, one in estimate.questions.items()},
        "tables": [
            {"questions": list(ids), "categories": list(table.categories), **_shares(table)}
            for ids, table in estimate.tables.items()
        ],
    }


def _measured(one: Measured) -> dict[str, float]:
    low, high = one.interval(LEVEL)
    return {"value": one.value, "standard_error": one.standard_error, "low": low, "high": high}
