"""Stores that earlier versions wrote are opened, brought up to date, and count on."""

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from privet import Survey
from privet.store import Arrival, Outcome, open_store

OLD = Path(__file__).parents[1] / "upgrades"
TOKEN, INVITATION = b"a token of the test, 32 bytes or more", sha256(b"invitation").digest()
VERSIONS = sorted(path.parent.name for path in OLD.glob("*/store.sqlite.sql"))


def write(place, version):
    """Write the store of a version where a store is opened."""
    if "://" in place:
        import psycopg

        text = (OLD / version / "store.postgres.sql").read_text("utf-8")
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(text)
    else:
        text = (OLD / version / "store.sqlite.sql").read_text("utf-8")
        with closing(sqlite3.connect(place, isolation_level=None)) as connection:
            connection.executescript(text)


def test_there_are_stores():
    assert VERSIONS[0] == "0.2"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_store_is_brought_up_to_date_and_counts_on(place, version):
    write(place, version)
    with open_store(place, create=False) as store:
        contract = Survey.from_json(store.get("drinks").contract)
        assert store.get("drinks").settings == {"public_from": 2}
        assert store.size("drinks") == store.tally("drinks").n == 7
        assert store.check("drinks") is None
        assert store.token() == sha256(TOKEN).digest()
        with store._database.snapshot() as run:
            (body,) = run("SELECT reports FROM inbox").fetchone()
        key, body = b"second", bytes(body)
        again = Arrival("drinks", sha256(key).digest(), sha256(key + body).digest(), body)
        assert store.add([again, again._replace(seal=bytes(32))]) == [
            Outcome.ALREADY, Outcome.CONFLICT,
        ]  # fmt: skip
        new = again._replace(key=bytes(32), reports=contract.randomize("tea"))
        assert store.add([new]) == [Outcome.COUNTED]
        assert store.fold("drinks", force=True) == 5
        assert store.check("drinks") is None
        store.change("drinks", {"invited": True})
        came = new._replace(key=sha256().digest(), invitation=INVITATION)
        assert store.add([came]) == [Outcome.COUNTED]
        assert store.begin_session(store.token(), bytes(32), now=0, seconds=1)
    with open_store(place, create=False) as store:
        assert store.has_session(bytes(32), now=0)
        store.delete("drinks")
        assert store.entries() == {}
