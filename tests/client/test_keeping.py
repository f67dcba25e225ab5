"""What a client keeps of an answer: its report in queue and spool, its cost in the ledger."""

import json
import os
import re
import stat

import pytest

from privet import Client, Ledger, Questionnaire, Survey
from privet.errors import BudgetSpent
from sending import DOWN, NUMBERS, SECRET, in_a_process, make_survey, stored


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
    monkeypatch.setattr("privet.device.client.token_hex", lambda size: "0" * 2 * size)
    monkeypatch.setattr(Survey, "report", lambda self, value, page, secret: report)
    for name in ("country 1", "country 2"):
        folder = tmp_path / name
        ledger = Ledger(tmp_path / f"{name}.json", budget=4.0)
        client = Client(DOWN, survey, spool=folder, ledger=ledger)
        client.send(name)
        files = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        traces.append((files, [*client._queue], ledger.path.read_bytes()))
        client.close(0)
    assert traces[0] == traces[1]


def spoil(folder, report):
    """Put a report into a spool, among entries that are not reports; return their names."""
    folder.mkdir()
    names = [digit * 32 for digit in "0123456789"]
    (folder / names[0]).write_bytes(b"")
    (folder / names[1]).write_bytes(b"\xff" * len(report))
    (folder / names[2]).write_bytes(report + b"\0")
    (folder / names[3]).mkdir()
    os.mkfifo(folder / names[4])
    (folder / names[5]).write_bytes(report)
    (folder.parent / "elsewhere").write_bytes(report)
    (folder / names[6]).symlink_to(folder.parent / "elsewhere")
    (folder / names[7]).symlink_to("/dev/zero")
    (folder / names[8]).symlink_to(names[8])
    (folder / names[9]).symlink_to("/nowhere")
    return {*names} - {names[5]}


@pytest.mark.parametrize("pages", [0, 3])
def test_what_is_not_a_report_in_a_spool_is_skipped_and_named(server, tmp_path, pages):
    """It is neither sent nor waited for nor removed; the report among it arrives."""
    parts = [Survey(f"Question {i}?", ["yes", "no"], 1.0, id=f"q{i}") for i in range(pages)]
    contract = make_survey()
    if parts:
        contract = Questionnaire("All of it", parts, 1.0, id=f"all-{next(NUMBERS)}")
    assert server.client().create(contract).status == 201
    answer = {one.id: "yes" for one in parts} or "country 1"
    report = contract.randomize(answer)
    bad = spoil(tmp_path / contract.fingerprint, report)
    contract.write(tmp_path / "survey.json")
    code = """
contract = privet.device.contract.Contract.read(sys.argv[2])
with privet.Client(sys.argv[1], contract, spool=sys.argv[3]) as client:
    assert client.flush(30)
    assert client.sent == 1
"""
    ended = in_a_process(code, server.url, tmp_path / "survey.json", tmp_path)
    assert {path.name for path in (tmp_path / contract.fingerprint).iterdir()} == bad
    assert stored(server, contract) == [report]
    (line,) = ended.stderr.splitlines()
    assert {*re.findall("[0-9a-f]{32}", line.rpartition(": ")[2])} == bad


def test_a_spool_that_cannot_be_written_does_not_stop_reports(server, survey, tmp_path, caplog):
    with Client(server.url, survey, spool=tmp_path) as client:
        (tmp_path / survey.fingerprint).rmdir()
        assert client.send("country 1")
        assert client.flush(30)
    assert len(stored(server, survey)) == 1
    assert "in memory" in caplog.text


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
    assert "ledger" in caplog.text
    assert stored(server, survey) == []


def test_a_device_needs_nothing_else(tmp_path):
    survey = make_survey()
    survey.write(tmp_path / "survey.json")
    code = """
contract = privet.Survey.read(sys.argv[2])
ledger = privet.Ledger(sys.argv[3] + "/ledger.json", budget=4.0)
client = privet.Client(sys.argv[1], contract, spool=sys.argv[3], ledger=ledger)
client.send("country 1")
assert "numpy" not in sys.modules
client.close(0)
"""
    in_a_process(code, DOWN, tmp_path / "survey.json", tmp_path)
    assert os.listdir(tmp_path / survey.fingerprint)  # noqa: PTH208


def test_a_report_in_a_spool_is_on_the_disk_before_send_returns(tmp_path, monkeypatch):
    """The report itself, then its name in the folder, and the names of folders that are new."""
    synced, fsync = [], os.fsync

    def note(file):
        fsync(file)
        found = os.fstat(file)
        kind = found.st_ino if stat.S_ISDIR(found.st_mode) else found.st_size
        synced.append(kind)

    survey, ledger = make_survey(), Ledger(tmp_path / "ledger.json", budget=4.0)
    monkeypatch.setattr(os, "fsync", note)
    client = Client(DOWN, survey, spool=tmp_path / "new" / "spool", ledger=ledger)
    made = [tmp_path / "new" / "spool" / survey.fingerprint, tmp_path / "new" / "spool"]
    made = [path.parent.stat().st_ino for path in made]
    assert synced == [*made, tmp_path.stat().st_ino]
    synced.clear()
    client.send("country 1")
    (path,) = (tmp_path / "new" / "spool" / survey.fingerprint).iterdir()
    spent = [ledger.path.stat().st_size, tmp_path.stat().st_ino]
    assert synced == [*spent, path.stat().st_size, path.parent.stat().st_ino]
    client.close(0)
