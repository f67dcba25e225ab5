"""Estimates over HTTP say what the tally says, for every kind of answer."""

import json

import numpy as np
import pytest

from privet import Questionnaire, Scale, Several, Survey
from privet.service.estimates import as_json
from serving import Serving

DRINK = Survey("Drink?", ["tea", "coffee", "juice"], 2.0, id="drink")
READS = Survey("Which do you read?", Several(["books", "papers", "blogs"], most=3), 2.0, id="reads")
AGE = Survey("Age?", Scale(0, 100, bands=[18, 65]), 2.0, id="age")
SMOKES = Survey("Smoke?", ["yes", "no"], 2.0, id="smokes")
PARTY = Questionnaire("All", [DRINK, SMOKES, AGE], 2.0, tables=[("drink", "smokes")], id="party")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service")) as server:
        client = server.client()
        yield client


def answered(client, contract, answers):
    """What the server says of answers, and what the tally of the same reports does."""
    reports = [contract.randomize(answer) for answer in answers]
    tally = contract.tally()
    tally.update(reports)
    client.create(contract)
    assert client.send(contract.id, b"".join(reports)).status == 200
    document = client.get(f"/surveys/{contract.id}/estimate").json
    assert (document["survey"], document["fingerprint"], document["n"]) == (
        contract.id, contract.fingerprint, len(answers)
    )  # fmt: skip
    return document, tally.estimate()


def check_shares(document, shares):
    low, high = shares.interval(0.95)
    assert document["frequencies"] == shares.frequencies.tolist()
    assert document["standard_errors"] == shares.standard_errors.tolist()
    assert (document["low"], document["high"]) == (low.tolist(), high.tolist())


def check_measured(document, measured):
    assert (document["value"], document["standard_error"]) == (
        measured.value, measured.standard_error
    )  # fmt: skip
    assert (document["low"], document["high"]) == measured.interval(0.95)


def check_scale(document, estimate):
    check_measured(document["mean"], estimate.mean())
    for one in document["quantiles"]:
        check_measured(one, estimate.quantile(one["q"]))
    assert [one["q"] for one in document["quantiles"]] == [0.1, 0.25, 0.5, 0.75, 0.9]
    for one, (name, share) in zip(document["bands"], estimate.bands(), strict=True):
        assert one["name"] == name
        check_measured(one, share)
    curve = [document["curve"][name] for name in ("at", "shares")]
    assert curve == [values.tolist() for values in estimate.curve()]


def test_one_choice(client):
    document, estimate = answered(client, DRINK, ["tea", "tea", "juice"] * 100)
    assert (document["kind"], document["categories"]) == ("choice", ["tea", "coffee", "juice"])
    check_shares(document, estimate)
    assert document["found"] == estimate.found().tolist()


def test_several_choices(client):
    document, estimate = answered(client, READS, [["books"], [], ["papers", "blogs"]] * 100)
    assert (document["kind"], document["categories"]) == ("several", ["books", "papers", "blogs"])
    check_shares(document, estimate)
    assert document["found"] == estimate.found().tolist()


def test_false_reports_are_looked_for(client):
    canaries = Survey("?", list("abcdefgh"), 1.0, mechanism="projective", id="canaries")
    document, _ = answered(client, canaries, ["a"] * 2000)
    (found,) = document["checks"]
    assert found["test"] == "canaries"
    assert 0 < found["p_value"] <= 1
    client.send("canaries", canaries.randomize("a") * 300)
    (found,) = client.get("/surveys/canaries/estimate").json["checks"]
    assert found["p_value"] < 1e-6


def test_a_scale(client):
    document, estimate = answered(client, AGE, [20.5, 40, 70] * 300)
    assert document["kind"] == "scale"
    check_scale(document, estimate)


def test_a_questionnaire(client):
    answers = [
        {"drink": drink, "smokes": smokes, "age": age}
        for drink, smokes, age in [("tea", "no", 20), ("coffee", "yes", 50), ("juice", "no", 80)]
    ]
    document, estimate = answered(client, PARTY, answers * 500)
    pages = {tuple(page["asks"]): page["n"] for page in document["pages"]}
    assert (document["kind"], pages) == ("questionnaire", estimate.people)
    for name in ("drink", "smokes"):
        check_shares(document["questions"][name], estimate[name])
    check_scale(document["questions"]["age"], estimate["age"])
    (table,) = document["tables"]
    assert table["questions"] == ["drink", "smokes"]
    assert table["categories"] == [["tea", "coffee", "juice"], ["yes", "no"]]
    check_shares(table, estimate.table("drink", "smokes"))


def test_an_estimate_is_sent_again_only_when_there_are_more_reports(client):
    tea = Survey("Tea?", ["yes", "no"], 1.0, id="tea")
    client.create(tea)
    nothing = client.get("/surveys/tea/estimate")
    assert (nothing.status, nothing.json["reason"]) == (404, "no-reports")
    client.send("tea", tea.randomize("yes"))
    first = client.get("/surveys/tea/estimate")
    same = client.get("/surveys/tea/estimate", If_None_Match=first.headers["etag"])
    assert (first.status, same.status, same.body) == (200, 304, b"")
    client.send("tea", tea.randomize("yes"))
    more = client.get("/surveys/tea/estimate", If_None_Match=first.headers["etag"])
    assert (more.status, more.json["n"]) == (200, 2)


def test_what_is_no_number_is_null():
    document = {"a": [float("nan"), float("inf"), np.float64(1.5)], "b": True}
    assert json.loads(as_json(document)) == {"a": [None, None, 1.5], "b": True}
    numbers = np.array([[1.5, np.nan], [-np.inf, 0.0]])
    assert json.loads(as_json(numbers)) == [[1.5, None], [None, 0.0]]


@pytest.mark.parametrize("size", [0, 1, 10_000])
def test_arrays_and_tuples_are_lists(size):
    numbers, names = np.random.default_rng(size).normal(size=size), tuple(map(str, range(size)))
    document = {"é": names, "numbers": numbers, "none": {}, "several": [numbers, names]}
    assert json.loads(as_json(document)) == {
        "é": list(names), "numbers": numbers.tolist(), "none": {},
        "several": [numbers.tolist(), list(names)],
    }  # fmt: skip
