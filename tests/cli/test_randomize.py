"""privet randomize: answers in any form, unknown ones, their order, memory."""

import csv
import gzip
import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from commands import BAD_DATA, PRIVET, USAGE, fails, run, shares, succeeds
from privet import Survey
from privet.bulk import read_reports
from refusing import assert_names, in_row


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (b"answer\ntea\ncofee\n", [*in_row(2), "'cofee'", "'coffee'"]),
        (b"answer\ntea\n\ntea\n", [*in_row(2), "empty"]),
        (b"id,answer\n1,\n", [*in_row(1), "empty"]),
        (b"a,b\n1,tea\n", ["column 'answer'", "'a', 'b'"]),
        (b"answer\ntea\ncaf\xe9\n", [*in_row(2), "UTF-8"]),
        (b"caf\xe9\ntea\n", ["header", "UTF-8"]),
        (b"answer;id\ntea;1\n", ["header 'answer;id'", "';'"]),
        (b"PK\3\4", ["ZIP"]),
        (b"PAR1 and no more", ["table"]),
        (b"", ["empty"]),
        (b"id,answer\n1,tea\n2,tea,3\n", [*in_row(2), "fields", "3"]),
        (b"\x1b[31m\0\x01\n\xff\n" * 9, ["header", "UTF-8"]),
        (
            b"answer\n" + b"tea\n" * 500_000 + b"toe\n",
            [*in_row(500001), "'toe'"],
        ),
    ],
)
def test_bad_answers(out, data, names):
    Path("bad.csv").write_bytes(data)
    line = fails(BAD_DATA, "randomize", "survey.json", "bad.csv", "-o", out)
    assert line.startswith("bad.csv")
    assert_names(line, *names)


def test_every_format_on_the_command_line(folder, crowd):
    parquet.write_table(crowd, "a.parquet")
    feather.write_feather(crowd, "a.feather")
    Path("a.ndjson").write_text("".join(json.dumps(row) + "\n" for row in crowd.to_pylist()))
    with Path("a.tsv").open("w") as file:
        csv.writer(file, delimiter="\t").writerows(
            [crowd.column_names, *zip(*crowd.to_pydict().values(), strict=True)]
        )
    Path("a.csv.gz").write_bytes(gzip.compress(Path("answers.csv").read_bytes()))
    names = ["a.parquet", "a.feather", "a.ndjson", "a.tsv", "a.csv.gz"]
    for name in names:
        succeeds("randomize", "survey.json", name, "-o", f"{name}.reports")
        assert parquet.read_metadata(f"{name}.reports").num_rows == len(crowd)
    succeeds("randomize", "survey.json", *names, "-o", "all.parquet")
    assert shares("all.parquet")["n"] == 5 * len(crowd)
    assert shares(*(f"{name}.reports" for name in names))["n"] == 5 * len(crowd)


@pytest.mark.parametrize("source", ["< answers.csv", "cat answers.csv |", "gzip -c answers.csv |"])
def test_answers_through_a_pipe(folder, source):
    command = f"{PRIVET} randomize survey.json - -o out.parquet"
    line = f"{command} {source}" if source.startswith("<") else f"{source} {command}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "out.parquet: 1,000 reports" in done.stderr


