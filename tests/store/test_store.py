"""What a store promises, held to on both real databases."""

import threading
import time
from collections import Counter
from datetime import date, timedelta
from hashlib import sha256

import numpy as np
import pytest

from arrivals import AGE, BOTH, SURVEY, answers, arrival, stored, tally_of
from privet import Survey
from privet.errors import IdTaken, NoReports, NoSurvey, StoreFailure
from privet.store import EXEMPT, Arrival, Outcome, folding, open_store
from privet.store.postgres import Postgres
from privet.store.sqlite import Sqlite
from refusing import assert_names, refused

CONTRACTS = pytest.mark.parametrize("contract", [SURVEY, AGE, BOTH], ids=lambda one: one.id)
COUNTED, ALREADY, CONFLICT = Outcome.COUNTED, Outcome.ALREADY, Outcome.CONFLICT


@pytest.fixture
def drinks(store):
    """A store with the survey open in it."""
    assert store.create(SURVEY)
    return store


# --- surveys --------------------------------------------------------------------------------------


def test_a_survey_is_kept_as_it_is(store):
    assert store.entries() == {}
    assert store.create(SURVEY, {"counts_only": False, "title": "Où ? \0 \ud800"})
    assert store.create(BOTH)
    entry = store.get("drinks")
    assert entry.contract == SURVEY.to_json().encode()
    assert (entry.open, entry.closed) == (True, None)
    assert abs(date.fromisoformat(entry.day) - date.today()) <= timedelta(days=1)
    assert entry.settings == {"counts_only": False, "title": "Où ? \0 \ud800"}
    assert list(store.entries()) == ["both", "drinks"]
    assert store.entries()["drinks"] == entry


def test_the_same_survey_can_be_made_again_and_another_not(drinks):
    assert not drinks.create(SURVEY)
    other = Survey("Drink?", ["tea", "coffee"], 2.0, id="drinks")
    with refused(IdTaken, "another survey", "'drinks'"):
        drinks.create(other)
    assert drinks.get("drinks").contract == SURVEY.to_json().encode()


def test_a_deleted_survey_is_gone_and_its_id_is_never_used_again(drinks):
    drinks.add([arrival(SURVEY, answers(SURVEY, 3), b"key")])
    drinks.fold("drinks", force=True)
    drinks.add([arrival(SURVEY, answers(SURVEY, 3))])
    drinks.invite("drinks", [bytes(32)])
    drinks.delete("drinks")
    assert drinks.entries() == {}
    assert drinks.add([arrival(SURVEY, [], b"key")]) == [Outcome.GONE]
    for ask in (drinks.get, drinks.tally, drinks.check, drinks.close, drinks.delete, drinks.fold):
        with refused(NoSurvey, "'drinks'", gone=True):
            ask("drinks")
    with refused(IdTaken, "'drinks'", "deleted"):
        drinks.create(SURVEY)
    with drinks._database.snapshot() as run:
        for table in ("inbox", "chunks", "tallies", "keys", "invitations"):
            assert run(f"SELECT COUNT(*) FROM {table}").fetchone()[0] == 0
        (kept,) = run("SELECT * FROM surveys").fetchall()
    assert kept == ("drinks", "deleted", None, "{}", "", None)


@pytest.mark.parametrize("id", ["nonsense", "", "a\0b", "\ud800", "a'b", "x" * 1000])
def test_an_unknown_survey(drinks, id):
    for ask in (drinks.get, drinks.tally, drinks.check, drinks.close, drinks.delete, drinks.fold):
        with refused(NoSurvey, gone=False):
            ask(id)
    with pytest.raises(NoSurvey):
        drinks.reports(id)
    key = bytes(32)
    group = [Arrival(id, key, key, b"x"), arrival(SURVEY, answers(SURVEY, 1), b"k")]
    assert drinks.add(group) == [Outcome.UNKNOWN, COUNTED]  # which spoils nobody else's


# --- reports --------------------------------------------------------------------------------------


