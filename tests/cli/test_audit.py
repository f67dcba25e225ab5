"""privet audit: a verdict on any client of a survey, and an exit code."""

import json
import shlex
import sys
from pathlib import Path

from commands import BAD_DATA, SURVEY, SYSTEM, USAGE, fails, run, succeeds
from privet import cli
from refusing import assert_names

SURE = "--confidence", "0.9999999"
# A client that is a program: a report for each line, by this package, drawn anew if told so.
CLIENT = """
import json, os, sys
from privet import Survey
survey = Survey.read("survey.json")
secret = bytes.fromhex(os.environ.get("PRIVET_SECRET", "")) or None
for line in sys.stdin:
    answer = json.loads(line)
    report = survey.randomize(answer, secret=None if "redraw" in sys.argv else secret)
    print(report.hex())
"""


def client(*flags):
    Path("client.py").write_text(CLIENT)
    return shlex.join([sys.executable, "client.py", *flags])


def test_this_package_passes(folder):
    text = succeeds("audit", "survey.json", "--trials", 2000, *SURE)
    for name in ("ε = 2", "4 answers", "2,000 reports"):
        assert name in text


def test_json_has_every_figure(folder):
    found = json.loads(succeeds("audit", "survey.json", "--trials", 2000, *SURE, "--json"))
    assert found["passed"] is True
    assert found["epsilon"] == SURVEY.epsilon
    assert 1 < found["lower_bound"] < 2
    assert {one["name"] for one in found["verdicts"]} == {"epsilon", "law", "repeats", "leaks"}
    assert all(one["passed"] for one in found["verdicts"])


def test_a_command_is_audited_through_its_lines(folder):
    words = "audit", "survey.json", "--command", client(), "--trials", 500, *SURE
    found = json.loads(succeeds(*words, "--json"))
    (repeats,) = [one for one in found["verdicts"] if one["name"] == "repeats"]
    assert repeats["passed"] is True


def test_a_failed_audit_has_an_exit_code_of_its_own(folder):
    words = "audit", "survey.json", "--command", client("redraw"), "--trials", 500, *SURE
    result = run(*words)
    assert result.exit_code == cli.FAILED == 5
    assert result.stderr == ""
    document = run(*words, "--json")
    assert document.exit_code == cli.FAILED
    found = json.loads(document.stdout)
    assert found["passed"] is False
    assert "repeats" in [one["name"] for one in found["verdicts"] if not one["passed"]]


def test_timing_is_reported_in_nanoseconds(folder):
    done = run("audit", "survey.json", "--trials", 500, *SURE, "--timing", "python", "--json")
    (timing,) = [one for one in json.loads(done.stdout)["verdicts"] if one["name"] == "timing"]
    assert {"nanoseconds", "auc", "threshold"} <= set(timing["python"])


def test_wrong_usage_and_clients_that_cannot_run(folder):
    names = "SURVEY", "--command", "--page", "--peers"
    assert_names(fails(USAGE, "audit"), *names)
    assert_names(fails(USAGE, "audit", "survey.json", "--peers", "a:b"), *names)
    assert_names(fails(USAGE, "audit", "survey.json", "--command", "a", "--page", "b"), *names)
    assert_names(fails(USAGE, "audit", "survey.json", "--command", "'"), "quotation")
    assert_names(fails(USAGE, "audit", "survey.json", "--command", " "), "name of a program")
    line = fails(USAGE, "audit", "survey.json", "--command", "a", "--timing", "python")
    assert_names(line, "--timing")
    line = fails(SYSTEM, "audit", "survey.json", "--command", "no-such-program", "--trials", 100)
    assert line.startswith("no-such-program ")
    Path("bad.json").write_text("{}")
    assert_names(fails(BAD_DATA, "audit", "bad.json"), "bad.json")
