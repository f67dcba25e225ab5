"""The installed command among other processes: pipes, signals, memory."""

import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest
from commands import INTERRUPTED, PRIVET, real, succeeds
from pyarrow import parquet

from privet import Survey


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_closed_pipe_is_no_error_to_tell(folder, options):
    command = [PRIVET, "estimate", "survey.json", "reports.parquet", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait(timeout=120)


def test_output_is_utf8_whatever_the_terminal_is_said_to_be(folder):
    succeeds("survey", "new", "-q", "Où ?", "-c", "café", "-c", "b", "-e", "1", "-o", "s.json")
    Path("a.csv").write_text("answer\ncafé\n", "utf-8")
    succeeds("randomize", "s.json", "a.csv", "-o", "r.parquet")
    done = real("estimate", "s.json", "r.parquet", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Où ?" in done.stdout
    assert "café" in done.stdout


@pytest.mark.parametrize("size", [4, 1_000_000], ids=["reading", "writing"])
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, INTERRUPTED, "interrupted"),
        (signal.SIGTERM, 128 + signal.SIGTERM, "told to end"),
        (signal.SIGHUP, 128 + signal.SIGHUP, "told to end"),
    ],
)
def test_an_interrupt_leaves_nothing_behind(folder, number, code, said, size):
    Path("answers.csv").write_bytes(b"answer\n" + b"tea\njuice\n" * 10_000_000)
    before = set(folder.iterdir())
    command = [PRIVET, "randomize", "survey.json", "answers.csv", "-o", "out.parquet"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = monotonic() + 120
    while sum(path.stat().st_size for path in set(folder.iterdir()) - before) < size:
        assert process.poll() is None
        assert monotonic() < deadline
        sleep(0.001)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=120)
    assert (process.returncode, stderr) == (code, f"Error: {said}\n")
    assert set(folder.iterdir()) == before
    Path("answers.csv").unlink()


def test_what_is_ignored_stays_ignored(folder):
    """As nohup has it: nobody hangs up on a command that runs on."""
    hang_up = "import signal, os, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
    command = [sys.executable, "-c", hang_up + "os.execv(sys.argv[1], sys.argv[1:])", PRIVET]
    args = ["randomize", "survey.json", "-", "-o", "out.parquet"]
    process = subprocess.Popen([*command, *args], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    before = set(folder.iterdir())
    while set(folder.iterdir()) == before:
        assert process.poll() is None
        sleep(0.001)
    process.send_signal(signal.SIGHUP)
    process.communicate(b"answer\ntea\n", timeout=120)
    assert process.returncode == 0


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_done_without(folder, closed):
    for args in (
        "estimate survey.json reports.parquet",
        "randomize survey.json answers.csv -o out",
    ):
        command = f'exec "$0" {args} {closed}'
        done = subprocess.run(["/bin/sh", "-c", command, PRIVET], capture_output=True, timeout=120)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert parquet.read_metadata("out").num_rows == 1000


# Itself small, because a process counts the memory of the one that it was forked from.
MEASURE = """\
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(child.pid, 0)
print(status, usage.ru_maxrss)
"""


def peak_megabytes(*args):
    """Run the installed command; return the most memory that it held."""
    measured = [sys.executable, "-c", MEASURE, PRIVET, *args]
    done = subprocess.run(measured, capture_output=True, text=True, timeout=120, check=True)
    status, peak = done.stdout.split()
    assert status == "0", done.stderr
    return int(peak) / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def randomizing(answers, survey="survey.json"):
    """The most memory that randomizing a file of answers takes, once everything is compiled."""
    Path("big.csv").write_bytes(answers)
    peak = peak_megabytes("randomize", survey, "big.csv", "-o", "big.parquet")
    rows = parquet.read_metadata("big.parquet").num_rows
    Path("big.csv").unlink()
    Path("big.parquet").unlink()
    return peak, rows


def test_memory_does_not_grow_with_the_number_of_answers(folder):
    header, row = b"note,answer\n", b"x" * 100 + b",tea\n"
    randomizing(header + row)
    few, _ = randomizing(header + row * 500_000)  # more than Arrow reads ahead
    many, rows = randomizing(header + row * 3_000_000)  # 260 MB more to read
    assert rows == 3_000_000
    assert many < few + 130


def test_memory_does_not_grow_with_the_size_of_a_report(folder):
    survey = Survey("?", [f"c{i}" for i in range(20_000)], 1.0)
    Path("wide.json").write_text(survey.to_json())
    randomizing(b"answer\nc1\n", "wide.json")
    few, _ = randomizing(b"answer\n" + b"c1\n" * 5_000, "wide.json")
    # Reports of 2,500 bytes from a single block of answers: 137 MB more if made at once.
    many, _ = randomizing(b"answer\n" + b"c1\n" * 60_000, "wide.json")
    assert many < few + 70


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["randomize", "survey.json", "answers.csv", "-o", "out.parquet"], b"Randomizing"),
        (["estimate", "survey.json", "reports.parquet"], b"Counting"),
        (["survey", "new", "-q", "?", "-e", "1", "--from", "answers.csv"], b"Reading"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_terminal_is_told_how_far_it_is(folder, args, said):
    ours, theirs = pty.openpty()
    done = subprocess.run([PRIVET, *args], stdout=subprocess.DEVNULL, stderr=theirs, timeout=120)
    os.close(theirs)
    assert done.returncode == 0
    assert said in os.read(ours, 1 << 16)
    os.close(ours)


def in_a_terminal(columns, *args):
    """Return what the command prints to a terminal of so many columns, without colours."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns), "LINES": "50", "TERM": "dumb"}
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
