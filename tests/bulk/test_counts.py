"""Files of counts: a row for many people."""

import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet import Survey
from privet.bulk import Cleaning, count_answers, randomize_files, read_answers, tally_groups
from privet.errors import InvalidFile
from refusing import in_row, refused

# So little noise that a report nearly always is the answer.
SURVEY = Survey("?", ["tea", "coffee", "none"], 30.0, mechanism="multivariate-rr")
TABLE = {
    "drink": ["tea", "coffee", "none", "tea", None],
    "region": ["north", "north", "south", "south", "south"],
    "people": [2_500_000, 7, 0, 40, 3],
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "counts.parquet"
    parquet.write_table(pa.table(TABLE), path)
    return path


def test_each_person_makes_a_report(tmp_path, file):
    """More of one row than are made at once."""
    out = tmp_path / "r.parquet"
    done = randomize_files(
        file, SURVEY, out, column="drink", count="people", by=["region"],
        cleaning=Cleaning(missing="drop"),
    )  # fmt: skip
    assert (done.n, done.rows, done.missing) == (2_500_047, 5, 1)
    assert done.groups == [2_500_007, 40]
    tallies = tally_groups(out, SURVEY, ["region"])
    assert tallies["north",].estimate().counts.tolist() == [2_500_000, 7, 0]
    assert tallies["south",].estimate().counts.tolist() == [40, 0, 0]


def test_the_order_is_that_of_the_rows(tmp_path):
    path, out = tmp_path / "c.csv", tmp_path / "r.parquet"
    path.write_text("answer,people\ncoffee,2\nnone,0\ntea,3.0\nnone,1\n")
    assert randomize_files(path, SURVEY, out, count="people", keep_order=True).n == 6
    expected = SURVEY.randomize_batch(["coffee"] * 2 + ["tea"] * 3 + ["none"])
    reports = parquet.read_table(out)["report"].to_pylist()
    assert reports == [row.tobytes() for row in expected]


def test_memory_does_not_grow_with_the_people(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text("answer,people\ntea,100000000\n")
    (chunk,) = read_answers(path, SURVEY, count="people")
    assert (len(chunk.values), chunk.people.tolist()) == (1, [10**8])
    path.write_text("answer,people\ntea,20000000\n")
    tracemalloc.start()
    randomize_files(path, SURVEY, tmp_path / "r.parquet", count="people")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 130 << 20  # where the positions alone would be 160 MB


def test_answers_are_counted_by_people(file):
    found = count_answers(file, "drink", count="people")
    assert found.counts == Counter({"tea": 2_500_040, "coffee": 7, "none": 0})
    assert list(found.counts) == ["coffee", "none", "tea"]
    assert (found.missing, found.rows) == (1, 5)


@pytest.mark.parametrize("bad", ["-1", "1.5", "", "x", "1e11", "nan", "inf", "true"])
@pytest.mark.parametrize("read", [count_answers, randomize_files])
def test_what_is_no_number_of_people_is_named(tmp_path, bad, read):
    path = Path(tmp_path, "c.csv")
    path.write_text(f"answer,people\ntea,1\ntea,2\ncoffee,{bad}\n")
    arguments = [] if read is count_answers else [SURVEY, tmp_path / "r.parquet"]
    with refused(InvalidFile, "c.csv", *in_row(3), "'people'"):
        read(path, *arguments, count="people")
    assert not Path(tmp_path, "r.parquet").exists()


@pytest.mark.parametrize("column", [None, "answer"])
def test_the_columns_are_two(tmp_path, column):
    path = tmp_path / "c.csv"
    path.write_text("answer,people\ntea,1\n")
    with refused(InvalidFile, "c.csv", "'answer'", "answers", "counts"):
        count_answers(path, column, count="answer")
    with refused(InvalidFile, "c.csv", "column 'persons'"):
        count_answers(path, column, count="persons")


def test_the_only_other_column_has_the_answers(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text("people,drink\n3,tea\n")
    assert count_answers(path, count="people").counts == {"tea": 3}


def test_a_missing_number_in_parquet(tmp_path):
    path = tmp_path / "c.parquet"
    parquet.write_table(pa.table({"answer": ["tea", "tea"], "people": [1, None]}), path)
    with refused(InvalidFile, "c.parquet", "row 2", "'people'", "nothing"):
        list(read_answers(path, SURVEY, count="people"))
    parquet.write_table(pa.table({"answer": ["tea"], "people": np.array([4.0])}), path)
    (chunk,) = read_answers(path, SURVEY, count="people")
    assert chunk.people.tolist() == [4]