@CONTRACTS
def test_the_tally_is_exact_at_any_moment(store, contract):
    store.create(contract)
    sent, folded = [], 0
    assert store.tally(contract.id) == contract.tally()
    for step in range(6):
        some = answers(contract, 5 + step)
        assert store.add([arrival(contract, some[:2]), arrival(contract, some[2:], b"%d" % step)])
        sent += some
        if step in (1, 4):
            assert store.fold(contract.id, force=True) == len(sent) - folded
            folded = len(sent)
        assert store.tally(contract.id) == tally_of(contract, sent)
        size = store.size(contract.id)
        assert (size, type(size)) == (len(sent), int)
        waiting = (len(sent) - folded) * contract.mechanism.report_bytes
        assert store.inbox_bytes() == waiting
        assert stored(store, contract) == Counter(sent)
        assert store.check(contract.id) is None
    store.close(contract.id)
    assert store.tally(contract.id) == tally_of(contract, sent)
    assert stored(store, contract) == Counter(sent)


def test_a_key_is_counted_once(drinks):
    body, other = answers(SURVEY, 3), answers(SURVEY, 4)
    one = arrival(SURVEY, body, b"one")
    assert drinks.add([one]) == [COUNTED]
    assert drinks.add([one, arrival(SURVEY, other, b"one")]) == [ALREADY, CONFLICT]
    two, clash = arrival(SURVEY, body, b"two"), arrival(SURVEY, other, b"two")
    # Within a group as across groups, and without a key as often as it comes.
    free = arrival(SURVEY, body)
    assert drinks.add([two, clash, two, free, one, free]) == [
        COUNTED, CONFLICT, ALREADY, COUNTED, ALREADY, COUNTED
    ]  # fmt: skip
    assert drinks.tally("drinks") == tally_of(SURVEY, 4 * body)


def test_keys_are_a_surveys_own(drinks):
    drinks.create(AGE)
    group = [arrival(SURVEY, answers(SURVEY, 2), b"key"), arrival(AGE, answers(AGE, 3), b"key")]
    assert drinks.add(group) == [COUNTED, COUNTED]
    assert (drinks.tally("drinks").n, drinks.tally("age").n) == (2, 3)


