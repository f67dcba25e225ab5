"""A kind of answer from elsewhere, through every layer that the package has for its own kinds."""

import csv
import json

import numpy as np
import pytest

from commands import assert_is_a_picture, succeeds
from months import Months, install
from privet import Questionnaire, Scale, Survey, Tally, figures, simulate
from privet.bulk import tally_files
from privet.entropy import seeded
from privet.plan import plan
from privet.plan.planning import plan_with
from privet.service.estimates import described

install()
BORN = Survey("When were you born?", Months("2026-01", 12), 8.0, id="born")
HOURS = Survey("How many hours?", Scale(0, 12, whole=True), 8.0, id="hours")
BOTH = Questionnaire("Both", [BORN, HOURS], 8.0, tables=[("born", "hours")], id="both")
MAY, JUNE = "2026-05-17", "2026-06-01"


def answers_file(path, rows, heads):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([heads, *rows])


@pytest.fixture
def born(tmp_path, monkeypatch):
    """A folder with the survey, and reports of 600 people in May and 200 in June."""
    monkeypatch.chdir(tmp_path)
    BORN.write("born.json")
    answers_file(tmp_path / "answers.csv", [[MAY]] * 600 + [[JUNE]] * 200, ["answer"])
    succeeds("randomize", "born.json", "answers.csv", "-o", "reports.parquet")
    return tmp_path


def test_a_contract_says_it_and_reads_it():
    again = Survey.from_json(BORN.to_json())
    assert again == BORN
    assert again.answers == BORN.answers
    assert BORN.categories[4] in BORN._repr_html_()
    report = BORN.randomize(MAY, secret=bytes(32))
    assert BORN.mechanism.probability(report, 4) > 0


def test_reports_of_files_are_counted_and_estimated(born):
    tally = tally_files(born / "reports.parquet", BORN)
    assert Tally.from_bytes(tally.to_bytes(), BORN) == tally
    low, high = tally.estimate().interval(0.999)
    assert tally.n == 800
    assert ((low <= [0, 0, 0, 0, 0.75, 0.25, 0, 0, 0, 0, 0, 0]) & (high[4] >= 0.75)).all()


def test_the_command_line_shows_it_and_draws_it(born):
    document = json.loads(
        succeeds("estimate", "born.json", "reports.parquet", "--json", "--figure", "shares.png")
    )
    assert [row["category"] for row in document["categories"]] == list(BORN.categories)
    assert_is_a_picture(born / "shares.png")
    table = succeeds("estimate", "born.json", "reports.parquet")
    assert table.index("2026-05") < table.index("2026-06")
    assert "2026-12" in succeeds("survey", "show", "born.json")


def test_waves_of_it_are_compared(born):
    answers_file(born / "later.csv", [[MAY]] * 200 + [[JUNE]] * 600, ["answer"])
    succeeds("randomize", "born.json", "later.csv", "-o", "later.parquet")
    found = json.loads(succeeds("compare", "reports.parquet", "later.parquet", "--json"))
    (pair,) = found["comparisons"]
    differing = {row["category"] for row in pair["categories"] if row["found"]}
    assert found["test"]["differs"]
    assert differing == {"2026-05", "2026-06"}


def test_it_depends_on_columns(born):
    rows = [[MAY if i % 4 else JUNE, "north" if i % 2 else "south"] for i in range(4000)]
    answers_file(born / "regions.csv", rows, ["answer", "region"])
    succeeds("randomize", "born.json", "regions.csv", "--by", "region", "-o", "by.parquet")
    shown = json.loads(
        succeeds("regress", "by.parquet", "--on", "region", "--reference", "2026-05", "--json")
    )
    assert {row["category"] for row in shown["coefficients"]} <= set(BORN.categories)


def test_it_is_planned_before_anyone_is_asked():
    found = plan(BORN.answers, epsilon=8.0, n=1000)
    assert found == plan_with(BORN.answers, BORN.mechanism, 1000, 0.95)
    assert 0 < found.margin < 0.05


def test_a_questionnaire_asks_it_beside_others_and_in_tables(tmp_path):
    people = 3000
    months = [MAY if i % 3 else JUNE for i in range(people)]
    tally = BOTH.tally()
    answers = {"born": months, "hours": [i % 13 for i in range(people)]}
    tally.update(BOTH.randomize_batch(answers, entropy=seeded(1)))
    estimate = tally.estimate()
    assert estimate.table("born", "hours").frequencies.shape == (12, 4)
    low, high = estimate["born"].interval(0.999)
    assert low[4] <= 2 / 3 <= high[4]
    figures.save(estimate["born"], tmp_path / "born.png")
    assert_is_a_picture(tmp_path / "born.png")
    assert described(estimate)["questions"]["born"]["kind"] == "months"


def test_whole_populations_of_it_are_simulated():
    truth = np.eye(12)[4]
    counts = simulate.counts(BORN.mechanism, np.rint(10_000 * truth).astype(int), seed=1)
    assert BORN.mechanism.frequencies(counts, 10_000)[4] == pytest.approx(1, abs=0.05)
