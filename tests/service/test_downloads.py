"""Estimates as files."""

import csv
from io import StringIO

import pytest

from privet import Questionnaire, Scale, Survey
from serving import JSON, Serving

DRINK = Survey("Drink?", ["tea", "=coffee()"], 2.0, id="drink")
AGE = Survey("Age?", Scale(0, 100, 11), 2.0, id="age")
SMOKES = Survey("Smoke?", ["yes", "no"], 2.0, id="smokes")
PARTY = Questionnaire("All", [DRINK, SMOKES, AGE], 2.0, tables=[("drink", "smokes")], id="party")
FIRST = {"csv": b"", "svg": b"<?xml", "png": b"\x89PNG"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service")) as server:
        client = server.client()
        for contract in (DRINK, PARTY):
            client.create(contract)
        client.send("drink", DRINK.randomize_batch(["tea"] * 300).tobytes())
        answers = {"drink": ["tea"] * 600, "smokes": ["yes", "no"] * 300, "age": [30] * 600}
        client.send("party", PARTY.randomize_batch(answers).tobytes())
        yield client


@pytest.mark.parametrize("ending", FIRST)
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("drink/estimate.{}", "drink"),
        ("party/estimate.{}?question=age", "party-age"),
        ("party/estimate.{}?question=drink&question=smokes", "party-drink-smokes"),
    ],
)
def test_files_of_questions_and_tables(client, path, name, ending):
    answer = client.get(f"/surveys/{path.format(ending)}")
    assert answer.status == 200
    assert answer.body.startswith(FIRST[ending])
    said = answer.headers["content-disposition"]
    assert said == f'attachment; filename="{name}.{ending}"'
    tag = answer.headers["etag"]
    assert client.get(f"/surveys/{path.format(ending)}", If_None_Match=tag).status == 304
    assert client.get(f"/surveys/{path.format(ending)}").body == answer.body


def test_no_spreadsheet_runs_a_table(client):
    body = client.get("/surveys/drink/estimate.csv").body.decode()
    rows = list(csv.DictReader(StringIO(body)))
    assert [row["category"] for row in rows] == ["tea", "'=coffee()"]
    shares = client.get("/surveys/drink/estimate").json["frequencies"]
    assert [float(row["frequency"]) for row in rows] == shares


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("drink/estimate.pdf", 404),
        ("nope/estimate.csv", 404),
        ("drink/estimate.csv?question=other", 400),
        ("party/estimate.csv", 400),
        ("party/estimate.csv?question=nope", 400),
        ("party/estimate.csv?question=drink&question=drink", 400),
    ],
)
def test_what_there_is_no_file_of(client, path, status):
    assert client.get(f"/surveys/{path}").status == status


def test_files_are_as_private_as_the_estimate(client):
    client.ask("PATCH", "/surveys/drink", b'{"public_from": null}', admin=True, **JSON)
    refused = client.get("/surveys/drink/estimate.csv")
    assert (refused.status, refused.json["reason"]) == (403, "private")
    assert client.get("/surveys/drink/estimate.csv", admin=True).status == 200
    client.ask("PATCH", "/surveys/drink", b'{"public_from": 0}', admin=True, **JSON)
