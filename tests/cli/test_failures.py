"""Wrong usage, a refusing system, signals: one line, an exit code, nothing half done."""

import os
import re
import shlex
import signal
import subprocess
import sys
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

NEW = ["survey", "new", "-q", "Drink?", "-c", "tea", "-c", "coffee", "-o", "new.json"]
ESTIMATE = ["estimate", "survey.json", "reports.parquet", "--figure", "new.png"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--nope"], "No such option"),
        (["nope"], "No such command 'nope'"),
        (["survey"], "Missing command"),
        (["randomize", "--nope"], "No such option"),
        (["randomize", "survey.json", "-o", "new.parquet"], "Missing argument 'ANSWERS...'"),
        (["randomize", "survey.json", "answers.csv"], "Missing option '-o'"),
        (
            ["randomize", "survey.json", "nope.csv", "-o", "new.parquet"],
            "There is no file 'nope.csv'.",
        ),
        (["randomize", "survey.json", "*.tsv", "-o", "new.parquet"], "No file matches '*.tsv'."),
        (["randomize", "survey.json", "empty", "-o", "new.parquet"], "no files in the folder"),
        (["estimate", "survey.json", "nope.parquet"], "There is no file 'nope.parquet'."),
        (["estimate", "survey.json", "reports.parquet", "--master", "x"], "is for --engine spark"),
        ([*ESTIMATE, "--exact-csv"], "--exact-csv is for an --out that ends in .csv"),
        ([*ESTIMATE, "--exact-csv", "-o", "new.json"], "--exact-csv is for an --out that ends"),
        (["randomize", "survey.json", "answers.csv", "-o", "n", "--unknown", "x"], "'unknown'"),
        (["randomize", "survey.json", "answers.csv", "-o", "n", "--delimiter", "x;"], "one char"),
        (["randomize", "survey.json", "answers.csv", "-o", "n", "--delimiter", "é"], "one char"),
        (["randomize", "survey.json", "", "-o", "n"], "There is no file ''."),
        (["randomize", "survey.json", "answers.csv", "-o", "-"], "must be the name of a file"),
        (["randomize", "survey.json", "answers.csv", "-o", ""], "must be the name of a file"),
        (["randomize", "survey.json", "answers.csv", "-o", "n", "--by", "answer"], "in the clear"),
        (["randomize", "survey.json", "answers.csv", "-o", "n", "--by", "report"], "'report'"),
        (["estimate", "survey.json", "reports.parquet", "--by", "report"], "'report'"),
        (["estimate", "survey.json", "-"], "'-' is a pipe"),
        (["tally", "survey.json", "-", "-o", "n"], "'-' is a pipe"),
        *(
            ([*args, "answers.csv", "./answers.csv"], "answers.csv: given twice; it would count")
            for args in (
                ["randomize", "survey.json", "-o", "n"],
                ["tally", "survey.json", "-o", "n"],
            )
        ),
        (["randomize", "survey.json", "answers.csv", "-o", "answers.csv"], "a file of its own"),
        (["randomize", "survey.json", "answers.csv", "-o", "survey.json"], "a file of its own"),
        (["tally", "survey.json", "reports.parquet", "-o", "reports.parquet"], "a file of its own"),
        (["estimate", "survey.json", "reports.parquet", "-o", "reports.parquet"], "of its own"),
        ([*NEW[:4], "-e", "1", "--from", "answers.csv", "-o", "answers.csv"], "a file of its own"),
        (["simulate", "--truth-file", "answers.csv", "-o", "answers.csv"], "a file of its own"),
        (["demo", "--answers", "new.png", "--figure", "new.png"], "a file of its own"),
        ([*NEW, "-e", "1", "--top", "3"], "are for --from"),
        ([*ESTIMATE, "--out", "new.txt"], "'new.txt' must end in one of .csv, .json, .parquet"),
        (["estimate", "survey.json"], "Missing argument 'REPORTS...'"),
        ([*NEW], "Missing option '-e'"),
        ([*NEW, "-e", "much"], "'much' is not a valid float"),
        *(([*NEW, "-e", epsilon], "'epsilon'") for epsilon in ("-1", "0", "nan", "inf", "1e9")),
        ([*NEW[:6], "-e", "1"], "must be at least two"),
        ([*NEW, "-e", "1", "-c", "tea"], "different from categories[0]"),
        ([*NEW, "-e", "1", "-c", ""], "non-empty"),
        ([*NEW, "-e", "1", "-m", "nope"], "one of auto, k-subset, cyclotomic"),
        ([*NEW, "-e", "1", "--id", "Not an id"], "'id'"),
        *(([*ESTIMATE, "--level", level], "--level") for level in ("0", "1", "2", "-0.5")),
        ([*ESTIMATE, "--level", "nan"], "'level'"),
        ([*ESTIMATE, "--top", "0"], "--top"),
        ([*ESTIMATE, "--target", "nope"], "--target"),
        ([*ESTIMATE[:3], "--figure", "new.gif"], "'new.gif' must end in one of .png, .svg, .pdf"),
        ([*ESTIMATE[:3], "--figure", "new"], "'new' must end in one of"),
        ([*ESTIMATE, "--figure", "other.png"], "Option '--figure' is given twice."),
        (
            [
                "randomize",
                "survey.json",
                "answers.csv",
                "-o",
                "n",
                "--column",
                "a",
                "--column",
                "b",
            ],
            "Option '--column' is given twice.",
        ),
        ([*NEW, "-e", "1", "-e", "2"], "Option '--epsilon' is given twice."),
        (["paper", "table1", "--seed", "1", "--seed", "2"], "Option '--seed' is given twice."),
        (["randomize", "survey.json", "answers.csv", "-o", "new.csv"], "reports are bytes"),
        (["randomize", "survey.json", "reports.parquet", "-o", "n"], "these are reports already"),
        (
            ["randomize", "answers.csv", "survey.json", "-o", "n"],
            "The survey comes first: survey.json is one, answers.csv is not.",
        ),
        (
            ["estimate", "reports.parquet", "survey.json"],
            "The survey comes first: survey.json is one, reports.parquet is not.",
        ),
        (
            ["tally", "answers.csv", "survey.json", "-o", "n"],
            "The survey comes first: survey.json is one, answers.csv is not.",
        ),
        (
            [*NEW[:8], "-e", "1", "-o", "survey.json"],
            "survey.json: there is another survey, 'drinks'; --force replaces it.",
        ),
        ([*NEW[:8], "-e", "1", "-o", "answers.csv"], "there is something else; --force replaces"),
        (["demo", "--people", "0"], "--people"),
        (["demo", "--figure", "new.jpeg"], "'new.jpeg' must end in one of"),
    ],
    ids=lambda value: shlex.join(value[-5:]) if isinstance(value, list) else "",
)
def test_wrong_usage(folder, args, said):
    Path("empty").mkdir()
    assert said in fails(USAGE, *args)


