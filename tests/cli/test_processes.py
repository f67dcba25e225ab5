"""The installed command among other processes: pipes, signals, memory."""

import os
import pty
import signal
import subprocess
import sys
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


def test_an_interrupt_leaves_nothing_behind(folder):
    Path("answers.csv").write_bytes(b"answer\n" + b"tea\njuice\n" * 10_000_000)
    before = set(folder.iterdir())
    command = [PRIVET, "randomize", "survey.json", "answers.csv", "-o", "out.parquet"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = monotonic() + 120
    while sum(path.stat().st_size for path in set(folder.iterdir()) - before) < 1_000_000:
        assert process.poll() is None
        assert monotonic() < deadline
        sleep(0.001)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=120)
    assert (process.returncode, stderr) == (INTERRUPTED, "Error: interrupted\n")
    assert set(folder.iterdir()) == before
    Path("answers.csv").unlink()


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
    few, _ = randomizing(header + row * 100_000)
    many, rows = randomizing(header + row * 2_000_000)  # 200 MB more to read
    assert rows == 2_000_000
    assert many < few + 100


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
