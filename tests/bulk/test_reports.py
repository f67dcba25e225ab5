"""Reports files: what is written is read, and nothing else is taken for it."""

import json
import os
from array import array

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet import Survey
from privet.bulk import ReportsWriter, read_reports
from privet.errors import InvalidFile, InvalidReport, SurveyMismatch
from refusing import refused

SURVEY = Survey("What do you drink?", [f"drink {i}" for i in range(20)], 1.0)
SIZE = SURVEY.mechanism.report_bytes


def reports_of(survey, n, seed=0):
    values = np.random.default_rng(seed).integers(0, len(survey.categories), n)
    return survey.mechanism.randomize(values)


def write(path, survey, batches):
    with ReportsWriter(path, survey) as writer:
        for batch in batches:
            writer.write(batch)


def read(path, survey=SURVEY):
    chunks = list(read_reports(path, survey))
    return np.concatenate([np.empty((0, survey.mechanism.report_bytes), np.uint8), *chunks])


def write_parquet(path, metadata=None, **columns):
    table = pa.table(columns)
    parquet.write_table(table.replace_schema_metadata(metadata), path)
    return path


# --- what is written is read ----------------------------------------------------------------


@pytest.mark.parametrize("mechanism", ["auto", "multivariate-rr", "binary-rr"])
@pytest.mark.parametrize("d", [2, 8, 9, 20, 1000])
def test_round_trip(tmp_path, d, mechanism):
    survey = Survey("?", [f"c{i}" for i in range(d)], 1.0, mechanism=mechanism)
    first, second = reports_of(survey, 1000), reports_of(survey, 1)
    write(tmp_path / "r.parquet", survey, [first, second])
    assert np.array_equal(read(tmp_path / "r.parquet", survey), np.concatenate([first, second]))


def test_many_batches_come_back_in_order(tmp_path):
    survey = Survey("?", [f"c{i}" for i in range(1000)], 1.0, mechanism="k-subset")
    written = reports_of(survey, 80_000)
    write(tmp_path / "r.parquet", survey, np.split(written, 8))
    chunks = list(read_reports(tmp_path / "r.parquet", survey))
    assert len(chunks) > 2
    assert np.array_equal(np.concatenate(chunks), written)


def test_reports_that_are_a_view_of_others_are_written_as_seen(tmp_path):
    written = reports_of(SURVEY, 1000)
    write(tmp_path / "r.parquet", SURVEY, [written[::-2]])
    assert np.array_equal(read(tmp_path / "r.parquet"), written[::-2])


def test_a_name_may_be_any_bytes(tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.parquet")
    written = reports_of(SURVEY, 10)
    write(path, SURVEY, [written])
    assert np.array_equal(read(path), written)


def test_a_file_may_hold_no_reports(tmp_path):
    write(tmp_path / "none.parquet", SURVEY, [])
    write(tmp_path / "empty.parquet", SURVEY, [reports_of(SURVEY, 0)])
    for name in ("none.parquet", "empty.parquet"):
        assert len(read(tmp_path / name)) == 0


def test_any_parquet_reader_finds_the_reports_and_the_survey(tmp_path):
    written = reports_of(SURVEY, 10)
    write(tmp_path / "r.parquet", SURVEY, [written])
    table = parquet.read_table(tmp_path / "r.parquet")
    assert table.schema.names == ["report"]
    assert table.schema.field("report").type == pa.binary(SIZE)
    assert table.schema.metadata[b"privet.survey"].decode() == SURVEY.to_json()
    assert table["report"].to_pylist() == [report.tobytes() for report in written]


def test_reports_of_another_writer_need_no_survey_beside_them(tmp_path):
    written = reports_of(SURVEY, 10)
    column = pa.array([report.tobytes() for report in written], pa.binary(SIZE))
    path = write_parquet(tmp_path / "r.parquet", other=pa.array(range(10)), report=column)
    assert np.array_equal(read(path), written)


# --- whole or not at all --------------------------------------------------------------------


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_in_the_block_leaves_nothing_behind(tmp_path, error):
    def interrupted():
        yield reports_of(SURVEY, 1000)
        assert len(list(tmp_path.iterdir())) == 1
        raise error

    with pytest.raises(error):
        write(tmp_path / "r.parquet", SURVEY, interrupted())
    assert list(tmp_path.iterdir()) == []


def test_an_older_file_stays_until_the_block_ends(tmp_path):
    path = tmp_path / "r.parquet"
    write(path, SURVEY, [reports_of(SURVEY, 10)])
    old = path.read_bytes()
    with ReportsWriter(path, SURVEY) as writer:
        writer.write(reports_of(SURVEY, 20))
        assert path.read_bytes() == old
    assert len(read(path)) == 20


def test_a_writer_that_cannot_begin_leaves_nothing_behind(tmp_path):
    path = tmp_path / "missing" / "r.parquet"
    with pytest.raises(FileNotFoundError) as caught, ReportsWriter(path, SURVEY):
        pytest.fail("the block must not run")
    assert caught.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((5, SIZE + 1), np.uint8),
        np.zeros((5, SIZE - 1), np.uint8),
        np.zeros(5 * SIZE, np.uint8),
        np.zeros((5, SIZE), np.int64),
        memoryview(array("I", [0] * SIZE)),
        bytes(SIZE),
    ],
)
def test_only_arrays_of_reports_are_written(tmp_path, wrong):
    with refused(InvalidReport, "uint8"):
        write(tmp_path / "r.parquet", SURVEY, [wrong])
    assert list(tmp_path.iterdir()) == []


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "more"), [("second-wave", 0), (SURVEY.id, 0.125)])
def test_reports_of_another_survey(tmp_path, name, more):
    """Also of one that has the same id."""
    other = Survey(SURVEY.question, SURVEY.categories, SURVEY.epsilon + more, id=name)
    write(tmp_path / "r.parquet", other, [reports_of(other, 10)])
    with refused(SurveyMismatch, "r.parquet", f"'{name}'"):
        read(tmp_path / "r.parquet")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (json.dumps(json.loads(SURVEY.to_json()) | {"privet": 99}), "version 99"),
        (SURVEY.to_json().replace('"odds":"', '"odds":"' + "9" * 5000), "odds"),
        ("no JSON", "survey"),
    ],
    ids=["another version", "endless odds", "no JSON"],
)
def test_a_damaged_survey_beside_the_reports(tmp_path, text, name):
    column = pa.array([bytes(SIZE)], pa.binary(SIZE))
    path = write_parquet(tmp_path / "r.parquet", {"privet.survey": text}, report=column)
    with refused(InvalidFile, "r.parquet", "metadata", name):
        read(path)


