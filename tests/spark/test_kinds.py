"""Several choices, scales and questionnaires on Spark: every kind of answer, to the same tally."""

import numpy as np
import pytest

from privet import Questionnaire, Scale, Several, Survey
from privet.bulk import Cleaning, tally_files
from privet.bulk.spark import randomize, read_reports, tally, write_reports
from privet.errors import InvalidAnswer, InvalidArgument
from refusing import refused

N = 6000
CAKES = Survey("Cakes?", Several(["a", "b", "c", "d"], most=2), 3.0, id="cakes")
HOURS = Survey("Hours?", Scale(0, 8, cells=9), 3.0, id="hours")
DRINK = Survey("Drink?", ["tea", "coffee", "milk"], 3.0, id="drink")
PARTY = Questionnaire("Party", [CAKES, HOURS, DRINK], 3.0, tables=[("hours", "drink")])
ANSWERS = (
    "if(id % 4 = 0, array('a', 'b'), if(id % 4 = 1, array(), array('c'))) cakes",
    "cast(id % 16 as double) / 2 hours",
    "if(id % 3 = 0, 'tea', 'milk') drink",
    "if(id % 2 = 0, 'DE', 'FR') country",
)


def people(spark, n=N, *columns):
    return spark.range(n, numPartitions=3).selectExpr(*(columns or ANSWERS))


@pytest.mark.parametrize("contract", [CAKES, HOURS, PARTY], ids=lambda contract: contract.id)
def test_spark_files_and_memory_make_one_tally(spark, tmp_path, contract):
    column = None if contract is PARTY else contract.id
    reports = randomize(people(spark), contract, column, by=["country"])
    assert reports.columns == ["report", "country"]
    found = tally(reports, contract)
    memory = contract.tally()
    memory.update([bytes(row.report) for row in reports.collect()])
    assert found == memory
    write_reports(reports, str(tmp_path / "reports"), contract)
    files = [*(tmp_path / "reports").glob("*.parquet")]
    again = read_reports(spark, str(tmp_path / "reports"), contract)
    assert tally(again, contract) == tally_files(files, contract) == found
    estimate = found.estimate()
    parts = estimate.questions if contract is PARTY else {contract.id: estimate}
    truth = {"cakes": [0.25, 0.25, 0.5, 0], "drink": [1 / 3, 0, 2 / 3]}
    for name, part in parts.items():
        if name in truth:
            off = (part.frequencies - truth[name]) / part.standard_errors
            assert np.abs(off).max() < 6
        else:
            assert part.mean().value == pytest.approx(3.75, abs=6 * part.mean().standard_error)


def test_options_may_also_be_text_with_semicolons(spark):
    sure = Survey("?", Several(["a", "b"], most=2), 30.0)
    frame = people(spark, 40, "if(id % 2 = 0, 'a; b', 'b') answer")
    assert tally(randomize(frame, sure), sure).estimate().frequencies == pytest.approx([0.5, 1])


@pytest.mark.parametrize(
    ("column", "answer", "nearest"),
    [
        ("array('a', if(id % 7 = 0, 'f', 'b')) cakes", "f", None),
        ("array('a', 'b', 'c') cakes", ["a", "b", "c"], None),
        ("'late' hours", "late", None),
        ("cast(null as string) drink", None, None),
        ("'cofee' drink", "cofee", "coffee"),
        ("cast(X'FF' as string) drink", b"\xff", None),
    ],
)
def test_errors_name_the_question(spark, column, answer, nearest):
    name = column.split()[-1]
    rest = [one for one in ANSWERS if not one.endswith(f" {name}")]
    with refused(InvalidAnswer, name, question=name, answer=answer, nearest=nearest):
        randomize(people(spark, 2000, column, *rest), PARTY)


def test_people_without_an_answer_on_their_page_can_be_left_out(spark):
    columns = [*ANSWERS[1:], "if(id % 2 = 0, null, array('a')) cakes"]
    reports = randomize(
        people(spark, 3000, *columns), PARTY, by=["country"], cleaning=Cleaning(missing="drop")
    )
    counted = tally(reports, PARTY)
    assert 0 < counted.n < 3000
    asked = counted.estimate().people[("cakes",)]
    assert {row.country for row in reports.collect()} == {"DE", "FR"}
    share = PARTY.pages[0].share / 2
    assert abs(asked - 3000 * share) < 6 * np.sqrt(3000 * share * (1 - share))


def test_what_cannot_be_randomized(spark):
    frame = people(spark, 10)
    with refused(InvalidArgument, parameter="column", value="drink"):
        randomize(frame, PARTY, "drink")
    with refused(InvalidArgument, parameter="by", value=["hours"]):
        randomize(frame, PARTY, by=["hours"])
    with refused(InvalidArgument, parameter="column", value="drink"):
        randomize(frame.drop("drink"), PARTY)
    with refused(InvalidArgument, "'cakes'", parameter="column", value="array<string>"):
        randomize(frame, HOURS, "cakes")
