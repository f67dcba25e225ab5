"""privet simulate: the table, its files, its picture, and what it refuses."""

import csv
import json
import os
from errno import ENOENT
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
from refusing import assert_names

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
    same = ["zipf:1.1", "values: 5", "people: 60", "repeats: 4", "population", "seed: 3"]
    assert_names(lines[-1], *same)


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
    assert_names(done.stdout.splitlines()[-1], "values: 64", "people: 10,000", "repeats: 100")


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
    assert_names(succeeds(*command).splitlines()[-1], "truth: [b]mine.txt", "values: 3")
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
    ("options", "names"),
    [
        (["-t", "nope"], ["'form'", "paper, flat", "'nope'"]),
        (["-t", "zipf:-1"], ["'s'", "zipf", "-1.0"]),
        (["-t", "spikes:6"], ["'m'", "spikes", "[1, 5]", "6"]),
        (["--repeats", "0"], ["'--repeats'", "0"]),
        (["--repeats", "1"], ["'--repeats'", "1"]),
        (["-e", "-1"], ["'epsilon'", "KSubset", "-1.0"]),
        (["-e", "nan"], ["'epsilon'", "KSubset", "nan"]),
        (["-d", "1"], ["'d'", "KSubset", "1"]),
        (["-n", "0"], ["'--people'", "0"]),
        (["-n", "10000000000000000000"], ["'n'", "10000000000000000000"]),
        (["-m", "nope"], ["'mechanisms'", "k-subset, cyclotomic", "'nope'"]),
        (["-m", "k-subset:5"], ["'k'", "KSubset", "5"]),
        (["--seed", "-1"], ["'--seed'", "-1"]),
        (["--workers", "0"], ["'--workers'", "0"]),
        (["--target", "nope"], ["'--target'", "'nope'"]),
        (["-o", "new.txt"], ["'--out'", "'new.txt'", ".csv, .json, .parquet"]),
        (["--figure", "new.gif"], ["'--figure'", "'new.gif'", ".png, .svg, .pdf"]),
        (["--truth-file", "nope.txt"], ["'--truth-file'", "'nope.txt'"]),
        (["--truth-file", "three.txt"], ["'form'", "5", "'shape (3,)'"]),
    ],
    ids=" ".join,
)
def test_wrong_usage(options, names):
    Path("three.txt").write_text("1 2 3")
    command = [*QUICK, "-o", "new.csv", "--figure", "new.png"]
    assert_names(fails(USAGE, *instead(command, *options)), *names)


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (b"1 2 many", ["'many'"]),
        (b"1 -2 3", ["'form[1]'", "-2.0"]),
        (b"1 nan 3", ["'form[1]'", "nan"]),
        (b"0 0", ["'form'", "'only zeros'"]),
        (b"", ["'form'", "'shape (0,)'"]),
        (b"\xff\xfe", ["'utf-8'"]),
    ],
    ids=str,
)
def test_bad_data(data, names):
    Path("bad.txt").write_bytes(data)
    line = fails(BAD_DATA, "simulate", "--truth-file", "bad.txt", "-o", "new.csv")
    assert line.startswith("bad.txt: ")
    assert_names(line, *names)


@pytest.mark.parametrize("option", ["--out", "--figure"])
def test_an_output_that_cannot_be_written_is_an_error_before_the_work(option):
    ending = {"--out": "csv", "--figure": "png"}[option]
    path = f"missing/out.{ending}"
    line = fails(SYSTEM, "simulate", "--repeats", str(10**9), "-n", str(10**9), option, path)
    assert line == f"{path}: {os.strerror(ENOENT)}"
