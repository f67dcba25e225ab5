"""What PostgreSQL adds: several processes, locks that close and delete wait for, restarts."""

import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from arrivals import SURVEY, answers, arrival, stored, tally_of
from postgres import Server
from privet.errors import MissingExtra, StoreFailure, StoreFull
from privet.store import Outcome, open_store, postgres
from privet.store.arriving import outcomes_of
from refusing import refused

SUPPORT = Path(__file__).parents[1] / "support"


@pytest.fixture
def url(server):
    return server.new_database()


@pytest.fixture
def store(url):
    with open_store(url) as store:
        store.create(SURVEY)
        yield store


def start(work, *args):
    """Start something in a thread; return the thread and the list that its result comes to."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work(*args)))
    thread.start()
    time.sleep(0.3)  # long enough for what does not wait
    return thread, results


@pytest.mark.parametrize("end", ["close", "delete"])
def test_a_close_waits_for_whoever_is_adding(store, end):
    one = arrival(SURVEY, answers(SURVEY, 3), b"key")
    with store._database.writing() as run:
        assert outcomes_of(store._database, run, [one]) == [Outcome.COUNTED]
        thread, done = start(getattr(store, end), "drinks")
        assert thread.is_alive()  # having read "open", it counts; so the end comes after it
        run("INSERT INTO inbox (id, survey, reports) VALUES (1, 'drinks', $1)", one.reports)
    thread.join()
    assert done == [None]
    with store._database.snapshot() as run:
        assert run("SELECT COUNT(*) FROM inbox").fetchone()[0] == 0
    if end == "close":
        assert store.tally("drinks").n == 3


def test_whoever_adds_during_a_close_waits_for_it(store):
    with store._database.writing() as run:
        run("UPDATE surveys SET state = 'closed' WHERE id = 'drinks'")
        thread, done = start(store.add, [arrival(SURVEY, answers(SURVEY, 1))])
        assert thread.is_alive()
    thread.join()
    assert done == [[Outcome.CLOSED]]


def test_a_key_on_its_way_is_waited_for(store):
    one = arrival(SURVEY, answers(SURVEY, 3), b"key")
    with store._database.writing() as run:
        outcomes_of(store._database, run, [one])
        thread, done = start(store.add, [one, arrival(SURVEY, answers(SURVEY, 1), b"key")])
        assert thread.is_alive()
    thread.join()
    assert done == [[Outcome.ALREADY, Outcome.CONFLICT]]


def test_folds_go_one_at_a_time_and_adding_goes_on(store):
    store.add([arrival(SURVEY, answers(SURVEY, 3))])
    with store._database.alone("drinks"):
        thread, done = start(lambda: store.fold("drinks", force=True))
        assert thread.is_alive()
        assert store.add([arrival(SURVEY, answers(SURVEY, 2))]) == [Outcome.COUNTED]
    thread.join()
    assert done == [5]


def test_a_delete_waits_for_a_fold(store):
    with store._database.alone("drinks"):
        thread, done = start(store.delete, "drinks")
        assert thread.is_alive()
    thread.join()
    assert done == [None]
    assert store.entries() == {}


SENDING = """\
import sys
from arrivals import SURVEY, arrival
from privet.store import open_store
report = bytes.fromhex(sys.argv[2])
with open_store(sys.argv[1]) as store:
    for at in range(0, 200, 10):
        group = [arrival(SURVEY, [report], b"%d" % i) for i in range(at, at + 10)]
        print(*(one.name for one in store.add(group[:: int(sys.argv[3])])))
        store.fold("drinks", force=True)
