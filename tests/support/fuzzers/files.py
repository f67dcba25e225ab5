"""Files: answers in every format, packed or not, what is known of groups, and reports."""

import bz2
import gzip
import io
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from pyarrow import csv, feather, ipc, parquet

from fuzzers import Target
from privet import Scale, Survey
from privet.bulk import (
    ReportsWriter,
    count_answers,
    read_answers,
    read_known,
    read_reports,
    tally_files,
    tally_groups,
)
from privet.bulk.known import read_shares
from privet.entropy import seeded
from privet.errors import PrivetError
from workbooks import excel, open_document

_FOLDER = TemporaryDirectory(prefix="privet-fuzz-")
FOLDER = Path(_FOLDER.name)
TEA, CUPS = Survey("?", ["tea", "milk"], 1.0), Survey("?", Scale(0, 9), 1.0)
TABLE = pa.table({"answer": ["tea", "milk"], "n": [1, 2]})
SIZES = b"category,share\ntea,0.25\nmilk,0.75\n"


def _written(data: bytes, ending: str) -> Path:
    path = FOLDER / f"a.{ending}"
    path.write_bytes(data)
    return path


def _each(*calls) -> None:
    """Call all of these, each of which may refuse."""
    for call in calls:
        with suppress(PrivetError):
            call()


def answers(data: bytes, ending: str = "csv") -> None:
    """Read a file as the answers to a choice and to a scale, and count them."""
    path = _written(data, ending)
    _each(
        lambda: count_answers(path, "answer"),
        lambda: [*read_answers(path, TEA, "answer", count="n")],
        lambda: [*read_answers(path, CUPS, "n", by=["answer"])],
    )


def known(data: bytes) -> None:
    """Read the sizes of groups and the shares of categories, also of JSON."""
    path, other = _written(data, "csv"), _written(data, "json")
    _each(
        lambda: read_known(path, ["category"]),
        lambda: read_shares(path, TEA),
        lambda: read_shares(other, TEA),
    )


def reports(data: bytes) -> None:
    """Read and count a file of reports, which do or do not agree with each other."""
    path = _written(data, "parquet")
    try:
        n = tally_files(path, TEA).n
    except PrivetError:
        n = None
    _each(lambda: tally_groups(path, TEA, ["answer"]))
    if n is not None:
        assert sum(len(chunk) for chunk in read_reports(path, TEA)) == n


def _sunk(write, *more, **options) -> bytes:
    sink = io.BytesIO()
    write(TABLE, sink, *more, **options)
    return sink.getvalue()


def _streamed() -> bytes:
    sink = io.BytesIO()
    with ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return sink.getvalue()


def _reports() -> bytes:
    path = FOLDER / "seed.parquet"
    with ReportsWriter(path, TEA) as writer:
        writer.write(TEA.randomize_batch(["tea"] * 5, entropy=seeded(1)))
    return path.read_bytes()


TEXT = [_sunk(csv.write_csv), b"answer\tn\ntea\t1\n", b'{"answer": "tea", "n": 1}\n' * 2]
TEXT += [b'"answer";n\r\n"t""e\na";1\r\n', b"\xef\xbb\xbfanswer,n\ntea,1\n\n"]
ARROW = [
    _sunk(parquet.write_table),
    _sunk(feather.write_feather, compression="lz4"),
    _sunk(feather.write_feather, compression="uncompressed"),
    _streamed(),
]
PACKED = [gzip.compress(TEXT[0]), bz2.compress(TEXT[0]), b"\xfd7zXZ\0"]
PACKED += [bytes(pa.compress(TEXT[0], codec, asbytes=True)) for codec in ("zstd", "gzip")]
TARGETS = {
    "text": Target(answers, TEXT, 1024),
    "arrow": Target(answers, ARROW),
    "sheets": Target(lambda data: answers(data, "xlsx"), [excel(), open_document()]),
    "packed": Target(lambda data: answers(data, "gz"), PACKED, 1024),
    "known": Target(known, [SIZES, b"category,people\ntea,1\nmilk,3\n", b'{"tea": 1, "milk": 0}']),
    "report-files": Target(reports, [_reports()]),
}
