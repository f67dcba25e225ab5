"""Drafts over HTTP: the contract that they are of, and what to expect of it."""

import json
from pathlib import Path

import pytest

from privet import Scale, Several, Survey
from privet.device.contract import Contract
from privet.plan import plan, plan_questionnaire
from privet.shuffle import amplify
from refusing import assert_names
from serving import JSON, Serving

DRAFT = Path(__file__).parents[2] / "examples" / "questionnaire.toml"
TOML = {"Content-Type": "application/toml"}
TEA = {"question": "Tea?", "categories": ["yes", "no", "later"]}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service")) as server:
        yield server.client()


def drafted(client, questions, people=1000, **more):
    body = json.dumps({"title": "T", "epsilon": 1, "questions": questions, **more}).encode()
    answer = client.ask("POST", f"/drafts?people={people}", body, admin=True, **JSON)
    assert answer.status == 200, answer.body
    document = answer.json
    return Contract.from_json(json.dumps(document["contract"])), document


def test_one_question_is_a_survey_with_the_plans_numbers(client):
    contract, document = drafted(client, {"tea": TEA}, 5000)
    assert contract == Survey("Tea?", TEA["categories"], 1.0, id="tea")
    (row,) = document["plan"]
    expected = plan(3, epsilon=1.0, n=5000)
    assert (row["asks"], row["of"], row["people"]) == (["tea"], "share", 5000)
    assert row["margin"] == pytest.approx(expected.common_margin)
    assert row["detectable"] == pytest.approx(expected.detectable)
    picture = row["picture"]
    assert picture["categories"] == TEA["categories"]
    assert sum(picture["frequencies"]) == pytest.approx(1)
    for low, share, high in zip(
        picture["low"], picture["frequencies"], picture["high"], strict=True
    ):
        assert low < share < high
    assert "ε = 1" in document["privacy"]
    central = amplify(contract.mechanism, 5000, 1e-6)
    assert document["shuffled"] == {"epsilon": central, "delta": 1e-6}
    assert document["draft"]["questions"] == {"tea": TEA}


def test_several_choices_and_numbers(client):
    _, document = drafted(client, {"a": {"several": ["x", "y", "z"], "most": 2}})
    (row,) = document["plan"]
    expected = plan(Several(["x", "y", "z"], most=2), epsilon=1.0, n=1000)
    assert (row["of"], row["margin"]) == ("option", pytest.approx(expected.common_margin))
    contract, document = drafted(client, {"age": {"scale": [0, 120], "unit": "years"}}, id="ages")
    (row,) = document["plan"]
    expected = plan(Scale(0, 120, unit="years"), epsilon=1.0, n=1000)
    assert (contract.id, row["of"], row["margin"]) == (
        "ages",
        "mean",
        pytest.approx(expected.margin),
    )
    assert row["picture"]["curve"]["at"][-1] == 120


def test_a_questionnaire_in_toml(client):
    answer = client.ask("POST", "/drafts?people=4000", DRAFT.read_bytes(), admin=True, **TOML)
    document = answer.json
    contract = Contract.from_json(json.dumps(document["contract"]))
    rows = plan_questionnaire(contract, 4000)
    assert [row["asks"] for row in document["plan"]] == [list(row.asks) for row in rows]
    for row, expected in zip(document["plan"], rows, strict=True):
        assert row["margin"] == pytest.approx(1.959964 * expected.standard_error)
        assert (row["picture"] is None) == (len(row["asks"]) > 1)
    made = client.ask(
        "POST", "/surveys", json.dumps(document["contract"]).encode(), admin=True, **JSON
    )
    assert (made.status, made.json["fingerprint"]) == (201, contract.fingerprint)


def test_a_contract_stays_as_it_is(client):
    survey = Survey("Old?", ["yes", "no"], 0.5, mechanism="optimized-unary", id="old")
    answer = client.ask("POST", "/drafts", survey.to_json().encode(), admin=True, **JSON)
    assert (answer.status, answer.json["draft"]) == (200, None)
    assert Contract.from_json(json.dumps(answer.json["contract"])) == survey


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"{", "JSON"),
        (b'{"title": "T"}', "'epsilon'"),
        (b'{"privet": 2}', "survey"),
        (b'{"title": "T", "epsilon": 1, "questions": {}}', "surveys"),
        (b'{"title": "T", "epsilon": 0, "questions": {"a": {"scale": [0, 1]}}}', "'epsilon'"),
        (
            b'{"title": "T", "epsilon": 1, "questions": {"a": {"categories": ["x"]}}}',
            "'categories'",
        ),
    ],
    ids=str,
)
def test_wrong_drafts_are_refused_in_a_sentence(client, body, name):
    answer = client.ask("POST", "/drafts", body, admin=True, **JSON)
    assert (answer.status, answer.json["reason"]) == (400, "invalid-draft")
    assert_names(answer.json["detail"], name)


@pytest.mark.parametrize("people", ["0", "x", "-1", "1.5", "9" * 40])
def test_people_are_a_number(client, people):
    answer = client.ask("POST", f"/drafts?people={people}", b"{}", admin=True, **JSON)
    assert answer.status == 400
    assert_names(answer.json["detail"], "people")


def test_drafts_are_for_the_administrator(client):
    assert client.ask("POST", "/drafts", b"{}", **JSON).status == 401


@pytest.mark.parametrize("mechanism", ["rappor", "hashed-rr", "interval", "geometric-noise"])
def test_what_cannot_be_planned_is_refused(client, mechanism):
    body = Survey("Tea?", TEA["categories"], 1.0, mechanism=mechanism).to_json().encode()
    answer = client.ask("POST", "/drafts", body, admin=True, **JSON)
    assert (answer.status, answer.json["reason"]) == (400, "invalid-draft")
    assert_names(answer.json["detail"], "mechanism")
