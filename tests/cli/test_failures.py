"""Wrong usage, bad data, a refusing system: one line, an exit code, nothing half done."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from commands import (
    BAD_DATA,
    PRIVET,
    SHARES,
    SURVEY,
    SYSTEM,
    USAGE,
    contents,
    fails,
    real,
    write_reports,
)
from pyarrow import parquet

from privet import Survey

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
        ([*ESTIMATE, "--figure", "new.gif"], "'new.gif' must end in one of .png, .svg, .pdf"),
        ([*ESTIMATE, "--figure", "new"], "'new' must end in one of"),
        (["demo", "--people", "0"], "--people"),
        (["demo", "--figure", "new.jpeg"], "'new.jpeg' must end in one of"),
    ],
    ids=lambda value: shlex.join(value[-5:]) if isinstance(value, list) else "",
)
def test_wrong_usage(folder, args, said):
    Path("empty").mkdir()
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
        (b"caf\xe9\ntea\n", "bad.csv, row 1: no header of a CSV file in UTF-8"),
        (b"answer;id\ntea;1\n", "bad.csv, row 1: the header 'answer;id' has ';' and no commas"),
        (b"PK\3\4", "bad.csv: a ZIP archive or a spreadsheet"),
        (b"PAR1 and no more", "bad.csv: not a table"),
        (b"", "bad.csv: the file is empty."),
        (b"id,answer\n1,tea\n2,tea,3\n", "bad.csv, row 3: the number of fields is 3"),
        (b"\x1b[31m\0\x01\n\xff\n" * 9, "bad.csv, row 1: no header of a CSV file in UTF-8"),
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
    assert line.startswith(r"red \x1b[31m .csv: the file is empty.")
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
    Path("more.parquet").write_bytes(Path("reports.parquet").read_bytes())
    files = ["reports.parquet", "bad.parquet", "more.parquet"]
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
        "column.parquet": "column.parquet: there is no column 'report'; the columns are 'a'.",
        "wide.parquet": "wide.parquet: a report of this survey is fixed_size_binary[1], the column",
        "null.parquet": "null.parquet, report 2: The report is missing (null).",
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


def test_too_little_memory(folder, monkeypatch):
    def read(path):
        raise MemoryError

    monkeypatch.setattr("privet.files.read_survey", read)
    assert fails(SYSTEM, "survey", "show", "survey.json") == "There is not enough memory."


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
    limit = "import resource as r, os, sys; r.setrlimit(r.RLIMIT_FSIZE, (50, 50)); "
    command = [sys.executable, "-c", limit + "os.execv(sys.argv[1], sys.argv[1:])", PRIVET, *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
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
