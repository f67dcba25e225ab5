"""Whoever replies in the service's place decides nothing: reports wait for the service itself."""

import json

import pytest

from privet import Client, Survey
from sending import counted, flush_until, make_survey, problem, scripted, spooled, stored

HTML, TEXT = {"Content-Type": "text/html"}, {"Content-Type": "text/plain"}
JSON, PROBLEM = {"Content-Type": "application/json"}, {"Content-Type": "application/problem+json"}
PAGE = b"<html>Welcome to our hotel. Please log in."


def change(**changes):
    """The service's own success, with a field changed, or left out."""
    return lambda id, fingerprint: counted(id, fingerprint, **changes)


def rewritten(made, **headers):
    """A reply with other headers."""

    def reply(id, fingerprint):
        status, before, body = made(id, fingerprint)
        return status, before | headers, body

    return reply


STRANGERS = {
    **{f"page {status}": (status, HTML, PAGE)
       for status in (200, 201, 202, 400, 401, 403, 404, 407, 409, 410, 413, 422, 500, 502, 511)},
    **{f"redirect {status}": (status, HTML | {"Location": "/login"}, PAGE)
       for status in (301, 302, 303, 307, 308)},
    "nothing": (200, {}, b""),
    "204": (204, {}, b""),
    "304": (304, {}, b""),
    "another object": (200, JSON, b'{"status": "ok"}'),
    "only an outcome": (200, JSON, b'{"outcome": "counted", "reports": 1}'),
    "an array": (200, JSON, b'["outcome", "survey", "fingerprint"]'),
    "not JSON": (200, JSON, b"\xff\xfe{\0}\0"),
    "deep JSON": (200, JSON, b"[" * 60_000),
    "a long number": (200, JSON, b'{"outcome": ' + b"9" * 60_000 + b"}"),
    "a long reply": (200, JSON, b'{"pad": "' + b"x" * 70_000 + b'", "outcome": "counted"}'),
    "a problem in an array": (403, PROBLEM, b'[{"reason": "not-invited"}]'),
    "another survey": change(survey="another"),
    "no survey": change(survey=None),
    "another contract": change(fingerprint="0" * 64),
    "no contract": change(fingerprint=None),
    "another outcome": change(outcome="redirected"),
    "an outcome that cannot be": change(outcome=["counted"]),
    "success as text": rewritten(counted, **TEXT),
    "success with another status": lambda *given: (203, *counted(*given)[1:]),
    "a refusal as JSON": rewritten(problem(403, "not-invited"), **JSON),
    "a refusal with another status": lambda *given: (404, *problem(403, "not-invited")(*given)[1:]),
    "a refusal that says another status": problem(404, "not-invited"),
    "a refusal of another survey": problem(404, "unknown", survey="another"),
    "a refusal of no survey": problem(404, "unknown", survey=None),
    "an unknown reason": problem(403, "because"),
    "a reason that cannot be": problem(403, ["not-invited"]),
    "no reason": problem(403, None),
    "a host that is not served": problem(421, "host", survey=None),
    "no such path": problem(404, "nowhere", survey=None),
}  # fmt: skip


@pytest.mark.parametrize("reply", STRANGERS.values(), ids=STRANGERS.keys())
def test_a_stranger_decides_nothing(reply, tmp_path):
    """A report stays in the spool, and the same bytes go out again with the same key."""
    survey = make_survey()
    stranger = rewritten(reply if callable(reply) else lambda *_: reply, **{"Retry-After": "3600"})
    with scripted(stranger, stranger) as (url, came, _):
        client = Client(url, survey, spool=tmp_path)
        client.send("country 1")
        flush_until(client, lambda: client._failures)
        assert (client.sent, client.refused, client.closed) == (0, {}, False)
        assert len(spooled(tmp_path, survey)) == 1
        flush_until(client, lambda: client.sent)  # a stranger's Retry-After does not count
        assert len(came) == 3
        assert len({one.sealed for one in came}) == 1
        assert spooled(tmp_path, survey) == []
        client.close()


@pytest.mark.parametrize("kind", ["Application/JSON", "application/json; charset=utf-8"])
def test_the_media_type_is_compared_as_http_says(kind):
    reply = rewritten(counted, **{"Content-Type": kind})
    with scripted(otherwise=reply) as (url, _, _), Client(url, make_survey()) as client:
        client.send("country 1")
        assert client.flush(10)
        assert client.sent == 1


OTHER = Survey("Where were you born?", ["here", "there"], 9.0, id="born").to_json().encode()
NOT_CONTRACTS = {
    "a page": (200, HTML, PAGE),
    "a page for the forbidden": (403, HTML, PAGE),
    "a page for the missing": (404, HTML, PAGE),
    "a page for what is gone": (410, HTML, PAGE),
    "a success": counted,
    "a problem without a survey": problem(410, "deleted", survey=None),
    "an id": lambda id, _: (200, JSON, json.dumps({"id": id}).encode()),
    "a contract without a tag": (200, JSON, OTHER),
    "a contract with another tag": (200, JSON | {"ETag": '"5"'}, OTHER),
    "a contract that is a page": (200, HTML, OTHER),
    "redirect": (302, HTML | {"Location": "/login"}, PAGE),
}


@pytest.mark.parametrize("reply", NOT_CONTRACTS.values(), ids=NOT_CONTRACTS.keys())
def test_a_stranger_who_is_asked_for_the_contract_only_delays(reply, tmp_path):
    survey = make_survey()
    with scripted(contract=reply) as (url, came, others):
        client = Client(url, survey, spool=tmp_path)
        client.send("country 1")
        flush_until(client, lambda: client._failures)
        assert (client.sent, client.closed, client.refused, came) == (0, False, {}, [])
        assert others
        client.close(0)
    assert len(spooled(tmp_path, survey)) == 1


def test_a_report_that_is_always_blocked_holds_up_no_others(caplog):
    """Something on the way may dislike one report of many."""
    survey, blocked = make_survey(), []

    def reply(id, fingerprint):
        blocked[:] = blocked or [came[0].sealed]
        return (403, HTML, PAGE) if came[-1].sealed in blocked else counted(id, fingerprint)

    with scripted(otherwise=reply) as (url, came, _):
        client = Client(url, survey)
        client.send("country 1")
        flush_until(client, lambda: blocked)
        client.send("country 2")
        flush_until(client, lambda: client.sent)
        assert client.refused == {}
        client.close(0)
    assert caplog.text.count("status 403") == 1


def test_reports_survive_a_hotel_and_reach_the_service(server, survey, tmp_path):
    for _ in range(2):
        with scripted(otherwise=(403, HTML, PAGE), contract=(403, HTML, PAGE)) as (url, _, _):
            client = Client(url, survey, spool=tmp_path)
            assert client.send("country 1")
            assert not client.close(0.3)
    waiting = spooled(tmp_path, survey)
    assert len(waiting) == 2
    with Client(server.url, survey, spool=tmp_path) as client:
        assert client.flush(30)
    assert stored(server, survey) == waiting
