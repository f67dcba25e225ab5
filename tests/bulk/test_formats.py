"""Files of rows: every format alike, also through a pipe, and what is said of bad ones."""

import bz2
import gzip
import io
import lzma
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, ipc, parquet

from privet.bulk import formats
from privet.bulk.formats import STDIN, OpenTable, count_rows, open_table, source
from privet.errors import InvalidArgument, InvalidFile
from refusing import refused

ROWS = {"answer": ["tea", "café", "two\nlines", "tea"], "n": [1, 2, 3, 4]}
TABLE = pa.table(ROWS)


def as_csv(delimiter=","):
    sink = io.BytesIO()
    csv.write_csv(TABLE, sink, csv.WriteOptions(delimiter=delimiter))
    return sink.getvalue()


def as_parquet():
    sink = io.BytesIO()
    parquet.write_table(TABLE, sink)
    return sink.getvalue()


def as_feather(compression):
    sink = io.BytesIO()
    feather.write_feather(TABLE, sink, compression=compression)
    return sink.getvalue()


def as_stream():
    sink = io.BytesIO()
    with ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return sink.getvalue()


JSON = b"""\
{"answer": "tea", "n": 1, "more": [1, {"a": null}]}
{"n": 2, "answer": "caf\\u00e9"}
{"answer": "two\\nlines", "n": 3}
{"answer": "tea", "n": 4}
"""
PLAIN = {
    "a.csv": as_csv(),
    "a.tsv": as_csv("\t"),
    "a.ndjson": JSON,
    "a.arrows": as_stream(),
    "no ending": as_csv(),
}
SEEKABLE = {
    "a.parquet": as_parquet(),
    "a.feather": as_feather("lz4"),
    "a.arrow": as_feather("uncompressed"),
}


def read(path, columns=("answer", "n")):
    with open_table(path) as table:
        assert list(table.columns)[:2] == ["answer", "n"] or path.name.endswith("json")
        batches = list(table.read(list(columns)))
    rows = [row for batch in batches for row in zip(*batch.to_pydict().values(), strict=True)]
    plain = [[v.decode() if isinstance(v, bytes) else v for v in row] for row in rows]
    return [[answer, int(n)] for answer, n in plain]


LONG_ROWS = 200_000  # more than are read at once
LONG_JSON = b'{"answer": "tea"}\n' * LONG_ROWS
EXPECTED = [list(row) for row in zip(*ROWS.values(), strict=True)]


