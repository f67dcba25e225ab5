"""A check finds whatever does not belong in a store, and nothing in one that is right."""

import json
from datetime import date, timedelta
from hashlib import sha256

import pytest

from arrivals import AGE, SURVEY, answers, arrival
from commands import BAD_DATA, run
from privet.store import Outcome, open_store

INVITATIONS = [sha256(b"%d" % i).digest() for i in range(3)]


@pytest.fixture
def full(store):
    """Two surveys, with folded and waiting reports, under keys and without."""
    for contract in (SURVEY, AGE):
        store.create(contract)
        for key in (b"one", b"two", None):
            store.add([arrival(contract, answers(contract, 2), key)])
        store.fold(contract.id, force=True)
        store.add([arrival(contract, answers(contract, 1), b"three")])
    assert store.check_all() == ({"age": None, "drinks": None}, [])
    return store


def damage(store, sql, *values):
    with store._database.writing() as write:
        write(sql, *values)


CASES = {
    "another survey's contract": (
        "UPDATE surveys SET contract = (SELECT contract FROM surveys WHERE id = 'age') "
        "WHERE id = 'drinks'",
        "contract",
    ),
    "no contract": ("UPDATE surveys SET contract = NULL WHERE id = 'drinks'", "contract"),
    "settings that are not JSON": (
        "UPDATE surveys SET settings = 'no' WHERE id = 'drinks'", "settings",
    ),
    "settings that are not an object": (
        "UPDATE surveys SET settings = '[]' WHERE id = 'drinks'", "settings",
    ),
    "no keys": ("DELETE FROM keys WHERE survey = 'drinks'", "3 of its 3 keys"),
    "keys that are empty": (
        "UPDATE keys SET seal = SUBSTR(seal, 1, 0) WHERE survey = 'drinks'", "3 of its keys",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_with_a_survey_is_found_and_the_others_are_checked(full, case):
    sql, word = CASES[case]
    damage(full, sql)
    found, strange = full.check_all()
    assert word in found["drinks"]
    assert found["drinks"] == full.check("drinks")
    assert (found["age"], strange) == (None, [])


def test_one_key_that_is_missing_is_found(full):
    with full._database.writing() as write:
        (key,) = write("SELECT key FROM keys WHERE survey = 'drinks' LIMIT 1").fetchone()
        write("DELETE FROM keys WHERE survey = 'drinks' AND key = $1", key)
    assert "1 of its 3 keys" in full.check("drinks")


@pytest.mark.parametrize("table", ["inbox", "chunks", "tallies", "keys", "invitations"])
def test_rows_of_no_survey_are_found(full, table):
    full.invite("drinks", INVITATIONS)
    damage(full, f"UPDATE {table} SET survey = 'ghost' WHERE survey = 'drinks'")
    (strange,) = full.check_all()[1]
    assert table in strange
    assert "ghost" in strange


def test_rows_of_a_deleted_survey_are_found(full):
    full.delete("drinks")
    assert full.check_all() == ({"age": None}, [])
    damage(full, "UPDATE chunks SET survey = 'drinks'")
    assert any("chunks" in one for one in full.check_all()[1])


def test_a_trigger_and_a_view_are_found(full):
    if full._database.dialect == "sqlite":
        damage(full, "CREATE TRIGGER spy AFTER INSERT ON inbox BEGIN DELETE FROM keys; END")
    else:
        damage(
            full,
            "CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        )
        damage(full, "CREATE TRIGGER spy AFTER INSERT ON inbox EXECUTE FUNCTION spy()")
    damage(full, "CREATE VIEW look AS SELECT * FROM inbox")
    strange = full.check_all()[1]
    assert [any(name in one for one in strange) for name in ("spy", "look")] == [True, True]


def test_the_command_says_all_in_a_line_and_as_json(full, place):
    damage(full, CASES["settings that are not JSON"][0])
    damage(full, "UPDATE chunks SET survey = 'ghost' WHERE survey = 'age'")
    damage(full, "CREATE VIEW look AS SELECT * FROM inbox")
    result = run("store", "check", place)
    assert (result.exit_code, result.stdout) == (BAD_DATA, "")
    assert len(result.stderr.splitlines()) == 1
    for word in ("drinks", "settings", "ghost", "look"):
        assert word in result.stderr
    found = json.loads(run("store", "check", place, "--json").stdout)
    assert [(one["id"], "problem" in one) for one in found["surveys"]] == [
        ("age", True), ("drinks", True),
    ]  # fmt: skip
    assert len(found["problems"]) >= 2


def test_nothing_is_found_in_a_store_that_was_used_in_every_way(full, place):
    twice = arrival(SURVEY, answers(SURVEY, 2), b"four")
    assert full.add([twice, twice]) == [Outcome.COUNTED, Outcome.ALREADY]
    full.change("age", {"invited": True})
    full.invite("age", INVITATIONS)
    came = arrival(AGE, answers(AGE, 1), b"four")._replace(invitation=INVITATIONS[0])
    assert full.add([came, came._replace(key=bytes(32))]) == [Outcome.COUNTED, Outcome.UNINVITED]
    assert full.check_all() == ({"age": None, "drinks": None}, [])
    full.close("drinks")
    full.fold("age", force=True)
    full.expire(date.today() + timedelta(days=40))  # its keys are not needed any more
    assert full.check_all() == ({"age": None, "drinks": None}, [])
    assert full.add([arrival(AGE, answers(AGE, 1), b"one")]) == [Outcome.CONFLICT]
    with open_store(place, create=False) as again:
        assert again.check_all()[1] == []
