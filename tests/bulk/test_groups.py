"""Groups: numbered as they appear, the same whatever a column's type, and given back as text."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet import Survey
from privet.bulk import groups, randomize_files, tally_groups
from privet.bulk.groups import Groups, check_by
from privet.errors import InvalidArgument, InvalidFile
from refusing import refused


def batch(**columns):
    return pa.record_batch(list(columns.values()), names=list(columns))


def test_rows_of_one_group_have_one_number():
    found = Groups(["country"])
    first = found.number(batch(country=pa.array(["FR", "DE", "FR", None])), "a.csv")
    second = found.number(batch(country=pa.array(["IT", None, "DE"])), "a.csv")
    assert first[0] == first[2]
    assert len({*first}) == 3
    assert second.tolist()[1:] == [first[3], first[1]]
    assert {group: n for group, n in found.seen.items() if group != ("IT",)} == {
        ("FR",): first[0],
        ("DE",): first[1],
        (None,): first[3],
    }


@pytest.mark.parametrize(
    "column",
    [
        pa.array([7, 8, 7]),
        pa.array(["7", "8", "7"]),
        pa.array([b"7", b"8", b"7"]),
        pa.array(["7", "8", "7"], pa.large_string()),
        pa.array(["7", "8", "7"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays([0, 1, 2], ["7", "8", "7"]),
    ],
    ids=lambda column: str(column.type),
)
def test_the_values_are_text_whatever_the_columns_type(column):
    found = Groups(["n"])
    numbers = found.number(batch(n=column), "a.csv")
    assert set(found.seen) == {("7",), ("8",)}
    assert numbers[0] == numbers[2] != numbers[1]


@pytest.mark.parametrize("values", [30, 120])  # with 120, few of all combinations occur
def test_several_columns_and_back(values):
    rng = np.random.default_rng(1)
    columns = {name: pa.array(rng.integers(0, values, 5000).astype(str)) for name in "abcd"}
    found = Groups(list("abcd"))
    numbers = found.number(batch(**columns), "a.csv")
    back = [column.to_pylist() for column in found.columns(numbers)]
    assert back == [column.to_pylist() for column in columns.values()]
    assert len(found.seen) == len(set(zip(*back, strict=True)))


def test_what_is_missing_comes_back_as_missing_in_a_dictionary_without_it():
    found = Groups(["a", "b"])
    numbers = found.number(
        batch(a=pa.array(["x", None, "x"]), b=pa.array([None, None, "y"])), "a.csv"
    )
    first, second = found.columns(numbers)
    assert first.to_pylist() == ["x", None, "x"]
    assert second.to_pylist() == [None, None, "y"]
    assert first.dictionary.null_count == second.dictionary.null_count == 0


@pytest.mark.parametrize(
    "column",
    [pa.array([[1]]), pa.array([{"a": 1}]), pa.array([b"\xff"])],
    ids=lambda c: str(c.type),
)
def test_what_is_no_text_is_refused(column):
    with refused(InvalidFile, "a.csv", "'a'", "text"):
        Groups(["a"]).number(batch(a=column), "a.csv")


def test_text_that_is_not_utf8_is_refused():
    buffers = [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"a\xff")]
    column = pa.Array.from_buffers(pa.string(), 2, buffers)
    for same in (column, column.dictionary_encode()):
        with refused(InvalidFile, "a.csv", "'a'", "UTF-8"):
            Groups(["a"]).number(batch(a=same), "a.csv")


@pytest.mark.parametrize("by", [["report"], ["a", "a"], "ab", ["\udcff"], [b"a"], [7]])
def test_groups_are_by_different_columns_beside_the_reports(by):
    with refused(InvalidArgument, parameter="by", value=by):
        check_by("tally_groups", by)
    check_by("tally_groups", ["a", "b"])


def test_no_columns_make_one_group():
    found = Groups([])
    assert found.number(batch(a=pa.array([1, 2])), "a.csv").tolist() == [0, 0]
    assert found.seen == {(): 0}


def test_an_identity_is_no_grouping(monkeypatch):
    monkeypatch.setattr(groups, "MOST_GROUPS", 100)
    found = Groups(["user"])
    found.number(batch(user=pa.array([str(i) for i in range(100)])), "a.csv")
    with refused(InvalidFile, "a.csv", "'user'", "100 groups"):
        found.number(batch(user=pa.array(["one more"])), "a.csv")


def test_a_whole_number_has_one_spelling_in_every_format(tmp_path):
    """CSV says 1.0 where Parquet has 1, and a column with gaps has floats."""
    survey, numbers = Survey("?", ["tea", "coffee"], 1.0), []
    (tmp_path / "a.csv").write_text("answer,age\ntea,1.0\ntea,2.5\ntea,one.0\n")
    parquet.write_table(pa.table({"answer": ["tea"] * 2, "age": [1, 2]}), tmp_path / "b.parquet")
    floats = pa.table({"answer": ["tea"] * 2, "age": [1.0, None]})
    parquet.write_table(floats, tmp_path / "c.parquet")
    for name in ("a.csv", "b.parquet", "c.parquet"):
        out = tmp_path / f"{name}.reports"
        randomize_files(tmp_path / name, survey, out, column="answer", by=["age"])
        numbers.append([group for (group,) in tally_groups(out, survey, ["age"])])
    assert numbers == [["1", "2.5", "one.0"], ["1", "2"], ["1", None]]
