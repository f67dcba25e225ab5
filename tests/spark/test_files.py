"""Reports in Parquet: Spark's files and privet's own are read by both, and nothing else is."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet import Survey
from privet.bulk import ReportsWriter, tally_files
from privet.bulk.provenance import check_survey
from privet.bulk.spark import read_reports, tally, tally_groups, tally_paths, write_reports
from privet.errors import InvalidArgument, InvalidFile, InvalidReport, SurveyMismatch
from refusing import refused

SURVEY = Survey("What do you drink?", [f"drink {i}" for i in range(20)], 1.0)
OTHER = Survey(SURVEY.question, SURVEY.categories, SURVEY.epsilon, id="second-wave")
SIZE = SURVEY.mechanism.report_bytes


def reports_of(n, seed=0):
    return SURVEY.mechanism.randomize(np.random.default_rng(seed).integers(0, 20, n))


def tally_of(reports):
    tally = SURVEY.tally()
    tally.update(reports)
    return tally


def frame_of(spark, reports):
    rows = [(report.tobytes(), i % 3) for i, report in enumerate(reports)]
    return spark.createDataFrame(rows, "report binary, third int").repartition(2)


def write(path, reports, survey=SURVEY):
    with ReportsWriter(path, survey) as writer:
        writer.write(reports)
    return path


def test_a_folder_that_spark_wrote(spark, tmp_path):
    reports = reports_of(300)
    lake = str(tmp_path / "the lake")
    write_reports(frame_of(spark, reports), lake, SURVEY)
    frame = read_reports(spark, lake, SURVEY)
    assert frame.columns == ["report", "third"]
    assert tally(frame, SURVEY) == tally_of(reports)
    thirds = tally_groups(frame, SURVEY, ["third"])
    assert thirds == {(i,): tally_of(reports[i::3]) for i in range(3)}
    texts = tally_paths([lake], SURVEY, by=["third"])
    assert texts == {(str(i),): tally_of(reports[i::3]) for i in range(3)}
    with refused(SurveyMismatch, "the%20lake/part", f"'{SURVEY.id}'"):
        read_reports(spark, lake, OTHER)


def test_one_machine_reads_what_spark_wrote(spark, tmp_path):
    reports = reports_of(300)
    write_reports(frame_of(spark, reports), str(tmp_path / "lake"), SURVEY)
    files = sorted((tmp_path / "lake").glob("*.parquet"))
    assert len(files) == 2
    assert tally_files(files, SURVEY) == tally_of(reports)
    for file in files:
        metadata = parquet.read_schema(file).metadata
        check_survey(file, metadata, SURVEY)
        with refused(SurveyMismatch, file, f"'{SURVEY.id}'"):
            check_survey(file, metadata, OTHER)


def test_a_folder_that_is_there_already_is_left_alone(spark, tmp_path):
    frame = frame_of(spark, reports_of(30))
    lake = str(tmp_path / "lake")
    write_reports(frame, lake, SURVEY)
    with refused(InvalidFile, "lake", "exists"):
        write_reports(frame, lake, SURVEY)
    write_reports(frame, lake, SURVEY, mode="append")
    assert tally(read_reports(spark, lake, SURVEY), SURVEY).n == 60


def test_files_of_both_kinds_and_of_others_together(spark, tmp_path):
    mine, theirs, plain = reports_of(30, 1), reports_of(40, 2), reports_of(50, 3)
    write(tmp_path / "mine.parquet", mine)
    write_reports(frame_of(spark, theirs).select("report"), str(tmp_path / "theirs"), SURVEY)
    table = pa.table({"report": pa.array([report.tobytes() for report in plain])})
    parquet.write_table(table, tmp_path / "plain.parquet")
    names = ["mine.parquet", "theirs", "pl*n.parquet"]
    frame = read_reports(spark, [str(tmp_path / name) for name in names], SURVEY)
    assert tally(frame, SURVEY) == tally_of(np.concatenate([mine, theirs, plain]))


def test_metadata_nested_without_end_says_nothing_of_a_survey(spark, tmp_path):
    reports = reports_of(30)
    table = pa.table({"report": [report.tobytes() for report in reports]})
    key = "org.apache.spark.sql.parquet.row.metadata"
    deep = table.replace_schema_metadata({key: "[" * 100_000})
    parquet.write_table(deep, tmp_path / "r.parquet")
    assert tally(read_reports(spark, str(tmp_path), SURVEY), SURVEY) == tally_of(reports)


def test_a_column_that_folders_are_named_by(spark, tmp_path):
    for country in ("DE", "FR"):
        (tmp_path / f"country={country}").mkdir()
        write(tmp_path / f"country={country}" / "r.parquet", reports_of(30, len(country)))
    found = tally_paths([str(tmp_path)], SURVEY, by=["country"])
    assert {key: tally.n for key, tally in found.items()} == {("DE",): 30, ("FR",): 30}


# --- what is refused ------------------------------------------------------------------------


def test_a_single_file_of_another_survey_among_many(spark, tmp_path):
    for i in range(20):
        write(tmp_path / f"{i}.parquet", reports_of(3))
    write(tmp_path / "7.parquet", reports_of(3), OTHER)
    with refused(SurveyMismatch, "7.parquet", "'second-wave'"):
        read_reports(spark, str(tmp_path), SURVEY)


@pytest.mark.parametrize(
    ("column", "error", "names"),
    [
        ({"other": pa.array([1])}, InvalidFile, ["column 'report'", "'other'"]),
        ({"report": pa.array(["x"])}, InvalidReport, ["string"]),
        ({"report": pa.array([7])}, InvalidReport, ["int64"]),
        ({"report": pa.array([bytes(9)], pa.binary(9))}, InvalidReport, ["fixed_size_binary[9]"]),
    ],
)
def test_a_file_of_something_else(spark, tmp_path, column, error, names):
    write(tmp_path / "a.parquet", reports_of(3))
    parquet.write_table(pa.table(column), tmp_path / "b.parquet")
    with refused(error, "b.parquet", *names):
        read_reports(spark, str(tmp_path), SURVEY)


def test_a_column_that_some_files_lack(spark, tmp_path):
    reports = [report.tobytes() for report in reports_of(2)]
    parquet.write_table(pa.table({"report": reports, "land": ["a", "b"]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"report": reports}), tmp_path / "b.parquet")
    with refused(InvalidFile, "b.parquet", "column 'land'"):
        tally_paths([str(tmp_path)], SURVEY, by=["land"])
    with refused(InvalidArgument, parameter="by", value="country"):
        tally_paths([str(tmp_path)], SURVEY, by=["country"])


def test_what_is_not_there(spark, tmp_path):
    for nothing in ("none", "none*.parquet"):
        with refused(InvalidFile, nothing):
            read_reports(spark, str(tmp_path / nothing), SURVEY)
    with refused(InvalidFile, "no Parquet files"):
        read_reports(spark, str(tmp_path), SURVEY)
    with refused(InvalidArgument, parameter="paths", value=[]):
        read_reports(spark, [], SURVEY)


def test_what_is_no_parquet(spark, tmp_path):
    (tmp_path / "b.parquet").write_text("answer\ntea\n")
    with refused(InvalidFile, "b.parquet", "not a Parquet file"):
        read_reports(spark, str(tmp_path), SURVEY)
    write(tmp_path / "a.parquet", reports_of(3))
    with refused(InvalidFile, "b.parquet", "not a Parquet file"):
        read_reports(spark, str(tmp_path), SURVEY)


def test_a_changed_bit_of_the_footer(spark, tmp_path):
    """The driver reads the seal of every file."""
    path = write(tmp_path / "r.parquet", reports_of(1000))
    data = bytearray(path.read_bytes())
    data[data.rindex(b"parquet-cpp-arrow")] ^= 1
    path.write_bytes(data)
    assert len(parquet.read_table(path)) == 1000
    with refused(InvalidFile, "r.parquet", "damaged", "footer"):
        tally_paths([str(path)], SURVEY)


def test_a_single_changed_bit_among_the_reports(spark, tmp_path):
    reports = reports_of(1000)
    path = write(tmp_path / "r.parquet", reports)
    data = bytearray(path.read_bytes())
    data[data.index(reports.tobytes()) + 123] ^= 1
    path.write_bytes(data)
    with refused(InvalidFile, "r.parquet", "not a Parquet file"):
        tally(read_reports(spark, str(path), SURVEY), SURVEY)
