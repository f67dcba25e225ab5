"""A survey's life over HTTP, with a real server, a real file and nothing in between."""

import json
import re
import stat
from base64 import urlsafe_b64encode
from itertools import count
from secrets import token_urlsafe

import pytest

from privet import Survey, Tally
from privet.bulk import read_reports
from privet.store import open_store
from refusing import assert_names
from serving import BYTES, JSON, Serving

SURVEY = Survey(
    "Where were you born?",
    [f"country {i}" for i in range(60)],
    2.0,
    mechanism="k-subset",
    id="born",
)
SIZE = SURVEY.mechanism.report_bytes
REPORTS = SURVEY.randomize_batch(["country 1"] * 100)
ONE = REPORTS[0].tobytes()
KEY = "A" * 22
NUMBERS = count()


@pytest.fixture
def survey(client):
    """A survey of its own for each test."""
    id = f"born-{next(NUMBERS)}"
    survey = Survey(SURVEY.question, list(SURVEY.categories), 2.0, mechanism="k-subset", id=id)
    assert client.create(survey).status == 201
    return survey


def stored(client, survey):
    """All reports that the server has, sorted."""
    answer = client.get(f"/surveys/{survey.id}/reports", admin=True)
    assert answer.status == 200
    return sorted(answer.body[i : i + SIZE] for i in range(0, len(answer.body), SIZE))


def refused(answer, status, reason):
    """Tell whether an answer is a problem as RFC 9457 says it."""
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["type"] == "about:blank"
    assert answer.json["title"]
    assert answer.json["detail"].endswith(".")
    return (answer.status, answer.json["status"], answer.json["reason"]) == (status, status, reason)


def counted(survey, n, outcome="counted"):
    """What the service says when reports have arrived."""
    named = {"survey": survey.id, "fingerprint": survey.fingerprint}
    return {"outcome": outcome, "reports": n, **named}


def test_a_contract_is_given_back_byte_for_byte(client, survey):
    answer = client.get(f"/surveys/{survey.id}")
    assert (answer.status, answer.body) == (200, survey.to_json().encode())
    assert answer.headers["etag"] == f'"{survey.fingerprint}"'
    again = client.get(f"/surveys/{survey.id}", If_None_Match=f'"x", W/"{survey.fingerprint}"')
    assert (again.status, again.body) == (304, b"")
    assert client.ask("HEAD", f"/surveys/{survey.id}").headers["etag"] == answer.headers["etag"]


def test_a_survey_is_created_once(client, survey):
    assert client.create(survey).status == 200
    spaced = json.dumps(json.loads(survey.to_json()), indent=1).encode()
    same = client.ask("POST", "/surveys", spaced, admin=True, **JSON)
    assert (same.status, same.json["fingerprint"]) == (200, survey.fingerprint)
    other = Survey("Another?", ["a", "b"], 1.0, id=survey.id)
    assert refused(client.create(other), 409, "taken")
    assert refused(client.ask("POST", "/surveys", b"{}", admin=True, **JSON), 400, "invalid-survey")
    assert refused(client.ask("POST", "/surveys", b"{}", admin=True, **BYTES), 415, "media-type")


def test_reports_are_counted(client, survey):
    first = client.send(survey.id, ONE, token_urlsafe(16))
    assert (first.status, first.json) == (200, counted(survey, 1))
    many = client.send(survey.id, REPORTS.tobytes(), f'"{token_urlsafe(16)}"')
    assert many.json == counted(survey, 100)
    assert client.send(survey.id, ONE).json["outcome"] == "counted"
    assert client.send(survey.id, ONE).json["outcome"] == "counted"
    assert stored(client, survey) == sorted([ONE] * 3 + [row.tobytes() for row in REPORTS])


