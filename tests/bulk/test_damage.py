"""Damaged and hostile files: whatever is in them, one line of privet's own comes out.

Bits are flipped, bytes replaced, pieces cut out and spliced in. The seeds are fixed; more of them
are tried by `PRIVET_FUZZ=1000 pytest tests/bulk/test_damage.py`.
"""

import io
import json
import os
import random

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, ipc, parquet

from privet import PrivetError, Survey
from privet.bulk import (
    Cleaning,
    ReportsWriter,
    count_answers,
    randomize_files,
    read_reports,
    tally_groups,
)
from privet.bulk.groups import Groups
from privet.errors import InvalidArgument, InvalidFile
from refusing import refused

SURVEY = Survey("What do you drink?", ["tea", "café", "7", "true"], 1.0)
TIMES = int(os.environ.get("PRIVET_FUZZ", "25"))
ROWS = 60
ANSWERS = [["tea", "café", "7", None][i % 4] for i in range(ROWS)]
COUNTRIES = [["DE", "FR", None, "longer than a view holds"][i % 4] for i in range(ROWS)]
REPORTS = SURVEY.mechanism.randomize(np.arange(ROWS) % 4)


def table(kind):
    answers, countries = (pa.array(values, kind) for values in (ANSWERS, COUNTRIES))
    return pa.table({"answer": answers, "country": countries, "n": range(ROWS)})


def written(write, *args, **options):
    sink = io.BytesIO()
    write(*args, sink, **options)
    return sink.getvalue()


def stream(data, sink):
    with ipc.new_stream(sink, data.schema) as writer:
        writer.write_table(data, max_chunksize=20)