@pytest.mark.parametrize(("name", "data"), [*PLAIN.items(), *SEEKABLE.items()])
def test_every_format_gives_the_same_rows(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    assert read(path) == EXPECTED
    assert [[n, answer] for n, answer in _swapped(path)] == [[n, a] for a, n in EXPECTED]
    with open_table(path) as table:
        found = pa.Table.from_batches(table.read(["n"]))
    assert found.column_names == ["n"]
    assert [int(n) for n in found["n"].to_pylist()] == ROWS["n"]


def _swapped(path):
    """The columns in another order than the file's."""
    with open_table(path) as table:
        for batch in table.read(["n", "answer"]):
            assert batch.schema.names == ["n", "answer"]
            for n, answer in zip(*batch.to_pydict().values(), strict=True):
                yield int(n), answer.decode() if isinstance(answer, bytes) else answer


@pytest.mark.parametrize(("name", "data"), [*PLAIN.items(), *SEEKABLE.items()])
def test_a_name_may_be_any_bytes(tmp_path, name, data):
    path = tmp_path / os.fsdecode(b"caf\xe9 ") / name
    path.parent.mkdir()
    path.write_bytes(data)
    assert read(path) == EXPECTED


PACKINGS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("ending", [*PACKINGS, "zst", "lz4"])
@pytest.mark.parametrize(("name", "data"), PLAIN.items())
def test_packed_files_are_unpacked(tmp_path, ending, name, data):
    path = tmp_path / f"{name}.{ending}"
    if ending in PACKINGS:
        path.write_bytes(PACKINGS[ending](data))
    else:
        with pa.CompressedOutputStream(str(path), {"zst": "zstd"}.get(ending, ending)) as stream:
            stream.write(data)
    assert read(path) == EXPECTED


@pytest.mark.parametrize("name", [name for name in PLAIN if name != "a.tsv"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_standard_input_is_recognized_by_its_first_bytes(monkeypatch, name, pack):
    class Stdin:
        buffer = io.BytesIO(pack(PLAIN[name]))

    monkeypatch.setattr(source.sys, "stdin", Stdin())
    assert read(STDIN) == EXPECTED


class Trickle(io.BytesIO):
    """A pipe whose writer is slow: a few bytes at a time."""

    def read(self, size=-1):
        return super().read(min(size, 7) if size >= 0 else size)


@pytest.mark.parametrize("name", [name for name in PLAIN if name != "a.tsv"])
def test_a_slow_pipe_gives_the_same(monkeypatch, name):
    class Stdin:
        buffer = Trickle(PLAIN[name])

    monkeypatch.setattr(source.sys, "stdin", Stdin())
    assert read(STDIN) == EXPECTED


@pytest.mark.parametrize("delimiter", [";", "|", "\t"])
def test_another_delimiter(tmp_path, delimiter):
    path = tmp_path / "a.csv"
    path.write_bytes(as_csv(delimiter))
    with open_table(path, delimiter) as table:
        assert table.columns == ["answer", "n"]
        (batch,) = table.read(["n"])
    assert batch.column(0).to_pylist() == [b"1", b"2", b"3", b"4"]


def test_json_whose_later_rows_have_other_fields(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b'{"answer": null}\n' * 3 + b'{"answer": "tea", "new": {"a": 1}}\n{}\n')
    with open_table(path) as table:
        (batch,) = table.read(["answer"])
    assert batch.column(0).to_pylist() == [None, None, None, "tea", None]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", b"", ": the file is empty."),
        ("a.csv.gz", gzip.compress(b""), ": the file is empty."),
        ("a.csv.gz", gzip.compress(as_csv() * 99)[:50], ": not a table"),
        ("a.csv.xz", lzma.compress(as_csv())[:-30], ": not a table"),
        (
            "a.xlsx",
            b"PK\x03\x04 and so on",
            ": a ZIP archive, or a spreadsheet that cannot be read",
        ),
        ("a.feather", b"FEA1 and so on", ": a Feather file of the old version 1"),
        ("a.parquet", as_parquet()[:-20], ": not a table"),
        ("a.parquet.gz", gzip.compress(as_parquet()), ": Parquet and Feather files are read from"),
        ("a.arrow", as_feather("lz4")[:-200], ": not a table"),
        ("a.arrows", as_stream()[:100], ": not a table"),
        ("a.json", b'{"answer": "tea"}\n{"answer": \n', ", row 2: not a JSON object: "),
        ("a.json", b'{"answer": "tea"}\n' * 2000 + b'{"answer": \n', ", row 2001: Invalid value."),
        ("a.json", b'{"answer": "tea"}\n{"answer": 1}\n', ", row 2: the field 'answer' is of anot"),
        ("a.json", LONG_JSON + b'{"answer": 1}\n', f", row {LONG_ROWS + 1}: the field 'answer' is"),
        ("a.json", b'{"answer": 1}\n' * 2000 + b'{"answer": 2.5}\n', ", from row 1 on: Failed to"),
        ("a.json", b'{"answer": {"a": 1}}\n', ": the field 'answer' is an object, not a single va"),
        (
            "a.json",
            b'{"answer": ["tea"]}\n',
            ": the field 'answer' is an array, not a single value.",
        ),
        ("a.json", b'{"x": "%s"}' % (b"y" * (1 << 21)), ", row 1: more than 1 MB long."),
        (
            "a.json",
            b'{"answer": "tea"}\n{"x": "%s"}' % (b"y" * (1 << 23)),
            ", from row 2 on: there is a row of more than 2 MB.",
        ),
        ("a.json", b'[{"answer": "tea"}]', ": a JSON array; write one object a line"),
        ("a.csv", "\ufeffanswer".encode("utf-16-le"), ": text in UTF-16; save it as UTF-8."),
        ("a.csv", "\ufeffanswer".encode("utf-16-be"), ": text in UTF-16; save it as UTF-8."),
        ("a.csv", b'answer,n\n"%s' % (b"y" * (1 << 23)), ", from row 1 on: there is a row of more"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_files_are_named(tmp_path, name, data, said):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InvalidFile) as caught:
        read(path, ["answer"] if b"{" in data[:1] else ["answer", "n"])
    assert str(caught.value).startswith(f"{path}{said}")
    assert "\n" not in str(caught.value)


def test_a_format_is_two_functions_in_the_registry(tmp_path, monkeypatch):
    """A toy: every line after the mark is an answer."""

    def open_lines(source):
        lines = source.start.split(b"\n")[1:]
        return OpenTable(source.name, ["answer"], lambda columns: iter_batches(lines))

    def iter_batches(lines):
        yield pa.record_batch([pa.array(lines)], ["answer"])

    toy = SimpleNamespace(
        recognizes=lambda start: start.startswith(b"LINES"), open_table=open_lines
    )
    monkeypatch.setattr(formats, "FORMATS", (toy, *formats.FORMATS))
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"LINES\ntea\nmilk"))
    with open_table(tmp_path / "a.gz") as table:
        (batch,) = table.read(["answer"])
    assert batch.column(0).to_pylist() == [b"tea", b"milk"]
    (tmp_path / "a.csv").write_bytes(as_csv())
    assert read(tmp_path / "a.csv") == EXPECTED


def test_a_byte_order_mark_is_no_part_of_the_first_row(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"answer": "tea"}\n')
    with open_table(path) as table:
        (batch,) = table.read(["answer"])
    assert batch.column(0).to_pylist() == ["tea"]


@pytest.mark.parametrize("data", [as_feather("uncompressed"), as_stream()], ids=["file", "stream"])
def test_places_beyond_the_memory_of_a_damaged_arrow_file_are_refused(tmp_path, data):
    """The offsets of texts are numbers, which Arrow would follow wherever they lead."""
    offsets, wild = (np.array([0, 3, end], np.int32).tobytes() for end in (8, 1 << 30))
    assert data.count(offsets) == 1
    path = tmp_path / "a.arrow"
    path.write_bytes(data.replace(offsets, wild))
    with refused(InvalidFile, path, "table"):
        read(path)


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.struct({"a": pa.string()})], ids=str)
def test_nested_columns_are_read_as_they_are(tmp_path, kind):
    parquet.write_table(pa.table({"answer": pa.nulls(2, kind)}), tmp_path / "a.parquet")
    with open_table(tmp_path / "a.parquet") as table:
        (batch,) = table.read(["answer"])
    assert batch.schema.field(0).type.num_fields == 1


