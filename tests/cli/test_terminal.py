"""Tables that fit the terminal, and progress in it."""

import os
import pty
import subprocess
import termios
from contextlib import suppress

import pytest

from commands import PRIVET


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["randomize", "survey.json", "answers.csv", "-o", "out.parquet"], b"Randomizing"),
        (["estimate", "survey.json", "reports.parquet"], b"Counting"),
        (["survey", "new", "-q", "?", "-e", "1", "--from", "answers.csv"], b"Reading"),
        (["simulate", "--repeats", "2"], b"Simulating"),
        (["simulate", "attack", "averaging", "-n", "50"], b"Asking again"),
        (["paper", "table1", "--repeats", "2"], b"Simulating"),
        (["demo", "--people", "10"], b"Randomizing"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_terminal_shows_how_far_the_work_is(folder, args, said):
    ours, theirs = pty.openpty()
    done = subprocess.run([PRIVET, *args], stdout=subprocess.DEVNULL, stderr=theirs, timeout=120)
    os.close(theirs)
    assert done.returncode == 0
    assert said in os.read(ours, 1 << 16)
    os.close(ours)


def in_a_terminal(columns, *args):
    """Return what the command prints to a terminal of so many columns, without colours."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment["TERM"] = "dumb"
    command = [PRIVET, *args]
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    pieces = []
    with suppress(OSError):  # which is how the end looks from this side
        while piece := os.read(ours, 1 << 16):
            pieces.append(piece)
    os.close(ours)
    assert process.wait(timeout=120) == 0
    return b"".join(pieces).decode()


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_the_numbers_are_whole_in_a_terminal_of_any_width(folder, columns):
    shown = in_a_terminal(columns, "estimate", "survey.json", "reports.parquet")
    (row,) = (line for line in shown.splitlines() if line.startswith("  tea "))
    assert row.count("%") == (2 if columns == 40 else 3)
    assert len(row.rstrip()) <= columns
    assert ("█" in row) == (columns >= 80)
    assert "…" not in row


def test_a_narrow_terminal_shows_the_errors_of_a_comparison(folder):
    plan = ["plan", "--categories", "100", "--epsilon", "1", "--people", "1000", "--compare"]
    narrow, wide = (in_a_terminal(columns, *plan) for columns in (80, 120))
    assert "decoding" in wide
    assert "decoding" not in narrow
    assert "…" not in narrow + wide
