"""The known sizes of groups, from files."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from privet import Scale, Several, Survey
from privet.bulk import read_known
from privet.bulk.known import read_figures, read_shares
from privet.errors import InvalidFile
from refusing import in_row, refused


def written(tmp_path, text):
    path = Path(tmp_path, "known.csv")
    path.write_text(text)
    return path


def test_shares_and_people(tmp_path):
    path = written(tmp_path, "region,share\nnorth,0.25\nsouth,75e-2\n")
    assert read_known(path, ["region"]) == {("north",): 0.25, ("south",): 0.75}
    path = written(tmp_path, "people,sex,age\n10,f,1.0\n3.0,m,1\n")
    known = read_known(path, ["age", "sex"])
    assert known == {("1", "f"): 10, ("1", "m"): 3}
    assert all(isinstance(size, int) for size in known.values())
    table = pa.table({"age": [1.0, None], "people": [5, 6], "more": ["a", "b"]})
    parquet.write_table(table, tmp_path / "known.parquet")
    assert read_known(tmp_path / "known.parquet", ["age"]) == {("1",): 5, (None,): 6}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("region,size\na,1\n", ["column 'share'", "'region', 'size'"]),
        ("share\n1\n", ["column 'region'"]),
        ("region,share,people\na,1,1\n", ["both", "'share'", "'people'"]),
        ("region,share\na,.5\na,.5\n", [*in_row(2), "group a", "twice"]),
        ("region,share\na,.5\nb,half\n", [*in_row(2), "'share'", "'half'"]),
        ("region,share\na,0\n", ["'share'", "'0'"]),
        ("region,share\na,nan\n", ["'share'", "'nan'"]),
        ("region,share\na,\n", ["'share'", "''"]),
        ("region,people\na,1.5\n", ["'people'", "'1.5'"]),
        ("region,people\na,inf\n", ["'people'", "'inf'"]),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, names):
    path = written(tmp_path, text)
    with refused(InvalidFile, path, *names):
        read_known(path, ["region"])


# --- shares of categories ---------------------------------------------------------------------


SURVEY = Survey("What do you drink?", ["tea", "coffee", "none"], 1.0)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "category,share\ntea,0.5\ncoffee,.25\nnone,0.25\n"),
        ("a.csv", "\ufeffshare,note,category\r\n0.25,x,none\r\n5e-1,,tea\r\n0.25,,coffee\r\n"),
        ("a.txt", 'category,share\n"tea",0.5\n"coffee",0.25\n"none",0.25'),
        ("a.json", '{"none": 0.25, "tea": 0.5, "coffee": 0.25}'),
        ("a.csv", "category,people\ntea,400\ncoffee,200\nnone,200\n"),
        ("A.JSON", '{"none": "0.25", "tea": 0.5, "coffee": 0.25}'),
    ],
)
def test_shares_are_in_the_order_of_the_categories(tmp_path, name, text):
    (tmp_path / name).write_text(text, "utf-8")
    assert read_shares(tmp_path / name, SURVEY).tolist() == [0.5, 0.25, 0.25]


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("a.csv", "", ["empty"]),
        ("a.csv", "tea,0.5\ncoffee,0.5\n", ["column 'share'"]),
        ("a.csv", "category,share\ntea\n", [*in_row(1), "fields"]),
        ("a.csv", "category,share\ntea,0.5\n", ["'coffee'", "missing"]),
        ("a.csv", "category,share\ntee,1\n", [*in_row(1), "'tee'"]),
        ("a.csv", "category,share\ntea,1\ntea,0\n", [*in_row(2), "'tea'", "twice"]),
        ("a.csv", "category,share\ntea,half\n", ["'share'", "'half'"]),
        ("a.csv", "category,share\ntea,-1\n", ["'share'", "'-1'"]),
        ("a.csv", "category,share\ntea,nan\n", ["'share'", "'nan'"]),
        ("a.json", '{"tea": 50, "coffee": 25, "none": 25}', ["1", "100", "percentages"]),
        ("a.json", '{"tea": 0.5, "coffee": 0.2, "none": 0.2}', ["1", "0.9"]),
        ("a.json", '{"tea": true, "coffee": 0, "none": 0}', ["'share'", "True"]),
        ("a.json", '{"tea": {"a": 1}, "coffee": 0, "none": 0}', ["'share'", "[('a', 1)]"]),
        ("a.json", '{"tea": 1, "tea": 0}', ["'tea'", "twice"]),
        ("a.json", "[1, 2]", ["object"]),
        ("a.json", "{", ["JSON"]),
    ],
)
def test_bad_shares(tmp_path, name, text, names):
    (tmp_path / name).write_text(text)
    with refused(InvalidFile, tmp_path / name, *names):
        read_shares(tmp_path / name, SURVEY)


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
    with refused(InvalidFile, "a.csv", "UTF-16"):
        read_shares(tmp_path / "a.csv", SURVEY)


# --- shares of options, and figures of a scale ----------------------------------------------------

OPTIONS = Survey("What do you drink?", Several(["tea", "coffee", "none"], 2), 1.0)
SCALE = Scale(0, 120, unit="years", bands=[30, 60])


def test_shares_of_options_need_not_add_up(tmp_path):
    (tmp_path / "a.csv").write_text("category,share\ntea,0.5\ncoffee,0.8\nnone,0\n")
    assert read_shares(tmp_path / "a.csv", OPTIONS).tolist() == [0.5, 0.8, 0]
    for text, names in (
        ("category,share\ntea,0.5\ncoffee,8\nnone,0\n", ["'coffee'", "8"]),
        ("category,people\ntea,5\ncoffee,8\nnone,0\n", ["column 'share'"]),
    ):
        (tmp_path / "a.csv").write_text(text)
        with refused(InvalidFile, "a.csv", *names):
            read_shares(tmp_path / "a.csv", OPTIONS)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "figure,value\nmean,40.5\nmedian,38\n0 to 30,.25\n"),
        ("a.csv", "note,value,figure\nx,40.5,mean\n,38,median\n,0.25,share of 0 to 30\n"),
        ("a.json", '{"mean": 40.5, "median": 38, "0 to 30": "0.25"}'),
    ],
)
def test_figures_by_name(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    known = {"mean": 40.5, "median": 38.0, "0 to 30": 0.25}
    assert read_figures(tmp_path / name, SCALE) == known


def test_figures_below_0(tmp_path):
    (tmp_path / "a.csv").write_text("figure,value\nmean,-4.5\n")
    assert read_figures(tmp_path / "a.csv", Scale(-40, 40)) == {"mean": -4.5}


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("a.csv", "mean,40\n", ["column 'figure'"]),
        ("a.csv", "figure,value\n", ["no figures"]),
        ("a.csv", "figure,value\nmean,forty\n", ["'value'", "'forty'"]),
        ("a.csv", "figure,value\nmode,40\n", [*in_row(1), "'mode'"]),
        ("a.csv", "figure,value\n,40\n", [*in_row(1), "''"]),
        ("a.csv", "figure,value\nmean,140\n", ["'mean'", "[0, 120]", "140.0"]),
        ("a.csv", "figure,value\n0 to 30,25\n", ["'0 to 30'", "[0, 1]", "25.0"]),
        ("a.csv", "figure,value\nmean,40\nmean,41\n", [*in_row(2), "'mean'", "twice"]),
        ("a.json", "{}", ["no figures"]),
        ("a.json", '{"mean": null}', ["'mean'", "None"]),
        ("a.json", '{"mean": Infinity}', ["'mean'", "inf"]),
        ("a.json", "[40]", ["object"]),
    ],
)
def test_bad_figures(tmp_path, name, text, names):
    (tmp_path / name).write_text(text)
    with refused(InvalidFile, tmp_path / name, *names):
        read_figures(tmp_path / name, SCALE)
