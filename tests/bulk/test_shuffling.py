"""Rows in random order: all of them, and in any order alike."""

import os
import subprocess
import sys
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2

from privet.analysis import permuting
from privet.bulk import shuffling
from privet.bulk.shuffling import Shuffling


@pytest.fixture(params=["one by one", "compiled"])
def way(request, monkeypatch):
    """Few rows are put in order without compiled code, and many with it."""
    if request.param == "compiled":
        monkeypatch.setattr(shuffling, "_PLAIN_ROWS", -1)
        monkeypatch.setattr(permuting, "_PLAIN_ROWS", -1)


def shuffled(*batches):
    with Shuffling() as pile:
        for batch in batches:
            pile.add(batch)
        return [tuple(row) for rows, _ in pile.drain() for row in rows.tolist()]


def test_every_order_is_as_likely_as_any_other(way, monkeypatch):
    monkeypatch.setattr(shuffling, "_PILES", 2)
    four = np.arange(4, dtype=np.uint8).reshape(4, 1)
    seen = Counter(tuple(row[0] for row in shuffled(four[:3], four[3:])) for _ in range(4800))
    assert set(seen) == set(permutations(range(4)))
    statistic = sum((count - 200) ** 2 / 200 for count in seen.values())
    assert chi2.sf(statistic, 23) > 1e-6


def test_nothing_is_lost_and_little_stays_in_place(way, monkeypatch):
    monkeypatch.setattr(shuffling, "_PILE_BYTES", 1000)  # most of it on disk
    rows = np.arange(60_000, dtype="<u4").view(np.uint8).reshape(-1, 4)
    found = shuffled(*np.split(rows, 6))
    assert Counter(found) == Counter(map(tuple, rows.tolist()))
    stayed = sum(a == tuple(b) for a, b in zip(found, rows.tolist(), strict=True))
    assert stayed < 15  # a Poisson number of mean 1


def test_numbers_stay_with_their_rows(way):
    rows, numbers = np.arange(200, dtype=np.uint8).reshape(-1, 1), np.arange(200, dtype=np.int32)
    with Shuffling() as pile:
        pile.add(rows[:70], 1000 * numbers[:70])
        pile.add(rows[70:], 1000 * numbers[70:])
        found = [pair for some, of in pile.drain() for pair in zip(some[:, 0], of, strict=True)]
    assert sorted(found) == [(i, 1000 * i) for i in range(200)]


def test_no_rows_give_none():
    assert shuffled() == []


def test_piles_on_disk_are_the_owners_alone(monkeypatch):
    monkeypatch.setattr(shuffling, "_PILE_BYTES", 10)
    before = os.umask(0)
    try:
        with Shuffling() as pile:
            pile.add(np.zeros((100_000, 1), np.uint8))
            modes = {os.fstat(file.fileno()).st_mode & 0o777 for file in pile._piles}
    finally:
        os.umask(before)
    assert modes == {0o600}


NO_ROOM = """\
import resource, tempfile
import numpy as np
from privet.bulk import shuffling
shuffling._PILE_BYTES = 10
resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))
with shuffling.Shuffling() as pile:
    try:
        pile.add(np.zeros((100_000, 1), np.uint8))
    except OSError as error:
        print(error.filename == tempfile.gettempdir(), error.strerror)
"""


def test_no_room_for_the_piles_is_reported_with_their_place():
    done = subprocess.run([sys.executable, "-B", "-c", NO_ROOM], capture_output=True, text=True)
    said = "File too large while the reports' order is drawn; TMPDIR names another folder"
    assert done.stdout == f"True {said}\n", done.stderr


LOOKING = """\
import fcntl, os, stat
from privet import Survey
from privet.bulk import Cleaning, randomize_files, randomizing, shuffling
shuffling._PILE_BYTES = 10
kept = []

class Looking(shuffling.Shuffling):
    def __exit__(self, *error):
        for number in map(int, os.listdir("/proc/self/fd")):
            try:
                writable = fcntl.fcntl(number, fcntl.F_GETFL) & (os.O_WRONLY | os.O_RDWR)
                if writable and stat.S_ISREG(os.fstat(number).st_mode):
                    with open(f"/proc/self/fd/{number}", "rb") as file:
                        kept.append(file.read())
            except OSError:
                pass  # the listing's own
        super().__exit__(*error)

randomizing.Shuffling = Looking
survey = Survey("Which?", ["larch", "yew"], 1.0)
randomize_files("-", survey, "reports.parquet", cleaning=Cleaning(unknown="drop"))
print(sum(map(bool, kept)), sum(map(len, kept)) >= 2000, any(b"juniper" in one for one in kept))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="open files are listed on Linux")
def test_what_is_on_disk_meanwhile_are_reports_and_never_answers(tmp_path):
    """Of all files that are open for writing when the last answer has come, none has one."""
    answers = "answer\n" + "larch\njuniper\n" * 2000
    done = subprocess.run(
        [sys.executable, "-c", LOOKING],
        input=answers, capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    files, full, told = done.stdout.split()
    assert int(files) >= 60
    assert (full, told) == ("True", "False")
