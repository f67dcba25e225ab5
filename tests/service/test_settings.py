"""What an administrator decides of a survey: checked, kept, obeyed."""

from itertools import count

import pytest

from privet import Survey
from privet.service.problems import Problem
from privet.service.settings import Settings, in_query
from privet.store import open_store
from refusing import assert_names
from serving import JSON, Serving

NUMBERS = count()
HERE = "https://example.org"


def made(client, query=""):
    """A survey of its own for each test."""
    survey = Survey("Which?", ["a", "b", "c"], 1.0, id=f"s-{next(NUMBERS)}")
    path = f"/surveys?{query}" if query else "/surveys"
    assert client.ask("POST", path, survey.to_json().encode(), admin=True, **JSON).status == 201
    return survey


def settings(client, survey):
    (found,) = [
        one for one in client.get("/surveys", admin=True).json["surveys"] if one["id"] == survey.id
    ]
    return found["settings"]


def change(client, survey, body):
    return client.ask("PATCH", f"/surveys/{survey.id}", body, admin=True, **JSON)


def test_settings_in_an_address_are_words():
    query = [("invited", "true"), ("public_from", "null"), ("origins", HERE), ("origins", "*")]
    found = Settings().changed(in_query(query), words=True)
    assert found == Settings(invited=True, public_from=None, origins=[HERE, "*"])
    assert found.allows("https://other.example")
    assert Settings(origins=[HERE]).allows(HERE)
    assert not Settings(origins=[HERE]).allows("https://other.example")
    assert Settings().changed(found.kept()) == found


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"invite": True}, "`invite`"),
        ({"invited": "yes, please"}, "`$.invited`"),
        ({"invited": 1}, "`$.invited`"),
        ({"public_from": -1}, "`$.public_from`"),
        ({"public_from": 1.5}, "`$.public_from`"),
        ({"origins": HERE}, "`$.origins`"),
        ({"origins": [HERE + "/page"]}, r"`$.origins[0]`"),
        ({"origins": ["HTTPS://example.org"]}, r"`$.origins[0]`"),
        ({"origins": [HERE] * 101}, "`$.origins`"),
    ],
)
def test_what_settings_cannot_be(given, message):
    with pytest.raises(Problem) as caught:
        Settings().changed(given)
    assert (caught.value.status, caught.value.reason) == (400, "invalid-settings")
    assert message in str(caught.value)


def test_settings_are_made_with_the_survey_and_can_be_changed(client):
    survey = made(client, "public_from=10&origins=https://a.example&origins=https://b.example")
    origins = ["https://a.example", "https://b.example"]
    first = {"counts_only": False, "invited": False, "public_from": 10, "origins": origins}
    assert settings(client, survey) == first
    answer = change(client, survey, b'{"public_from": null}')
    assert answer.status == 200
    assert answer.json["settings"] == settings(client, survey) == {**first, "public_from": None}


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (b'{"counts_only": true}', 409, "settled"),
        (b'{"invited": "true"}', 400, "invalid-settings"),
        (b'{"other": 1}', 400, "invalid-settings"),
        (b"[]", 400, "invalid-body"),
        (b'{"invited":', 400, "invalid-body"),
        (b"\xff", 400, "invalid-body"),
    ],
)
def test_a_change_that_cannot_be_changes_nothing(client, body, status, reason):
    survey = made(client)
    before = settings(client, survey)
    answer = change(client, survey, body)
    assert (answer.status, answer.json["reason"]) == (status, reason)
    assert settings(client, survey) == before


def test_a_survey_with_settings_that_cannot_be_is_not_made(client):
    survey = Survey("Which?", ["a", "b"], 1.0, id="never")
    path = "/surveys?invited=perhaps"
    answer = client.ask("POST", path, survey.to_json().encode(), admin=True, **JSON)
    assert (answer.status, answer.json["reason"]) == (400, "invalid-settings")
    assert client.get("/surveys/never").status == 404


def test_settings_of_others_in_a_store_are_left_alone(tmp_path):
    survey = Survey("Which?", ["a", "b", "c"], 1.0, id="which")
    with open_store(tmp_path / "surveys.db") as store:
        store.create(survey, {"title": "Mine", "public_from": 3})
    with Serving(tmp_path) as server:
        client = server.client()
        assert settings(client, survey)["public_from"] == 3
        assert change(client, survey, b'{"invited": true}').status == 200
        server.terminate()
    with open_store(tmp_path / "surveys.db", create=False) as store:
        kept = store.get("which").settings
    assert (kept["title"], kept["public_from"], kept["invited"]) == ("Mine", 3, True)


# --- who may send, who may look -------------------------------------------------------------------


