"""A person's client against a real service: nothing lost, nothing twice, and never an answer."""

import signal
import time
from threading import Thread

import pytest

from privet import Client, Ledger, Questionnaire, Survey
from privet.errors import (
    InvalidAnswer,
    InvalidArgument,
    InvitationSpent,
    ServiceFailure,
    SurveyMismatch,
)
from refusing import refused
from sending import (
    DOWN,
    NUMBERS,
    SECRET,
    free_port,
    in_a_process,
    make_survey,
    spooled,
    stored,
)
from serving import JSON, Serving

# --- sending --------------------------------------------------------------------------------------


def test_reports_arrive_and_are_counted_once_each(server, survey):
    with Client(server.url, survey) as client:
        assert all(client.send(f"country {i % 60}") for i in range(200))
        assert client.flush(30)
        assert (client.sent, client.dropped, client.refused) == (200, 0, {})
    assert len(stored(server, survey)) == 200


def test_a_keyed_report_is_the_same_each_time(server, survey):
    with Client(server.url, survey, secret=SECRET) as client:
        for _ in range(3):
            client.send("country 7")
    assert stored(server, survey) == [survey.randomize("country 7", secret=SECRET)] * 3


def test_reports_over_a_permanent_response_differ_each_time(server, tmp_path):
    names = [f"country {i}" for i in range(60)]
    survey = Survey("Where?", names, 2.0, mechanism="two-level-unary", id=f"daily-{next(NUMBERS)}")
    assert server.client().create(survey).status == 201
    ledger = Ledger(tmp_path / "ledger.json", budget=2.0)
    with Client(server.url, survey, secret=SECRET, ledger=ledger) as client:
        for _ in range(3):
            client.send("country 7")
    assert len({*stored(server, survey)}) == 3
    assert ledger.left == 0


@pytest.mark.parametrize("secret", [None, SECRET])
def test_a_questionnaire_asks_one_page(server, tmp_path, secret):
    parts = [Survey(f"Question {i}?", ["yes", "no"], 1.0, id=f"q{i}") for i in range(3)]
    asked = Questionnaire("All of it", parts, 1.0, id=f"all-{next(NUMBERS)}")
    assert server.client().create(asked).status == 201
    ledger = Ledger(tmp_path / "ledger.json", budget=4.0)
    with Client(server.url, asked.to_json(), secret=secret, ledger=ledger) as client:
        page = client.draw()
        client.send({page.asks[0]: "yes"}, page=page)
        client.send({one.id: "yes" for one in parts})
        with pytest.raises(InvalidAnswer):
            client.send({page.asks[0]: "perhaps"}, page=page)
    reports = stored(server, asked)
    assert len(reports) == 2
    assert any(report[0] == page.number for report in reports)
    assert ledger.spent == (1.0 if secret else 2.0)


def test_the_contract_is_fetched_and_pinned(server, survey):
    pinned = survey.fingerprint
    with Client(server.url, survey.id, fingerprint=pinned) as client:
        assert client.contract == survey
        client.send("country 1")
    assert len(stored(server, survey)) == 1
    for given in (survey.id, survey, survey.to_json()):
        with refused(SurveyMismatch, pinned):
            Client(server.url, given, fingerprint="0" * 64)
    with refused(InvalidArgument, "fingerprint", parameter="survey", value=survey.id):
        Client(server.url, survey.id)
    with refused(ServiceFailure, "404"):
        Client(server.url, "unheard-of", fingerprint=pinned)
    with refused(ServiceFailure, "reached"):
        Client(DOWN, survey.id, fingerprint=pinned)


def test_an_invited_client_is_counted_once(server):
    survey = Survey("Which?", ["a", "b", "c"], 1.0, id=f"invited-{next(NUMBERS)}")
    admin = server.client()
    body = survey.to_json().encode()
    assert admin.ask("POST", "/surveys?invited=true", body, admin=True, **JSON).status == 201
    path = f"/surveys/{survey.id}/invitations"
    made = admin.ask("POST", path, b'{"count": 1}', admin=True, **JSON).json
    (invitation,) = made["invitations"]
    with Client(server.url, survey, invitation=invitation) as client:
        client.send("a")
        assert client.flush(10)
        with pytest.raises(InvitationSpent):
            client.send("a")
    with Client(server.url, survey, invitation=invitation) as again:
        again.send("a")
        again.flush(10)
        assert again.refused == {"not-invited": 1}
    assert admin.get(f"/surveys/{survey.id}/estimate").json["n"] == 1


@pytest.mark.parametrize(
    "url", ["", "ftp://a.example", "a.example", "http://", "http://a:b", "http://[", 7]
)
def test_an_address_is_checked(url):
    with refused(InvalidArgument, parameter="url", value=url):
        Client(url, make_survey())


def test_only_bad_answers_and_secrets_raise():
    survey = make_survey()
    with refused(InvalidArgument, "16 bytes", parameter="secret"):
        Client(DOWN, survey, secret=b"short")
    with Client(DOWN, survey) as client:
        with pytest.raises(InvalidAnswer):
            client.send("Atlantis")
        with pytest.raises(InvalidArgument) as foreign:
            client.send("country 1", page=make_survey().draw())
        assert foreign.value.parameter == "page"
        assert client.flush(0)


