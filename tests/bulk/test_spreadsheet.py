"""Spreadsheets: the first sheet of Excel's and OpenDocument's files, like any other table."""

import gzip
import sys

import pytest

from privet import Survey
from privet.bulk import read_answers
from privet.bulk.formats import open_table
from privet.errors import InvalidFile, MissingExtra
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
    with pytest.raises(InvalidFile, match=r"a\.xlsx, row 3 \(4 with the header\): .* is empty"):
        read(tmp_path / "a.xlsx")


def test_other_sheets_are_not_read_which_is_said(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(excel(sheets=3))
    with pytest.warns(UserWarning, match=r"of 3 sheets, the first, 'S1', is read"):
        assert read(tmp_path / "a.xlsx") == [0, 1, 2]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (zipped(a="tea"), "a ZIP archive, or a spreadsheet that cannot be read"),
        (excel([]), "is empty"),
        (excel([[None]]), "is empty"),
        (b"\xd0\xcf\x11\xe0 and so on", "a spreadsheet that cannot be read"),
    ],
)
def test_what_is_no_spreadsheet(tmp_path, data, said):
    (tmp_path / "a.xlsx").write_bytes(data)
    with pytest.raises(InvalidFile, match=said):
        read(tmp_path / "a.xlsx")


def test_the_package_that_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    (tmp_path / "a.xlsx").write_bytes(excel())
    with pytest.raises(MissingExtra, match=r"pip install 'privet\[sheets\]'"):
        read(tmp_path / "a.xlsx")


def test_a_sheet_by_its_name(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(excel(sheets=3, filled=2))
    (chunk,) = read_answers(path, SURVEY, "answer", sheet="S2")
    assert chunk.values.tolist() == [0, 1, 2]
    with pytest.raises(InvalidFile, match="there is no sheet 's2', but 'S1', 'S2', 'S3'"):
        next(read_answers(path, SURVEY, sheet="s2"))
    with pytest.raises(InvalidFile, match="the sheet 'S3' is empty"):
        next(read_answers(path, SURVEY, sheet="S3"))
    text = tmp_path / "a.csv"
    text.write_text("answer\ntea\n")
    with pytest.raises(InvalidFile, match="no spreadsheet, so there is no sheet 'S1'"):
        next(read_answers(text, SURVEY, sheet="S1"))
