"""privet simulate: the table, its files, its picture, and what it refuses."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pyarrow import parquet

from commands import (
    BAD_DATA,
    SYSTEM,
    USAGE,
    assert_is_a_picture,
    fails,
    instead,
    real,
    succeeds,
)
from privet import simulate

QUICK = ["simulate", "-d", "5", "-n", "60", "--repeats", "4", "--seed", "3"]


@pytest.fixture(autouse=True)
def _in(folder):
    """Every command runs in a folder of its own."""


def as_json(*args):
    return json.loads(succeeds(*QUICK, *args, "--json"))


def test_the_table_says_what_varies_and_below_it_what_does_not():
    text = succeeds(*QUICK, "-e", "1", "-e", "2.5", "-m", "k-subset", "-m", "k-subset:information")
    lines = text.splitlines()
    assert lines[2].split()[:3] == ["ε", "mechanism", "estimate"]
    shown = [line.split() for line in lines if "projected" in line or "unbiased" in line]
    assert [words[0] for words in shown[:5]] == [
        "1", "projected", "k-subset:information", "projected", "2.5"
    ]  # fmt: skip
    assert len(shown) == 8
    last = "truth: zipf:1.1 · values: 5 · people: 60 · repeats: 4 · target: population · seed: 3"
    assert lines[-1] == last


def test_json_is_the_table_of_the_library():
    options = ["-e", "1", "-t", "spikes:2", "-t", "paper", "-m", "binary-rr", "--target", "sample"]
    document = as_json(*options)
    same = simulate.run(
        d=5, epsilon=1, n=60, mechanisms="binary-rr", truths=["spikes:2", "paper"], repeats=4,
        target="sample", seed=3,
    )  # fmt: skip
    assert document.pop("rows") == [row._asdict() for row in same.rows]
    assert document == {"repeats": 4, "target": "sample", "seed": 3}
    assert as_json(*options, "--workers", "1") == as_json(*options, "--workers", "3")


def test_it_says_something_without_being_asked():
    done = real("simulate")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("projected") == 12
    assert "values: 64 · people: 10,000 · repeats: 100" in done.stdout


def test_tables_in_files():
    for name in ("t.csv", "t.json", "t.parquet", "t.CSV"):
        succeeds(*QUICK, "-e", "1", "-o", name)
    document = json.loads(Path("t.json").read_text("utf-8"))
    assert document == as_json("-e", "1")
    rows = document["rows"]
    assert parquet.read_table("t.parquet").to_pylist() == rows
    with Path("t.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == [{k: str(v) for k, v in row.items()} for row in rows]
    assert Path("t.CSV").read_bytes() == Path("t.csv").read_bytes()


def test_pictures():
    options = ["-e", "1", "-e", "2", "-t", "flat", "-t", "zipf"]
    for name in ("errors.png", "errors.svg"):
        succeeds(*QUICK, *options, "--figure", name)
    assert_is_a_picture("errors.png")
    assert ElementTree.parse("errors.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"


# --- a truth of one's own ---------------------------------------------------------------------


@pytest.mark.parametrize("text", ["3 4\n5", "3,4,5\n", "0.25\n0.33333333333333331\n5e-1\n"])
def test_a_truth_from_a_file_says_how_many_values_there_are(text):
    Path("[b]mine.txt").write_text(text)
    command = ["simulate", "-e", "1", "--repeats", "2", "--truth-file", "[b]mine.txt"]
    rows = json.loads(succeeds(*command, "--json"))["rows"]
    assert {(row["truth"], row["d"]) for row in rows} == {("[b]mine.txt", 3)}
    assert "truth: [b]mine.txt · values: 3" in succeeds(*command)
    table = succeeds(*command, "-t", "flat")
    assert "[b]mine.txt" in table
    assert "flat" in table


def test_a_certain_truth_is_simulated_as_it_is():
    """All people hold the first value: at a large ε, the estimate must be just that."""
    Path("certain.txt").write_text("1 0 0 0")
    command = ["simulate", "-e", "20", "-m", "k-subset", "--repeats", "2", "--json"]
    document = json.loads(succeeds(*command, "--truth-file", "certain.txt"))
    assert max(row["l1"] for row in document["rows"]) < 1e-3


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-t", "nope"], "The 'form' parameter of truth must be one of paper, flat, dirichlet:alp"),
        (["-t", "zipf:-1"], "The 's' parameter of zipf must be a finite number >= 0. Got -1.0"),
        (["-t", "spikes:6"], "The 'm' parameter of spikes must be a whole number in [1, 5]"),
        (["--repeats", "0"], "'--repeats': 0 is not in the range x>=2."),
        (["--repeats", "1"], "'--repeats'"),
        (["-e", "-1"], "The 'epsilon' parameter of KSubset must be a finite number > 0. Got -1.0"),
        (["-e", "nan"], "The 'epsilon' parameter of KSubset"),
        (["-d", "1"], "The 'd' parameter of KSubset must be an int in [2, "),
        (["-n", "0"], "'--people'"),
        (["-n", "10000000000000000000"], "The 'n' parameter of run must be an int in [1, "),
        (["-m", "nope"], "The 'mechanisms' parameter of run must be one of k-subset, cyclotomic"),
        (["-m", "k-subset:5"], "The 'k' parameter of KSubset must be 'l2', 'information' or"),
        (["--seed", "-1"], "'--seed'"),
        (["--workers", "0"], "'--workers'"),
        (["--target", "nope"], "'--target'"),
        (["-o", "new.txt"], "'--out': 'new.txt' must end in one of .csv, .json, .parquet."),
        (["--figure", "new.gif"], "'new.gif' must end in one of .png, .svg, .pdf"),
        (["--truth-file", "nope.txt"], "'nope.txt' does not exist"),
        (["--truth-file", "three.txt"], "must be 5 finite numbers >= 0, not all 0. Got 'shape (3,"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage(options, said):
    Path("three.txt").write_text("1 2 3")
    command = [*QUICK, "-o", "new.csv", "--figure", "new.png"]
    assert said in fails(USAGE, *instead(command, *options))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"1 2 many", "could not convert string to float: 'many'"),
        (b"1 -2 3", "The 'form[1]' parameter of truth must be a finite number >= 0. Got -2.0"),
        (b"1 nan 3", "The 'form[1]' parameter of truth must be a finite number >= 0. Got nan"),
        (b"0 0", "Got 'only zeros'"),
        (b"", "Got 'shape (0,)'"),
        (b"\xff\xfe", "'utf-8' codec can't decode"),
    ],
    ids=str,
)
def test_bad_data(data, said):
    Path("bad.txt").write_bytes(data)
    line = fails(BAD_DATA, "simulate", "--truth-file", "bad.txt", "-o", "new.csv")
    assert line.startswith("bad.txt: ")
    assert said in line


@pytest.mark.parametrize("option", ["--out", "--figure"])
def test_an_output_that_cannot_be_written_is_an_error_before_the_work(option):
    ending = {"--out": "csv", "--figure": "png"}[option]
    path = f"missing/out.{ending}"
    line = fails(SYSTEM, "simulate", "--repeats", str(10**9), "-n", str(10**9), option, path)
    assert line == f"{path}: No such file or directory"
