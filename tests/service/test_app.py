"""Faults of the service are answered, and logged without anything of a request."""

import asyncio
import json

from privet.service import make_app
from privet.store import Store
from privet.store.sqlite import Sqlite


class Faulty(Store):
    def token(self):
        raise RuntimeError("secret")


def ask(app, path):
    """Ask an application without a server; return the status and the body."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b""}
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


def test_a_fault_says_where_it_is_and_nothing_of_the_request(tmp_path, caplog):
    with Faulty(Sqlite(tmp_path / "s.db")) as store:
        status, body = ask(make_app(store), "/readyz")
    assert (status, json.loads(body)["reason"]) == (500, "fault")
    (record,) = caplog.records
    assert record.getMessage().startswith("RuntimeError: in test_app.py, line ")
    assert "secret" not in record.getMessage() + body.decode()
