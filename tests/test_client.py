"""A person's client against a real service: nothing lost, nothing twice, and never an answer."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, pairwise
from pathlib import Path
from threading import Thread

import pytest

from privet import Client, Ledger, Questionnaire, Survey
from privet.errors import (
    BudgetSpent,
    InvalidAnswer,
    InvalidArgument,
    ServiceFailure,
    SurveyMismatch,
)
from serving import Serving

SECRET = b"a secret of sixteen bytes or more"
NUMBERS = count()
DOWN = "http://127.0.0.1:9"  # where nothing listens


def make_survey():
    """A survey of its own for each test; a report says 60 bits, so that no two are alike."""
    names = [f"country {i}" for i in range(60)]
    id = f"born-{next(NUMBERS)}"
    return Survey("Where were you born?", names, 2.0, mechanism="k-subset", id=id)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service")) as server:
        yield server


@pytest.fixture
def survey(server):
    survey = make_survey()
    assert server.client().create(survey).status == 201
    return survey


def stored(server, survey):
    """All reports that the server has, sorted."""
    body = server.client().get(f"/surveys/{survey.id}/reports", admin=True).body
    size = survey.mechanism.report_bytes
    return sorted(body[at : at + size] for at in range(0, len(body), size))


def spooled(folder, survey):
    """All reports in a spool, sorted."""
    return sorted(path.read_bytes() for path in (Path(folder) / survey.fingerprint).iterdir())


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def in_a_process(code, *arguments, check=True):
    """Run code that has a client, in a process of its own."""
    command = [sys.executable, "-c", "import os, sys, time, privet\n" + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=check, timeout=60)


@contextmanager
def scripted(*replies, otherwise=(200, {}, b'{"outcome":"accepted","reports":1}')):
    """Serve these replies in turn, and then another for ever; yield the address and what came."""
    left, came = list(replies), []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            came.append((time.monotonic(), self.headers["Idempotency-Key"], body))
            status, headers, text = left.pop(0) if left else otherwise
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = Thread(target=httpd.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{httpd.server_address[1]}", came
        finally:
            httpd.shutdown()
            thread.join()


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
        with pytest.raises(SurveyMismatch, match=pinned):
            Client(server.url, given, fingerprint="0" * 64)
    with pytest.raises(InvalidArgument, match="an id with a fingerprint"):
        Client(server.url, survey.id)
    with pytest.raises(ServiceFailure, match="status 404"):
        Client(server.url, "unheard-of", fingerprint=pinned)
    with pytest.raises(ServiceFailure, match="cannot be reached"):
        Client(DOWN, survey.id, fingerprint=pinned)


@pytest.mark.parametrize(
    "url", ["", "ftp://a.example", "a.example", "http://", "http://a:b", "http://[", 7]
)
def test_an_address_is_checked(url):
    with pytest.raises(InvalidArgument, match="'url' parameter of Client"):
        Client(url, make_survey())


def test_only_bad_answers_and_secrets_raise():
    survey = make_survey()
    with pytest.raises(InvalidArgument, match="at least 16 bytes"):
        Client(DOWN, survey, secret=b"short")
    with Client(DOWN, survey) as client:
        with pytest.raises(InvalidAnswer):
            client.send("Atlantis")
        with pytest.raises(InvalidArgument, match="a Questionnaire, to have pages"):
            client.draw()
        assert client.flush(0)


# --- what goes wrong on the way -------------------------------------------------------------------


def test_a_server_that_is_killed_loses_nothing_and_counts_nothing_twice(tmp_path):
    survey, port = make_survey(), free_port()
    with Serving(tmp_path, port=port) as server:
        assert server.client().create(survey).status == 201
        client = Client(server.url, survey, spool=tmp_path / "spool", most=5000)
        for _ in range(1000):
            client.send("country 3")
        while client.sent < 100:
            time.sleep(0.001)
        server.kill()
    sent = client.sent
    assert not client.flush(0.2)
    assert sent < 1000
    with Serving(tmp_path, port=port) as server:
        assert client.flush(60)
        assert client.close()
        assert client.sent == len(stored(server, survey)) == 1000
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
    assert "Reports are dropped" in caplog.text


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
    assert "Reports are dropped" in ended.stderr


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
    assert caplog.text.count("Reports are dropped") == 1


def test_a_refusal_drops_the_report_and_is_reported(server, tmp_path, caplog):
    unknown = make_survey()
    with Client(server.url, unknown, spool=tmp_path) as client:
        for _ in range(2):
            client.send("country 1")
        assert client.flush(30)
        assert (client.sent, client.refused, client.closed) == (0, {"unknown": 2}, False)
    assert spooled(tmp_path, unknown) == []
    assert caplog.text.count("The service refuses reports: unknown.") == 1


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


# --- replies --------------------------------------------------------------------------------------

LOGIN = (200, {"Content-Type": "text/html"}, b"<html>Welcome to our hotel")


@pytest.mark.parametrize(
    "reply",
    [LOGIN, (302, {"Location": "/login"}, b""), (500, {}, b"[]"), (408, {}, b""), (429, {}, b"")],
    ids=lambda reply: str(reply[0]),
)
def test_whatever_is_neither_taken_nor_refused_is_sent_again_alike(reply):
    with scripted(reply, reply) as (url, came), Client(url, make_survey()) as client:
        client.send("country 1")
        assert client.flush(30)
        assert client.sent == 1
        assert len(came) == 3
        assert len({(key, body) for _, key, body in came}) == 1


def test_waits_grow_and_are_at_least_as_long_as_the_service_says():
    busy = (503, {"Retry-After": "1"}, b"{}")
    replies = [busy, (500, {}, b""), (500, {}, b"")]
    with scripted(*replies) as (url, came), Client(url, make_survey()) as client:
        client.send("country 1")
        while not client.sent:  # as `flush` would try at once
            time.sleep(0.01)
        times = [at for at, _, _ in came]
        told, second, third = (b - a for a, b in pairwise(times))
        assert told >= 1.25  # a second, and at least half of the first wait
        assert second >= 0.5
        assert third >= 1.0


def test_flush_tries_at_once_but_not_before_the_service_allows():
    busy, down = (503, {"Retry-After": "3"}, b"{}"), (503, {}, b"{}")
    for reply, at_once in ((down, True), (busy, False)):
        with scripted(reply) as (url, came):
            client = Client(url, make_survey())
            client._failures = 9  # the next wait is minutes
            client.send("country 1")
            while not client._due:
                time.sleep(0.001)
            assert client.flush(1.0) is at_once
            assert len(came) == 1 + at_once
            client.close(0)


# --- what is kept ---------------------------------------------------------------------------------


def test_queue_and_spool_hold_reports_alone(tmp_path):
    survey = make_survey()
    client = Client(DOWN, survey, spool=tmp_path, secret=SECRET)
    client.send("country 1")
    report = survey.randomize("country 1", secret=SECRET)
    (path,) = (tmp_path / survey.fingerprint).iterdir()
    assert path.read_bytes() == report
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [*client._queue] == [(path.name, report)]
    client.close(0)


def test_answers_that_give_the_same_report_leave_the_same_traces(tmp_path, monkeypatch):
    """All that a client keeps is a function of the report: nothing of the answer goes past it."""
    survey, traces = make_survey(), []
    report = survey.randomize("country 1")
    monkeypatch.setattr("privet.client.token_hex", lambda size: "0" * 2 * size)
    monkeypatch.setattr(Survey, "randomize", lambda self, answer, secret: report)
    for name in ("country 1", "country 2"):
        folder = tmp_path / name
        ledger = Ledger(tmp_path / f"{name}.json", budget=4.0)
        client = Client(DOWN, survey, spool=folder, ledger=ledger)
        client.send(name)
        files = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        traces.append((files, [*client._queue], ledger.path.read_bytes()))
        client.close(0)
    assert traces[0] == traces[1]


def test_a_damaged_file_of_a_spool_is_not_sent(server, survey, tmp_path):
    folder = tmp_path / survey.fingerprint
    folder.mkdir()
    (folder / ("0" * 32)).write_bytes(b"")
    (folder / ("1" * 32)).write_bytes(b"\xff" * survey.mechanism.report_bytes)
    (folder / ".half-written").write_bytes(b"\0")
    with Client(server.url, survey, spool=tmp_path) as client:
        assert client.flush(0)
    assert [path.name for path in folder.iterdir()] == [".half-written"]


def test_a_spool_that_cannot_be_written_does_not_stop_reports(server, survey, tmp_path, caplog):
    with Client(server.url, survey, spool=tmp_path) as client:
        (tmp_path / survey.fingerprint).rmdir()
        assert client.send("country 1")
        assert client.flush(30)
    assert len(stored(server, survey)) == 1
    assert "kept in memory alone" in caplog.text


def test_the_budget_is_charged_before_a_report_is_queued(server, survey, tmp_path):
    ledger = Ledger(tmp_path / "ledger.json", budget=4.0)
    with Client(server.url, survey, ledger=ledger) as client:
        client.send("country 1")
        client.send("country 1")
        with pytest.raises(BudgetSpent):
            client.send("country 1")
        assert client.flush(30)
        assert client.sent == 2
    assert ledger.left == 0.0


def test_a_keyed_answer_is_charged_once_and_the_ledger_does_not_tell_it(tmp_path):
    survey, ledger = make_survey(), Ledger(tmp_path / "ledger.json", budget=4.0)
    client = Client(DOWN, survey, secret=SECRET, ledger=ledger)
    for name in ("country 1", "country 1", "country 2", "country 1"):
        assert client.send(name)
    assert ledger.left == 0.0
    with pytest.raises(BudgetSpent):
        client.send("country 3")
    client.close(0)
    marks = json.loads(ledger.path.read_text())["surveys"][survey.fingerprint]["keyed"]
    assert len(set(marks)) == 2
    # Another secret, another mark: nobody can look answers up without the secret.
    other = Ledger(tmp_path / "other.json", budget=4.0)
    client = Client(DOWN, survey, secret=SECRET[::-1], ledger=other)
    client.send("country 1")
    client.close(0)
    assert not {*json.loads(other.path.read_text())["surveys"][survey.fingerprint]["keyed"]} & {
        *marks
    }


def test_a_ledger_that_cannot_be_written_lets_nothing_out(server, survey, tmp_path, caplog):
    folder = tmp_path / "gone"
    folder.mkdir()
    ledger = Ledger(folder / "ledger.json", budget=4.0)
    folder.rmdir()
    with Client(server.url, survey, ledger=ledger) as client:
        assert not client.send("country 1")
        assert client.flush(0)
        assert (client.sent, client.dropped) == (0, 1)
    assert "The ledger cannot be used" in caplog.text
    assert stored(server, survey) == []


def test_a_device_needs_nothing_else(tmp_path):
    survey = make_survey()
    survey.write(tmp_path / "survey.json")
    code = """
contract = privet.Survey.read(sys.argv[2])
ledger = privet.Ledger(sys.argv[3] + "/ledger.json", budget=4.0)
client = privet.Client(sys.argv[1], contract, spool=sys.argv[3], ledger=ledger)
client.send("country 1")
slow = {"typing", "dataclasses", "inspect", "numpy", "importlib.metadata"}
assert not slow & set(sys.modules), slow & set(sys.modules)
client.close(0)
"""
    in_a_process(code, DOWN, tmp_path / "survey.json", tmp_path)
    assert os.listdir(tmp_path / survey.fingerprint)  # noqa: PTH208