def test_known_and_new_keys_in_one_group_of_several_surveys(drinks):
    drinks.create(AGE)
    known = [arrival(SURVEY, answers(SURVEY, 1), b"%d" % i) for i in range(0, 300, 3)]
    assert drinks.add(known) == [COUNTED] * 100
    group = [arrival(SURVEY, answers(SURVEY, 1), b"%d" % i) for i in range(300)]
    group += [arrival(AGE, answers(AGE, 1), b"%d" % i) for i in range(300)]
    before = [known[i // 3] if i % 3 == 0 else one for i, one in enumerate(group[:300])]
    outcomes = drinks.add(before + group[300:])
    assert outcomes == [ALREADY if i % 3 == 0 else COUNTED for i in range(300)] + [COUNTED] * 300
    assert set(drinks.add(before + group[300:])) == {ALREADY}


def test_a_group_is_one_row_a_survey(drinks):
    drinks.create(AGE)
    drinks.add(
        [arrival(SURVEY, answers(SURVEY, 1)) for _ in range(9)] + [arrival(AGE, answers(AGE, 2))]
    )
    with drinks._database.snapshot() as run:
        assert run("SELECT COUNT(*) FROM inbox").fetchone()[0] == 2


def test_after_the_close_nothing_is_counted_and_a_retry_is_known(drinks):
    body = answers(SURVEY, 3)
    drinks.add([arrival(SURVEY, body, b"before")])
    drinks.close("drinks")
    day = drinks.get("drinks").closed
    drinks.close("drinks")
    assert not drinks.get("drinks").open
    assert drinks.get("drinks").closed == day is not None
    late = [arrival(SURVEY, body, b"before"), arrival(SURVEY, body[:1], b"before"),
            arrival(SURVEY, body, b"late"), arrival(SURVEY, body)]  # fmt: skip
    assert drinks.add(late) == [ALREADY, CONFLICT, Outcome.CLOSED, Outcome.CLOSED]
    assert drinks.tally("drinks") == tally_of(SURVEY, body)


def test_keys_are_kept_for_thirty_days_after_the_close(drinks):
    drinks.create(AGE)
    drinks.invite("drinks", [bytes(32)])
    one, other = arrival(SURVEY, answers(SURVEY, 1), b"1"), arrival(AGE, answers(AGE, 1), b"1")
    drinks.add([one, other])
    drinks.close("drinks")
    closed = date.fromisoformat(drinks.get("drinks").closed)
    drinks.expire(closed + timedelta(days=30))
    assert drinks.add([one, other]) == [ALREADY, ALREADY]
    drinks.expire(closed + timedelta(days=31))
    assert drinks.add([one, other]) == [Outcome.CLOSED, ALREADY]  # the other is open
    with drinks._database.snapshot() as run:
        assert run("SELECT COUNT(*) FROM invitations").fetchone()[0] == 0


# --- folds ----------------------------------------------------------------------------------------


def test_a_fold_waits_until_it_is_worth_it(drinks, monkeypatch):
    assert folding.due(SURVEY, 1 << 20)
    assert not folding.due(SURVEY, (1 << 20) - 1)
    large = Survey("Number?", [str(i) for i in range(600_000)], 1.0, mechanism="k-subset")
    assert folding.due(large, 1_200_000)  # a quarter of 600,000 counters of 8 bytes
    assert not folding.due(large, 1_199_999)
    monkeypatch.setattr(folding, "LEAST_FOLD", 40)
    size = SURVEY.mechanism.report_bytes
    drinks.add([arrival(SURVEY, answers(SURVEY, 39 // size))])
    assert drinks.fold("drinks") == 0
    drinks.add([arrival(SURVEY, answers(SURVEY, 2))])
    assert drinks.fold("drinks") == 39 // size + 2
    assert drinks.fold("drinks") == drinks.fold("drinks", force=True) == 0


def test_rows_are_bounded(store, monkeypatch):
    monkeypatch.setattr(folding, "MOST_BYTES", 100)
    store.create(AGE)
    sent = answers(AGE, 1000)
    store.add([arrival(AGE, sent)])
    store.fold("age", force=True)
    with store._database.snapshot() as run:
        for column in ("reports FROM chunks", "data FROM tallies"):
            sizes = [len(data) for (data,) in run(f"SELECT {column}").fetchall()]
            assert len(sizes) > 5
            assert max(sizes) <= 100
    assert store.tally("age") == tally_of(AGE, sent)
    assert stored(store, AGE) == Counter(sent)
    assert store.check("age") is None


def test_a_fold_leaves_no_trace_of_the_order(store):
    """Twelve different reports come in order; of the folded orders, hardly any is the same."""
    numbers = Survey("Number?", [str(i) for i in range(256)], 8.0, mechanism="multivariate-rr")
    store.create(numbers)
    sent = [bytes([i]) for i in range(12)]
    for _ in range(8):
        store.add([arrival(numbers, [one]) for one in sent])
        store.fold(numbers.id, force=True)
    orders = set(store.reports(numbers.id))
    assert [sorted(order) for order in orders] == [list(range(12))] * 8  # 12! = 479 million
    assert b"".join(sent) not in orders


def test_counts_only(store):
    store.create(SURVEY, {"counts_only": True})
    sent = answers(SURVEY, 7)
    store.add([arrival(SURVEY, sent)])
    store.fold("drinks", force=True)
    store.add([arrival(SURVEY, sent[:2])])
    assert store.tally("drinks") == tally_of(SURVEY, sent + sent[:2])
    assert store.check("drinks") is None
    store.fold("drinks", force=True)
    assert store.check("drinks") is None
    with refused(NoReports, "'drinks'", "counts"):
        store.reports("drinks")
    with store._database.writing() as run:
        assert sorted(run("SELECT n, reports FROM chunks").fetchall()) == [(2, None), (7, None)]
        run("UPDATE chunks SET n = 8 WHERE n = 7")
    assert_names(store.check("drinks"), "9 reports", "10")


def test_a_check_finds_what_is_wrong(drinks):
    sent = answers(SURVEY, 6)
    drinks.add([arrival(SURVEY, sent)])
    drinks.fold("drinks", force=True)
    (good,) = drinks.reports("drinks")

    def check_with(sql, value):
        with drinks._database.writing() as run:
            run(sql, value)
        return drinks.check("drinks")

    chunk = "UPDATE chunks SET reports = $1"
    assert_names(check_with(chunk, good[:-1]), "6 reports")
    assert "reports[0]: " in check_with(chunk, b"\xff" * len(good))
    other = answers(SURVEY, 1)[0] * 6
    assert_names(check_with(chunk, other), "tally", "sum")
    assert check_with(chunk, good) is None
    assert "checksum" in check_with("UPDATE tallies SET data = $1", _flipped(drinks))
    assert "mark" in check_with("UPDATE tallies SET data = $1", b"nonsense")
    assert "6" in check_with("DELETE FROM tallies WHERE survey = $1", "drinks")
    check_with(chunk, good)
    insert = "INSERT INTO inbox (id, survey, reports) VALUES (1, 'drinks', $1)"
    with drinks._database.writing() as run:
        folding.write_tally(run, "drinks", tally_of(SURVEY, sent).to_bytes())
    assert check_with(insert, b"\xff" * SURVEY.mechanism.report_bytes).startswith("inbox: ")


def _flipped(store):
    with store._database.snapshot() as run:
        (data,) = run("SELECT data FROM tallies").fetchone()
    return data[:60] + bytes([data[60] ^ 1]) + data[61:]


# --- at the same time -----------------------------------------------------------------------------


def in_threads(count, work):
    errors = []

    def guarded(i):
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_concurrent_identical_keys_are_counted_once(drinks):
    group = [arrival(SURVEY, answers(SURVEY, 2), b"%d" % i) for i in range(20)]
    outcomes = [None] * 6

    def send(i):
        mine = np.random.default_rng(i).permutation(len(group))
        outcomes[i] = [drinks.add([group[j] for j in mine[at : at + 5]]) for at in range(0, 20, 5)]

    in_threads(6, send)
    counted = Counter(one for groups in outcomes for group in groups for one in group)
    assert counted == {COUNTED: 20, ALREADY: 100}
    expected = b"".join(one.reports for one in group)
    size = SURVEY.mechanism.report_bytes
    assert stored(drinks, SURVEY) == Counter(
        expected[at : at + size] for at in range(0, len(expected), size)
    )


def test_adding_folding_and_reading_at_once(drinks):
    stop, sent = threading.Event(), [[], []]

    def work(i):
        if i < 2:
            for _ in range(30):
                some = answers(SURVEY, 3)
                assert drinks.add([arrival(SURVEY, some)]) == [COUNTED]
                sent[i] += some
            if i == 0:
                stop.set()
        elif i == 2:
            while not stop.is_set():
                drinks.fold("drinks", force=True)
        else:
            before = 0
            while not stop.is_set():
                n = drinks.tally("drinks").n
                assert n % 3 == 0
                assert before <= n
                assert sum(stored(drinks, SURVEY).values()) >= n
                assert drinks.check("drinks") is None
                before = n

    in_threads(4, work)
    assert drinks.tally("drinks") == tally_of(SURVEY, sent[0] + sent[1])
    assert stored(drinks, SURVEY) == Counter(sent[0] + sent[1])


@pytest.mark.parametrize("end", ["close", "delete"])
def test_nothing_is_counted_after_a_close_or_delete_returned(drinks, end):
    """What was counted before is in the tally that the close leaves, and nothing more ever is."""
    closed, counted, late = threading.Event(), [], []

    def work(i):
        if i == 0:
            while len(counted) < 20:
                time.sleep(0.001)
            getattr(drinks, end)("drinks")
            closed.set()
            return
        for step in range(400):
            was_closed = closed.is_set()
            (outcome,) = drinks.add([arrival(SURVEY, answers(SURVEY, 1), b"%d %d" % (i, step))])
            if outcome is COUNTED:
                counted.append(step)
                late.append(was_closed)
            elif was_closed:
                return

    in_threads(4, work)
    assert not any(late)
    if end == "close":
        assert drinks.tally("drinks").n == len(counted)
        assert drinks.check("drinks") is None
    with drinks._database.snapshot() as run:
        assert run("SELECT COUNT(*) FROM inbox").fetchone()[0] == 0
        if end == "delete":
            assert run("SELECT COUNT(*) FROM keys").fetchone()[0] == 0


# --- access ---------------------------------------------------------------------------------------


INVITATIONS = [sha256(b"%d" % i).digest() for i in range(3)]


@pytest.fixture
def invited(store):
    """A store with a survey by invitation, and three invitations."""
    store.create(SURVEY, {"invited": True})
    store.invite("drinks", INVITATIONS)
    return store


def sent(key, invitation=None, n=1):
    """An arrival that is the same whenever the key is."""
    body = [bytes([0b0001])] * n
    return arrival(SURVEY, body, key)._replace(invitation=invitation)


def test_an_invitation_counts_once_and_its_key_may_come_again(invited):
    one, two, _ = INVITATIONS
    uninvited = Outcome.UNINVITED
    assert invited.add([sent(b"a", one)]) == [COUNTED]
    assert invited.add([sent(b"a", one)]) == [ALREADY]  # as its answer may have been lost
    assert invited.add([sent(b"a", one, 2)]) == [CONFLICT]
    assert invited.add([sent(b"b", one)]) == [uninvited]
    assert invited.add([sent(b"b"), sent(None, two), sent(b"b", bytes(32))]) == [uninvited] * 3
    assert invited.add([sent(b"b", two)]) == [COUNTED]  # refusals did not spend the key
    assert invited.add([sent(b"c", EXEMPT), sent(b"c", EXEMPT)]) == [COUNTED, ALREADY]
    assert invited.tally("drinks").n == 3
    with pytest.raises(NoSurvey):
        invited.invite("other", INVITATIONS)


def test_which_report_came_with_which_invitation_is_not_kept(store):
    """Two people exchange their invitations: what is in the store is the same."""
    found = []
    for id, pair in {"one": INVITATIONS[:2], "two": INVITATIONS[1::-1]}.items():
        survey = Survey(SURVEY.question, SURVEY.categories, 2.0, id=id, mechanism="k-subset")
        store.create(survey, {"invited": True})
        store.invite(id, INVITATIONS)
        for key, report, invitation in zip((b"a", b"b"), (b"\1", b"\2"), pair, strict=True):
            came = arrival(survey, [report], key)._replace(invitation=invitation)
            assert store.add([came]) == [COUNTED]
        kept = {"inbox": "reports", "keys": "key, seal", "invitations": "invitation"}
        with store._database.snapshot() as run:
            found.append(
                [
                    sorted(run(f"SELECT {kept[table]} FROM {table} WHERE survey = '{id}'"))
                    for table in kept
                ]
            )
    assert found[0] == found[1]
    assert [len(rows) for rows in found[0]] == [2, 2, 1]


def test_in_a_group_invitations_count_as_if_one_had_come_after_the_other(invited):
    one, two, three = INVITATIONS
    group = [
        sent(b"a", one), sent(b"a", one), sent(b"b", one), sent(b"b", one), sent(b"c", bytes(32)),
        sent(b"c", two), sent(b"d", three, 2), sent(b"d", three),
    ]  # fmt: skip
    assert Counter(invited.add(group)) == {
        COUNTED: 3, ALREADY: 1, CONFLICT: 1, Outcome.UNINVITED: 3,
    }  # fmt: skip
    assert invited.check("drinks") is None
    with invited._database.snapshot() as run:
        assert run("SELECT COUNT(*) FROM invitations").fetchone()[0] == 0
        assert run("SELECT COUNT(*) FROM keys").fetchone()[0] == 3


def test_an_invitation_that_several_spend_at_once_counts_once(invited):
    won = []

    def spend(i):
        if invited.add([sent(b"%d" % i, INVITATIONS[0])]) == [COUNTED]:
            won.append(i)

    in_threads(5, spend)
    assert len(won) == 1 == invited.tally("drinks").n


def test_a_closed_survey_by_invitation_knows_its_keys(invited):
    invited.add([sent(b"a", INVITATIONS[0])])
    invited.close("drinks")
    late = [sent(b"a", INVITATIONS[0]), sent(b"b", INVITATIONS[1]), sent(None)]
    assert invited.add(late) == [ALREADY, Outcome.CLOSED, Outcome.CLOSED]


def test_settings_can_change(drinks):
    drinks.change("drinks", {"invited": True, "more": [1]})
    assert drinks.get("drinks").settings == {"invited": True, "more": [1]}
    assert drinks.add([sent(b"a")]) == [Outcome.UNINVITED]
    drinks.change("drinks", {})
    assert drinks.add([sent(b"a")]) == [COUNTED]
    drinks.delete("drinks")
    with pytest.raises(NoSurvey):
        drinks.change("drinks", {})


def test_the_token(drinks):
    assert drinks.token() is None
    assert drinks.set_token(bytes(32), for_good=True)
    assert drinks.token() == bytes(32)
    drinks.set_token(b"\xff" * 32)
    assert drinks.token() == b"\xff" * 32
    assert drinks.set_token(bytes(32), for_good=True)
    assert not drinks.set_token(b"\xff" * 32)
    assert drinks.token() == bytes(32)
    assert drinks.set_token(bytes(32), for_good=True)
    assert drinks.set_token(bytes(32))


def test_a_session_ends_by_itself_by_a_logout_or_with_its_token(drinks):
    token, other, one, two = (bytes([i]) * 32 for i in range(4))
    assert not drinks.begin_session(token, one, now=0, seconds=9)  # there is no token yet
    drinks.set_token(token)
    assert not drinks.begin_session(other, one, now=0, seconds=9)
    assert not drinks.has_session(one, now=0)
    assert drinks.begin_session(token, one, now=0, seconds=9)
    assert drinks.begin_session(token, two, now=5, seconds=9)
    assert [drinks.has_session(one, now=now) for now in (8, 9)] == [True, False]
    drinks.end_session(one)
    assert [drinks.has_session(session, now=8) for session in (one, two)] == [False, True]
    drinks.set_token(token)  # as when a server starts again
    assert drinks.has_session(two, now=8)
    drinks.set_token(other)
    drinks.set_token(token)
    assert not drinks.has_session(two, now=8)
    assert drinks.begin_session(token, one, now=8, seconds=9)
    assert drinks.begin_session(token, two, now=17, seconds=9)
    with drinks._database.snapshot() as run:  # what has ended is forgotten
        assert run("SELECT COUNT(*) FROM sessions").fetchone()[0] == 1


# --- opening --------------------------------------------------------------------------------------


def test_all_is_there_when_a_store_is_opened_again(place):
    sent = answers(SURVEY, 5)
    with open_store(place) as store:
        store.create(SURVEY)
        store.add([arrival(SURVEY, sent, b"key")])
        store.set_token(bytes(32))
    with open_store(place, create=False) as store:
        assert store.tally("drinks") == tally_of(SURVEY, sent)
        assert store.add([arrival(SURVEY, sent, b"key")]) == [ALREADY]
        assert store.token() == bytes(32)


def test_a_store_that_is_not_there_is_not_made(place):
    with refused(StoreFailure, "no store"):
        open_store(place, create=False)
    with open_store(place):
        pass


def test_migrations_run_once_each_and_a_newer_store_is_refused(place, monkeypatch):
    with open_store(place) as store:
        store.create(SURVEY)
    kind = type(store._database)
    known = len(kind.migrations)
    newer = (*kind.migrations, ("ALTER TABLE surveys ADD COLUMN note TEXT",))
    with monkeypatch.context() as patch:
        patch.setattr(kind, "migrations", newer)
        for _ in range(2):
            with open_store(place) as store, store._database.snapshot() as run:
                assert run("SELECT id, note FROM surveys").fetchall() == [("drinks", None)]
        # One that fails leaves the store as it was.
        failing = ("ALTER TABLE surveys ADD COLUMN more TEXT", "NONSENSE")
        patch.setattr(kind, "migrations", (*newer, failing))
        with pytest.raises(StoreFailure):
            open_store(place)
        patch.setattr(kind, "migrations", newer)
        with open_store(place) as store, store._database.snapshot() as run:
            assert store._database.version(run) == known + 1
    with refused(StoreFailure, f"version {known + 1}", known):
        open_store(place)


@pytest.mark.parametrize("version", [1, 2])
def test_a_store_of_an_older_version_is_brought_up_to_date(place, monkeypatch, version):
    with monkeypatch.context() as patch:
        for kind in (Sqlite, Postgres):
            patch.setattr(kind, "migrations", kind.migrations[:version])
        with open_store(place) as store:
            store.create(SURVEY)
            with store._database.writing() as run:
                for id, n in ((1, 3), (2, 2)):
                    insert = "INSERT INTO inbox (id, survey, reports) VALUES ($1, 'drinks', $2)"
                    run(insert, id, b"".join(answers(SURVEY, n)))
    with open_store(place) as store:
        assert store.size("drinks") == store.tally("drinks").n == 5
        assert store.check("drinks") is None
