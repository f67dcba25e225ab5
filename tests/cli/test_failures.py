"""Wrong usage, a refusing system, signals: one line, an exit code, nothing half done."""

import os
import shlex
import signal
import subprocess
import sys
from errno import EFBIG, ENOSPC
from pathlib import Path
from time import monotonic, sleep

import click
import pytest
from pyarrow import parquet

from commands import (
    BAD_DATA,
    INTERRUPTED,
    PRIVET,
    SYSTEM,
    USAGE,
    contents,
    fails,
    real,
)
from privet.cli.failures import in_one_line
from privet.errors import InvalidFile
from refusing import assert_names

NEW = ["survey", "new", "-q", "Drink?", "-c", "tea", "-c", "coffee", "-o", "new.json"]
RANDOMIZE = ["randomize", "survey.json", "answers.csv"]
ESTIMATE = ["estimate", "survey.json", "reports.parquet", "--figure", "new.png"]


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (["randomize", "--nope"], ["--nope"]),
        (["randomize", "survey.json", "nope.csv", "-o", "new.parquet"], ["'nope.csv'"]),
        (["randomize", "survey.json", "*.tsv", "-o", "new.parquet"], ["'*.tsv'"]),
        (["randomize", "survey.json", "empty", "-o", "new.parquet"], ["folder 'empty'"]),
        (["estimate", "survey.json", "nope.parquet"], ["'nope.parquet'"]),
        (["estimate", "survey.json", "reports.parquet", "--master", "x"], ["--master", "--engine"]),
        ([*ESTIMATE, "--exact-csv"], ["--exact-csv", "--out"]),
        ([*ESTIMATE, "--exact-csv", "-o", "new.json"], ["--exact-csv", "--out"]),
        ([*RANDOMIZE, "-o", "n", "--unknown", "x"], ["'unknown'", "'x'"]),
        ([*RANDOMIZE, "-o", "n", "--delimiter", "x;"], ["'delimiter'", "'x;'"]),
        ([*RANDOMIZE, "-o", "n", "--delimiter", "é"], ["'delimiter'", "'é'"]),
        (["randomize", "survey.json", "", "-o", "n"], ["''"]),
        ([*RANDOMIZE, "-o", "-"], ["'--out'", "'-'"]),
        ([*RANDOMIZE, "-o", ""], ["'--out'", "''"]),
        ([*RANDOMIZE, "-o", "n", "--by", "answer"], ["'by'", "in the clear"]),
        ([*RANDOMIZE, "-o", "n", "--by", "report"], ["'by'", "'report'"]),
        (["estimate", "survey.json", "reports.parquet", "--by", "report"], ["'by'", "'report'"]),
        (["estimate", "survey.json", "-"], ["'-'", "pipe"]),
        (["tally", "survey.json", "-", "-o", "n"], ["'-'", "pipe"]),
        *(
            ([*args, "answers.csv", "./answers.csv"], ["answers.csv", "twice"])
            for args in (
                ["randomize", "survey.json", "-o", "n"],
                ["tally", "survey.json", "-o", "n"],
            )
        ),
        ([*RANDOMIZE, "-o", "answers.csv"], ["answers.csv", "output"]),
        ([*RANDOMIZE, "-o", "survey.json"], ["survey.json", "output"]),
        (
            ["tally", "survey.json", "reports.parquet", "-o", "reports.parquet"],
            ["reports.parquet", "output"],
        ),
        (
            ["estimate", "survey.json", "reports.parquet", "-o", "reports.parquet"],
            ["reports.parquet", "output"],
        ),
        (
            [*NEW[:4], "-e", "1", "--from", "answers.csv", "-o", "answers.csv"],
            ["answers.csv", "output"],
        ),
        (
            ["simulate", "--truth-file", "answers.csv", "-o", "answers.csv"],
            ["answers.csv", "output"],
        ),
        (["demo", "--answers", "new.png", "--figure", "new.png"], ["new.png", "output"]),
        ([*NEW, "-e", "1", "--top", "3"], ["--top", "--from"]),
        ([*ESTIMATE, "--out", "new.txt"], ["'--out'", "'new.txt'", ".csv, .json, .parquet"]),
        *(([*NEW, "-e", epsilon], ["'epsilon'"]) for epsilon in ("-1", "0", "nan", "inf", "1e9")),
        ([*NEW[:6], "-e", "1"], ["at least two"]),
        ([*NEW, "-e", "1", "-c", "tea"], ["categories[0]", "'tea'"]),
        ([*NEW, "-e", "1", "-c", ""], ["non-empty", "''"]),
        ([*NEW, "-e", "1", "-m", "nope"], ["'nope'", "k-subset, cyclotomic"]),
        ([*NEW, "-e", "1", "--id", "Not an id"], ["'id'", "'Not an id'"]),
        *(([*ESTIMATE, "--level", level], ["--level", level]) for level in ("0", "1", "2", "-0.5")),
        ([*ESTIMATE, "--level", "nan"], ["'level'", "nan"]),
        ([*ESTIMATE, "--top", "0"], ["--top", "0"]),
        ([*ESTIMATE, "--target", "nope"], ["--target", "'nope'"]),
        ([*ESTIMATE[:3], "--figure", "new.gif"], ["--figure", "'new.gif'", ".png, .svg, .pdf"]),
        ([*ESTIMATE[:3], "--figure", "new"], ["--figure", "'new'", ".png, .svg, .pdf"]),
        ([*ESTIMATE, "--figure", "other.png"], ["'--figure'", "twice"]),
        ([*RANDOMIZE, "-o", "n", "--column", "a", "--column", "b"], ["'--column'", "twice"]),
        ([*NEW, "-e", "1", "-e", "2"], ["'--epsilon'", "twice"]),
        (["paper", "table1", "--seed", "1", "--seed", "2"], ["'--seed'", "twice"]),
        ([*RANDOMIZE, "-o", "new.csv"], ["new.csv", "reports are bytes"]),
        (
            ["randomize", "survey.json", "reports.parquet", "-o", "n"],
            ["reports.parquet", "reports already"],
        ),
        (
            ["randomize", "answers.csv", "survey.json", "-o", "n"],
            ["first", "survey.json", "answers.csv"],
        ),
        (
            ["estimate", "reports.parquet", "survey.json"],
            ["first", "survey.json", "reports.parquet"],
        ),
        (
            ["tally", "answers.csv", "survey.json", "-o", "n"],
            ["first", "survey.json", "answers.csv"],
        ),
        ([*NEW[:8], "-e", "1", "-o", "survey.json"], ["survey.json", "'drinks'", "--force"]),
        ([*NEW[:8], "-e", "1", "-o", "answers.csv"], ["answers.csv", "--force"]),
        (["demo", "--people", "0"], ["--people", "0"]),
        (["demo", "--figure", "new.jpeg"], ["--figure", "'new.jpeg'", ".png, .svg, .pdf"]),
    ],
    ids=lambda value: shlex.join(value[-5:]),
)
def test_wrong_usage(folder, args, names):
    Path("empty").mkdir()
    assert_names(fails(USAGE, *args), *names)