def test_an_invitation_counts_one_report_and_is_shown_once(server, client):
    survey = made(client, "invited=true")
    path = f"/surveys/{survey.id}/invitations"
    answer = client.ask("POST", path, b'{"count": 2}', admin=True, **JSON)
    assert answer.status == 201
    one, two = answer.json["invitations"]
    files = server.token_file.parent.glob("surveys.db*")
    assert not any(one.encode() in file.read_bytes() for file in files)
    report = survey.randomize("a")

    def send(key, invitation, body=report):
        return client.send(survey.id, body, key, Invitation=invitation)

    assert send("A" * 22, one).json["outcome"] == "counted"
    assert send("A" * 22, one).json["outcome"] == "already"
    for refused, status, reason in (
        (send("B" * 22, one), 403, "not-invited"),
        (send("B" * 22, "C" * 22), 403, "not-invited"),
        (client.send(survey.id, report, "B" * 22), 403, "not-invited"),
        (client.send(survey.id, report), 403, "not-invited"),
        (send("B" * 22, two, report * 2), 400, "invalid-invitation"),
        (client.send(survey.id, report, Invitation=two), 400, "invalid-invitation"),
        (send("B" * 22, "short"), 400, "invalid-key"),
    ):
        assert (refused.status, refused.json["reason"]) == (status, reason)
    by_address = f"/surveys/{survey.id}/reports?key={'B' * 22}&invitation={two}"
    sent = client.ask("POST", by_address, report, Content_Type="application/octet-stream")
    assert sent.json["outcome"] == "counted"
    assert client.get(f"/surveys/{survey.id}/estimate").json["n"] == 2


@pytest.mark.parametrize("body", [b'{"count": 0}', b'{"count": 10001}', b"{}", b'{"count": "1"}'])
def test_how_many_invitations_there_cannot_be(client, body):
    survey = made(client)
    answer = client.ask("POST", f"/surveys/{survey.id}/invitations", body, admin=True, **JSON)
    assert (answer.status, answer.json["reason"]) == (400, "invalid-body")


def test_results_are_public_from_so_many_reports_on(client):
    survey = made(client, "public_from=2")
    path = f"/surveys/{survey.id}/estimate"
    client.send(survey.id, survey.randomize("a"))
    few = client.get(path)
    assert (few.status, few.json["reason"]) == (403, "private")
    assert_names(few.json["detail"], "2 reports")
    assert client.get(path, admin=True).json["n"] == 1
    client.send(survey.id, survey.randomize("a"))
    assert client.get(path).json["n"] == 2
    change(client, survey, b'{"public_from": null}')
    never = client.get(path)
    assert (never.status, never.json["reason"]) == (403, "private")
    assert client.get(path, admin=True).status == 200


# --- pages of other origins -----------------------------------------------------------------------


def allowed(answer):
    return answer.headers.get("access-control-allow-origin")


def test_pages_of_the_origins_that_are_named_may_ask(client):
    survey = made(client, f"origins={HERE}")
    client.send(survey.id, survey.randomize("a"))
    for path in (f"/surveys/{survey.id}", f"/surveys/{survey.id}/estimate"):
        answer = client.get(path, Origin=HERE)
        assert allowed(answer) == HERE
        assert answer.headers["vary"] == "Origin"
        assert "ETag" in answer.headers["access-control-expose-headers"]
        other = client.get(path, Origin="https://other.example")
        assert (other.status, allowed(other), other.headers["vary"]) == (200, None, "Origin")
        assert "vary" not in client.get(path).headers
    sent = client.send(survey.id, survey.randomize("a"), Origin=HERE)
    assert (sent.status, allowed(sent)) == (200, HERE)
    refused = client.send(survey.id, b"no", Origin=HERE)
    assert (refused.status, allowed(refused)) == (400, HERE)  # so that the page learns why


def test_browsers_ask_first_and_are_told(client):
    survey = made(client, f"origins={HERE}")
    path = f"/surveys/{survey.id}/reports"
    answer = client.ask("OPTIONS", path, Origin=HERE, Access_Control_Request_Method="POST")
    assert (answer.status, allowed(answer)) == (204, HERE)
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert "Idempotency-Key" in answer.headers["access-control-allow-headers"]
    nobody = client.ask("OPTIONS", "/surveys/none/reports", Origin=HERE)
    assert (nobody.status, allowed(nobody)) == (204, None)


def test_any_origin_may_be_allowed_and_what_is_the_administrators_never_is(client):
    survey = made(client, "origins=*")
    assert allowed(client.get(f"/surveys/{survey.id}", Origin=HERE)) == "*"
    assert allowed(client.get(f"/surveys/{survey.id}/tally", Origin=HERE, admin=True)) is None
    change(client, survey, b'{"origins": []}')
    assert allowed(client.get(f"/surveys/{survey.id}", Origin=HERE)) is None
