"""privet plan."""

import json

import pytest

from commands import USAGE, fails, instead, succeeds
from privet import Questionnaire, Scale, Several, Survey, theory
from privet.mechanisms import OneOption, choose, for_one
from privet.plan import choose_for_sets, plan, plan_questionnaire
from privet.poisoning import worth
from privet.shuffle import amplify
from refusing import assert_names

PLAN = ["plan", "--categories", "100", "--epsilon", "1", "--people", "10000"]


def test_the_plan_is_of_the_mechanism_that_a_survey_would_take():
    found = json.loads(succeeds(*PLAN, "--json"))
    survey = Survey("Which?", [str(i) for i in range(100)], 1.0)
    assert found["mechanism"] == survey.mechanism.name == choose(100, 1.0).name
    assert found["report_bytes"] == survey.mechanism.report_bytes
    best = theory.total_variance(100, 1.0, 27, 10_000)
    assert found["squared_error"] == pytest.approx(best, rel=0.01)
    assert "mechanisms" not in found


def test_the_central_level_of_shuffled_reports_is_shown():
    found = json.loads(succeeds(*PLAN, "--delta", "1e-9", "--json"))["shuffled"]
    assert found == {"epsilon": amplify(choose(100, 1.0), 10_000, 1e-9), "delta": 1e-9}
    (line,) = [one for one in succeeds(*PLAN).splitlines() if one.startswith("shuffled")]
    assert "10,000 people" in line
    assert_names(line, "ε = 0.0301", "δ = 1e-06")
    assert "δ" in succeeds("plan", "--scale", "0:9:10", "-e", "1", "-n", "500")
    fails(USAGE, *PLAN, "--delta", "0")


def test_what_a_false_report_is_worth_is_shown():
    worthy = worth(choose(100, 1.0))
    assert json.loads(succeeds(*PLAN, "--json"))["false_report_worth"] == worthy
    assert f"{worthy:.3g} honest answers" in succeeds(*PLAN)
    scale = ["plan", "--scale", "0:9:10", "-e", "1", "-n", "500"]
    assert "honest answers" in succeeds(*scale)


def test_a_mechanism_without_a_known_blanket_is_said_to_have_none():
    few = ["plan", "--several", "--categories", "2", "--most", "2", "-e", "0.5", "-n", "500"]
    assert isinstance(choose_for_sets(2, 0.5, 2), OneOption)
    (line,) = [one for one in succeeds(*few).splitlines() if one.startswith("shuffled")]
    assert "ε =" not in line
    assert json.loads(succeeds(*few, "--json"))["shuffled"]["epsilon"] is None


def test_every_mechanism_is_compared():
    rows = json.loads(succeeds(*PLAN, "--compare", "--json"))["mechanisms"]
    assert {row["mechanism"] for row in rows} == set(for_one)
    errors = [row["squared_error"] for row in rows]
    assert errors == sorted(errors)
    assert min(row["relative_error"] for row in rows) == pytest.approx(1)


@pytest.mark.parametrize("known", [["-e", "1"], ["-n", "20000"]])
def test_a_margin_is_planned_for(known):
    shown = succeeds("plan", "--categories", "30", "--margin", "0.01", *known)
    assert "margin" in shown
    assert json.loads(succeeds("plan", "--categories", "30", "--margin", "0.01", *known, "--json"))[
        "margin"
    ] == pytest.approx(0.01, rel=0.01)


def test_a_plan_for_too_few_people_says_that_no_share_is_detectable():
    few = ["plan", "--categories", "4", "-e", "0.1", "-n", "2"]
    (line,) = [one for one in succeeds(*few).splitlines() if "distinguishable" in one]
    assert_names(line, "none")
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
    ("options", "names"),
    [
        (["--categories", "1"], ["'d'", "1"]),
        (["--epsilon", "0"], ["'epsilon'", "0.0"]),
        (["--people", "0"], ["--people", "0"]),
        (["--margin", "0.1"], ["--epsilon", "--people", "--margin"]),
        (["--level", "1"], ["--level", "1.0"]),
        (["--figure", "plan.gif"], ["--figure", "'plan.gif'"]),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_plans_are_refused(options, names):
    assert_names(fails(USAGE, *instead(PLAN, *options)), *names)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["-e", "1"], ["--epsilon", "--people", "--margin"]),
        (["-e", "1", "--margin", "2"], ["'margin'", "(0, 1)", "2.0"]),
        (["-e", "0.001", "--margin", "1e-9"], ["'margin'", "1,000,000,000,000 people", "1e-09"]),
        (["-n", "10", "--margin", "0.000001"], ["'margin'", "10 people", "20", "1e-06"]),
    ],
)
def test_margins_out_of_reach_are_refused(options, names):
    assert_names(fails(USAGE, "plan", "--categories", "30", *options), *names)


