"""The command line: what it prints, its exit codes, and that nothing is left half done."""

import json
import os
import shlex
import signal
import subprocess
import sys
import sysconfig
import unicodedata
from pathlib import Path
from time import monotonic, sleep
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from matplotlib.image import imread
from pyarrow import parquet

from privet import Survey, __version__, cli
from privet.bulk import ReportsWriter

PRIVET = str(Path(sysconfig.get_path("scripts")) / "privet")
SHARES = {"tea": 50, "coffee": 30, "juice": 15, "neither": 5}
SURVEY = Survey("What do you drink?", list(SHARES), 2.0, id="drinks")
USAGE, BAD_DATA, SYSTEM, INTERRUPTED = 2, 3, 4, 130


def run(*args):
    """Run the command in this process."""
    return CliRunner().invoke(cli.main, [str(arg) for arg in args])


def succeeds(*args):
    result = run(*args)
    assert result.exit_code == 0, result.output
    return result.stdout


def real(*args, folder=None, **environment):
    """Run the installed command, with every warning an error."""
    environment = os.environ | {"PYTHONWARNINGS": "error"} | environment
    return subprocess.run(
        [PRIVET, *args], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def contents(folder):
    """Every file below a folder, hidden ones included, with its bytes."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def fails(code, *args):
    """Run a command that must fail with one line and touch nothing; return the line."""
    before = contents(Path())
    result = run(*args)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert contents(Path()) == before
    return line.removeprefix("Error: ")


def answers(people):
    """A CSV file of the crowd's answers, shuffled."""
    crowd = [name for name, share in SHARES.items() for _ in range(people * share // 100)]
    np.random.default_rng(7).shuffle(crowd)
    return "answer\n" + "".join(f"{answer}\n" for answer in crowd)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with a survey, answers and reports of it."""
    monkeypatch.chdir(tmp_path)
    Path("survey.json").write_text(SURVEY.to_json())
    Path("answers.csv").write_text(answers(1000))
    write_reports("reports.parquet", SURVEY.randomize_batch(["tea"] * 1000))
    return tmp_path


def write_reports(path, reports, survey=SURVEY):
    with ReportsWriter(Path(path), survey) as writer:
        writer.write(reports)


# --- the whole way --------------------------------------------------------------------------


def test_from_a_crowd_to_its_shares_with_the_installed_command(tmp_path):
    categories = [word for name in SHARES for word in ("-c", name)]
    lines = answers(8000).splitlines(keepends=True)
    (tmp_path / "first.csv").write_text("".join(lines[:5001]))
    (tmp_path / "second.csv").write_text("".join(lines[:1] + lines[5001:]))
    commands = [
        ["survey", "new", "-q", "Drink?", *categories, "-e", "3", "-o", "survey.json"],
        ["randomize", "survey.json", "first.csv", "-o", "first.parquet"],
        ["randomize", "survey.json", "second.csv", "-o", "second.parquet"],
        ["estimate", "survey.json", "first.parquet", "--json"],
        ["estimate", "survey.json", "second.parquet", "--json"],
        ["estimate", "survey.json", "first.parquet", "second.parquet", "--json",
         "--figure", "shares.png"],
    ]  # fmt: skip
    done = [real(*command, folder=tmp_path) for command in commands]
    assert [(result.returncode, "Traceback" in result.stderr) for result in done] == [
        (0, False)
    ] * 6
    assert [result.stdout for result in done[:3]] == [""] * 3
    first, second, both = (json.loads(result.stdout) for result in done[3:])
    assert (first["n"], second["n"], both["n"]) == (5000, 3000, 8000)
    counts = [np.array([row["count"] for row in part["categories"]]) for part in (first, second)]
    assert [row["count"] for row in both["categories"]] == (counts[0] + counts[1]).tolist()
    assert [row["category"] for row in both["categories"]] == list(SHARES)
    estimate, error = (
        np.array([row[key] for row in both["categories"]])
        for key in ("frequency", "standard_error")
    )
    truth = np.array(list(SHARES.values())) / 100
    assert (np.abs(estimate - truth) < 6 * error).all()
    # The control: with these errors, no other order of the shares would pass.
    assert 6 * error.max() < np.abs(np.diff(truth)).min() / 2
    assert_is_a_picture(tmp_path / "shares.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "first.csv", "first.parquet", "second.csv", "second.parquet", "shares.png", "survey.json"
    ]  # fmt: skip


def assert_is_a_picture(path):
    pixels = imread(path)
    assert min(pixels.shape[:2]) > 200
    assert pixels[..., :3].std() > 0.05


def test_pictures_in_other_formats(folder):
    for name in ("shares.svg", "shares.pdf", "shares.PNG"):
        succeeds("estimate", "survey.json", "reports.parquet", "--figure", name)
    assert ElementTree.parse("shares.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    pdf = Path("shares.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert_is_a_picture("shares.PNG")


def test_the_table_shows_the_largest_first(folder):
    table = succeeds("estimate", "survey.json", "reports.parquet", "--top", "2", "--level", "0.9")
    lines = [line.split() for line in table.splitlines() if "█" in line]
    assert lines[0][0] == "tea"
    assert "90 % interval" in table
    assert "… and 2 categories with smaller shares" in table
    assert "1,000 reports, epsilon = 2, KSubset(d=4, epsilon=2.0, k=1)" in table


def test_the_sample_is_known_better_than_the_population(folder):
    write_reports("reports.parquet", SURVEY.randomize_batch(["tea", "coffee"] * 1000))
    width = {}
    for target in ("population", "sample"):
        text = succeeds("estimate", "survey.json", "reports.parquet", "--json", "--target", target)
        document = json.loads(text)
        assert document["target"] == target
        width[target] = [row["high"] - row["low"] for row in document["categories"]]
    assert sum(width["sample"]) < sum(width["population"])


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_unicode_forms_match(folder, form):
    other = {"NFC": "NFD", "NFD": "NFC"}[form]
    words = [unicodedata.normalize(form, word) for word in ("thé", "café")]
    arguments = ["-c", words[0], "-c", words[1], "-e", "1", "-o", "s.json"]
    succeeds("survey", "new", "-q", "?", *arguments)
    Path("a.csv").write_text(unicodedata.normalize(other, "boisson\nthé\ncafé\n"), "utf-8")
    succeeds("randomize", "s.json", "a.csv", "-o", "r.parquet")
    rows = json.loads(succeeds("estimate", "s.json", "r.parquet", "--json"))["categories"]
    assert [row["category"] for row in rows] == ["thé", "café"]


def test_words_are_shown_as_they_are_and_never_as_markup(folder):
    question, category = "[/b] or [red]? :smile:", "[/] :tea:"
    succeeds("survey", "new", "-q", question, "-c", category, "-c", "b", "-e", "1", "-o", "s.json")
    Path("a.csv").write_text(f"answer\n{category}\n")
    succeeds("randomize", "s.json", "a.csv", "-o", "r.parquet")
    table = succeeds("estimate", "s.json", "r.parquet")
    assert question in table
    assert category in table


def test_no_answers_make_an_empty_file_of_which_nothing_can_be_said(folder):
    Path("a.csv").write_text("answer\n")
    succeeds("randomize", "survey.json", "a.csv", "-o", "r.parquet")
    assert parquet.read_metadata("r.parquet").num_rows == 0
    assert "no reports" in fails(BAD_DATA, "estimate", "survey.json", "r.parquet")
    text = succeeds("estimate", "survey.json", "r.parquet", "reports.parquet", "--json")
    assert json.loads(text)["n"] == 1000


# --- the demo -------------------------------------------------------------------------------


def test_the_demo_as_json(folder):
    text = succeeds("demo", "--people", "3000", "--json", "--figure", "demo.png")
    document = json.loads(text)
    assert document["n"] == 3000
    assert len(document["categories"]) == 12
    held = document["intervals_that_hold_the_truth"]
    inside = [
        row["low"] <= share <= row["high"]
        for row, share in zip(document["categories"], document["truth"], strict=True)
    ]
    # Each holds with 95 %; that fewer than 5 of 12 do has a probability below 1e-7.
    assert 5 <= held == sum(inside)
    assert_is_a_picture("demo.png")


def test_the_demo_as_a_table(folder):
    table = succeeds("demo", "--people", "3000")
    assert "3,000 people each answer once" in table
    assert "of 12 intervals hold the truth" in table
    assert table.count(" ✓") + table.count(" ✗") == 12
    assert_is_a_picture("privet-demo.png")


def test_the_demo_takes_a_single_person(folder):
    assert json.loads(succeeds("demo", "--people", "1", "--json"))["n"] == 1


# --- help -----------------------------------------------------------------------------------


def commands(command=cli.main, path=()):
    """Every command and group below the top one, with the words that call it."""
    context = cli.main.make_context("privet", ["demo"])
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        yield (*path, name), child
        if hasattr(child, "list_commands"):
            yield from commands(child, (*path, name))


def examples(text):
    return [line.strip() for line in text.splitlines() if line.strip().startswith("privet ")]


@pytest.mark.parametrize(("words", "command"), list(commands()), ids=str)
def test_every_command_helps_with_an_example(words, command):
    (example,) = examples(command.help)
    assert shlex.split(example)[1 : len(words) + 1] == list(words)
    assert example in [line.strip() for line in succeeds(*words, "--help").splitlines()]


def test_the_examples_work_one_after_the_other(folder):
    Path("survey.json").unlink()
    Path("reports.parquet").unlink()
    Path("answers.csv").write_text("answer\ntea\ncoffee\n")
    for _, command in commands():
        (example,) = examples(command.help)
        succeeds(*shlex.split(example)[1:])
    assert Path("shares.png").exists()


def test_the_commands_are_listed_with_the_exit_codes():
    assert succeeds() == succeeds("--help") == succeeds("-h")
    text = " ".join(succeeds("--help").split())
    for name in cli.COMMANDS:
        assert f" {name} " in text
    for code in ("0 all is well", "2 wrong usage", "3 bad data", "4 the system", "130 interrupted"):
        assert code in text


def test_the_version():
    assert succeeds("--version").split()[-1] == __version__


# --- exit code 2: wrong usage ---------------------------------------------------------------

NEW = ["survey", "new", "-q", "Drink?", "-c", "tea", "-c", "coffee", "-o", "new.json"]
ESTIMATE = ["estimate", "survey.json", "reports.parquet", "--figure", "new.png"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--nope"], "No such option"),
        (["nope"], "No such command 'nope'"),
        (["survey"], "Missing command"),
        (["randomize", "--nope"], "No such option"),
        (["randomize", "survey.json", "-o", "new.parquet"], "Missing argument 'ANSWERS'"),
        (["randomize", "survey.json", "answers.csv"], "Missing option '-o'"),
        (
            ["randomize", "survey.json", "nope.csv", "-o", "new.parquet"],
            "'nope.csv' does not exist",
        ),
        (["randomize", "survey.json", ".", "-o", "new.parquet"], "is a directory"),
        (["estimate", "survey.json"], "Missing argument 'REPORTS...'"),
        ([*NEW], "Missing option '-e'"),
        ([*NEW, "-e", "much"], "'much' is not a valid float"),
        *(([*NEW, "-e", epsilon], "'epsilon'") for epsilon in ("-1", "0", "nan", "inf", "1e9")),
        ([*NEW[:6], "-e", "1"], "must be at least two"),
        ([*NEW, "-e", "1", "-c", "tea"], "different from categories[0]"),
        ([*NEW, "-e", "1", "-c", ""], "non-empty"),
        ([*NEW, "-e", "1", "-m", "nope"], "one of auto, k-subset, multivariate-rr, binary-rr"),
        ([*NEW, "-e", "1", "--id", "Not an id"], "'id'"),
        *(([*ESTIMATE, "--level", level], "--level") for level in ("0", "1", "2", "-0.5")),
        ([*ESTIMATE, "--level", "nan"], "'level'"),
        ([*ESTIMATE, "--top", "0"], "--top"),
        ([*ESTIMATE, "--target", "nope"], "--target"),
        ([*ESTIMATE, "--figure", "new.gif"], "'new.gif' must end in one of .png, .svg, .pdf"),
        ([*ESTIMATE, "--figure", "new"], "'new' must end in one of"),
        (["demo", "--people", "0"], "--people"),
        (["demo", "--figure", "new.jpeg"], "'new.jpeg' must end in one of"),
    ],
    ids=lambda value: shlex.join(value[-5:]) if isinstance(value, list) else "",
)
def test_wrong_usage(folder, args, said):
    assert said in fails(USAGE, *args)


# --- exit code 3: bad data ------------------------------------------------------------------


@pytest.fixture(params=["no output yet", "an older output"])
def out(request, folder):
    """The path of an output that may exist and must stay as it is."""
    path = folder / "out.svg"
    if request.param == "an older output":
        path.write_text("as it was")
    return path


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"answer\ntea\ncofee\n", "bad.csv, row 3: 'cofee' is not a category of this survey. Did"),
        (b"answer\ntea\n\ntea\n", "bad.csv, row 3: the answer is empty"),
        (b"id,answer\n1,\n", "bad.csv, row 2: the answer is empty"),
        (b"a,b\n1,tea\n", "bad.csv: there is no column 'answer'; the columns are 'a', 'b'."),
        (b"answer\ntea\ncaf\xe9\n", "bad.csv, row 3: the answer is not UTF-8 text."),
        (b"caf\xe9\ntea\n", "bad.csv: not a CSV file"),
        (b"", "bad.csv: not a CSV file with a header row, in UTF-8: Empty CSV file"),
        (b"id,answer\n1,tea\n2,tea,3\n", "bad.csv, row 3: the number of fields is 3"),
        (b"\x1b[31m\0\x01\n\xff\n" * 9, "bad.csv, row 2: the answer is not UTF-8 text."),
        (b"answer\n" + b"tea\n" * 500_000 + b"toe\n", "bad.csv, row 500002: 'toe' is not"),
    ],
)
def test_bad_answers(out, data, said):
    Path("bad.csv").write_bytes(data)
    line = fails(BAD_DATA, "randomize", "survey.json", "bad.csv", "-o", out)
    assert line.startswith(said)


def test_the_line_is_printable_whatever_it_quotes(folder):
    Path("red \x1b[31m\n.csv").write_text("")
    line = fails(BAD_DATA, "randomize", "survey.json", "red \x1b[31m\n.csv", "-o", "out")
    assert line.startswith(r"red \x1b[31m .csv: not a CSV file")
    assert line.isprintable()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"privet": 2}, "This is a survey of version 2; this privet reads version 1."),
        ({"colour": "red"}, "Not a survey: Object contains unknown field `colour`"),
        ({"categories": ["a", "a", "b", "c"]}, "must be different from categories[0]"),
        ({"mechanism": {"name": "nope"}}, "The mechanism's name must be one of"),
        ({"epsilon": 1.9}, "this survey is not as private as it says."),
        ({"epsilon": "2"}, "Not a survey: Expected `float`, got `str`"),
    ],
    ids=lambda value: str(next(iter(value))) if isinstance(value, dict) else "",
)
def test_bad_surveys(out, change, said):
    Path("bad.json").write_text(json.dumps(json.loads(SURVEY.to_json()) | change))
    for command in (
        ["randomize", "bad.json", "answers.csv", "-o", out],
        ["estimate", "bad.json", "reports.parquet", "--figure", out],
    ):
        line = fails(BAD_DATA, *command)
        assert line.startswith("bad.json: ")
        assert said in line


def test_a_survey_with_larger_odds_is_not_as_private_as_it_says(out):
    fields = json.loads(SURVEY.to_json())
    fields["mechanism"]["odds"] = str(2 * int(fields["mechanism"]["odds"]))
    Path("bad.json").write_text(json.dumps(fields))
    line = fails(BAD_DATA, "randomize", "bad.json", "answers.csv", "-o", out)
    assert "this survey is not as private as it says" in line


def test_a_survey_that_is_not_json(out):
    line = fails(BAD_DATA, "randomize", "answers.csv", "answers.csv", "-o", out)
    assert line.startswith("answers.csv: Not a survey: JSON is malformed")


def wrong_size(reports, members):
    """The same reports, of which number 123 has another number of members."""
    reports = reports.copy()
    reports[122] = (1 << members) - 1
    return reports


@pytest.mark.parametrize("members", [0, 2, 3])
def test_a_report_of_a_wrong_size_is_named_in_its_own_file(out, members):
    good = SURVEY.randomize_batch(["tea"] * 1000)
    write_reports("bad.parquet", wrong_size(good, members))
    files = ["reports.parquet", "bad.parquet", "reports.parquet"]
    line = fails(BAD_DATA, "estimate", "survey.json", *files, "--figure", out)
    said = f"bad.parquet, report 123: A report of this survey has 1 members. Got {members}."
    assert line == said


def test_a_report_is_counted_across_batches(folder):
    survey = Survey("?", [f"c{i}" for i in range(1000)], 1.0)
    reports = survey.randomize_batch(["c0"] * 80_000)
    reports[70_000, :8] ^= 255
    reports[70_000, 0] ^= 1
    Path("wide.json").write_text(survey.to_json())
    write_reports("wide.parquet", reports, survey)
    line = fails(BAD_DATA, "estimate", "wide.json", "wide.parquet")
    assert line.startswith("wide.parquet, report 70001: ")


def test_bad_reports(out):
    other = Survey(SURVEY.question, list(SHARES), 2.0, id="second-wave")
    write_reports("other.parquet", other.randomize_batch(["tea"]), other)
    Path("cut.parquet").write_bytes(Path("reports.parquet").read_bytes()[:-100])
    parquet.write_table(pa.table({"a": [1]}), "column.parquet")
    parquet.write_table(pa.table({"report": pa.array([b"\1\1"], pa.binary(2))}), "wide.parquet")
    parquet.write_table(pa.table({"report": pa.array([b"\1", None], pa.binary(1))}), "null.parquet")
    for name, said in {
        "other.parquet": "other.parquet: these are reports of another survey, 'second-wave'",
        "cut.parquet": "cut.parquet: not a Parquet file of reports: ",
        "column.parquet": "column.parquet: there must be one column 'report'; the columns are 'a'.",
        "wide.parquet": "wide.parquet: a report of this survey is fixed_size_binary[1], the column",
        "null.parquet": "null.parquet, report 2: the report is missing (null).",
        "answers.csv": "answers.csv: not a Parquet file of reports: ",
    }.items():
        line = fails(BAD_DATA, "estimate", "survey.json", "reports.parquet", name, "--figure", out)
        assert line.startswith(said)


# --- exit code 4: the system refused --------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        ["survey", "new", "-q", "?", "-c", "a", "-c", "b", "-e", "1", "-o"],
        ["randomize", "survey.json", "answers.csv", "-o"],
        ["estimate", "survey.json", "reports.parquet", "--figure"],
        ["demo", "--people", "10", "--figure"],
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


def test_a_full_disk_under_stdout(folder):
    with Path("/dev/full").open("w") as full:
        command = [PRIVET, "estimate", "survey.json", "reports.parquet", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (SYSTEM, "Error: No space left on device\n")


# --- the installed command among other processes --------------------------------------------


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


def test_memory_does_not_grow_with_the_number_of_answers(folder):
    Path("big.csv").write_bytes(b"note,answer\n" + (b"x" * 100 + b",tea\n") * 2_000_000)
    assert peak_megabytes("randomize", "survey.json", "big.csv", "-o", "big.parquet") < 400
    assert parquet.read_metadata("big.parquet").num_rows == 2_000_000
    Path("big.csv").unlink()


def test_memory_does_not_grow_with_the_size_of_a_report(folder):
    survey = Survey("?", [f"c{i}" for i in range(20_000)], 1.0)
    Path("wide.json").write_text(survey.to_json())
    # 60,000 reports of 2,500 bytes from a single block of answers: 150 MB if made at once.
    Path("wide.csv").write_bytes(b"answer\n" + b"c1\n" * 60_000)
    assert peak_megabytes("randomize", "wide.json", "wide.csv", "-o", "wide.parquet") < 400
    Path("wide.parquet").unlink()
