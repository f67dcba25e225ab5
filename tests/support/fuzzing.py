"""Requests of every kind against a real server, made by schemathesis from its own description.

    python tests/support/fuzzing.py 500        # so many for each operation

Surveys in every state are there, so that requests meet more than "unknown". All of schemathesis's
checks are on. It loads this file, too, for its hooks.
"""

import os
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

import schemathesis

from privet import Questionnaire, Scale, Several, Survey
from serving import JSON, Serving

WHICH = Survey("Which?", ["a", "b", "c"], 1.0, id="which")
HOW = Survey("How much?", Scale(0, 10), 1.0, id="how")
SEVERAL = Survey("Which ones?", Several(["a", "b", "c"], most=2), 1.0, id="several")
BOTH = Questionnaire("Both", [WHICH, HOW], 1.0, id="both", tables=[("which", "how")])
ANSWERS = {"which": "a", "how": 3.0, "several": ["a"], "both": {"which": "a", "how": 3.0}}
CLOSED = Survey("Which?", ["a", "b", "c"], 1.0, id="closed")
INVITED = Survey("Which?", ["a", "b", "c"], 1.0, id="invited")
DELETED = Survey("Which?", ["a", "b", "c"], 1.0, id="deleted")
OPEN = (WHICH, HOW, SEVERAL, BOTH)
DOOMED = [f"doomed-{i}" for i in range(20)]
KNOWN = [*(one.id for one in OPEN), "closed", "invited", "deleted"]
_NUMBERS = count()

CONFIG = """
headers = { Sec-Fetch-Site = "same-origin" }

[auth.openapi.token]
bearer = "${TOKEN}"

# Whatever is asked, the survey may be unknown or deleted.
[checks]
positive_data_acceptance.expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 410]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 409, 410, 413, 415, 422]

# What a contract, a report, a setting, a form or a file must be is more than a schema can say.
[[operations]]
include-method = ["POST", "PATCH"]
checks.positive_data_acceptance.expected-statuses = [
  "2xx", "3xx", 400, 401, 403, 404, 409, 410, 413, 415, 422
]
"""


@schemathesis.serializer("application/vnd.apache.parquet")
def _as_it_is(context, value):
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def map_path_parameters(context, parameters):
    """Ask of surveys that are there, nearly always; end only those that are made for it."""
    if not parameters or "id" not in parameters:
        return parameters
    number, path, method = next(_NUMBERS), context.operation.path, context.operation.method
    if number % 10 == 0:
        return parameters
    ends = method.upper() == "DELETE" or path.endswith("/close")
    some = DOOMED if ends else KNOWN
    return {**parameters, "id": some[number % len(some)]}


@schemathesis.hook
def map_body(context, body):
    """Send whole reports and contracts, now and then."""
    number, path = next(_NUMBERS), context.operation.path
    if number % 3:
        return body
    one = OPEN[number % len(OPEN)]
    if path == "/surveys" and isinstance(body, dict):
        return one.fields()
    if path.endswith("/reports") and isinstance(body, bytes):
        return one.randomize(ANSWERS[one.id])
    return body


def seed(server):
    """Make surveys in every state."""
    client = server.client()
    doomed = [Survey("Which?", ["a", "b"], 1.0, id=id) for id in DOOMED]
    for one in (*OPEN, CLOSED, DELETED, *doomed):
        assert client.create(one).status == 201
    for one in OPEN:
        assert client.send(one.id, one.randomize(ANSWERS[one.id])).status == 200
    body = INVITED.to_json().encode()
    client.ask("POST", "/surveys?invited=true&public_from=5", body, admin=True, **JSON)
    client.ask("POST", "/surveys/closed/close", admin=True)
    client.ask("DELETE", "/surveys/deleted", admin=True)


def fuzz(folder, examples, *options):
    """Run schemathesis; return its exit code and what it said."""
    config = Path(folder, "schemathesis.toml")
    config.write_text(CONFIG)
    with Serving(folder) as server:
        seed(server)
        command = [
            "st", "--config-file", str(config), "run", f"{server.url}/openapi.json",
            "--checks", "all", "--max-examples", str(examples), "--no-color",
        ]  # fmt: skip
        found = {"PYTHONPATH": str(Path(__file__).parent), "SCHEMATHESIS_HOOKS": "fuzzing"}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {**os.environ, **found, "TOKEN": server.token, "PATH": path}
        done = subprocess.run(
            [*command, *options], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert server.terminate() == 0
    return done.returncode, done.stdout + done.stderr, server.said


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        code, output, said = fuzz(place, int(sys.argv[1]), *sys.argv[2:])
    print(output, said)
    sys.exit(code)
