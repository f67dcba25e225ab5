"""The administrator's token: made once, kept as a hash, read from a file."""

import pytest

from privet.errors import InvalidFile
from privet.service.access import hashed, is_token, settle_token
from privet.store import open_store


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


@pytest.mark.parametrize("text", ["", "short", "é" * 30, "a" * 20 + "\n" + "b" * 20])
def test_a_file_without_a_token_is_refused(store, tmp_path, text):
    (tmp_path / "token").write_text(text, "utf-8")
    with pytest.raises(InvalidFile, match="a token has at least 22 printable characters"):
        settle_token(store, tmp_path / "token")
    assert store.token() is None


def test_nobody_is_the_administrator_of_a_store_without_a_token():
    assert not is_token("", None)
