"""The pages for those who run a service say what the service does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arrivals import AGE, answers, arrival
from commands import PRIVET
from postgres import Server as Postgres
from privet.service import bodies, connections, estimating, login, server
from privet.service.metrics import Metrics
from privet.service.routes import ROUTES
from privet.store import open_store
from refusing import assert_names

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "guides" / "operating.md").read_text()


def test_every_metric_is_explained():
    named = set(re.findall(r"^# TYPE (\w+)", Metrics().text(0), re.MULTILINE))
    assert named
    assert set(re.findall(r"^\| `(privet_\w+)`", PAGE, re.MULTILINE)) == named


def test_deadlines_and_bounds_are_those_of_the_code():
    rows = re.findall(r"^\| ([^|]+) \| (\d+) s \|$", PAGE, re.MULTILINE)
    assert [float(seconds) for _, seconds in rows] == [
        connections._HEAD_SECONDS,
        connections.GRACE_SECONDS,
        5,  # uvicorn's default
        connections._READ_SECONDS,
    ]
    for number in (server.BACKLOG, server._MOST_CONNECTIONS):
        assert re.search(rf"\b{number:,}\b", PAGE)
    bounds = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$", PAGE, re.MULTILINE))
    each, small, mib = connections.MAX_UNANSWERED, bodies.MAX_SMALL >> 10, 1 << 20
    room, files = bodies._ROOM // mib, estimating.MAX_FILE_BYTES // mib
    assert bounds["the head of a request"] == f"{connections._MOST_HEAD >> 10} KiB"
    assert bounds["unanswered requests of a connection"] == f"{each}"
    (behind,) = [
        bound for what, bound in bounds.items() if what.startswith("unanswered requests b")
    ]
    assert behind == f"{connections.MAX_QUEUED:,}"
    most = f"{bodies.MOST_BODY // mib} MiB; {login._MOST_FORM >> 10} KiB"
    assert bounds["a body; the form of the login"] == most
    assert bounds[f"all bodies that say they have at most {small} KiB"] == f"{room} MiB"
    assert bounds["all other bodies"] == f"{room} MiB"
    kept = f"{estimating.MAX_DOCUMENT_BYTES // mib} MiB and {files} MiB"
    (cached,) = [bound for what, bound in bounds.items() if what.startswith("estimates")]
    assert cached == kept


@pytest.fixture
def postgres():
    server = Postgres()
    yield server
    server.remove()


def test_a_store_in_postgresql_is_restored_by_the_commands_on_the_page(tmp_path, postgres):
    lines = re.findall(r'^\$ (.*"\$(?:STORE|EMPTY)".*)$', PAGE, re.MULTILINE)
    assert [line.split()[0] for line in lines] == ["pg_dump", "pg_restore", "privet"]
    store, empty = postgres.new_database(), postgres.new_database()
    with open_store(store) as opened:
        opened.create(AGE)
        opened.add([arrival(AGE, answers(AGE, 4))])
    places = f"{postgres._programs}:{Path(PRIVET).parent}:{os.environ['PATH']}"
    environment = os.environ | {"STORE": store, "EMPTY": empty, "PATH": places}
    for line in lines:
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    assert_names(done.stdout.rstrip("\n"), "age", "4 reports")


@pytest.fixture
def reference(monkeypatch):
    """The module that makes the page of requests."""
    monkeypatch.syspath_prepend(DOCS)
    import http_reference

    yield http_reference
    del sys.modules["http_reference"]


def test_the_reference_has_every_request_and_every_reason(reference):
    found = [(method, path) for method, path, _ in reference.operations()]
    assert found == [(row.method, row.path) for row in ROUTES]
    said = {word for words in reference.reasons().values() for word in words}
    assert {"invalid-report", "busy", "full", "host", "not-allowed", "nowhere"} <= said
    for _, _, operation in reference.operations():
        text = "\n".join(reference._describe(operation))
        assert operation["summary"] in text
        assert all(f"{status} " in text for status in operation["responses"])
        assert ("For the administrator." in text) == ("security" in operation)
        assert all(f"``{one['name']}``" in text for one in operation["parameters"])
