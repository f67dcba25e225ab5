"""What SQLite adds: one private file, settings that make commits durable, and backups."""

import os
import sqlite3
import threading
from collections import Counter
from contextlib import closing
from itertools import pairwise

import pytest

from arrivals import AGE, SURVEY, answers, arrival, stored, tally_of
from privet import Survey
from privet.errors import InvalidArgument, StoreFailure, StoreFull
from privet.store import Outcome, open_store
from privet.store.sqlite import Sqlite
from refusing import refused

# Reports of 64 random bytes, which nothing else in a file looks like.
LONG = Survey("Number?", [str(i) for i in range(512)], 0.1, id="long", mechanism="binary-rr")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "surveys.db"


@pytest.fixture
def store(path):
    with open_store(path) as store:
        store.create(SURVEY)
        store.create(LONG)
        yield store


def test_commits_are_durable_and_what_is_deleted_is_overwritten(store):
    pragmas = {
        "journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "fullfsync": 1,
        "temp_store": 2, "busy_timeout": 30_000, "application_id": 0x70727674, "user_version": 4,
    }  # fmt: skip
    found = {
        name: store._database._writer.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas
    }
    assert found == pragmas


def test_the_number_of_reports_is_read_from_an_index_alone(store):
    plan = "EXPLAIN QUERY PLAN SELECT COALESCE(SUM(n), 0) FROM chunks WHERE survey = $1"
    with store._database.snapshot() as run:
        assert "USING COVERING INDEX chunks_survey" in str(run(plan, "drinks").fetchall())


def test_a_store_is_its_owners_alone(path):
    before = os.umask(0)
    try:
        with open_store(path) as store:
            store.create(SURVEY)
            modes = {one.name: one.stat().st_mode & 0o777 for one in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["surveys.db", "surveys.db-wal", "surveys.db-shm"], 0o600)


def test_a_fold_empties_the_log_and_a_delete_leaves_nothing(store, path):
    sent = answers_of_long(200)

    def found():
        """How many of the reports are in any file, and how many beside the one that came next."""
        data = b"".join(one.read_bytes() for one in path.parent.iterdir())
        return sum(one in data for one in sent), sum(a + b in data for a, b in pairwise(sent))

    store.add([arrival(LONG, [one]) for one in sent])
    whole, beside = found()
    assert min(whole, beside) > 180  # all but those that two pages share
    store.fold("long", force=True)
    assert path.with_name("surveys.db-wal").stat().st_size == 0
    whole, beside = found()
    assert whole > 180
    assert beside < 15  # 1 is expected
    store.delete("long")
    assert found() == (0, 0)


def answers_of_long(n):
    rows = LONG.randomize_batch(["7"] * n)
    return [row.tobytes() for row in rows]


def test_the_log_links_an_invitation_to_its_report_until_a_fold_empties_it(store, path, tmp_path):
    """What the proofs say remains: a thief replays a copy of the log, commit by commit."""
    invitations = [bytes([i]) * 32 for i in range(6)]
    store.create(AGE, {"invited": True})
    store.invite("age", invitations)
    store.fold("age", force=True)
    sent = {}
    for invitation, report in zip(invitations[:5], answers(AGE, 5), strict=True):
        came = arrival(AGE, [report], invitation)._replace(invitation=invitation)
        assert store.add([came]) == [Outcome.COUNTED]
        sent[invitation] = report
    states = list(replayed(path, tmp_path / "copy.db"))
    linked = {}
    for (left, came), (still_left, there) in pairwise(states):
        spent, new = left - still_left, there.keys() - came.keys()
        if len(spent) == len(new) == 1:
            linked[spent.pop()] = there[new.pop()]
    assert linked == sent
    store.fold("age", force=True)
    assert path.with_name("surveys.db-wal").stat().st_size == 0


def replayed(path, copy):
    """Yield the invitations and the waiting reports of a store's file after each of its commits."""
    log, data = path.with_name(path.name + "-wal").read_bytes(), bytearray(path.read_bytes())
    size = int.from_bytes(log[8:12], "big")
    data[18:20] = b"\1\1"  # a file without a log
    for at in range(32, len(log) - size, 24 + size):
        page, pages = (int.from_bytes(log[at + i : at + i + 4], "big") for i in (0, 4))
        data[(page - 1) * size : page * size] = log[at + 24 : at + 24 + size]
        data[18:20] = b"\1\1"
        if pages:  # the last page of a commit
            copy.write_bytes(data)
            with closing(sqlite3.connect(copy)) as there:
                left = {one for (one,) in there.execute("SELECT invitation FROM invitations")}
                yield left, dict(there.execute("SELECT id, reports FROM inbox"))


def test_readers_do_not_keep_a_fold_from_happening(store):
    store.add([arrival(LONG, answers_of_long(30))])
    reading = store.reports("long")
    store.add([arrival(LONG, answers_of_long(3))])
    first = next(reading)
    assert store.fold("long", force=True) == 33
    assert store._database._writer.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
    assert len(first) == 33 * 64  # as of the moment of the first reading
    assert list(reading) == []
    store.add([arrival(LONG, answers_of_long(3))])
    assert store.tally("long").n == 36


