"""What a client makes of a service's replies, of proxies on the way, and of its invitation."""

import os
import socket
import ssl
import time
from base64 import b64encode
from contextlib import closing
from email.utils import formatdate
from hashlib import sha256
from http.client import HTTPSConnection
from itertools import pairwise
from secrets import token_urlsafe
from urllib.parse import urlsplit

import pytest

from privet import Client, Ledger, Survey
from privet.device.posting import Post
from privet.errors import InvalidAnswer, InvalidArgument, InvitationSpent, ServiceFailure
from refusing import refused
from sending import DOWN, flush_until, make_survey, problem, scripted, stored
from serving import Serving
from tunnels import make_certificate, tunnel

# --- replies --------------------------------------------------------------------------------------

LATER = [(429, "too-many"), (500, "fault"), (503, "busy"), (507, "full")]
NEVER = [
    (400, "invalid-report"), (400, "invalid-key"), (400, "invalid-invitation"), (404, "unknown"),
    (403, "not-invited"), (413, "too-large"), (415, "media-type"), (422, "key-reused"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "reason"), LATER)
def test_what_the_service_has_no_time_for_is_sent_again_alike(status, reason):
    busy = problem(status, reason)
    with scripted(busy, busy) as (url, came, _), Client(url, make_survey()) as client:
        client.send("country 1")
        flush_until(client, lambda: client.sent)
        assert len(came) == 3
        assert len({one.sealed for one in came}) == 1


@pytest.mark.parametrize(("status", "reason"), NEVER)
def test_what_is_refused_for_good_is_not_sent_again(status, reason):
    refusal = problem(status, reason)
    with scripted(refusal) as (url, came, _), Client(url, make_survey()) as client:
        client.send("country 1")
        client.send("country 2")
        assert client.flush(30)
        assert (client.sent, client.refused, client.closed) == (1, {reason: 1}, False)
        assert len({one.sealed for one in came}) == len(came) == 2


@pytest.mark.parametrize(("status", "reason"), [(409, "closed"), (410, "deleted")])
def test_a_survey_that_is_over_is_not_asked_again(status, reason):
    with scripted(problem(status, reason)) as (url, came, _), Client(url, make_survey()) as client:
        client.send("country 1")
        assert client.flush(30)
        assert (client.closed, client.refused) == (True, {reason: 1})
        assert not client.send("country 2")
        assert len(came) == 1


def test_waits_grow_and_are_at_least_as_long_as_the_service_says():
    told = problem(429, "too-many", {"Retry-After": "1"})
    replies = [told, problem(500, "fault"), (507, {}, b"")]
    with scripted(*replies) as (url, came, _), Client(url, make_survey()) as client:
        client.send("country 1")
        while not client.sent:  # as `flush` would try at once
            time.sleep(0.01)
        told, second, third = (b.at - a.at for a, b in pairwise(came))
        assert told >= 1.25  # a second, and at least half of the first wait
        assert second >= 0.5
        assert third >= 1.0


def test_a_service_says_how_long_to_wait_in_seconds_or_as_a_date():
    texts = {"7": (7, 7), "9" * 400: (86_400, 86_400), formatdate(time.time() + 60): (50, 60)}
    texts |= dict.fromkeys(["", "soon", "-5", "1.5", "nan", formatdate(0)], (0, 0))
    texts |= {"Mon, 99 Foo 99999999 99:99:99 GMT": (0, 0)}
    texts |= {"Mon, 01 Jan 99999 00:00:00 GMT": (0, 86_400)}
    survey = make_survey()
    replies = [problem(503, "busy", {"Retry-After": text}) for text in texts]
    with scripted(*replies) as (url, _, _), closing(Post(url)) as post:
        for text, (least, most) in texts.items():
            assert least <= post.reports(survey, "a" * 32, b"report").wait <= most, text


def test_flush_tries_at_once_but_not_before_the_service_allows():
    busy, down = problem(503, "busy", {"Retry-After": "3"}), (503, {"Retry-After": "3"}, b"{}")
    for reply, at_once in ((down, True), (busy, False)):
        with scripted(reply) as (url, came, _):
            client = Client(url, make_survey())
            client._failures = 9  # the next wait is minutes
            client.send("country 1")
            while not client._due:
                time.sleep(0.001)
            assert client.flush(1.0) is at_once
            assert len(came) == 1 + at_once
            client.close(0)


# --- whose service it is --------------------------------------------------------------------------


