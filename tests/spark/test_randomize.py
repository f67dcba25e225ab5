"""Answers become reports once: every action sees the same, in an order that tells nothing."""

import numpy as np
import pytest

from privet import Survey
from privet.bulk import Cleaning
from privet.bulk.spark import randomize, tally, tally_groups
from privet.errors import InvalidAnswer, InvalidArgument
from refusing import refused

SURVEY = Survey("What do you drink?", ["tea", "coffee", "milk", "water"], 1.0)


FOUR = "element_at(array('tea', 'coffee', 'milk', 'water'), cast(1 + id % 4 as int))"


def answers(spark, n, kind=FOUR):
    frame = spark.range(n, numPartitions=3)
    return frame.selectExpr(f"{kind} answer", "id", "if(id % 2 = 0, 'DE', 'FR') country")


def test_the_whole_way(spark):
    n = 40_000
    truth = "if(id % 10 < 6, 'tea', if(id % 10 < 9, 'coffee', 'milk'))"
    reports = randomize(answers(spark, n, truth), SURVEY)
    assert reports.columns == ["report"]
    estimate = tally(reports, SURVEY).estimate()
    assert estimate.n == n
    deviations = np.sqrt(SURVEY.mechanism.variance(np.array([0.6, 0.3, 0.1, 0]), n, "sample"))
    off = (estimate.frequencies - [0.6, 0.3, 0.1, 0]) / deviations
    assert np.abs(off).max() < 6


def computed(spark, folder):
    """Return a frame of answers that notes in a folder each time a partition of it is computed."""
    from pathlib import Path
    from tempfile import mkstemp

    def noting(batches):
        mkstemp(dir=folder)
        yield from batches

    frame = answers(spark, 3000)
    return frame.mapInArrow(noting, frame.schema), lambda: len(list(Path(folder).iterdir()))


def test_each_answer_is_randomized_once_whatever_is_done_with_the_reports(spark, tmp_path):
    frame, times = computed(spark, str(tmp_path))
    reports = randomize(frame, SURVEY, by=["country"])
    assert times() == 3
    first = reports.collect()
    assert reports.collect() == first
    expected = SURVEY.tally()
    expected.update([bytes(row.report) for row in first])
    assert tally(reports, SURVEY) == expected
    assert sum(t.n for t in tally_groups(reports, SURVEY, ["country"]).values()) == 3000
    assert times() == 3


def test_a_frame_that_is_not_held_is_computed_for_every_action(spark, tmp_path):
    frame, times = computed(spark, str(tmp_path))  # what the test above would see otherwise
    frame.collect()
    frame.collect()
    assert times() == 6


def test_the_reports_in_the_order_of_the_answers_are_forgotten(spark):
    held = spark.sparkContext._jsc.getPersistentRDDs
    before = len(held())
    reports = randomize(answers(spark, 30), SURVEY)
    assert len(held()) == before + 1
    with pytest.raises(InvalidAnswer):
        randomize(answers(spark, 30, "'tee'"), SURVEY)
    assert len(held()) == before + 1
    assert reports.count() == 30


def test_the_order_is_unrelated_to_that_of_the_answers(spark):
    # Beside each report, its answer's number; all of a survey that hardly randomizes.
    rows = [row.id for row in randomize(answers(spark, 5000), SURVEY, by=["id"]).collect()]
    assert sorted(rows) == list(range(5000))
    assert abs(np.corrcoef(rows, range(5000))[0, 1]) < 6 / np.sqrt(5000)
    steps = np.abs(np.diff(rows))
    assert np.mean(steps) == pytest.approx(5000 / 3, rel=0.1)
    again = [row.id for row in randomize(answers(spark, 5000), SURVEY, by=["id"]).collect()]
    assert sum(a == b for a, b in zip(rows, again, strict=True)) < 20


def test_columns_are_kept_beside_their_own_reports(spark):
    sure = Survey("?", ["DE", "FR"], 30.0)  # the report is the answer, but for one in 10^13
    frame = answers(spark, 1000).selectExpr("country answer", "country `the country`", "id")
    reports = randomize(frame, sure, by=["the country", "id"])
    assert reports.columns == ["report", "the country", "id"]
    assert reports.schema["id"].dataType.simpleString() == "bigint"
    for (country,), counted in tally_groups(reports, sure, ["the country"]).items():
        assert counted.estimate().frequencies[sure.index(country)] == pytest.approx(1)


