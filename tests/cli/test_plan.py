"""privet plan."""

import json

import pytest

from commands import USAGE, fails, instead, succeeds
from privet import Survey, theory
from privet.mechanisms import choose, for_one

PLAN = ["plan", "--categories", "100", "--epsilon", "1", "--people", "10000"]


def test_the_plan_is_of_the_mechanism_that_a_survey_would_take():
    found = json.loads(succeeds(*PLAN, "--json"))
    survey = Survey("Which?", [str(i) for i in range(100)], 1.0)
    assert found["mechanism"] == survey.mechanism.name == choose(100, 1.0).name
    assert found["report_bytes"] == survey.mechanism.report_bytes
    best = theory.total_variance(100, 1.0, 27, 10_000)
    assert found["squared_error"] == pytest.approx(best, rel=0.01)
    assert "mechanisms" not in found


def test_every_mechanism_is_compared():
    rows = json.loads(succeeds(*PLAN, "--compare", "--json"))["mechanisms"]
    assert {row["mechanism"] for row in rows} == set(for_one)
    errors = [row["squared_error"] for row in rows]
    assert errors == sorted(errors)
    assert min(row["relative_error"] for row in rows) == pytest.approx(1)


@pytest.mark.parametrize("known", [["-e", "1"], ["-n", "20000"]])
def test_a_margin_is_planned_for(known):
    shown = succeeds("plan", "--categories", "30", "--margin", "0.01", *known)
    assert "margin, a rare category" in shown
    assert json.loads(succeeds("plan", "--categories", "30", "--margin", "0.01", *known, "--json"))[
        "margin"
    ] == pytest.approx(0.01, rel=0.01)


def test_a_plan_for_too_few_people_says_that_no_share_is_detectable():
    few = ["plan", "--categories", "4", "-e", "0.1", "-n", "2"]
    assert "distinguishable from zero  none" in succeeds(*few)
    assert json.loads(succeeds(*few, "--json"))["detectable"] is None


@pytest.mark.parametrize("name", ["plan.png", "plan.svg", "plan.pdf"])
def test_the_plan_is_drawn(folder, name):
    succeeds(*PLAN, "--figure", name)
    assert (folder / name).stat().st_size > 5000


def test_the_table_is_readable():
    shown = succeeds(*PLAN, "--compare")
    assert all(name in shown for name in for_one)
    assert "←" in shown
    assert max(map(len, shown.splitlines())) <= 120


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--categories", "1"], "'d' parameter"),
        (["--epsilon", "0"], "'epsilon' parameter"),
        (["--people", "0"], "--people"),
        (["--epsilon", "much"], "--epsilon"),
        (["--margin", "0.1"], "two of --epsilon, --people and --margin"),
        (["--level", "1"], "--level"),
        (["--figure", "plan.gif"], "must end in one of"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_plans_are_refused(options, said):
    assert said in fails(USAGE, *instead(PLAN, *options))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-e", "1"], "two of --epsilon, --people and --margin"),
        (["-e", "1", "--margin", "2"], "'margin' parameter of plan must be a float in (0, 1)"),
        (["-e", "0.001", "--margin", "1e-9"], "reached by at most 1,000,000,000,000 people"),
        (["-n", "10", "--margin", "0.000001"], "reached by 10 people at epsilon <= 20"),
    ],
)
def test_margins_out_of_reach_are_refused(options, said):
    assert said in fails(USAGE, "plan", "--categories", "30", *options)