PLAIN, VIEWS = table(pa.string()), table(pa.string_view())
ENCODED = table(pa.dictionary(pa.int32(), pa.string()))
TABLES = {
    "parquet": written(parquet.write_table, PLAIN, row_group_size=25),
    "parquet of dictionaries": written(parquet.write_table, ENCODED, compression="none"),
    "parquet of views": written(parquet.write_table, VIEWS, use_dictionary=False),
    "arrow": written(feather.write_feather, PLAIN, compression="uncompressed"),
    "arrow, packed": written(feather.write_feather, PLAIN, compression="lz4"),
    "stream": written(stream, PLAIN),
    "stream of views": written(stream, VIEWS),
    "stream of dictionaries": written(stream, ENCODED),
    "ndjson": "".join(json.dumps(row) + "\n" for row in PLAIN.to_pylist()).encode(),
    "csv": written(csv.write_csv, PLAIN),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Files of reports, privet's own and another writer's, and a tally."""
    groups, path = Groups(["country"]), tmp_path_factory.mktemp("own") / "r.parquet"
    numbers = groups.number(pa.record_batch([pa.array(COUNTRIES)], ["country"]), path)
    with ReportsWriter(path, SURVEY, groups) as writer:
        writer.write(REPORTS, numbers)
    other = pa.table({"report": [row.tobytes() for row in REPORTS], "country": COUNTRIES})
    tally = SURVEY.tally()
    tally.update(REPORTS)
    return path.read_bytes(), written(parquet.write_table, other), tally.to_bytes()


def mutated(data, rng):
    """The same bytes with a few changes that damage, or malice, makes."""
    found = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at = rng.randrange(len(found)) if found else 0
        length = rng.randrange(1, 64)
        other = rng.choice(list(TABLES.values()))
        start = rng.randrange(len(other))
        wild = rng.choice([0, -1, 2**31 - 1, -(2**31), 2**62]).to_bytes(8, "little", signed=True)
        change = rng.choice(["flip", "flip", "number", "cut", "splice", "end", "other end"])
        if change == "flip" and found:
            found[at] ^= 1 << rng.randrange(8)
        elif change == "number":
            found[at : at + 8] = wild[: rng.choice([4, 8])]
        elif change == "cut":
            del found[at : at + length]
        elif change == "splice":
            found[at : at + length] = other[start : start + length]
        elif change == "end":
            del found[at:]
        else:
            found[at:] = other[start:]
    return bytes(found)


def is_refused(use):
    """Return whether a call is refused, in one line and by privet itself."""
    said = ""
    try:
        use()
    except PrivetError as error:
        said = str(error)
    assert "\n" not in said
    return bool(said)


@pytest.mark.parametrize("name", TABLES)
def test_damaged_answers(tmp_path, name):
    rng = random.Random(name)
    path, out = tmp_path / "answers", tmp_path / "out"
    times = 0
    for _ in range(TIMES):
        path.write_bytes(mutated(TABLES[name], rng))
        times += is_refused(
            lambda: randomize_files(
                [path],
                SURVEY,
                out,
                by=["country", "n"],
                cleaning=Cleaning(unknown="drop", missing="drop"),
            )
        )
        is_refused(lambda: count_answers([path], "answer"))
    assert times


@pytest.mark.parametrize("which", range(3), ids=["own", "other", "tally"])
def test_damaged_reports(tmp_path, reports, which):
    rng = random.Random(which)
    path = tmp_path / "reports"
    times = 0
    for _ in range(TIMES):
        path.write_bytes(mutated(reports[which], rng))
        for by in ([], ["country"]):
            times += is_refused(lambda by=by: tally_groups([path], SURVEY, by))
        is_refused(lambda: list(read_reports(path, SURVEY)))
    assert times


# --- what was found -------------------------------------------------------------------------


def randomized(tmp_path, data, **options):
    path = tmp_path / "a"
    path.write_bytes(data)
    return randomize_files([path], SURVEY, tmp_path / "out", **options)


@pytest.mark.parametrize("deep", ["[" * 3000, '{"a":' * 3000, "[" * 100_000 + "]" * 100_000])
def test_json_nested_without_end_is_named_with_its_row(tmp_path, deep):
    data = b'{"answer": "tea"}\n{"answer": "tea", "more": %s}\n' % deep.encode()
    with refused(InvalidFile, tmp_path / "a", "row 2", "nested"):
        randomized(tmp_path, data)


def test_json_nested_deeply_in_a_later_row_is_not_looked_at(tmp_path):
    rows = b'{"answer": "tea"}\n' * 2000
    deep = b'{"answer": "tea", "more": %s1%s}\n' % (b"[" * 100_000, b"]" * 100_000)
    assert randomized(tmp_path, rows + deep).n == 2001


@pytest.mark.parametrize("row", [b"[1]", b"7", b'"tea"', b"{", b"\xff", b"{} {}", b"9" * 5000])
def test_what_is_no_json_object_is_named_with_its_row(tmp_path, row):
    with refused(InvalidFile, tmp_path / "a", "row 2", "JSON"):
        randomized(tmp_path, b'{"answer": "tea"}\n%s\n' % row)


def test_groups_that_are_not_utf8_are_is_refused(tmp_path):
    buffers = [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"a\xff")]
    bad = pa.Array.from_buffers(pa.string(), 2, buffers)
    data = written(parquet.write_table, pa.table({"answer": ["tea", "tea"], "by": bad}))
    with refused(InvalidFile, tmp_path / "a", "'by'", "UTF-8"):
        randomized(tmp_path, data, by=["by"])
    path = tmp_path / "r"
    column = pa.array([row.tobytes() for row in REPORTS[:2]])
    parquet.write_table(pa.table({"report": column, "by": bad}), path)
    with refused(InvalidFile, path, "'by'", "UTF-8"):
        tally_groups([path], SURVEY, ["by"])


def test_places_beyond_a_dictionary_of_parquet_are_is_refused(tmp_path):
    """Three values are numbered by two bits, of which damage can make a fourth."""
    reports = [row.tobytes() for row in REPORTS]
    whole = {"answer": ["tea", "café", "7"] * 20, "report": reports}
    by = pa.array(["DE", "FR", "IT"] * 20).dictionary_encode()
    options = {
        "compression": "none",
        "use_dictionary": ["answer", "by"],
        "data_page_version": "2.0",
    }
    data = written(parquet.write_table, pa.table({**whole, "by": by}), **options)
    numbers = bytes([0b00100100, 0b01001001, 0b10010010])
    assert data.count(numbers * 5) == 2
    path = tmp_path / "a"
    for at in (data.find(numbers * 5), data.rfind(numbers * 5)):
        path.write_bytes(data[:at] + b"\xff" + data[at + 1 :])
        for use in (
            lambda: randomize_files([path], SURVEY, tmp_path / "out", by=["by"], column="answer"),
            lambda: count_answers([path], "answer") and tally_groups([path], SURVEY, ["by"]),
        ):
            with refused(InvalidFile, path, "out of bounds"):
                use()


def test_names_of_columns_that_are_not_utf8_are_is_refused(tmp_path):
    with refused(InvalidArgument, parameter="by", value=["\udcff"]):
        randomized(tmp_path, TABLES["csv"], by=["\udcff"])
    data = rb'{"\udcff": "tea", "b": 1}'
    with refused(InvalidFile, tmp_path / "a", "surrogates"):
        randomized(tmp_path, data, column="\udcff")


def test_a_stream_that_says_it_is_longer_than_memory_is_is_refused(tmp_path):
    sizes = b"\xff\xff\xff\xff" + (2**31 - 8).to_bytes(4, "little")
    with refused(InvalidFile, tmp_path / "a", "table"):
        randomized(tmp_path, sizes + TABLES["stream"][8:])
