"""Tallies that Spark makes are those that one machine makes, bit for bit."""

from datetime import date

import numpy as np
import pytest

from privet import Survey
from privet.bulk import ReportsWriter, tally_files
from privet.bulk.spark import read_reports, tally, tally_groups, tally_paths, workers
from privet.errors import InvalidArgument, InvalidReport, MissingExtra, SparkFailure
from refusing import refused

SURVEY = Survey("What do you drink?", [f"drink {i}" for i in range(20)], 1.0)
SIZE = SURVEY.mechanism.report_bytes


def reports_of(survey, n, seed=0):
    values = np.random.default_rng(seed).integers(0, len(survey.categories), n)
    return survey.mechanism.randomize(values)


def write(path, survey, reports):
    with ReportsWriter(path, survey) as writer:
        writer.write(reports)
    return path


def frame_of(spark, reports, partitions=3):
    rows = [(report.tobytes(),) for report in reports]
    frame = spark.createDataFrame(rows, "report binary")
    return frame.repartition(partitions)


@pytest.mark.parametrize("mechanism", ["k-subset", "projective", "multivariate-rr", "rappor"])
def test_the_tally_is_that_of_one_machine(spark, tmp_path, mechanism):
    survey = Survey("?", [f"c{i}" for i in range(1000)], 1.0, mechanism=mechanism)
    files = [write(tmp_path / f"{i}.parquet", survey, reports_of(survey, n, i))
             for i, n in enumerate([3000, 1, 0])]  # fmt: skip
    frame = read_reports(spark, str(tmp_path / "*.parquet"), survey)
    found = tally(frame, survey)
    assert found.n == 3001
    assert found.to_bytes() == tally_files(files, survey).to_bytes()


def test_no_reports_give_an_empty_tally(spark):
    assert tally(frame_of(spark, []), SURVEY) == SURVEY.tally()
    frame = spark.createDataFrame([], "report binary, country string")
    assert tally_groups(frame, SURVEY, ["country"]) == {}


def test_more_partitions_than_are_added_up_at_once(spark):
    reports = reports_of(SURVEY, 500)
    found = tally(frame_of(spark, reports, partitions=2 * workers.FAN_IN + 3), SURVEY)
    expected = SURVEY.tally()
    expected.update(reports)
    assert found == expected


def test_a_million_categories(spark, tmp_path):
    survey = Survey("?", [f"c{i}" for i in range(1_000_000)], 1.0)
    assert 8 * survey.mechanism.aggregate_size > 8_000_000
    files = [write(tmp_path / f"{i}.parquet", survey, reports_of(survey, 200_000, i))
             for i in range(3)]  # fmt: skip
    found = tally_paths([str(path) for path in files], survey)[()]
    assert found.to_bytes() == tally_files(files, survey).to_bytes()


def test_long_reports_come_in_batches_of_bounded_size(spark):
    survey = Survey("?", [f"c{i}" for i in range(400_000)], 1.0, mechanism="k-subset")
    reports = reports_of(survey, 500)
    assert reports.nbytes > int(spark.conf.get("spark.sql.execution.arrow.maxBytesPerBatch")[:-1])
    expected = survey.tally()
    expected.update(reports)
    assert tally(frame_of(spark, reports), survey) == expected


# --- groups ---------------------------------------------------------------------------------


def grouped(spark, n=600):
    reports = reports_of(SURVEY, n)
    rng = np.random.default_rng(5)
    countries = [["DE", "FR", None, "œ"][i] for i in rng.integers(0, 4, n)]
    days = [date(2024, 1, 1 + int(i)) for i in rng.integers(0, 3, n)]
    data = [(report.tobytes(), country, day)
            for report, country, day in zip(reports, countries, days, strict=True)]  # fmt: skip
    frame = spark.createDataFrame(data, "report binary, `coun.try` string, day date")
    expected = {}
    for report, *key in data:
        expected.setdefault(tuple(key), SURVEY.tally()).update(report)
    return frame.repartition(3), expected


def test_groups(spark):
    frame, expected = grouped(spark)
    found = tally_groups(frame, SURVEY, ["coun.try", "day"])
    assert found == expected
    assert [country for country, _ in found][::3] == ["DE", "FR", "œ", None]
    assert [day.day for _, day in found] == [1, 2, 3] * 4


def test_what_is_no_column_to_count_or_group_by(spark):
    frame = spark.createDataFrame([(bytes(3), 1.5, "x")], "report binary, real double, text string")
    with refused(InvalidArgument, "'text'", parameter="by", value="land"):
        tally_groups(frame, SURVEY, ["land"])
    with refused(InvalidArgument, "'real'", parameter="by", value="double"):
        tally_groups(frame, SURVEY, ["real"])
    with refused(InvalidArgument, parameter="by", value="text"):
        tally_groups(frame, SURVEY, "text")
    with refused(InvalidArgument, "'report'", parameter="frame", value=["a"]):
        tally(spark.createDataFrame([(1,)], "a int"), SURVEY)
    with refused(InvalidReport, "binary", "string"):
        tally(spark.createDataFrame([("x",)], "report string"), SURVEY)


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "names"),
    [
        (b"", [f"{SIZE} bytes", "0"]),
        (bytes(99), [f"{SIZE} bytes", "99"]),
        (None, ["null"]),
        (b"\xff\xff\xff", []),
    ],
)
def test_an_invalid_report_is_named_with_its_reason(spark, bad, names):
    good = [(report.tobytes(),) for report in reports_of(SURVEY, 30)]
    frame = spark.createDataFrame([*good, (bad,), *good], "report binary").repartition(3)
    with refused(InvalidReport, *names) as caught:
        tally(frame, SURVEY)
    assert "java" not in str(caught.value).lower()


def test_an_invalid_report_in_a_file_is_named_with_the_file(spark, tmp_path):
    write(tmp_path / "good.parquet", SURVEY, reports_of(SURVEY, 30))
    reports = reports_of(SURVEY, 30)
    reports[17] = 255
    write(tmp_path / "bad.parquet", SURVEY, reports)
    with refused(InvalidReport, "bad.parquet"):
        tally_paths([str(tmp_path)], SURVEY)


def test_executors_without_privet(spark):
    def missing(batches):
        raise ModuleNotFoundError("No module named 'privet'")
        yield from batches

    frame = frame_of(spark, reports_of(SURVEY, 5)).mapInArrow(missing, "report binary")
    with refused(MissingExtra, "executors", "privet"):
        tally(frame, SURVEY)


def test_what_else_goes_wrong_on_an_executor_is_one_line(spark):
    def broken(batches):
        raise RuntimeError("the disk is on fire")
        yield from batches

    frame = frame_of(spark, reports_of(SURVEY, 5)).mapInArrow(broken, "report binary")
    with refused(SparkFailure, "the disk is on fire"):
        tally(frame, SURVEY)