def test_nothing_is_sent_to_a_service_with_another_contract(server, survey, tmp_path, caplog):
    other = Survey("Where were you born?", survey.categories, 9.0, id=survey.id)
    with Client(server.url, other, spool=tmp_path) as client:
        for _ in range(3):
            client.send("country 1")
        assert client.flush(30)
        assert (client.sent, client.closed) == (0, True)
        assert sum(client.refused.values()) + client.dropped == 3
        assert {*client.refused} == {"other-contract"}
        assert not client.send("country 1")
    assert stored(server, survey) == []
    assert len([one for one in caplog.messages if "another contract" in one]) == 1


def test_the_contract_is_compared_once_and_byte_for_byte():
    survey = make_survey()
    for text, sent in ((survey.to_json(), True), (survey.to_json() + "\n", False), (None, True)):
        tag = text and sha256(text.encode()).hexdigest()
        headers = {"Content-Type": "application/json", "ETag": f'W/"{tag}"'}
        reply = (200, headers, text.encode()) if text else None
        with scripted(contract=reply) as (url, came, others), Client(url, survey) as client:
            client.send("country 1")
            client.send("country 2")
            client.flush(30)
            assert (len(came) == 2) == sent == (not client.closed)
            assert [one.headers["If-None-Match"] for one in others] == [f'"{survey.fingerprint}"']
            assert others[0].path == f"/surveys/{survey.id}"


# --- proxies --------------------------------------------------------------------------------------


@pytest.fixture
def proxies(monkeypatch):
    """Set the environment's proxies, and no others."""
    for name in [*os.environ]:
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    return lambda **given: [monkeypatch.setenv(name, url) for name, url in given.items()]


def test_a_proxy_of_the_environment_is_used(proxies):
    with scripted() as (url, came, others):
        proxies(http_proxy=url.replace("//", "//me:p%40ss@"))
        survey = make_survey()
        with Client("http://service.example:81/x", survey) as client:
            client.send("country 1")
            client.send("country 2")
            assert client.flush(30)
        place = f"http://service.example:81/x/surveys/{survey.id}"
        assert [one.path for one in (*others, *came)] == [place, *[f"{place}/reports"] * 2]
        assert {one.headers["Host"] for one in (*others, *came)} == {"service.example:81"}
        given = {one.headers["Proxy-Authorization"] for one in (*others, *came)}
        assert given == {"Basic " + b64encode(b"me:p@ss").decode()}


@pytest.mark.parametrize("proxy", [False, True])
def test_a_connection_is_kept(proxies, proxy):
    survey = make_survey()
    report = survey.randomize("country 1")
    with scripted() as (url, came, others):
        if proxy:
            proxies(http_proxy=url)
        post = Post("http://service.example" if proxy else url)
        assert post.check(survey) is None
        assert all(post.reports(survey, key * 32, report).taken for key in "abc")
        assert len(came) == 3
        assert len({one.peer for one in (*others, *came)}) == 1
        post.close()


def test_a_secure_service_is_reached_through_a_proxy(
    server, survey, proxies, tmp_path, monkeypatch
):
    """TLS ends behind the proxy, at a real service."""
    certificate = make_certificate(tmp_path, "service.example")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with tunnel(urlsplit(server.url).port, context) as (url, asked):
        proxies(https_proxy=url)
        with Client("https://service.example", survey) as client:
            client.send("country 1")
            assert client.flush(30)
            assert client.sent == 1
    assert {line.split()[1] for line in asked} == {b"service.example:443"}
    assert len(stored(server, survey)) == 1


def test_a_proxy_gets_no_more_than_the_name_of_a_secure_service(proxies):
    with scripted() as (url, came, others):
        proxies(https_proxy=url)
        client = Client("https://service.example", make_survey())
        client.send("country 1")
        assert not client.flush(0.2)
        client.close(0)
        assert came == []
        assert {(one.method, one.path) for one in others} == {("CONNECT", "service.example:443")}


def test_a_password_is_not_sent_in_the_clear_to_a_secure_proxy(proxies, caplog):
    """TLS within TLS is not supported, so that nothing at all is sent, and the log says why."""
    survey = make_survey()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        proxies(https_proxy=f"https://me:password@127.0.0.1:{listener.getsockname()[1]}")
        client = Client("https://service.example", survey)
        client.send("country 1")
        assert not client.flush(0.2)
        client.close(0)
        with refused(ServiceFailure, "https_proxy") as error:
            Client("https://service.example", survey.id, fingerprint=survey.fingerprint)
        with pytest.raises(TimeoutError):  # nobody came
            listener.accept()
    assert len([one for one in caplog.messages if "https_proxy" in one]) == 1
    assert "password" not in caplog.text + str(error.value)


