"""Spreadsheets for tests: the least that Excel and OpenDocument would open."""

import io
from zipfile import ZipFile

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
