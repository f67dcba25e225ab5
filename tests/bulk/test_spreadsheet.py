"""Spreadsheets: the first sheet of Excel's and OpenDocument's files, like any other table."""

import gzip
import sys

import pytest

from privet import Survey
from privet.bulk import read_answers
from privet.bulk.formats import open_table
from privet.errors import InvalidFile, MissingExtra
from refusing import in_row, refused
from workbooks import ROWS, excel, open_document, zipped

SURVEY = Survey("?", ["tea", "1", "true"], 1.0)


def read(path):
    return [place for chunk in read_answers(path, SURVEY) for place in chunk.values]


@pytest.mark.parametrize("data", [excel(), open_document()], ids=["xlsx", "ods"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_the_first_sheet_is_a_table(tmp_path, data, pack):
    (tmp_path / "a").write_bytes(pack(data))
    assert read(tmp_path / "a") == [0, 1, 2]
    with open_table(tmp_path / "a") as table:
        assert (list(table.columns), table.rows) == (["id", "answer"], 3)


def test_rows_are_named_as_in_any_other_file(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(excel([*ROWS[:3], [3, None], [4, "tea"]]))
    with refused(InvalidFile, "a.xlsx", *in_row(3), "empty"):
        read(tmp_path / "a.xlsx")


def test_other_sheets_are_not_read_which_is_said(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(excel(sheets=3))
    with pytest.warns(UserWarning, match="'S1'"):
        assert read(tmp_path / "a.xlsx") == [0, 1, 2]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (zipped(a="tea"), "ZIP"),
        (excel([]), "empty"),
        (excel([[None]]), "empty"),
        (b"\xd0\xcf\x11\xe0 and so on", "spreadsheet"),
    ],
)
def test_what_is_no_spreadsheet(tmp_path, data, word):
    (tmp_path / "a.xlsx").write_bytes(data)
    with refused(InvalidFile, "a.xlsx", word):
        read(tmp_path / "a.xlsx")


def test_the_package_that_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    (tmp_path / "a.xlsx").write_bytes(excel())
    with refused(MissingExtra, "'privet[sheets]'"):
        read(tmp_path / "a.xlsx")


def test_a_sheet_by_its_name(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(excel(sheets=3, filled=2))
    (chunk,) = read_answers(path, SURVEY, "answer", sheet="S2")
    assert chunk.values.tolist() == [0, 1, 2]
    with refused(InvalidFile, path, "'s2'", "'S1', 'S2', 'S3'"):
        next(read_answers(path, SURVEY, sheet="s2"))
    with refused(InvalidFile, path, "'S3'", "empty"):
        next(read_answers(path, SURVEY, sheet="S3"))
    text = tmp_path / "a.csv"
    text.write_text("answer\ntea\n")
    with refused(InvalidFile, text, "spreadsheet", "'S1'"):
        next(read_answers(text, SURVEY, sheet="S1"))