@pytest.mark.parametrize("metadata", ["[" * 100_000, '{"fields": 7}', "[]", '"fields"', "\0"])
def test_metadata_of_other_writers_says_nothing_of_a_survey(tmp_path, metadata):
    written = reports_of(SURVEY, 3)
    column = pa.array([report.tobytes() for report in written], pa.binary(SIZE))
    key = "org.apache.spark.sql.parquet.row.metadata"
    path = write_parquet(tmp_path / "r.parquet", {key: metadata}, report=column)
    assert np.array_equal(read(path), written)


def test_the_same_survey_may_be_written_with_other_spaces(tmp_path):
    text = json.dumps(json.loads(SURVEY.to_json()), indent=2)
    column = pa.array([bytes(SIZE)], pa.binary(SIZE))
    path = write_parquet(tmp_path / "r.parquet", {"privet.survey": text}, report=column)
    assert len(read(path)) == 1


def test_a_file_without_the_column(tmp_path):
    path = write_parquet(tmp_path / "r.parquet", a=pa.array([1]), b=pa.array([2]))
    with refused(InvalidFile, "r.parquet", "'report'", "'a', 'b'"):
        read(path)


@pytest.mark.parametrize("kind", [pa.binary(SIZE + 1), pa.string(), pa.int64()])
def test_a_column_of_another_kind(tmp_path, kind):
    path = write_parquet(tmp_path / "r.parquet", report=pa.nulls(1, kind))
    with refused(InvalidReport, "r.parquet", f"fixed_size_binary[{SIZE}]", kind):
        read(path)


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
def test_other_writers_make_columns_of_bytes_of_any_length(tmp_path, kind):
    written = reports_of(SURVEY, 100)
    column = pa.array([row.tobytes() for row in written], kind)
    path = write_parquet(tmp_path / "r.parquet", report=column)
    assert np.array_equal(read(path), written)
    short = pa.array([row.tobytes() for row in written[:7]] + [b"\1"], kind)
    write_parquet(path, report=short)
    with refused(InvalidReport, "r.parquet", "report 8", f"{SIZE} bytes", "1"):
        read(path)


@pytest.mark.parametrize("missing", [1, 7, 100, 2_000_000])
def test_a_missing_report_is_named_by_its_number(tmp_path, missing):
    present = np.arange(1, missing + 3) != missing
    column = pa.array(np.full(missing + 2, bytes(SIZE)), pa.binary(SIZE), mask=~present)
    path = write_parquet(tmp_path / "r.parquet", report=column)
    with refused(InvalidReport, "r.parquet", f"report {missing}", "missing"):
        read(path)


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.99])
def test_a_truncated_file(tmp_path, part):
    path = tmp_path / "r.parquet"
    write(path, SURVEY, [reports_of(SURVEY, 1000)])
    data = path.read_bytes()
    path.write_bytes(data[: int(part * len(data))])
    with refused(InvalidFile, "r.parquet", "not a Parquet file"):
        read(path)


def test_a_single_changed_bit_among_the_reports(tmp_path):
    path = tmp_path / "r.parquet"
    written = reports_of(SURVEY, 1000)
    write(path, SURVEY, [written])
    data = bytearray(path.read_bytes())
    data[data.index(written.tobytes()) + 1234] ^= 1
    path.write_bytes(data)
    with refused(InvalidFile, "r.parquet", "damaged", "row group 1"):
        read(path)


def test_a_file_of_something_else(tmp_path):
    (tmp_path / "r.parquet").write_text("answer\ntea\n")
    with refused(InvalidFile, "r.parquet", "not a Parquet file"):
        read(tmp_path / "r.parquet")
