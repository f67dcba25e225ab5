"""Spreadsheets: the first sheet of Excel's and OpenDocument's files, like any other table."""

import gzip
import io
import sys
from zipfile import ZipFile

import pytest

from privet import Survey
from privet.bulk import read_answers
from privet.bulk.formats import open_table
from privet.errors import InvalidFile, MissingExtra

SURVEY = Survey("?", ["tea", "1", "true"], 1.0)
ROWS = [["id", "answer"], [1, "tea"], [2, 1], [3, True], [None, None]]


def zipped(**files):
    sink = io.BytesIO()
    with ZipFile(sink, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_x", ".x"), text)
    return sink.getvalue()


def excel(rows=ROWS, sheets=1, filled=1):
    """The least that is a workbook; only one sheet has rows."""

    def cell(value):
        if isinstance(value, bool):
            return f'<c t="b"><v>{value:d}</v></c>'
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        return "<c/>" if value is None else f"<c><v>{value}</v></c>"

    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    packed = "http://schemas.openxmlformats.org/package/2006/relationships"
    numbers = range(1, sheets + 1)
    names = "".join(f'<sheet name="S{i}" sheetId="{i}" r:id="r{i}"/>' for i in numbers)
    targets = "".join(
        f'<Relationship Id="r{i}" Type="{relations}/worksheet" Target="worksheets/s{i}.xml"/>'
        for i in numbers
    )
    body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    whole = {
        "xl__workbook_xml": f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>{names}'
        "</sheets></workbook>",
        "_rels__.rels": f'<Relationships xmlns="{packed}"><Relationship Id="r1" '
        f'Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl___rels__workbook_xml.rels": f'<Relationships xmlns="{packed}">{targets}'
        "</Relationships>",
    }
    for i in numbers:
        data = body if i == filled else ""
        sheet = f'<worksheet xmlns="{main}"><sheetData>{data}</sheetData></worksheet>'
        whole[f"xl__worksheets__s{i}_xml"] = sheet
    return zipped(**whole)


def open_document(rows=ROWS):
    """The least that is an OpenDocument sheet."""

    def cell(value):
        kind = {bool: "boolean", str: "string"}.get(type(value), "float")
        written = str(value).lower() if isinstance(value, bool) else value
        given = f'office:{"boolean-value" if kind == "boolean" else "value"}="{written}"'
        if value is None:
            return "<table:table-cell/>"
        return (
            f'<table:table-cell office:value-type="{kind}" {given if kind != "string" else ""}>'
            f"<text:p>{value}</text:p></table:table-cell>"
        )

    space = "urn:oasis:names:tc:opendocument:xmlns"
    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    spaces = " ".join(f'xmlns:{name}="{space}:{name}:1.0"' for name in ("office", "table", "text"))
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="S1">{body}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = f'<m:manifest xmlns:m="{space}:manifest:1.0"/>'
    whole = {"mimetype": kind, "META-INF__manifest_xml": manifest, "content_xml": content}
    return zipped(**whole)


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