"""


def test_two_processes_count_a_key_once(store, url):
    (report,) = answers(SURVEY, 1)
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(SUPPORT)!r})\n{SENDING}"]
    processes = [
        subprocess.Popen([*command, url, report.hex(), order], stdout=subprocess.PIPE, text=True)
        for order in ("1", "-1")
    ]
    outcomes = Counter(" ".join(one.communicate()[0] for one in processes).split())
    assert [one.returncode for one in processes] == [0, 0]
    assert outcomes == {"COUNTED": 200, "ALREADY": 200}
    assert stored(store, SURVEY) == {report: 200}
    assert store.check("drinks") is None


def wait_until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_an_immediate_restart_loses_nothing_that_was_counted():
    server, counted, failures = Server(), [], []
    try:
        with open_store(server.new_database()) as store:
            store.create(SURVEY)
            stop = threading.Event()

            def send():
                while not stop.is_set():
                    some = answers(SURVEY, 2)
                    one = arrival(SURVEY, some, b"%d" % len(counted))
                    while not arrived(one):  # as a client that hears nothing sends it again
                        time.sleep(0.01)
                    counted.extend(some)

            def arrived(one):
                try:
                    assert store.add([one])[0] in (Outcome.COUNTED, Outcome.ALREADY)
                    store.fold("drinks", force=True)
                except StoreFailure as error:
                    failures.append(error)
                    return False
                return True

            thread = threading.Thread(target=send)
            thread.start()
            wait_until(lambda: len(counted) >= 40)
            server.stop("immediate")
            server.start()
            before = len(counted)
            wait_until(lambda: len(counted) >= before + 40)  # it goes on by itself
            stop.set()
            thread.join()
            assert failures
            assert stored(store, SURVEY) == Counter(counted)
            assert store.tally("drinks") == tally_of(SURVEY, counted)
            assert store.check("drinks") is None
    finally:
        server.remove()


def test_connections_that_broke_while_idle_are_replaced(store, url):
    import psycopg

    threads = [start(store.add, [arrival(SURVEY, answers(SURVEY, 1))]) for _ in range(3)]
    for thread, _ in threads:
        thread.join()
    with psycopg.connect(url, autocommit=True) as connection:
        others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> %s"
        mine = [connection.info.backend_pid]
        connection.execute(f"SELECT pg_terminate_backend(pid) {others}", mine)
        wait_until(lambda: connection.execute(f"SELECT 1 {others}", mine).fetchone() is None)
    assert store.add([arrival(SURVEY, answers(SURVEY, 1))]) == [Outcome.COUNTED]
    assert store.tally("drinks").n == 4


def test_where_there_are_no_tables_they_are_made(url):
    postgres.Postgres(url).dispose()
    with open_store(url, create=False) as store:
        assert store.entries() == {}


def test_either_name_of_the_scheme_will_do(store, url):
    with open_store(url.replace("postgresql://", "postgres://"), create=False) as same:
        assert list(same.entries()) == ["drinks"]


def test_commits_are_durable_whatever_the_database_is_set_to(url):
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    with open_store(url) as store, store._database.writing() as run:
        assert run("SHOW synchronous_commit").fetchone()[0] in ("on", b"on")


def test_no_room_is_said_as_such(store):
    import psycopg

    with refused(StoreFull, "PostgreSQL", "no room"), store._database.writing():
        raise psycopg.errors.DiskFull("no room\nmore")
    store.add([arrival(SURVEY, answers(SURVEY, 1))])
    assert store.tally("drinks").n == 1


def test_other_tables_of_the_database_are_left_alone(url):
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE surveys (mine int)")
        with open_store(url) as store:
            store.create(SURVEY)
        assert connection.execute("SELECT * FROM surveys").fetchall() == []


def test_a_server_that_is_not_there(tmp_path):
    with refused(StoreFailure, "PostgreSQL") as caught:
        open_store(f"postgresql://someone:secret@/name?host={tmp_path}")
    assert "secret" not in str(caught.value)


def test_a_server_that_does_not_answer_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(postgres, "_CONNECT_SECONDS", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        thread, failed = start(
            pytest.raises, StoreFailure, open_store, f"postgresql://127.0.0.1:{port}/name"
        )
        thread.join(10)
    assert "timeout" in str(failed[0].value)


@pytest.mark.parametrize("package", ["psycopg", "psycopg_pool"])
def test_a_missing_driver_is_said(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with refused(MissingExtra, package, "'privet[postgres]'"):
        open_store("postgresql://host/name")


def test_a_backup_is_left_to_the_databases_own_tools(store, tmp_path):
    with refused(StoreFailure, "pg_dump"):
        store.backup(tmp_path / "copy")


def test_the_tally_of_two_folds_of_two_stores(store, url):
    sent = answers(SURVEY, 8)
    with open_store(url) as other:
        store.add([arrival(SURVEY, sent[:4])])
        other.fold("drinks", force=True)
        other.add([arrival(SURVEY, sent[4:])])
        store.fold("drinks", force=True)
        assert other.tally("drinks") == store.tally("drinks") == tally_of(SURVEY, sent)


def test_whoever_waits_for_the_database_can_be_let_go(store, url):
    import psycopg

    failures = []

    def add():
        try:
            store.add([arrival(SURVEY, answers(SURVEY, 1))])
        except StoreFailure as error:
            failures.append(error)

    with psycopg.connect(url) as other:  # as of someone who looks around, and leaves it open
        other.execute("LOCK TABLE privet.surveys")
        thread, _ = start(add)
        time.sleep(4.5)  # the server is there, so that a statement may take long
        assert thread.is_alive()
        store.interrupt()
        thread.join(2)
        assert not thread.is_alive()
        add()
    assert len(failures) == 2
    with open_store(url) as again:
        assert again.tally("drinks").n == 0
