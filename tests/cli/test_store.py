"""privet store and privet backup, on a store as a service leaves it."""

import json
from pathlib import Path

import pytest

from arrivals import AGE, SURVEY, answers, arrival, stored
from commands import BAD_DATA, SYSTEM, USAGE, fails, run, succeeds
from privet.service.access import hashed
from privet.store import open_store
from refusing import assert_names


@pytest.fixture
def sent():
    """A store of two surveys in surveys.db, one of them folded; the reports of the other."""
    reports = answers(AGE, 4)
    with open_store("surveys.db") as store:
        store.create(SURVEY)
        store.create(AGE)
        store.add([arrival(SURVEY, answers(SURVEY, 7)), arrival(AGE, reports)])
        store.fold("drinks", force=True)
    return reports


def test_a_store_that_is_right(sent):
    first, second = succeeds("store", "check", "surveys.db").splitlines()
    assert_names(first, "age", "4 reports")
    assert_names(second, "drinks", "7 reports")
    found = json.loads(succeeds("store", "check", "surveys.db", "--json"))
    assert found == {"surveys": [{"id": "age", "n": 4}, {"id": "drinks", "n": 7}]}


def test_a_store_whose_tally_is_wrong(sent):
    with open_store("surveys.db") as store, store._database.writing() as sql:
        sql("UPDATE chunks SET reports = $1", answers(SURVEY, 1)[0] * 7)
    result = run("store", "check", "surveys.db")
    assert result.exit_code == BAD_DATA
    assert_names(result.stdout.rstrip("\n"), "age", "4 reports")
    found = json.loads(run("store", "check", "surveys.db", "--json").stdout)["surveys"]
    problem = found[1]["problem"]
    assert found == [{"id": "age", "n": 4}, {"id": "drinks", "problem": problem}]
    assert_names(problem, "tally", "sum")
    assert_names(result.stderr.rstrip("\n"), "Error", "drinks", problem)


def test_what_is_no_store(sent):
    assert_names(fails(SYSTEM, "store", "check", "none.db"), "none.db", "no store")
    Path("text.db").write_text("nonsense" * 100)
    for command in (["store", "check", "text.db"], ["backup", "text.db", "new.db"]):
        assert_names(fails(SYSTEM, *command), "text.db", "not a database")
    line = fails(USAGE, "store", "check", "mysql://host")
    assert_names(line, "'target'", "'mysql:'", "postgresql://")
    fails(SYSTEM, "store", "check", "postgresql://@/x?host=/none")


def test_a_backup_is_a_store(sent):
    said = json.loads(succeeds("backup", "surveys.db", "copy.db", "--json"))
    assert said == {"file": "copy.db", "surveys": 2, "bytes": Path("copy.db").stat().st_size}
    with open_store("copy.db", create=False) as copy:
        assert sorted(stored(copy, AGE).elements()) == sorted(sent)
    said = run("backup", "surveys.db", "copy.db").stderr.rstrip("\n")
    assert_names(said, "copy.db", "2 surveys")
    assert_names(fails(USAGE, "backup", "surveys.db", "./surveys.db"), "surveys.db", "twice")
    assert_names(fails(USAGE, "backup", "none.db", "new.db"), "'none.db'")


# --- the administrator's token ----------------------------------------------------------------


def test_a_new_token_is_shown_once_or_written_for_its_owner(sent):
    with open_store("surveys.db") as store:
        shown = succeeds("store", "token", "surveys.db").strip()
        assert store.token() == hashed(shown)
        assert json.loads(succeeds("store", "token", "surveys.db", "--json")).keys() == {"token"}
        assert store.token() != hashed(shown)
        for before in (None, "old"):
            if before:
                Path("token.txt").write_text(before)
                Path("token.txt").chmod(0o644)
            result = run("store", "token", "surveys.db", "--token-file", "token.txt")
            assert result.stdout == ""
            assert_names(result.stderr.rstrip("\n"), "token.txt")
            assert Path("token.txt").read_text().strip() not in result.stderr
            assert store.token() == hashed(Path("token.txt").read_text().strip())
            assert Path("token.txt").stat().st_mode & 0o777 == 0o600
        found = succeeds("store", "token", "surveys.db", "--token-file", "token.txt", "--json")
        assert json.loads(found) == {"file": "token.txt"}


def test_what_cannot_be_written_changes_nothing(sent):
    with open_store("surveys.db") as store:
        succeeds("store", "token", "surveys.db")
        before = store.token()
        line = fails(SYSTEM, "store", "token", "surveys.db", "--token-file", "none/token.txt")
        assert line.startswith("none/token.txt: ")
        assert store.token() == before
    line = fails(SYSTEM, "store", "token", "none.db", "--token-file", "t.txt")
    assert_names(line, "none.db", "no store")
    assert not Path("t.txt").exists()