def test_an_answer_through_a_pipe_is_named_by_its_row(folder):
    done = subprocess.run(
        [PRIVET, "randomize", "survey.json", "-", "-o", "out.parquet"],
        input="answer\ntea\ntee\n", capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == BAD_DATA
    line = done.stderr.rstrip("\n")
    assert_names(line, "Error", "stdin", *in_row(2), "'tee'", "'tea'")
    assert not Path("out.parquet").exists()


@pytest.fixture
def strange(folder):
    """One answer in a hundred is no category, and one is empty."""
    rows = ["tea"] * 990 + ["mate"] * 9 + [""]
    Path("strange.csv").write_text(
        "id,answer\n" + "".join(f"{i},{a}\n" for i, a in enumerate(rows))
    )


def test_unknown_answers_are_an_error_by_default(strange):
    line = fails(BAD_DATA, "randomize", "survey.json", "strange.csv", "-o", "out.parquet")
    assert_names(line, "strange.csv", *in_row(991), "'mate'")


def test_unknown_answers_are_left_out_and_counted(strange):
    command = ["randomize", "survey.json", "strange.csv", "-o", "out.parquet", "--unknown", "drop"]
    line = fails(BAD_DATA, *command)
    assert_names(line, *in_row(1000), "empty", "--missing")
    result = run(*command, "--missing", "neither")
    assert result.exit_code == 0
    lines = [
        ["strange.csv", "column answer", "1,000 rows", "1 different", "1 missing"],
        ["1 row", "0.10%", "'neither'"],
        ["9 unknown", "0.90%"],
        ["out.parquet", "991 reports", "1 byte", "epsilon = 2"],
    ]
    for line, names in zip(result.stderr.splitlines(), lines, strict=True):
        assert_names(line, *names)


def test_unknown_answers_count_as_a_category(strange):
    options = ["--unknown", "neither", "--missing", "tea", "--json"]
    text = succeeds("randomize", "survey.json", "strange.csv", "-o", "out.parquet", *options)
    document = json.loads(text)
    assert document["reports"] == 1000
    taken = {"column": "answer", "rows": 1000, "different": 1, "missing": 1, "unknown_answers": 9}
    assert taken.items() <= document.items()


@pytest.mark.parametrize(
    ("answer", "option"),
    [(" tea", "--strip"), ("TEA", "--ignore-case"), ("", "--missing"), ("NA", "--na")],
)
def test_the_option_that_would_clean_an_answer_is_named_and_does_so(folder, answer, option):
    Path("dirty.csv").write_text(f"id,answer\n1,{answer}\n2,tea\n")
    command = ["randomize", "survey.json", "dirty.csv", "-o", "out.parquet"]
    assert_names(fails(BAD_DATA, *command), "dirty.csv", "row 1", option)
    chosen = {"--missing": ["--missing", "drop"], "--na": ["--na", "NA", "--missing", "drop"]}
    succeeds(*command, *chosen.get(option, [option]))
    rows = 1 if option in chosen else 2
    assert parquet.read_metadata("out.parquet").num_rows == rows


def test_a_column_that_cannot_make_groups_is_named(folder, crowd):
    column = pa.array([[1]] * len(crowd))
    parquet.write_table(crowd.set_column(1, "country", column), "a.parquet")
    line = fails(BAD_DATA, "randomize", "survey.json", "a.parquet", "--by", "country", "-o", "new")
    assert_names(line, "a.parquet", "'country'")


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


@pytest.mark.parametrize("options", [["--keep-order"], []])
def test_the_order_of_the_answers_is_kept_only_if_asked_for(folder, options):
    """At ε = 30 a report is the answer, to be seen in the file."""
    survey = Survey("Which?", [f"c{i}" for i in range(200)], 30.0, mechanism="multivariate-rr")
    Path("exact.json").write_text(survey.to_json())
    Path("which.csv").write_text("answer\n" + "\n".join(survey.categories * 5) + "\n")
    succeeds("randomize", "exact.json", "which.csv", "-o", "which.parquet", *options)
    (reports,) = read_reports(Path("which.parquet"), survey)
    found = reports[:, 0].tolist()
    assert sorted(found) == sorted([*range(200)] * 5)
    assert (found == [*range(200)] * 5) is bool(options)


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
    few, _ = randomizing(b"answer\n" + b"c1\n" * 45_000, "wide.json")  # numba is loaded
    # Reports of 2,500 bytes from a single block of answers: 137 MB more if made at once.
    many, _ = randomizing(b"answer\n" + b"c1\n" * 100_000, "wide.json")
    assert many < few + 70


def test_a_file_of_counts(folder):
    Path("counts.csv").write_text("answer,country,people\ntea,FR,700\ncoffee,DE,300\njuice,DE,0\n")
    made = ["survey", "new", "-q", "?", "-e", "2", "--from", "counts.csv", "--column", "answer"]
    document = json.loads(succeeds(*made, "--count", "people", "--top", "2"))
    assert document["categories"] == ["coffee", "tea"]
    asked = ["randomize", "survey.json", "counts.csv", "--count", "people", "--by", "country"]
    result = json.loads(succeeds(*asked, "-o", "c.parquet", "--json"))
    assert (result["reports"], result["rows"], result["different"]) == (1000, 3, 3)
    groups = shares("c.parquet", "--by", "country")["groups"]
    assert [(one["group"]["country"], one["n"]) for one in groups] == [("DE", 300), ("FR", 700)]
    line = fails(USAGE, "survey", "new", "-q", "?", "-e", "2", "-c", "a", "-c", "b", "--count", "n")
    assert_names(line, "--count", "--from")
