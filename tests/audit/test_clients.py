"""Clients of all kinds give one report for each answer, and what is wrong with them is said."""

import json
import os
import sys
import textwrap
from collections import Counter
from errno import ENOENT

import numpy as np
import pytest

from asked import DRINK, PARTY, SURVEYS
from browser import ROOT, STATIC, Site, need
from privet import Survey
from privet.audit import Callable, Command, InProcess, Page
from privet.errors import ClientFailure, InvalidArgument, MissingExtra
from refusing import refused
from serving import Serving

ANSWERS = {
    "drink": "tea",
    "age": 33.5,
    "cakes": ["a", "d"],
    "town": "town 77",
    "party": {"drink": "tea", "age": 33.5, "cakes": ["a", "d"]},
}
EVERY = pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.id)


def check_reports(survey, reports, n):
    """All are reports of the survey."""
    tally = survey.tally()
    tally.update(np.array([list(one) for one in reports], dtype=np.uint8))
    assert tally.n == n


@EVERY
@pytest.mark.parametrize("kind", ["in process", "callable"])
def test_reports_of_python(survey, kind):
    client = InProcess(survey) if kind == "in process" else Callable(survey.randomize, survey)
    answer = ANSWERS[survey.id]
    found = client.reports([answer] * 200)
    check_reports(survey, found, 200)
    assert len({bytes(one) for one in found}) > 1
    again = client.repeats(answer, 20)
    check_reports(survey, again, 20)
    assert len(set(again)) == 1
    assert len({client.repeats(answer, 1)[0] for _ in range(50)}) > 1  # a secret for each person


def test_reports_come_in_the_order_of_answers():
    certain = Survey("?", ["a", "b", "c"], 30.0)
    found = InProcess(certain).reports(["a", "b", "c", "a"])
    assert [list(certain.mechanism.members(bytes(one))) for one in found] == [[0], [1], [2], [0]]


def test_a_function_that_takes_no_secret_promises_nothing_of_repeats():
    assert Callable(lambda answer: b"1", DRINK).repeats("tea", 5) == []


def test_a_function_must_return_bytes():
    with refused(InvalidArgument, parameter="function", value="tea"):
        Callable(lambda answer: answer, DRINK).reports(["tea"])


# --- commands -----------------------------------------------------------------------------------

EXAMPLES = ROOT / "examples"


def command(script, *more, survey=DRINK, **options):
    return Command([sys.executable, "-c", textwrap.dedent(script), *more], survey, **options)


@EVERY
@pytest.mark.parametrize("language", ["python", "javascript"])
def test_reports_of_the_examples(survey, language, tmp_path):
    path = str(tmp_path / "survey.json")
    survey.write(path)
    argv = [sys.executable, str(EXAMPLES / "audited_client.py"), "client", path]
    if language == "javascript":
        script = str(EXAMPLES / "audited_client.mjs")
        argv = [need("node", "nodejs"), script, (STATIC / "privet.js").as_uri(), path]
    client = Command(argv, survey)
    answer = ANSWERS[survey.id]
    found = client.reports([answer] * 100)
    check_reports(survey, found, 100)
    assert len(set(found)) > 1
    again = client.repeats(answer, 5)
    check_reports(survey, again, 5)
    assert len(set(again)) == 1


def test_a_command_reads_json_and_is_started_once():
    echo = "import sys; [print(line.strip().encode().hex()) for line in sys.stdin]"
    answers = ["café", ["a", "b"], 1.5, {"drink": "tea"}, []]
    found = command(echo, survey=PARTY).reports(answers)
    assert [json.loads(one) for one in found] == answers
    process = "import os, sys; [print('%08x' % os.getpid()) for line in sys.stdin]"
    assert len(set(command(process).reports(["tea"] * 5))) == 1
    assert Counter(Counter(command(process).repeats("tea", 5)).values()) == {2: 1, 3: 1}


def test_reports_that_are_none_are_for_the_audit_to_judge():
    assert command("print(); print('abcdef')").reports(["tea", "tea"]) == [b"", b"\xab\xcd\xef"]


def test_the_environment_has_a_secret_for_repeats_alone(monkeypatch):
    monkeypatch.setenv("PRIVET_SECRET", "ab" * 16)
    said = "import os; print(os.environ.get('PRIVET_SECRET', ''))"
    assert command(said).reports(["tea"]) == [b""]
    (secret,) = command(said).repeats("tea", 1)
    assert len(secret) == 32


@pytest.mark.parametrize(
    ("script", "names"),
    [
        ("print('zz')", ["line 1", "'zz'"]),
        ("print('00'); print('0')", ["line 2", "'0'"]),
        ("print('AB'); print('00')", ["line 1", "'AB'"]),
        ("print('00')", ["2 answers", "1"]),
        ("print('00\\n' * 3, end='')", ["2 answers", "3"]),
        ("import sys; sys.exit('out of tea')", ["code 1", "out of tea"]),
        ("import sys; sys.exit(7)", ["code 7", "nothing"]),
        ("import time; time.sleep(60)", ["1 seconds"]),
    ],
)
def test_a_command_that_breaks_the_rules(script, names):
    client = command(script, seconds=1.0)
    with refused(ClientFailure, *names):
        client.reports(["tea", "coffee"])


def test_there_is_no_such_command(tmp_path):
    with refused(ClientFailure, "missing", os.strerror(ENOENT)):
        Command([str(tmp_path / "missing")], DRINK).reports(["tea"])


# --- pages --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    need("chromium", "chromium")
    with Serving(tmp_path_factory.mktemp("service")) as found:
        for contract in SURVEYS:
            found.client().create(contract)
        yield found


@EVERY
def test_reports_of_a_respondents_page(service, survey):
    client = Page(f"{service.url}/surveys/{survey.id}/answer", survey, seconds=10)
    answer = ANSWERS[survey.id]
    check_reports(survey, client.reports([answer] * 2), 2)
    if survey is DRINK:
        check_reports(survey, client.repeats(answer, 2), 1)  # which sends nothing more
    counted = service.client().ask("GET", f"/surveys/{survey.id}/reports", admin=True)
    assert counted.body == b""  # nothing has reached the service


def test_reports_of_any_page_that_asks(service):
    site = Site(service)
    try:
        found = Page(site.page("drink"), DRINK, seconds=10).reports(["tea", "coffee"])
        check_reports(DRINK, found, 2)
        assert site.posts == []
    finally:
        site.end()


def test_a_page_that_does_not_ask(service):
    with refused(ClientFailure, "/login", "Timeout"):
        Page(f"{service.url}/login", DRINK, seconds=0.5).reports(["tea"])


def test_a_page_without_playwright(monkeypatch):
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with refused(MissingExtra, "playwright", "'privet[browser]'"):
        Page("http://127.0.0.1/", DRINK).reports(["tea"])