def test_tls_is_spoken_to_a_service_and_to_the_proxy_of_a_plain_one(proxies, tmp_path, monkeypatch):
    """One server is both, and its certificate is checked."""
    certificate, survey = make_certificate(tmp_path, "localhost"), make_survey()
    tls = ["--tls-cert", certificate, "--tls-key", certificate, "--host", "localhost"]
    with Serving(tmp_path, more=[*map(str, tls)]) as server:
        port = urlsplit(server.url).port
        plain = HTTPSConnection(
            "localhost", port, context=ssl.create_default_context(cafile=certificate)
        )
        headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
        plain.request("POST", "/surveys", survey.to_json(), headers)
        with closing(plain), plain.getresponse() as response:
            assert response.status == 201
        with refused(ServiceFailure, "CERTIFICATE_VERIFY_FAILED"):
            Client(f"https://localhost:{port}", survey.id, fingerprint=survey.fingerprint)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with refused(ServiceFailure, "CERTIFICATE_VERIFY_FAILED"):
            Client(f"https://127.0.0.1:{port}", survey.id, fingerprint=survey.fingerprint)
        with Client(f"https://localhost:{port}", survey) as client:
            client.send("country 1")
            assert client.flush(30)
        proxies(http_proxy=f"https://me:password@localhost:{port}")
        with Client("http://service.example", survey) as client:
            client.send("country 1")
            assert client.flush(30)
            assert client.sent == 1


def test_a_proxy_is_not_used_where_the_environment_says_so(server, survey, proxies):
    proxies(http_proxy=DOWN, no_proxy="127.0.0.1")
    with Client(server.url, survey) as client:
        client.send("country 1")
        assert client.flush(30)
        assert client.sent == 1


@pytest.mark.parametrize("url", ["http://", "http://a:b", "socks5://127.0.0.1:9", "::"])
def test_a_proxy_that_cannot_be_does_not_end_the_client(server, survey, proxies, url):
    proxies(http_proxy=url)
    with Client(server.url, survey) as client:
        client.send("country 1")
        assert not client.flush(0.1)
        proxies(http_proxy="")
        assert client.flush(30)
        assert client.sent == 1


# --- invitations ----------------------------------------------------------------------------------

INVITATION = token_urlsafe(16)


def test_an_invitation_goes_with_one_report():
    survey = make_survey()
    with scripted((503, {}, b"")) as (url, came, others):
        with Client(url, survey, invitation=INVITATION) as client:
            with pytest.raises(InvalidAnswer):
                client.send("Atlantis")
            assert client.send("country 1")
            with refused(InvitationSpent, f"'{survey.id}'"):
                client.send("country 2")
            assert client.flush(30)
            assert client.sent == 1
            with pytest.raises(InvitationSpent):
                client.send("country 1")
        assert [one.headers["Invitation"] for one in came] == [INVITATION] * 2
        assert len({one.sealed for one in came}) == 1
        assert not any("Invitation" in one.headers for one in others)


def test_a_ledger_is_not_charged_for_what_an_invitation_does_not_allow(tmp_path):
    ledger = Ledger(tmp_path / "ledger.json", budget=4.0)
    client = Client(DOWN, make_survey(), invitation=INVITATION, ledger=ledger)
    client.send("country 1")
    with pytest.raises(InvitationSpent):
        client.send("country 1")
    assert ledger.left == 2.0
    client.close(0)


def test_an_invitation_that_is_refused_is_not_tried_again():
    refusal = problem(403, "not-invited")
    with scripted(refusal) as (url, came, _):
        with Client(url, make_survey(), invitation=INVITATION) as client:
            client.send("country 1")
            assert client.flush(30)
            assert client.refused == {"not-invited": 1}
        assert len(came) == 1


def test_a_spool_keeps_a_report_for_its_own_invitation(tmp_path):
    survey, other = make_survey(), token_urlsafe(16)
    first = Client(DOWN, survey, spool=tmp_path, invitation=INVITATION)
    first.send("country 1")
    first.close(0)
    assert INVITATION not in " ".join(map(str, tmp_path.rglob("*")))
    with scripted() as (url, came, _):
        for options in ({}, {"invitation": other}):
            with Client(url, survey, spool=tmp_path, **options) as client:
                assert client.flush(0)
        assert came == []
        with Client(url, survey, spool=tmp_path, invitation=INVITATION) as client:
            with pytest.raises(InvitationSpent):
                client.send("country 1")
            assert client.flush(30)
        assert [one.headers["Invitation"] for one in came] == [INVITATION]


@pytest.mark.parametrize("given", ["", "short", "x" * 21, "x" * 129, "a b" * 10, "é" * 30, 7])
def test_an_invitation_is_checked_and_not_shown(given):
    with refused(InvalidArgument, "22 to 128", parameter="invitation") as error:
        Client(DOWN, make_survey(), invitation=given)
    assert given in ("", 7) or given not in str(error.value)