SEVERAL = ["plan", "--several", "--categories", "5", "--most", "2", "-e", "4", "-n", "3000"]
SCALE = ["plan", "--scale", "18:98:81", "--unit", "years", "-e", "1", "-n", "3000"]


def test_several_choices_are_planned():
    found = json.loads(succeeds(*SEVERAL, "--compare", "--json"))
    made = plan(Several(list("abcde"), 2), epsilon=4.0, n=3000)
    assert "2 of 5 options" in found["answers"]
    assert found["margin"] == made.margin
    assert found["mechanism"] == made.mechanism.name == "listed-sets"
    names = [row["mechanism"] for row in found["mechanisms"]]
    assert sorted(names) == ["listed-sets", "one-option", "set-subset"]
    shown = succeeds(*SEVERAL, "--compare")
    assert "listed-sets ←" in shown
    assert "95 %" in shown


def test_numbers_on_a_scale_are_planned():
    found = json.loads(succeeds(*SCALE, "--compare", "--json"))
    made = plan(Scale(18, 98, 81), epsilon=1.0, n=3000)
    assert (found["margin"], found["share_margin"]) == (made.margin, made.share_margin)
    shape, mean = found["mechanisms"]
    assert shape["window"] < mean["window"]
    assert shape["margin"] > mean["margin"]
    shown = succeeds(*SCALE, "--compare")
    assert "shape ←" in shown
    assert f"± {made.margin:.3g} years" in shown
    people = json.loads(
        succeeds("plan", "--scale", "18:98:81", "-e", "1", "--margin", "1", "--json")
    )
    assert people["margin"] <= 1
    assert people["n"] == plan(Scale(18, 98, 81), epsilon=1.0, margin=1).n


@pytest.mark.parametrize("command", [SEVERAL, SCALE])
def test_plans_of_other_kinds_are_drawn(folder, command):
    succeeds(*command, "--figure", "plan.png")
    assert (folder / "plan.png").stat().st_size > 5000


@pytest.fixture
def health(folder):
    asked = [
        Survey("Do you smoke?", ["yes", "no"], 1.0, id="smokes"),
        Survey("Which sports?", Several(["run", "swim", "climb"], 2), 1.0, id="sports"),
        Survey("How old are you?", Scale(18, 98, 81, "years"), 1.0, id="age"),
    ]
    made = Questionnaire("Health", asked, 1.0, tables=[("smokes", "age")])
    made.write("health.json")
    return made


def test_a_questionnaire_is_planned(health):
    command = ["plan", "--questionnaire", "health.json", "-n", "10000"]
    found = json.loads(succeeds(*command, "--json"))
    rows = plan_questionnaire(health, 10_000)
    assert [row["standard_error"] for row in found["estimated"]] == [r.standard_error for r in rows]
    assert found["estimated"][-1]["without_tables"] is None
    assert sum(page["people"] for page in found["pages"]) == pytest.approx(10_000)
    shown = succeeds(*command)
    assert f"± {rows[2].standard_error:.3g} years" in shown
    assert "smokes × age" in shown
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.usefixtures("health")
@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--questionnaire", "health.json"], ["--questionnaire", "--people"]),
        (["--questionnaire", "health.json", "-n", "5", "-e", "1"], ["--questionnaire", "--people"]),
        (["--questionnaire", "health.json", "-n", "5", "--whole"], ["--questionnaire", "--people"]),
        (["-e", "1", "-n", "5"], ["--categories", "--scale", "--questionnaire"]),
        (["--scale", "0:9", "--categories", "3", "-e", "1", "-n", "5"], ["--scale", "categories"]),
        (["--scale", "0", "-e", "1", "-n", "5"], ["LOW:HIGH", "'0'"]),
        (["--categories", "3", "--most", "2", "-e", "1", "-n", "5"], ["--most", "--several"]),
        (["--several", "--categories", "1", "-e", "1", "-n", "5"], ["'options'"]),
        (["--several", "--categories", "5000", "-e", "1", "-n", "5"], ["4,096 options"]),
        (["--scale", "0:9", "-e", "1", "--margin", "5"], ["'margin'", "(0, 4.5)", "5.0"]),
    ],
)
def test_wrong_kinds_are_refused(options, names):
    assert_names(fails(USAGE, "plan", *options), *names)