def test_the_line_is_printable_whatever_it_quotes(folder):
    Path("red \x1b[31m\n.csv").write_text("")
    line = fails(BAD_DATA, "randomize", "survey.json", "red \x1b[31m\n.csv", "-o", "out")
    assert line.startswith(r"red \x1b[31m .csv: ")
    assert line.isprintable()


@pytest.mark.parametrize(
    "args",
    [
        ["survey", "new", "-q", "?", "-c", "a", "-c", "b", "-e", "1", "-o"],
        ["randomize", "survey.json", "answers.csv", "-o"],
        ["estimate", "survey.json", "reports.parquet", "--figure"],
        ["demo", "--people", "10", "--figure"],
        ["demo", "--people", "10", "--answers", "new.csv", "--figure"],
    ],
    ids=lambda args: args[0],
)
def test_an_output_that_cannot_be_written(folder, args):
    Path("folder.png").mkdir()
    for place in ("missing/out.png", "answers.csv/out.png", "folder.png"):
        assert fails(SYSTEM, *args, place).startswith(f"{place}: ")
    assert list(Path("folder.png").iterdir()) == []


LIMITED = "import resource, os, sys; resource.setrlimit(resource.{}, ({}, {})); "
LIMITED += "os.execv(sys.argv[1], sys.argv[1:])"
UNKEPT = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}  # which would be cut off as well


def limited(name, most, *args):
    """Run the installed command with no more of a resource than this."""
    command = [sys.executable, "-c", LIMITED.format(name, most, most), PRIVET, *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=UNKEPT)


def test_too_little_memory(folder):
    with Path("huge.json").open("wb") as file:
        file.truncate(8 << 30)  # which takes no room on the disk
    done = limited("RLIMIT_AS", 4 << 30, "survey", "show", "huge.json")
    assert done.returncode == SYSTEM
    assert_names(done.stderr.rstrip("\n"), "Error", "memory")