def test_a_survey_is_asked_on_a_page_of_its_own():
    survey = make_survey()
    with Client(DOWN, survey) as client:
        page = client.draw()
        assert page == survey.draw()
        assert [one.id for one in page.questions] == [survey.id]
        assert client.send("country 1", page=page)


# --- what goes wrong on the way -------------------------------------------------------------------


def test_a_server_that_is_killed_loses_nothing_and_counts_nothing_twice(tmp_path):
    survey, port = make_survey(), free_port()
    with Serving(tmp_path, port=port) as server:
        assert server.client().create(survey).status == 201
        client = Client(server.url, survey, spool=tmp_path / "spool", most=5000)

        def kill_in_the_middle():
            while client.sent < 100:
                time.sleep(0.001)
            server.kill()

        killing = Thread(target=kill_in_the_middle)
        killing.start()
        for _ in range(500):
            client.send("country 3")
        killing.join()
    assert not client.flush(0.2)
    assert client.sent < 500
    with Serving(tmp_path, port=port) as server:
        assert client.flush(60)
        assert client.close()
        assert client.sent == len(stored(server, survey)) == 500
        assert spooled(tmp_path / "spool", survey) == []


def test_what_could_not_be_sent_is_sent_by_the_next_client(server, survey, tmp_path, caplog):
    first = Client(DOWN, survey, spool=tmp_path)
    for _ in range(5):
        assert first.send("country 5")
    assert not first.close(0.1)
    assert first.dropped == 0
    assert not first.send("country 5")  # it has ended
    waiting = spooled(tmp_path, survey)
    assert len(waiting) == 5
    with Client(server.url, survey, spool=tmp_path) as second:
        assert second.flush(30)
    assert stored(server, survey) == waiting
    assert spooled(tmp_path, survey) == []
    assert "dropped" in caplog.text


def test_a_client_that_is_killed_loses_nothing(server, survey, tmp_path):
    code = """
client = privet.Client(sys.argv[1], open(sys.argv[2]).read(), spool=sys.argv[3])
for _ in range(30):
    client.send("country 2")
os.kill(os.getpid(), 9)
"""
    survey.write(tmp_path / "survey.json")
    for _ in range(3):
        ended = in_a_process(code, server.url, tmp_path / "survey.json", tmp_path, check=False)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
    with Client(server.url, survey, spool=tmp_path) as client:
        assert client.flush(30)
    assert len(stored(server, survey)) == 90


def test_a_process_sends_what_it_has_before_it_ends(server, survey, tmp_path):
    code = "privet.Client(sys.argv[1], open(sys.argv[2]).read()).send('country 2')"
    survey.write(tmp_path / "survey.json")
    in_a_process(code, server.url, tmp_path / "survey.json")
    assert len(stored(server, survey)) == 1


def test_a_process_that_cannot_send_ends_in_time(tmp_path):
    survey = make_survey()
    survey.write(tmp_path / "survey.json")
    code = "privet.Client(sys.argv[1], open(sys.argv[2]).read()).send('country 2')"
    start = time.monotonic()
    ended = in_a_process(code, DOWN, tmp_path / "survey.json")
    assert time.monotonic() - start < 10
    assert "dropped" in ended.stderr


def test_the_child_of_a_fork_sends_its_own_reports_alone(server, survey, tmp_path):
    code = """
client = privet.Client(sys.argv[1], open(sys.argv[2]).read(), spool=sys.argv[3])
for _ in range(50):
    client.send("country 2")
child = os.fork()
for _ in range(7):
    client.send("country 2")
assert client.flush(30)
assert client.sent == (57 if child else 7), client.sent
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
    survey.write(tmp_path / "survey.json")
    in_a_process(code, server.url, tmp_path / "survey.json", tmp_path / "spool")
    assert len(stored(server, survey)) == 64
    assert spooled(tmp_path / "spool", survey) == []


def test_a_full_queue_drops_and_says_so(caplog):
    client = Client(DOWN, make_survey(), most=3)
    assert [client.send("country 1") for _ in range(5)] == [True] * 3 + [False] * 2
    assert client.dropped == 2
    assert not client.close(0)
    assert client.dropped == 5
    assert len([one for one in caplog.messages if "dropped" in one]) == 1


def test_a_refusal_drops_the_report_and_is_reported(server, tmp_path, caplog):
    unknown = make_survey()
    with Client(server.url, unknown, spool=tmp_path) as client:
        for _ in range(2):
            client.send("country 1")
        assert client.flush(30)
        assert (client.sent, client.refused, client.closed) == (0, {"unknown": 2}, False)
    assert spooled(tmp_path, unknown) == []
    assert len([one for one in caplog.messages if "unknown" in one]) == 1


@pytest.mark.parametrize(("end", "reason"), [("close", "closed"), ("delete", "deleted")])
def test_a_survey_that_has_ended_stops_the_client(server, survey, tmp_path, end, reason):
    path, admin = f"/surveys/{survey.id}", server.client()
    request = ("POST", f"{path}/close") if end == "close" else ("DELETE", path)
    assert admin.ask(*request, admin=True).status in (200, 204)
    ledger = Ledger(tmp_path / "ledger.json", budget=2.0)
    with Client(server.url, survey, ledger=ledger) as client:
        assert client.send("country 1")
        assert client.flush(30)
        assert client.closed
        assert client.refused == {reason: 1}
        assert not client.send("country 1")  # and costs nothing: there would be no budget for it
        assert ledger.left == 0.0
        assert client.dropped == 1
