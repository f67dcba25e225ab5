"""The seal of reports files: a damaged file is refused, and one that was rewritten is read.

The control reads as privet did without a seal, by Arrow with the checksums of pages: of the same
changes, it takes some for other reports. 100,000 changes are tried, in about ten minutes, by
`PRIVET_FUZZ=6250 pytest tests/bulk/test_seals.py -k changes_a_tally`.
"""

import os
import random
import re
from collections import Counter
from zlib import crc32

import duckdb
import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet import PrivetError, Survey
from privet.bulk import ReportsWriter, read_reports, reports, tally_files, tally_groups
from privet.bulk.groups import Groups
from privet.bulk.provenance import carried_survey
from privet.entropy import seeded
from privet.errors import InvalidFile
from refusing import refused

SURVEY = Survey("What do you drink?", ["tea", "café", "7", "true"], 1.0)
SIZE = SURVEY.mechanism.report_bytes
ROWS, PARTS = 40, 3
CHANGES = int(os.environ.get("PRIVET_FUZZ", "25")) * 16
COUNTRIES = ["DE", "FR", None, "IT"] * (ROWS // 4)
MARK = b"privetS\x01"


def made(seed):
    answers = [SURVEY.categories[i % 4] for i in range(ROWS)]
    return SURVEY.randomize_batch(answers, entropy=seeded(seed))


def write(path, seed=0, by=("country",), parts=PARTS):
    """Write a file of a few row groups, and return its bytes."""
    groups = Groups(by)
    with pytest.MonkeyPatch.context() as patch, ReportsWriter(path, SURVEY, groups) as writer:
        patch.setattr(reports, "_PART_BYTES", ROWS * (SIZE + 4 * len(by)))
        for part in range(parts):
            columns = pa.record_batch([pa.array(COUNTRIES)] * len(by), list(by))
            numbers = groups.number(columns, path) if by else None
            writer.write(made(seed + part), numbers)
    return path.read_bytes()


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    return write(tmp_path_factory.mktemp("sealed") / "r.parquet")


def without_seal(data):
    """Return the file as version 0.2 wrote it."""
    at = data.rindex(MARK) - 12
    count = int.from_bytes(data[at : at + 4], "little")
    return data[: at - 12 * count] + data[at + 12 + len(MARK) :]


def tallies(path):
    """Return the tally of each country, or None where the file is refused."""
    try:
        found = tally_groups(path, SURVEY, ["country"])
    except PrivetError:
        return None
    return {group: tally.to_bytes() for group, tally in found.items()}


def seen_by_arrow(path):
    """Return how often each report is in each country, or None where Arrow refuses the file."""
    found = Counter()
    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            for batch in file.iter_batches(columns=["report", "country"]):
                for column in batch.columns:
                    if pa.types.is_dictionary(column.type):
                        pa.DictionaryArray.from_arrays(column.indices, column.dictionary)
                rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
                found.update(rows)
    except Exception:
        return None
    return found


def changes(data, seed=1):
    """Yield the file with a changed bit: of each number of rows, and in places drawn at random.

    Where the survey is written, every change is one of its own.
    """
    rng = random.Random(seed)
    text = re.escape(SURVEY.to_json().encode()) + b"|[A-Za-z0-9+/]{200,}"
    public = {at for found in re.finditer(text, data) for at in range(*found.span())}
    places = sorted({*range(len(data))} - public)
    bits = [(rng.choice(places), rng.randrange(8)) for _ in range(CHANGES)]
    bits += [(at, bit) for at in places if data[at] == 2 * ROWS for bit in range(8)]  # zigzag
    for at, bit in bits:
        yield data[:at] + bytes([data[at] ^ (1 << bit)]) + data[at + 1 :]


def test_no_changed_byte_changes_a_tally(tmp_path, sealed):
    path = tmp_path / "r.parquet"
    path.write_bytes(sealed)
    expected, seen = tallies(path), seen_by_arrow(path)
    assert len(expected) == 4
    by_arrow = 0
    for changed in changes(sealed):
        path.write_bytes(changed)
        assert tallies(path) in (None, expected)
        by_arrow += seen_by_arrow(path) not in (None, seen)
    assert by_arrow >= 5


def test_no_changed_byte_of_an_older_file_loses_reports(tmp_path, sealed):
    """A report may still be found in another group, where a footer names another page."""
    path = tmp_path / "r.parquet"
    older = without_seal(sealed)
    by_arrow = 0
    for changed in changes(older):
        path.write_bytes(changed)
        if not is_refused(path):
            assert tally_files(path, SURVEY).n == PARTS * ROWS
        seen = seen_by_arrow(path)
        by_arrow += seen is not None and seen.total() != PARTS * ROWS
    assert by_arrow >= 5


def test_a_changed_byte_of_the_survey_is_is_refused(tmp_path, sealed):
    """Also where only the file says which survey it is of."""
    path = tmp_path / "r.parquet"
    at = sealed.index(b"caf\xc3")
    for data, place in ((sealed, at), (without_seal(sealed), without_seal(sealed).index(b"caf"))):
        path.write_bytes(data[:place] + b"k" + data[place + 1 :])
        with refused(InvalidFile, "r.parquet", "damaged"):
            carried_survey(path)


def is_refused(path):
    try:
        tally_files(path, SURVEY)
    except PrivetError:
        return True
    return False


def swapped(data):
    """Return the file with its first two row groups, of the same length, in each other's place."""
    metadata = parquet.ParquetFile(pa.BufferReader(data)).metadata
    ends = [int.from_bytes(data[at : at + 8], "little") for at in seal_entries(data)]
    assert metadata.num_row_groups == len(ends) == PARTS
    first, second = data[4 : ends[0]], data[ends[0] : ends[1]]
    assert len(first) == len(second)
    return data[:4] + second + first + data[ends[1] :]


def seal_entries(data):
    at = data.rindex(MARK) - 12
    return range(at - 12 * PARTS, at, 12)


def test_files_cut_joined_and_mixed_up_are_is_refused(tmp_path):
    path = tmp_path / "r.parquet"
    whole, other = write(path, by=()), write(path, seed=9, by=())
    assert len(whole) == len(other)
    wrong = {
        "cut": whole[:-1],
        "cut in the middle": whole[:200] + whole[201:],
        "longer in the middle": whole[:200] + b"\0" + whole[200:],
        "joined": whole + other,
        "another's beginning": other[:100] + whole[100:],
        "row groups swapped": swapped(whole),
        "nothing in between": whole[:100] + bytes(64) + whole[164:],
    }
    for name, data in wrong.items():
        path.write_bytes(data)
        assert is_refused(path), name
    path.write_bytes(without_seal(whole) + without_seal(other))
    assert tally_files(path, SURVEY).n == PARTS * ROWS  # half of them: this is what a seal is for


def rewritten(tool, source, target):
    """Sort the rows and drop some, by a tool that may or may not copy the metadata."""
    if tool == "pyarrow":
        table = parquet.read_table(source).sort_by("report").slice(7)
        assert b"privet.survey" in table.schema.metadata
        parquet.write_table(table, target, row_group_size=11)
    elif tool == "pyarrow, same parts":
        table = parquet.read_table(source).slice(7)
        parquet.write_table(table, target, row_group_size=ROWS, compression="none")
    elif tool == "pandas":
        pandas.read_parquet(source).sort_values("report").iloc[7:].to_parquet(target)
    elif tool == "polars":
        polars.read_parquet(source).sort("report").slice(7).write_parquet(target)
    else:
        rows = f"SELECT * FROM '{source}' ORDER BY report OFFSET 7"
        duckdb.sql(f"COPY ({rows}) TO '{target}' (FORMAT parquet)")


@pytest.mark.parametrize("tool", ["pyarrow", "pyarrow, same parts", "pandas", "polars", "duckdb"])
def test_a_file_that_another_program_rewrote_is_not_damaged(tmp_path, sealed, tool):
    source, target = tmp_path / "r.parquet", tmp_path / "again.parquet"
    source.write_bytes(sealed)
    rewritten(tool, source, target)
    kept = parquet.read_table(target)["report"].to_pylist()
    assert len(kept) == PARTS * ROWS - 7
    expected = SURVEY.tally()
    expected.update(np.frombuffer(b"".join(kept), np.uint8).reshape(-1, SIZE))
    assert tally_files(target, SURVEY) == expected
    assert MARK in sealed
    assert MARK not in target.read_bytes()


def test_a_write_of_any_size_is_read_in_parts(tmp_path):
    path = tmp_path / "r.parquet"
    written = np.concatenate([made(seed) for seed in range(10)])
    with pytest.MonkeyPatch.context() as patch, ReportsWriter(path, SURVEY) as writer:
        patch.setattr(reports, "_PART_BYTES", 2 * ROWS * SIZE)
        writer.write(written)
    assert parquet.ParquetFile(path).num_row_groups == 5
    assert np.array_equal(np.concatenate(list(read_reports(path, SURVEY))), written)


def test_a_seal_that_promises_too_much_is_is_refused(tmp_path, sealed):
    """Anyone can write one whose checksums fit."""
    path = tmp_path / "r.parquet"
    at = sealed.rindex(MARK) - 12
    footer = sealed[at + 12 + len(MARK) :]
    for count in (PARTS - 1, 2**32 - 1, 10**6):
        parts = sealed[at - 12 * count : at] if count < PARTS else sealed[at - 12 * PARTS : at]
        seal = parts + count.to_bytes(4, "little") + crc32(footer).to_bytes(4, "little")
        seal += crc32(seal).to_bytes(4, "little") + MARK
        path.write_bytes(sealed[: at - len(parts)] + seal + footer)
        with refused(InvalidFile, "r.parquet", "damaged"):
            tally_files(path, SURVEY)
