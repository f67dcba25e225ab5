"""Before results are public, neither an answer nor its time tells whether anyone has answered."""

import time
from statistics import median

import pytest

from arrivals import arrival
from privet import Survey
from privet.store import open_store
from serving import JSON, Serving

MANY = [f"c{i}" for i in range(20_000)]  # whose estimate takes long
ROUTES = ("estimate", "estimate.csv", "estimate.svg", "estimate.png", "progress", "results")


def made(client, id, public_from, answers=("a", "b", "c")):
    survey = Survey("Which?", list(answers), 1.0, id=id)
    path = f"/surveys?public_from={public_from}"
    assert client.ask("POST", path, survey.to_json().encode(), admin=True, **JSON).status == 201
    return survey


def said(client, survey):
    """All that is said of a survey's results, byte for byte but for the date."""
    found = {}
    for route in ROUTES:
        answer = client.get(f"/surveys/{survey.id}/{route}")
        answer.headers.pop("date", None)
        found[route] = answer
    return found


@pytest.mark.parametrize("public_from", ["3", "null"])
def test_before_results_are_public_no_answer_tells_how_many_there_are(client, public_from):
    survey = made(client, f"same-{public_from}", public_from)
    none = said(client, survey)
    assert {none[route].status for route in ROUTES[:4]} == {403}
    assert none["estimate"].json["reason"] == "private"
    assert none["progress"].json["results"] == "private"
    for _ in range(2):
        client.send(survey.id, survey.randomize("a"))
        assert said(client, survey) == none
        assert client.get(f"/surveys/{survey.id}/estimate", If_None_Match="*").status == 403
    client.send(survey.id, survey.randomize("a"))
    later = said(client, survey)
    if public_from == "null":
        assert later == none
    else:
        assert {later[route].status for route in ROUTES} == {200}
        assert later["estimate"].json["n"] == 3


@pytest.mark.parametrize("public_from", ["1000000", "null"])
def test_a_refusal_takes_as_long_whether_or_not_anyone_has_answered(client, public_from):
    survey = made(client, f"long-{public_from}", public_from, MANY)
    path, report = f"/surveys/{survey.id}/estimate", survey.randomize("c1")

    def seconds():
        began = time.perf_counter()
        assert client.get(path).status == 403
        return time.perf_counter() - began

    client.send(survey.id, report)
    seconds()
    quiet, new = [], []
    for _ in range(15):
        quiet.append(seconds())
        client.send(survey.id, report)
        new.append(seconds())
    assert median(new) < 3 * median(quiet)  # it was 20 times, while estimates were computed


def test_results_are_public_when_another_server_has_counted_the_last_report(tmp_path):
    with Serving(tmp_path) as server:
        client = server.client()
        survey = made(client, "shared", 2)
        path = f"/surveys/{survey.id}/estimate"
        client.send(survey.id, survey.randomize("a"))
        assert client.get(path).status == 403
        with open_store(tmp_path / "surveys.db") as store:
            store.add([arrival(survey, [survey.randomize("b")])])
        end = time.monotonic() + 20
        while client.get(path).status == 403:
            assert time.monotonic() < end
            time.sleep(0.2)
        assert client.get(path).json["n"] == 2
        assert server.terminate() == 0
    with Serving(tmp_path) as server:
        assert server.client().get(path).json["n"] == 2