def test_answers_may_be_whole_numbers(spark):
    survey = Survey("?", ["0", "1", "2", "3"], 30.0)
    reports = randomize(answers(spark, 400, "cast(id % 4 as int)"), survey)
    assert tally(reports, survey).estimate().frequencies == pytest.approx([0.25] * 4)


# --- what is no category --------------------------------------------------------------------

SOME_UNKNOWN = "element_at(array('tea', 'cofee', null, 'water'), cast(1 + id % 4 as int))"


def test_an_unknown_answer_is_an_error(spark):
    wrong = "if(id = 77, 'cofee', 'tea')"
    with refused(InvalidAnswer, answer="cofee", nearest="coffee"):
        randomize(answers(spark, 100, wrong), SURVEY)
    with refused(InvalidAnswer, answer=None):
        randomize(answers(spark, 100, "if(id = 77, null, 'tea')"), SURVEY)
    with refused(InvalidAnswer, answer=b"\xff"):
        randomize(answers(spark, 100, "if(id = 77, cast(X'FF' as string), 'tea')"), SURVEY)


def test_unknown_answers_can_be_dropped_or_counted_as_a_category(spark):
    reports = randomize(
        answers(spark, 400, SOME_UNKNOWN),
        SURVEY,
        cleaning=Cleaning(unknown="drop", missing="drop"),
        by=["id"],
    )
    assert {row.id % 4 for row in reports.collect()} == {0, 3}
    assert tally(reports, SURVEY).n == 200
    sure = Survey("?", SURVEY.categories, 30.0)
    reports = randomize(
        answers(spark, 400, SOME_UNKNOWN), sure, cleaning=Cleaning(unknown="milk", missing="milk")
    )
    assert tally(reports, sure).estimate().frequencies == pytest.approx([0.25, 0, 0.5, 0.25])


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("cast(1 + id % 2 as double)", ["1", "2"]),
        ("cast(1 + id % 2 as decimal(5, 2))", ["1", "2"]),
        ("id % 2 = 0", ["true", "false"]),
        ("date_add(date'2024-12-31', cast(id % 2 as int))", ["2024-12-31", "2025-01-01"]),
    ],
)
def test_numbers_truth_values_and_dates_are_answers(spark, kind, texts):
    """At ε = 30 a report is the answer."""
    survey = Survey("?", [*texts, "another"], 30.0, mechanism="multivariate-rr")
    counted = tally(randomize(answers(spark, 40, kind), survey), survey)
    assert counted.estimate().counts.tolist() == [20, 20, 0]


def test_what_cannot_be_randomized(spark):
    frame = answers(spark, 10).selectExpr("*", "array(answer) list")
    with refused(InvalidArgument, "'answer'", parameter="column", value="reply"):
        randomize(frame, SURVEY, "reply")
    with refused(InvalidArgument, "'list'", parameter="column", value="array<string>"):
        randomize(frame, SURVEY, "list")
    with refused(InvalidArgument, "'list'", parameter="by", value="array<string>"):
        randomize(frame, SURVEY, by=["list"])
    with refused(InvalidArgument, parameter="unknown", value="mlik"):
        randomize(frame, SURVEY, cleaning=Cleaning(unknown="mlik"))


def test_tasks_that_run_twice_are_refused(spark):
    spark.conf.set("spark.sql.legacy.setCommandRejectsSparkCoreConfs", "false")
    spark.conf.set("spark.speculation", "true")
    try:
        with refused(InvalidArgument, parameter="frame", value="spark.speculation = true"):
            randomize(answers(spark, 10), SURVEY)
    finally:
        spark.conf.unset("spark.speculation")


def test_answers_are_not_kept_beside_their_reports(spark):
    with refused(InvalidArgument, parameter="by", value=["answer"]):
        randomize(answers(spark, 10), SURVEY, by=["answer"])
