"""The known sizes of groups, from files."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from privet import Scale, Several, Survey
from privet.bulk import read_known
from privet.bulk.known import read_figures, read_shares
from privet.errors import InvalidFile


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
    ("text", "said"),
    [
        ("region,size\na,1\n", "no column 'share'; the columns are 'region', 'size'"),
        ("share\n1\n", "no column 'region'"),
        ("region,share,people\na,1,1\n", "both 'share' and 'people'"),
        ("region,share\na,.5\na,.5\n", "row 2 (3 with the header): the group a is there twice"),
        (
            "region,share\na,.5\nb,half\n",
            "(3 with the header): 'share' must be a number > 0.",
        ),
        ("region,share\na,0\n", "Got '0' instead"),
        ("region,share\na,nan\n", "Got 'nan' instead"),
        ("region,share\na,\n", "Got '' instead"),
        (
            "region,people\na,1.5\n",
            "'people' must be a whole number from 1 to 10,0",
        ),
        ("region,people\na,inf\n", "Got 'inf' instead"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, said):
    with pytest.raises(InvalidFile) as error:
        read_known(written(tmp_path, text), ["region"])
    assert said in str(error.value)


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
    ("name", "text", "said"),
    [
        ("a.csv", "", "the file is empty."),
        ("a.csv", "tea,0.5\ncoffee,0.5\n", "there is no column 'share'"),
        ("a.csv", "category,share\ntea\n", "row 1 (2 with the header): the number of fields is 1"),
        ("a.csv", "category,share\ntea,0.5\n", "the share of 'coffee' is missing."),
        ("a.csv", "category,share\ntee,1\n", "(2 with the header): 'tee' is not a category"),
        ("a.csv", "category,share\ntea,1\ntea,0\n", "(3 with the header): 'tea' is there twice."),
        ("a.csv", "category,share\ntea,half\n", "'share' must be a number >= 0. Got 'half'"),
        ("a.csv", "category,share\ntea,-1\n", "must be a number >= 0. Got '-1' instead."),
        ("a.csv", "category,share\ntea,nan\n", "must be a number >= 0. Got 'nan' instead."),
        ("a.json", '{"tea": 50, "coffee": 25, "none": 25}', "not 100 (are these percentages?)."),
        ("a.json", '{"tea": 0.5, "coffee": 0.2, "none": 0.2}', "must add up to 1, not 0.9."),
        ("a.json", '{"tea": true, "coffee": 0, "none": 0}', "Got True instead."),
        ("a.json", '{"tea": {"a": 1}, "coffee": 0, "none": 0}', "'share' must be a number >= 0."),
        ("a.json", '{"tea": 1, "tea": 0}', "'tea' is there twice."),
        ("a.json", "[1, 2]", "it must be an object of shares by category."),
        ("a.json", "{", "not JSON: "),
    ],
)  # fmt: skip
def test_bad_shares(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidFile) as error:
        read_shares(tmp_path / name, SURVEY)
    message = str(error.value)
    assert message.startswith(str(tmp_path / name))
    assert said in message
    assert "\n" not in message


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidFile, match="text in UTF-16"):
        read_shares(tmp_path / "a.csv", SURVEY)


# --- shares of options, and figures of a scale ----------------------------------------------------

OPTIONS = Survey("What do you drink?", Several(["tea", "coffee", "none"], 2), 1.0)
SCALE = Scale(0, 120, unit="years", bands=[30, 60])


def test_shares_of_options_need_not_add_up(tmp_path):
    (tmp_path / "a.csv").write_text("category,share\ntea,0.5\ncoffee,0.8\nnone,0\n")
    assert read_shares(tmp_path / "a.csv", OPTIONS).tolist() == [0.5, 0.8, 0]
    for text, said in (
        ("category,share\ntea,0.5\ncoffee,8\nnone,0\n", "'coffee' must be at most 1, not 8."),
        ("category,people\ntea,5\ncoffee,8\nnone,0\n", "there is no column 'share'"),
    ):
        (tmp_path / "a.csv").write_text(text)
        with pytest.raises(InvalidFile, match=said):
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
    ("name", "text", "said"),
    [
        ("a.csv", "mean,40\n", "there is no column 'figure'"),
        ("a.csv", "figure,value\n", "there are no figures."),
        ("a.csv", "figure,value\nmean,forty\n", "'value' must be a number. Got 'forty' instead."),
        ("a.csv", "figure,value\nmode,40\n", "(2 with the header): 'mode' must be the name of a"),
        ("a.csv", "figure,value\n,40\n", "'' must be the name of a figure"),
        ("a.csv", "figure,value\nmean,140\n", "'mean' must be a number in [0, 120]. Got 140.0"),
        ("a.csv", "figure,value\n0 to 30,25\n", "'0 to 30' must be a share in [0, 1]. Got 25.0"),
        ("a.csv", "figure,value\nmean,40\nmean,41\n", "(3 with the header): 'mean' is there twice"),
        ("a.json", "{}", "there are no figures."),
        ("a.json", '{"mean": null}', "'mean' must be a number. Got None instead."),
        ("a.json", '{"mean": Infinity}', "'mean' must be a number."),
        ("a.json", "[40]", "it must be an object of numbers by figure."),
    ],
)  # fmt: skip
def test_bad_figures(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidFile) as error:
        read_figures(tmp_path / name, SCALE)
    message = str(error.value)
    assert message.startswith(str(tmp_path / name))
    assert said in message
    assert "\n" not in message