def test_the_line_is_printable_whatever_it_quotes(folder):
    Path("red \x1b[31m\n.csv").write_text("")
    line = fails(BAD_DATA, "randomize", "survey.json", "red \x1b[31m\n.csv", "-o", "out")
    assert line.startswith(r"red \x1b[31m .csv: the file is empty.")
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
    said = {
        "missing/out.png": "No such file or directory",
        "answers.csv/out.png": "Not a directory",
        "folder.png": "Exists and is not a regular file",
    }
    for place, reason in said.items():
        assert fails(SYSTEM, *args, place) == f"{place}: {reason}"
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
    assert (done.returncode, done.stderr) == (SYSTEM, "Error: There is not enough memory.\n")


def test_a_full_disk_under_stdout(folder):
    with Path("/dev/full").open("w") as full:
        command = [PRIVET, "estimate", "survey.json", "reports.parquet", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (SYSTEM, "Error: No space left on device\n")


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
    assert done.stderr == f"Error: {new}: File too large\n"
    assert done.returncode == SYSTEM
    assert contents(folder) == before


def test_spark_without_java(folder):
    command = ["estimate", "survey.json", "reports.parquet", "--engine", "spark", "-o", "new.csv"]
    done = real(*command, JAVA_HOME="/nowhere")
    assert done.returncode == SYSTEM
    assert done.stderr.startswith("Error: Spark needs Java 17 or newer with the module")
    assert done.stderr.count("\n") == 1
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
    assert re.fullmatch(
        rf"Error: .* needs {hidden}: pip install 'privet\[analysis\]'\n", done.stderr
    )


def test_an_option_that_would_help_is_named():
    with pytest.raises(click.ClickException) as caught, in_one_line():
        raise InvalidFile("a.csv: which of the columns has the answers?", parameter="column")
    assert caught.value.exit_code == BAD_DATA
    assert caught.value.message == "a.csv: which of the columns has the answers? Use --column."


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
