"""The administrator's token: made once, kept as a hash, read from a file."""

import pytest

from privet.errors import InvalidFile
from privet.service.access import hashed, is_token, replace_token, settle_token
from privet.store import open_store
from refusing import refused
from serving import Serving


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "s.db") as store:
        yield store


def is_valid(store, token):
    return is_token(token, store.token())


def test_without_a_file_a_token_is_made_once(store):
    token = settle_token(store, None)
    assert len(token) == 43  # 256 bits
    assert is_valid(store, token)
    assert settle_token(store, None) is None
    assert is_valid(store, token)


def test_a_file_is_made_or_obeyed(store, tmp_path):
    path = tmp_path / "token"
    token = settle_token(store, path)
    assert path.read_text() == f"{token}\n"
    assert settle_token(store, path) is None
    assert is_valid(store, token)
    path.write_text("another-token-of-22-or-more")
    assert settle_token(store, path) is None
    assert is_valid(store, "another-token-of-22-or-more")
    assert not is_valid(store, token)
    assert store.token() == hashed("another-token-of-22-or-more")


def test_a_token_that_was_replaced_is_never_valid_again(store, tmp_path, caplog):
    path, old = tmp_path / "token", settle_token(store, None)
    path.write_text(old)
    new = replace_token(store, None)
    assert is_valid(store, new)
    assert not is_valid(store, old)
    assert settle_token(store, path) is None  # as when a server starts with its old file
    assert is_valid(store, new)
    assert not is_valid(store, old)
    (line,) = caplog.messages
    assert line.startswith(f"{path}: ")
    assert old not in line
    assert new not in line
    path.write_text(new)
    assert settle_token(store, path) is None
    assert len(caplog.messages) == 1
    newest = replace_token(store, path)
    assert path.read_text() == f"{newest}\n"
    assert not store.set_token(hashed(new))
    assert not store.set_token(hashed(old), for_good=True)
    assert is_valid(store, newest)


def test_a_running_server_refuses_a_token_that_was_replaced(tmp_path):
    with Serving(tmp_path) as server:
        client = server.client()
        assert client.get("/surveys", admin=True).status == 200
        with open_store(tmp_path / "surveys.db") as store:
            new = replace_token(store, None)
        assert client.get("/surveys", admin=True).status == 401
        assert client.get("/surveys", Authorization=f"Bearer {new}").status == 200
        assert server.terminate() == 0
    with Serving(tmp_path) as server:  # which has the old file
        client = server.client()
        assert client.get("/surveys", admin=True).status == 401
        assert client.get("/surveys", Authorization=f"Bearer {new}").status == 200
        assert server.terminate() == 0
    assert f"{server.token_file}: " in server.said


@pytest.mark.parametrize("text", ["", "short", "é" * 30, "a" * 20 + "\n" + "b" * 20])
def test_a_file_without_a_token_is_refused(store, tmp_path, text):
    (tmp_path / "token").write_text(text, "utf-8")
    with refused(InvalidFile, tmp_path / "token", "22"):
        settle_token(store, tmp_path / "token")
    assert store.token() is None


def test_nobody_is_the_administrator_of_a_store_without_a_token():
    assert not is_token("", None)
