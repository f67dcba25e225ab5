"""Contracts and drafts, as text of any kind and as valid ones with a few fields changed."""

from fuzzers import Choices, Target, edited, must
from privet import Questionnaire, Scale, Several, Survey
from privet.device.contract import Contract
from privet.mechanisms import for_one, for_several
from privet.plan.drafts import contract_of, parsed

ABC = ["a", "b", "c"]
SURVEYS = [
    *(Survey("Which?", ABC, 1.0, mechanism=name, id="which") for name in for_one),
    *(
        Survey("Which ones?", Several(ABC, most=2), 1.0, mechanism=name, id="several")
        for name in for_several
    ),
    Survey("How much?", Scale(0, 10, unit="cups", bands=[2, 5], whole=True), 1.0, id="how"),
]
WHICH, HOW = Survey("Which?", ABC, 1.0, id="which"), Survey("How much?", Scale(0, 9), 1.0, id="how")
BOTH = Questionnaire("Both", [WHICH, HOW], 1.0, id="both", tables=[("which", "how")])
CONTRACTS = [*SURVEYS, BOTH]
TEXTS = [one.to_json() for one in CONTRACTS]
SECRET = bytes(32)

DRAFTS = [
    '{"title": "T", "epsilon": 1.0, "questions": {"a": {"question": "?", "categories": ["x", "y"]},'
    ' "b": {"several": ["x", "y", "z"], "most": 2}}, "tables": [["a", "c"]]}',
    '{"title": "T", "epsilon": 2, "questions": {"c": {"scale": [0, 9], "cells": 4, "bands": [3],'
    ' "unit": "km", "whole": true}}, "id": "t", "shares": {"c": 1.0}}',
]
TOML = b"""title = "T"
epsilon = 1.0
tables = [["a", "b"]]
[questions.a]
question = "?"
categories = ["x", "y"]
[questions.b]
scale = [0, 120]
whole = true
[shares]
a = 0.5
"a, b" = 0.5
"""


def answer(survey: Contract):
    """Return an answer that a contract takes."""
    if isinstance(survey, Questionnaire):
        return {one.id: answer(one) for one in survey.surveys}
    if survey.answers.kind == "scale":
        return survey.answers.low
    return survey.categories[0] if survey.answers.kind == "choice" else [survey.categories[0]]


def read(text: str | bytes) -> None:
    """Read a contract; of one that is accepted, the canonical text is read as the same."""
    contract = Contract.from_json(text)
    assert must(Contract.from_json, contract.to_json()) == contract
    report = must(contract.randomize, answer(contract), secret=SECRET)
    assert contract.mechanism.problem(report) is None


def fields(data: bytes) -> None:
    read(edited(TEXTS, Choices(data)))


def draft(data: bytes) -> None:
    """Make the contract of a draft, edited or of any bytes."""
    choices = Choices(data)
    given = edited(DRAFTS, choices).encode() if choices.below(2) else choices.bytes()
    contract = contract_of(parsed(given))
    assert must(Contract.from_json, contract.to_json()) == contract


TARGETS = {
    "contracts": Target(read, [text.encode() for text in TEXTS]),
    "fields": Target(fields, [bytes([i, 0, 3 * i, 1, 7]) for i in range(len(TEXTS))], 64),
    "drafts": Target(
        draft,
        [b"\0" + TOML, *(b"\0" + one.encode() for one in DRAFTS), b"\1\0", b"\1\1\1\4\3"],
        1024,
    ),
}
