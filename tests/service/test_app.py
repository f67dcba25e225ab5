"""Faults of the service are answered, and logged without anything of a request; room is shared."""

import asyncio
import json

from privet.service import state
from privet.service.app import make_app
from privet.service.bodies import Rooms
from privet.store import Store
from privet.store.sqlite import Sqlite


class Faulty(Store):
    def token(self):
        raise RuntimeError("secret")


def ask(app, path, method="GET", body=b"", **headers):
    """Ask an application without a server; return the status and the body."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        sent.append(message)

    named = [(name.replace("_", "-").encode(), value) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": named, "query_string": b""}
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


def test_a_fault_says_where_it_is_and_nothing_of_the_request(tmp_path, caplog):
    with Faulty(Sqlite(tmp_path / "s.db")) as store:
        status, body = ask(make_app(store), "/readyz")
    assert (status, json.loads(body)["reason"]) == (500, "fault")
    (record,) = caplog.records
    assert record.getMessage().startswith("RuntimeError: in test_app.py, line ")
    assert "secret" not in record.getMessage() + body.decode()


def test_the_room_of_a_body_is_given_back_however_it_is_answered(tmp_path, monkeypatch):
    monkeypatch.setattr(state, "Rooms", lambda: Rooms(10))
    form = {"content_type": b"application/x-www-form-urlencoded", "sec_fetch_site": b"same-origin"}
    with Store(Sqlite(tmp_path / "s.db")) as store:
        app = make_app(store)
        said = [
            ask(app, "/login", "POST", body, **form)[0] for body in (b"token=1234", b"x" * 11) * 3
        ]
        assert said == [401, 503] * 3