def test_a_header_that_begins_like_a_packed_file_is_a_header(tmp_path):
    path = tmp_path / "belize.csv"
    path.write_text("BZ,answer\n1,tea\n")
    with open_table(path) as table:
        assert table.columns == ["BZ", "answer"]


@pytest.mark.parametrize("delimiter", ["", ";;", "é", "😀", '"', "\n", "\r"])
def test_what_cannot_stand_between_fields_is_refused(tmp_path, delimiter):
    (tmp_path / "a.csv").write_bytes(as_csv())
    with (
        refused(InvalidArgument, parameter="delimiter", value=delimiter),
        open_table(tmp_path / "a.csv", delimiter),
    ):
        pass


def test_parquet_through_a_pipe_is_refused(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(as_parquet())

    monkeypatch.setattr(source.sys, "stdin", Stdin())
    with refused(InvalidFile, "stdin", "Parquet"):
        read(Path("-"))


def test_rows_are_counted_beforehand_where_all_files_say_how_many(tmp_path):
    first, second, text, pipe = (tmp_path / name for name in ("a.parquet", "b", "c.csv", "pipe"))
    first.write_bytes(as_parquet())
    second.write_bytes(as_parquet())
    text.write_bytes(as_csv())
    os.mkfifo(pipe)  # which is not opened: what is read of it is gone
    assert count_rows([first, second]) == 2 * len(TABLE)
    for other in (text, pipe, STDIN):
        assert count_rows([first, other]) is None