def test_json_carries_reports_too(client, survey):
    texts = [urlsafe_b64encode(row.tobytes()).decode().rstrip("=") for row in REPORTS[:3]]
    path = f"/surveys/{survey.id}/reports?key={KEY}"
    body = json.dumps({"reports": texts}).encode()
    assert client.ask("POST", path, body, **JSON).json == counted(survey, 3)
    assert client.send(survey.id, REPORTS[:3].tobytes(), KEY).json["outcome"] == "already"
    bad = [b"[", b"[" * 100_000, b"[]", b'{"reports":[1]}', b'{"reports":[]}', b"\xff",
           b'{"reports":["%s"],"more":1}' % texts[0].encode(),
           b'{"reports":["%s="]}' % texts[0].encode(), b'{"reports":["+/"]}', b'{"reports":["AA"]}',
           '{"reports":["é"]}'.encode()]  # fmt: skip
    for body in bad:
        answer = client.ask("POST", f"/surveys/{survey.id}/reports", body, **JSON)
        assert refused(answer, 400, "invalid-report"), body
    assert len(stored(client, survey)) == 3


def test_a_key_counts_once(client, survey):
    assert client.send(survey.id, ONE, KEY).json["outcome"] == "counted"
    assert client.send(survey.id, ONE, KEY).json == counted(survey, 1, "already")
    assert client.ask("POST", f"/surveys/{survey.id}/reports?key={KEY}", ONE, **BYTES).status == 200
    assert refused(client.send(survey.id, ONE * 2, KEY), 422, "key-reused")
    assert stored(client, survey) == [ONE]


def test_a_problem_names_the_survey_in_its_path(client, survey):
    answers = [
        client.send(survey.id, b""),
        client.send(survey.id, ONE, "short"),
        client.ask("PUT", f"/surveys/{survey.id}"),
        client.ask("DELETE", f"/surveys/{survey.id}"),
    ]
    assert [answer.status for answer in answers] == [400, 400, 405, 401]
    assert {answer.json["survey"] for answer in answers} == {survey.id}
    assert client.get("/surveys/%22%00%ff").json["survey"] == '"\0\ufffd'
    assert "survey" not in client.get("/surveys").json


@pytest.mark.parametrize("key", ["", "A" * 21, "A" * 129, "A" * 21 + "+", "A" * 21 + "%"])
def test_a_key_that_could_be_guessed_is_refused(client, survey, key):
    assert refused(client.send(survey.id, ONE, key), 400, "invalid-key")
    assert stored(client, survey) == []


def test_two_keys_are_refused(client, survey):
    path = f"/surveys/{survey.id}/reports?key={KEY}"
    answer = client.ask("POST", path, ONE, Idempotency_Key="B" * 22, **BYTES)
    assert refused(answer, 400, "invalid-key")


def test_nothing_of_a_bad_request_is_counted(client, survey):
    full = b"\xff" * SIZE  # more members than any report has
    for body in (b"", ONE[:-1], ONE + b"\0", full, ONE + full, REPORTS.tobytes() + full):
        assert refused(client.send(survey.id, body, KEY), 400, "invalid-report")
    padding = bytearray(ONE)
    padding[-1] |= 0xF0  # beyond the 60 categories
    assert refused(client.send(survey.id, bytes(padding), KEY), 400, "invalid-report")
    assert stored(client, survey) == []
    assert client.send(survey.id, ONE, KEY).json["outcome"] == "counted"


