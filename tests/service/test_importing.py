"""Reports files into a survey, each counted once."""

import pytest

from privet import Survey
from privet.bulk import ReportsWriter
from serving import JSON, Serving

SURVEY = Survey("Which?", [f"c{i}" for i in range(20)], 1.0, mechanism="k-subset", id="which")
REPORTS = SURVEY.randomize_batch(["c1"] * 1000)
PARQUET = {"Content_Type": "application/vnd.apache.parquet"}


@pytest.fixture
def client(tmp_path):
    with Serving(tmp_path) as server:
        client = server.client()
        assert client.create(SURVEY).status == 201
        yield client


def file_of(path, survey, reports):
    with ReportsWriter(path, survey) as writer:
        writer.write(reports)
    return path.read_bytes()


def bring(client, body, **options):
    return client.ask("POST", "/surveys/which/import", body, **PARQUET, **options)


def test_a_file_counts_once_and_what_goes_out_can_come_in(client, tmp_path):
    body = file_of(tmp_path / "r.parquet", SURVEY, REPORTS)
    assert bring(client, body, admin=True).json == {"counted": 1000, "already": 0}
    assert bring(client, body, admin=True).json == {"counted": 0, "already": 1000}
    assert client.get("/surveys/which/estimate").json["n"] == 1000
    out = client.get("/surveys/which/reports", admin=True, Accept=PARQUET["Content_Type"]).body
    assert bring(client, out, admin=True).json["counted"] == 1000  # another file is another crowd


def test_an_import_needs_no_invitation(client, tmp_path):
    client.ask("PATCH", "/surveys/which", b'{"invited": true}', admin=True, **JSON)
    body = file_of(tmp_path / "r.parquet", SURVEY, REPORTS)
    assert bring(client, body, admin=True).json == {"counted": 1000, "already": 0}


def test_nothing_of_another_file_is_counted(client, tmp_path):
    other = Survey("Which?", [f"c{i}" for i in range(20)], 2.0, mechanism="k-subset", id="which")
    bad = REPORTS.copy()
    bad[-1] = 255
    good = file_of(tmp_path / "r.parquet", SURVEY, REPORTS)
    for body in (
        file_of(tmp_path / "o.parquet", other, other.randomize_batch(["c1"] * 10)),
        file_of(tmp_path / "b.parquet", SURVEY, bad),
        b"PAR1 and no more",
        b"",
        good[:-20],
    ):
        answer = bring(client, body, admin=True)
        assert (answer.status, answer.json["reason"]) == (400, "invalid-file")
        assert str(tmp_path) not in answer.json["detail"]
        assert "/tmp" not in answer.json["detail"]
    assert client.get("/surveys/which/estimate").status == 404
    assert bring(client, good).status == 401
    client.ask("POST", "/surveys/which/close", admin=True)
    late = bring(client, good, admin=True)
    assert (late.status, late.json["reason"]) == (409, "closed")