def test_a_full_disk_harms_nothing(store):
    sent = answers_of_long(100)
    store.add([arrival(LONG, sent)])
    pages = store._database._writer.execute("PRAGMA page_count").fetchone()[0]
    store._database._writer.execute(f"PRAGMA max_page_count = {pages + 5}")
    with refused(StoreFull, "full") as caught:
        store.add([arrival(LONG, answers_of_long(1000), b"key")])
    assert isinstance(caught.value, StoreFailure)
    with pytest.raises(StoreFull):
        store.invite("long", [os.urandom(32) for _ in range(5000)])
    assert store.tally("long") == tally_of(LONG, sent)
    assert store.check("long") is None
    store._database._writer.execute("PRAGMA max_page_count = 1000000")
    more = answers_of_long(1000)
    assert store.add([arrival(LONG, more, b"key")]) == [Outcome.COUNTED]
    store.fold("long", force=True)
    assert stored(store, LONG) == Counter(sent + more)
    assert store._database._writer.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_what_goes_wrong_in_a_transaction_undoes_it(store):
    class Odd(Exception):
        pass

    def go_wrong():
        with store._database.writing() as run:
            run("DELETE FROM surveys")
            raise Odd

    with pytest.raises(Odd):
        go_wrong()
    assert len(store.entries()) == 2


def test_two_stores_may_share_a_file(store, path):
    with open_store(path) as other:
        group = [arrival(SURVEY, answers(SURVEY, 1), b"%d" % i) for i in range(40)]
        outcomes = []

        def send(one):
            outcomes.extend(one.add([arrival])[0] for arrival in group)

        threads = [threading.Thread(target=send, args=(one,)) for one in (store, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert Counter(outcomes) == {Outcome.COUNTED: 40, Outcome.ALREADY: 40}
        assert store.tally("drinks").n == 40


def test_a_fold_that_another_process_overtook_starts_over(store, path, monkeypatch):
    sent, more = answers(SURVEY, 5), answers(SURVEY, 3)
    store.add([arrival(SURVEY, sent)])
    ready = store._ready

    def late(id, *, force):
        found = ready(id, force=force)
        with open_store(path) as other:
            if other.tally(id).n == len(sent):
                assert other.fold(id, force=True) == 5
                other.add([arrival(SURVEY, more)])
        return found

    monkeypatch.setattr(store, "_ready", late)
    assert store.fold("drinks", force=True) == 3
    assert stored(store, SURVEY) == Counter(sent + more)
    assert store.tally("drinks") == tally_of(SURVEY, sent + more)
    assert store.check("drinks") is None


def test_where_there_is_no_file_one_is_made(path):
    Sqlite(path).dispose()
    with open_store(path, create=False) as store:
        assert store.entries() == {}


# --- files that are none --------------------------------------------------------------------------


def test_another_programs_database_is_left_alone(path):
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE mine (x)")
        other.commit()
    before = path.read_bytes()
    with refused(StoreFailure, path, "another program"):
        open_store(path)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_what_is_no_database(path):
    path.write_text("nonsense" * 1000)
    with refused(StoreFailure, path, "not a database"):
        open_store(path)
    path.unlink()
    with refused(StoreFailure, path, "no store"):
        open_store(path, create=False)
    assert not path.exists()
    path.touch()
    with refused(StoreFailure, "no store"):
        open_store(path, create=False)
    with pytest.raises(FileNotFoundError):
        open_store(path.parent / "no folder" / "surveys.db")
    with refused(InvalidArgument, "postgresql://", parameter="target", value="mysql:") as caught:
        open_store("mysql://user:secret@host/name")
    assert "secret" not in str(caught.value)


# --- backups --------------------------------------------------------------------------------------


def test_a_backup_is_a_store_as_of_one_moment(store, path, tmp_path):
    store.create(AGE)
    sent = answers_of_long(50)
    store.add([arrival(LONG, sent[:30], b"key")])
    store.fold("long", force=True)
    store.add([arrival(LONG, sent[30:])])
    copy = tmp_path / "copy.db"
    copy.write_text("an older backup")
    copy.chmod(0o600)
    store.backup(copy)
    store.add([arrival(LONG, sent)])
    with open_store(copy, create=False) as other:
        assert list(other.entries()) == ["age", "drinks", "long"]
        assert stored(other, LONG) == Counter(sent)
        assert other.check("long") is None
        assert other.add([arrival(LONG, sent[:30], b"key")]) == [Outcome.ALREADY]
    assert copy.stat().st_mode & 0o777 == 0o600
    with refused(InvalidArgument, parameter="path", value=str(path)):
        store.backup(path)
    assert store.tally("long").n == 100


def test_a_backup_that_fails_says_which_and_leaves_nothing(store, path, tmp_path):
    store.dispose()
    path.write_bytes(b"nonsense" * 1000)
    copy = tmp_path / "copies" / "copy.db"
    copy.parent.mkdir()
    with refused(StoreFailure, copy, "not a database"):
        store.backup(copy)
    assert list(copy.parent.iterdir()) == []