def test_a_full_disk_under_stdout(folder):
    with Path("/dev/full").open("w") as full:
        command = [PRIVET, "estimate", "survey.json", "reports.parquet", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == SYSTEM
    assert_names(done.stderr.rstrip("\n"), "Error", os.strerror(ENOSPC))


@pytest.mark.parametrize(
    "args",
    [
        ["randomize", "survey.json", "many.csv", "-o", "new.parquet"],
        ["randomize", "survey.json", "many.csv", "-o", "new.parquet", "--keep-order"],
        ["estimate", "survey.json", "reports.parquet", "--out", "new.csv"],
        ["estimate", "survey.json", "reports.parquet", "--out", "new.parquet"],
        ["estimate", "survey.json", "reports.parquet", "--figure", "new.png"],
        ["tally", "survey.json", "reports.parquet", "-o", "new.tally"],
        ["survey", "new", "-q", "?", "-c", "a", "-c", "b", "-e", "1", "-o", "new.json"],
    ],
    ids=lambda args: " ".join(args),
)
def test_no_room_for_the_output(folder, args):
    """Files may not grow beyond 50 bytes, which fails just as a full disk does."""
    Path("many.csv").write_text("answer\n" + "tea\n" * 1000)
    before = contents(folder)
    done = limited("RLIMIT_FSIZE", 50, *args)
    new = next(arg for arg in args if arg.startswith("new."))
    assert done.stderr == f"Error: {new}: {os.strerror(EFBIG)}\n"
    assert done.returncode == SYSTEM
    assert contents(folder) == before


def test_spark_without_java(folder):
    command = ["estimate", "survey.json", "reports.parquet", "--engine", "spark", "-o", "new.csv"]
    done = real(*command, JAVA_HOME="/nowhere")
    assert done.returncode == SYSTEM
    assert_names(done.stderr.rstrip("\n"), "Error", "Java 17", "/nowhere")
    assert not Path("new.csv").exists()


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_closed_pipe_is_no_error(folder, options):
    command = [PRIVET, "estimate", "survey.json", "reports.parquet", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait(timeout=120)


SIGNALS = {
    signal.SIGINT: (INTERRUPTED, "Error: interrupted\n"),
    signal.SIGTERM: (128 + signal.SIGTERM, "Error: terminated\n"),
    signal.SIGHUP: (128 + signal.SIGHUP, "Error: terminated\n"),
}


def end(number, args, size=0, work=0.0):
    """Send a command a signal once its outputs have a size and it has worked on for some time.

    Nothing may be left behind. Return how many seconds the end took.
    """
    before = set(Path().iterdir())
    process = subprocess.Popen(
        [PRIVET, *args],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # also where tests run in nohup
    )
    deadline = monotonic() + 120
    while not (new := set(Path().iterdir()) - before) or sum(p.stat().st_size for p in new) < size:
        assert process.poll() is None
        assert monotonic() < deadline
        sleep(0.001)
    sleep(work)
    start = monotonic()
    process.send_signal(number)
    _, stderr = process.communicate(timeout=120)
    assert (process.returncode, stderr) == SIGNALS[number]
    assert set(Path().iterdir()) == before
    return monotonic() - start


@pytest.mark.parametrize("size", [4, 1_000_000], ids=["reading", "writing"])
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_leaves_nothing_behind(folder, number, size):
    Path("answers.csv").write_bytes(b"answer\n" + b"tea\njuice\n" * 10_000_000)
    end(number, ["randomize", "survey.json", "answers.csv", "-o", "out.parquet"], size)
    Path("answers.csv").unlink()


@pytest.mark.parametrize(
    ("number", "args"),
    [
        *((number, ["simulate", "-n", str(10**10), "-m", "rappor"]) for number in SIGNALS),
        (signal.SIGTERM, ["simulate", "-n", str(10**10), "-m", "hashed-rr", "--workers", "1"]),
        (signal.SIGTERM, ["simulate", "--repeats", str(10**7), "-o", "out.csv"]),
        (signal.SIGTERM, ["paper", "table1", "--repeats", "100000"]),
    ],
    ids=str,
)
def test_hours_of_work_end_at_once(folder, number, args):
    """Ten billion people whose reports have to be made, one by one, take a thread hours."""
    assert end(number, [*args, "--figure", "out.png"], work=2) < 2


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


@pytest.mark.parametrize("hidden", ["rich", "numpy", "pyarrow", "click"])
def test_a_package_that_is_missing_is_named(folder, hidden):
    code = f"import sys, privet.__main__; sys.modules[{hidden!r}] = None; privet.__main__.main()"
    command = [sys.executable, "-c", code, "estimate", "survey.json", "reports.parquet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == SYSTEM
    assert_names(done.stderr.rstrip("\n"), "Error", hidden, "'privet[analysis]'")


def test_an_option_that_would_help_is_named():
    with pytest.raises(click.ClickException) as caught, in_one_line():
        raise InvalidFile("a.csv: which?", parameter="column")
    assert caught.value.exit_code == BAD_DATA
    assert_names(caught.value.message, "a.csv", "--column")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_comes_where_nothing_can_be_raised_comes_again(number):
    """Such as in the callback of a weak reference, of which every import makes some."""
    code = f"""if True:
        import os, time, weakref
        from privet.cli.failures import ending_tidily, in_one_line
        class Thing: pass
        thing = Thing()
        callback = lambda _: [os.kill(os.getpid(), {int(number)}), time.sleep(0.01)]
        reference = weakref.ref(thing, callback)
        with in_one_line(), ending_tidily():
            del thing
            time.sleep(60)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    word = "terminated" if number == signal.SIGTERM else "interrupted"
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].endswith(word)
    assert "Exception ignored" not in done.stderr
