"""A process that is killed at any moment loses nothing that it was told is stored."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from arrivals import AGE, answers, stored, tally_of
from privet.store import open_store

SUPPORT = Path(__file__).parents[1] / "support"
KILLS = 10
REPORTS = answers(AGE, 3)

# Adds groups under keys that go on from where they are told, and says each when it is stored.
ADDING = f"""\
import sys
sys.path.insert(0, {str(SUPPORT)!r})
from arrivals import AGE, arrival
from privet.store import Outcome, open_store
reports = [bytes.fromhex(one) for one in sys.argv[3:]]
with open_store(sys.argv[1]) as store:
    print("ready", flush=True)
    key = int(sys.argv[2])
    while True:
        group = [arrival(AGE, [one], b"%d %d" % (key, i)) for i, one in enumerate(reports)]
        outcomes = store.add(group)
        assert set(outcomes) <= {{Outcome.COUNTED, Outcome.ALREADY}}, outcomes
        print(key, flush=True)
        if key % 3 == 0:
            store.fold("age", force=True)
        key += 1
"""


def kill_while_adding(place, key, groups, wait):
    """Kill it some seconds after so many groups; return the number of the last that it named."""
    command = [sys.executable, "-c", ADDING, place, str(key), *(one.hex() for one in REPORTS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        said = [process.stdout.readline() for _ in range(groups)]
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        said += process.stdout.read().split("\n")[:-1]  # what a kill cut short was not said
    assert process.returncode == -signal.SIGKILL
    return max([key - 1, *map(int, said)])


def wait_for_what_is_on_its_way(place):
    """Let PostgreSQL notice that its client is gone, which may be after one more commit."""
    if "://" not in place:
        return
    import psycopg

    others = (
        "SELECT COUNT(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    end = time.monotonic() + 60
    with psycopg.connect(place, autocommit=True) as connection:
        while connection.execute(others).fetchone() != (0,):
            assert time.monotonic() < end
            time.sleep(0.01)


def test_what_was_said_to_be_stored_is(place):
    with open_store(place) as store:
        store.create(AGE)
    waits, last = random.Random(7), -1  # by groups, as a busy machine needs long for one
    for _ in range(KILLS):
        last = kill_while_adding(place, last + 1, waits.randrange(5), waits.uniform(0, 0.02))
        wait_for_what_is_on_its_way(place)
        with open_store(place) as store:
            groups = stored(store, AGE).total() // len(REPORTS)
            # All that was said, and at most the one on its way; which is sent again next time.
            assert groups in (last + 1, last + 2)
            assert stored(store, AGE) == Counter(REPORTS * groups)
            assert store.tally("age") == tally_of(AGE, REPORTS * groups)
            assert store.check("age") is None
    assert last > KILLS  # there were groups between the kills