def test_what_is_too_large_is_refused_whether_or_not_it_says_so(client, survey):
    body = ONE * ((4 << 20) // SIZE + 1)
    assert refused(client.send(survey.id, body), 413, "too-large")
    path = f"/surveys/{survey.id}/reports"
    chunked = client.ask("POST", path, iter([body[: 1 << 20]] * 5), **BYTES)
    assert refused(chunked, 413, "too-large")
    assert stored(client, survey) == []
    most = client.send(survey.id, ONE * ((4 << 20) // SIZE))
    assert most.json == counted(survey, (4 << 20) // SIZE)


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        BYTES | {"Content-Encoding": "gzip"},
        {},
    ],
)
def test_other_bodies_are_refused(client, survey, headers):
    answer = client.ask("POST", f"/surveys/{survey.id}/reports", ONE, **headers)
    assert refused(answer, 415, "media-type")


def test_a_closed_survey_takes_no_more(client, survey):
    client.send(survey.id, ONE, KEY)
    closed = client.ask("POST", f"/surveys/{survey.id}/close", admin=True)
    assert (closed.status, closed.json["open"]) == (200, False)
    assert refused(client.send(survey.id, ONE, "B" * 22), 409, "closed")
    assert refused(client.send(survey.id, ONE), 409, "closed")
    assert client.send(survey.id, ONE, KEY).json["outcome"] == "already"
    assert client.get(f"/surveys/{survey.id}/estimate").json["n"] == 1


def test_a_deleted_survey_is_gone(client, survey):
    client.send(survey.id, ONE, KEY)
    path = f"/surveys/{survey.id}"
    assert client.ask("DELETE", path, admin=True).status == 204
    assert refused(client.send(survey.id, ONE, KEY), 410, "deleted")
    for part in ("", "/estimate"):
        assert refused(client.get(path + part), 410, "deleted")
    for part in ("/tally", "/reports"):
        assert refused(client.get(path + part, admin=True), 410, "deleted")
    assert refused(client.create(survey), 409, "taken")


@pytest.mark.parametrize("id", ["nobody", "%00", "caf%C3%A9", "A", "x" * 65, "..%2Fhealthz"])
def test_an_unknown_survey(client, id):
    for answer in (client.send(id, ONE), client.get(f"/surveys/{id}")):
        assert answer.status == 404
        assert answer.json["reason"] in ("unknown", "nowhere")  # %2F makes two parts of a path


def test_what_is_nowhere_and_what_cannot_be_done(client, survey):
    assert refused(client.get("/nowhere"), 404, "nowhere")
    assert refused(client.get("/surveys/"), 404, "nowhere")
    answer = client.ask("PUT", f"/surveys/{survey.id}")
    assert refused(answer, 405, "method")
    assert answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH"


@pytest.mark.parametrize("given", [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic {}", "{}"])
def test_only_the_administrator(server, client, survey, given):
    asked = [("GET", "/surveys"), ("POST", "/surveys"), ("GET", "/metrics")]
    asked += [("POST", f"/surveys/{survey.id}/close"), ("DELETE", f"/surveys/{survey.id}")]
    asked += [("GET", f"/surveys/{survey.id}/{what}") for what in ("tally", "reports")]
    header = {} if given is None else {"Authorization": given.format(server.token)}
    for method, path in asked:
        answer = client.ask(method, path, **header)
        assert refused(answer, 401, "not-allowed")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert client.send(survey.id, ONE).status == 200


def test_the_token_is_for_its_owner_alone_and_the_store_has_its_hash(server):
    assert stat.S_IMODE(server.token_file.stat().st_mode) == 0o600
    files = server.token_file.parent.glob("surveys.db*")
    assert not any(server.token.encode() in file.read_bytes() for file in files)


def test_keys_are_not_stored(server, client, survey):
    key = token_urlsafe(16)
    client.send(survey.id, ONE, key)
    files = server.token_file.parent.glob("surveys.db*")
    assert not any(key.encode() in file.read_bytes() for file in files)


def test_surveys_are_listed(client, survey):
    (found,) = [
        one for one in client.get("/surveys", admin=True).json["surveys"] if one["id"] == survey.id
    ]
    assert (found["open"], found["fingerprint"]) == (True, survey.fingerprint)


def test_tallies_and_reports_come_out_as_they_went_in(client, survey, tmp_path):
    client.send(survey.id, REPORTS.tobytes())
    tally = survey.tally()
    tally.update(REPORTS)
    answer = client.get(f"/surveys/{survey.id}/tally", admin=True)
    assert Tally.from_bytes(answer.body, survey) == tally
    parquet = "application/vnd.apache.parquet"
    file = client.get(f"/surveys/{survey.id}/reports", admin=True, Accept=parquet)
    assert file.headers["content-type"] == parquet
    (tmp_path / "r.parquet").write_bytes(file.body)
    read = [row.tobytes() for part in read_reports(tmp_path / "r.parquet", survey) for row in part]
    assert sorted(read) == sorted(row.tobytes() for row in REPORTS)


def test_the_service_describes_itself(client):
    assert client.get("/healthz").json == client.get("/readyz").json == {"status": "ok"}
    document = client.get("/openapi.json").json
    assert document["openapi"] == "3.1.0"
    assert {
        f"{method.upper()} {path}" for path, some in document["paths"].items() for method in some
    } == {
        "POST /surveys", "GET /surveys", "GET /surveys/{id}", "DELETE /surveys/{id}",
        "POST /surveys/{id}/reports", "GET /surveys/{id}/reports", "GET /surveys/{id}/tally",
        "GET /surveys/{id}/estimate", "POST /surveys/{id}/close", "GET /healthz", "GET /readyz",
        "PATCH /surveys/{id}", "POST /surveys/{id}/invitations", "POST /surveys/{id}/import",
        "GET /login", "POST /login", "POST /logout", "GET /metrics", "GET /openapi.json",
        "GET /", "GET /new", "POST /drafts", "GET /static/{name}", "GET /surveys/{id}/answer",
        "GET /surveys/{id}/results", "GET /surveys/{id}/settings", "GET /surveys/{id}/progress",
        "GET /surveys/{id}/estimate.{ending}",
    }  # fmt: skip


def test_metrics_count_requests_reports_and_commits(client, survey):
    def value(line):
        text = client.get("/metrics", admin=True).body.decode()
        found = re.search(rf"^{re.escape(line)} (\S+)$", text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    counted = 'privet_reports_total{outcome="counted"}'
    refused = 'privet_refused_total{reason="invalid-report"}'
    before = value(counted), value(refused), value("privet_commits_total")
    client.send(survey.id, REPORTS.tobytes())
    client.send(survey.id, b"x" + ONE)
    after = value(counted), value(refused), value("privet_commits_total")
    assert [b - a for a, b in zip(before, after, strict=True)] == [100, 1, 1]


def test_metrics_say_how_much_waits_to_be_folded(tmp_path):
    def waiting():
        text = client.get("/metrics", admin=True).body.decode()
        assert "# TYPE privet_inbox_bytes gauge" in text
        return int(re.search(r"^privet_inbox_bytes (\d+)$", text, re.MULTILINE)[1])

    with Serving(tmp_path) as server:
        client = server.client()
        client.create(SURVEY)
        assert waiting() == 0
        client.send(SURVEY.id, REPORTS.tobytes())
        assert waiting() == REPORTS.size
        client.ask("POST", f"/surveys/{SURVEY.id}/close", admin=True)
        assert waiting() == 0


def test_nothing_is_logged_of_requests(tmp_path):
    with Serving(tmp_path) as server:
        client = server.client()
        client.create(SURVEY)
        client.send("born", ONE, KEY)
        client.send("born", b"no report", KEY)
        client.send("nobody", ONE, KEY)
        assert server.terminate() == 0
    first, second = server.said.splitlines()
    assert_names(first, server.token_file)
    assert_names(second, server.url)
    with Serving(tmp_path) as again:  # the token is read, and not shown
        assert again.client().get("/surveys", admin=True).status == 200
        assert again.token == server.token
        again.terminate()
    (line,) = again.said.splitlines()[2:]
    assert_names(line, again.url)
    with open_store(tmp_path / "surveys.db", create=False) as store:
        assert store.check("born") is None
        assert store.tally("born").n == 1
