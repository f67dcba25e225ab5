"""Known shares from files, and what is wrong with them in one line."""

import pytest

from privet import Survey
from privet.bulk.shares import read_shares
from privet.errors import InvalidFile

SURVEY = Survey("What do you drink?", ["tea", "coffee", "none"], 1.0)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "category,share\ntea,0.5\ncoffee,.25\nnone,0.25\n"),
        ("a.csv", "\ufeffshare,note,category\r\n0.25,x,none\r\n\r\n5e-1,,tea\r\n0.25,,coffee\r\n"),
        ("a.txt", 'category,share\n"tea",0.5\n"coffee",0.25\n"none",0.25'),
        ("a.json", '{"none": 0.25, "tea": 0.5, "coffee": 0.25}'),
        ("A.JSON", '{"none": "0.25", "tea": 0.5, "coffee": 0.25}'),
    ],
)
def test_shares_are_in_the_order_of_the_categories(tmp_path, name, text):
    (tmp_path / name).write_text(text, "utf-8")
    assert read_shares(tmp_path / name, SURVEY).tolist() == [0.5, 0.25, 0.25]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "", "not a file of shares: its columns must be category and share."),
        ("a.csv", "tea,0.5\ncoffee,0.5\n", "its columns must be category and share."),
        ("a.csv", "category,share\ntea\n", "row 2 has 1 fields, the header 2."),
        ("a.csv", "category,share\ntea,0.5\n", "the share of 'coffee' is missing."),
        ("a.csv", "category,share\ntee,1\n", ", row 2: 'tee' is not a category of this survey."),
        ("a.csv", "category,share\ntea,1\ntea,0\n", ", row 3: 'tea' is given twice."),
        ("a.csv", "category,share\ntea,half\n", ", row 2: a share is a number from 0 to 1."),
        ("a.csv", "category,share\ntea,-1\n", "a share is a number from 0 to 1. Got '-1'."),
        ("a.csv", "category,share\ntea,nan\n", "a share is a number from 0 to 1. Got 'nan'."),
        ("a.json", '{"tea": 50, "coffee": 25, "none": 25}', "not 100 (are these percentages?)."),
        ("a.json", '{"tea": 0.5, "coffee": 0.2, "none": 0.2}', "must add up to 1, not 0.9."),
        ("a.json", '{"tea": true, "coffee": 0, "none": 0}', "Got True."),
        ("a.json", '{"tea": {"a": 1}, "coffee": 0, "none": 0}', "a share is a number from 0 to 1."),
        ("a.json", '{"tea": 1, "tea": 0}', "'tea' is given twice."),
        ("a.json", "[1, 2]", "it must be an object of shares by category."),
        ("a.json", "{", "not a file of shares: "),
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
    with pytest.raises(InvalidFile, match="not a file of shares"):
        read_shares(tmp_path / "a.csv", SURVEY)
