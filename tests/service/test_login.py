"""The administrator's session: begun by the login page, of use to our own pages, until it ends."""

import time
from base64 import urlsafe_b64encode
from http.cookies import SimpleCookie
from threading import Thread
from urllib.parse import quote

import pytest

from postgres import Server as Postgres
from privet.service.access import replace_token
from privet.store import open_store
from serving import JSON, Serving

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
OURS = {"Sec_Fetch_Site": "same-origin"}


def log_in(client, token, **headers):
    body = f"token={quote(token)}".encode()
    return client.ask("POST", "/login", body, **FORM, **headers)


def session_of(answer):
    (morsel,) = SimpleCookie(answer.headers["set-cookie"]).values()
    return f"{morsel.key}={morsel.value}"


@pytest.fixture
def cookie(server, client):
    answer = log_in(client, server.token, **OURS)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    (morsel,) = SimpleCookie(answer.headers["set-cookie"]).values()
    assert morsel["httponly"]
    assert (morsel["samesite"], morsel["path"], morsel["max-age"]) == ("Strict", "/", "43200")
    assert not morsel["secure"]  # as this is plain http
    assert server.token not in answer.headers["set-cookie"]
    return session_of(answer)


def test_the_page_asks_for_the_token_and_a_wrong_one_is_said(server, client):
    page = client.get("/login")
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b'name="token"' in page.body
    wrong = log_in(client, "wrong", **OURS)
    assert (wrong.status, "set-cookie" in wrong.headers) == (401, False)
    assert b"That is not the token." in wrong.body
    assert b"That is" not in page.body


def test_a_form_has_at_most_a_kilobyte(server, client):
    enough = f"token={quote(server.token)}&x=".encode().ljust(1024, b"x")
    for more, status in ((b"", 303), (b"x", 413), (b"&a=1" * (1 << 20), 413)):
        body = (enough + more)[: 4 << 20]
        for sent in (body, iter([body])):  # with a length, and in chunks
            assert client.ask("POST", "/login", sent, **FORM, **OURS).status == status


def test_a_large_form_delays_nobody(server):
    asked, form = server.client(), b"k=%c3&" * ((4 << 20) // 6)
    sender = Thread(target=lambda: asked.ask("POST", "/login", form, **FORM, **OURS))
    sender.start()
    took = []
    while sender.is_alive():
        began = time.monotonic()
        assert server.client().get("/healthz").status == 200
        took.append(time.monotonic() - began)
    assert max(took) < 1


def test_the_cookie_is_as_good_as_the_token(client, cookie):
    assert client.get("/surveys", Cookie=cookie).status == 200
    assert client.get("/surveys", Cookie=cookie[:-3]).status == 401
    assert client.get("/surveys", Cookie="privet=%%%").status == 401
    assert client.get("/surveys", Cookie=cookie, Authorization="Bearer wrong").status == 401
    ours = client.ask("POST", "/surveys", b"{}", Cookie=cookie, **JSON, **OURS)
    assert (ours.status, ours.json["reason"]) == (400, "invalid-survey")


def test_pages_of_others_cannot_use_the_cookie(server, client, cookie):
    host = server.url.removeprefix("http://")
    for headers, status in (
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Sec_Fetch_Site": "none"}, 403),
        ({"Sec_Fetch_Site": "cross-site", "Origin": f"http://{host}"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://["}, 403),
        ({}, 403),
        ({"Origin": f"http://{host}"}, 400),  # an old browser's, for our own page
    ):
        answer = client.ask("POST", "/surveys", b"{}", Cookie=cookie, **JSON, **headers)
        assert answer.status == status, headers
    assert log_in(client, server.token, Sec_Fetch_Site="cross-site").status == 403
    assert client.ask("POST", "/logout", Cookie=cookie).status == 403
    assert client.ask("POST", "/surveys", b"{}", admin=True, **JSON).status == 400  # with a token


def test_logging_out_ends_the_session_in_every_copy_of_its_cookie(server, client, cookie):
    other = session_of(log_in(client, server.token, **OURS))
    answer = client.ask("POST", "/logout", Cookie=cookie, **OURS)
    assert (answer.status, answer.headers["location"]) == (303, "/login")
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert client.get("/surveys", Cookie=cookie).status == 401
    assert client.get("/surveys", Cookie=other).status == 200
    assert client.ask("POST", "/logout", Cookie=cookie, **OURS).status == 303
    assert client.ask("POST", "/logout", **OURS).status == 303


def test_a_session_is_random_and_neither_it_nor_the_token_is_stored(server, client, cookie):
    other = session_of(log_in(client, server.token, **OURS))
    sessions = [one.partition("=")[2] for one in (cookie, other)]
    assert sessions[0] != sessions[1]
    assert [len(one) for one in sessions] == [43, 43]  # 256 bits
    files = [path.read_bytes() for path in server.token_file.parent.glob("surveys.db*")]
    for word in (server.token, urlsafe_b64encode(server.token.encode()).decode(), *sessions):
        assert not any(word.encode() in file for file in files)
    assert server.token not in str(sessions)
    assert client.get("/surveys", Authorization=f"Bearer {sessions[0]}").status == 401


def test_a_session_survives_a_restart_and_ends_with_its_token(tmp_path):
    with Serving(tmp_path) as server:
        client = server.client()
        cookie = session_of(log_in(client, server.token, **OURS))
        assert server.terminate() == 0
    with Serving(tmp_path) as server:
        client = server.client()
        assert client.get("/surveys", Cookie=cookie).status == 200
        with open_store(tmp_path / "surveys.db") as store:
            replace_token(store, None)
        assert client.get("/surveys", Cookie=cookie).status == 401
        assert server.terminate() == 0


def test_servers_of_one_store_share_sessions(tmp_path):
    postgres = Postgres()
    try:
        url = postgres.new_database()
        with Serving(tmp_path, store=url) as one, Serving(tmp_path, store=url) as two:
            here, there = one.client(), two.client()
            cookie = session_of(log_in(here, one.token, **OURS))
            assert there.get("/surveys", Cookie=cookie).status == 200
            assert there.ask("POST", "/logout", Cookie=cookie, **OURS).status == 303
            assert here.get("/surveys", Cookie=cookie).status == 401
            assert [one.terminate(), two.terminate()] == [0, 0]
    finally:
        postgres.remove()


def test_pages_load_our_own_files_alone_and_data_is_no_page(client):
    page = client.get("/login")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none';")
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert page.headers["referrer-policy"] == "no-referrer"
    for answer in (page, client.get("/healthz"), client.get("/surveys")):
        assert answer.headers["x-content-type-options"] == "nosniff"
