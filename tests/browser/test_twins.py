"""What the browser's client makes, shows and refuses is what Python makes of it."""

import json
from math import isclose

import pytest

from browser import run_node
from privet import Questionnaire, Scale, Several, Survey
from privet.device.mechanisms.bits.unary import Unary
from privet.mechanisms import KSubset, ListedSets, for_one, for_several

NAMES = [f"c{i}" for i in range(9)]
CHOICES = [Survey("?", NAMES, 1.0, mechanism=name, id=name) for name in for_one]
SETS = [
    Survey("?", Several(NAMES, most=3), 1.0, mechanism=name, id=name) for name in for_several
] + [Survey("?", Several(NAMES, most=3), 1.0, mechanism=ListedSets(9, 1.0, 3, k=9), id="few")]
LARGE = [
    Survey("?", [f"c{i}" for i in range(1000)], 1.0, mechanism=KSubset(1000, 1.0, k), id=f"k{k}")
    for k in (3, 269, 900)
]
SCALE = Survey("?", Scale(-10, 25, cells=6), 1.0, id="scale")
DRINK = Survey("Drink?", ["tea", "coffee", "milk"], 1.0, id="drink")
AGE = Survey("Age?", Scale(0, 100, bands=[18, 65], whole=True), 1.0, id="age")
PARTY = Questionnaire(
    "Party", [DRINK, AGE], 1.0, tables=[("age", "drink")], shares={("age", "drink"): 1}
)

MADE = """
import { readFileSync } from "node:fs";
import { Survey } from "./privet.js";
import { hex, secure } from "./privet-draws.js";
const source = () => (size) => secure(size); // for want of a secret
const given = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(await Promise.all(given.map(async ([text, answer]) => {
  const survey = await Survey.from(text);
  const reports = Array.from({ length: 30 }, () => survey.randomize(answer, { source }));
  const [{ mechanism: { own, other, ratio } }] = survey.pages;
  const members = reports.map((report) => survey.members(report));
  return { reports: reports.map(hex), members, own, other, ratio, size: survey.reportBytes };
}))));
"""


def answer_of(survey):
    if isinstance(survey, Questionnaire):
        return {"drink": "milk", "age": 64}
    by_kind = {"choice": "c7", "several": ["c7", "c2"], "scale": 3.5}
    return by_kind[survey.answers.kind]


def members(survey, report):
    """The names of what a report names, by Python; None where Python has none for it."""
    mechanism = survey.mechanism
    if isinstance(mechanism, Unary):
        return [name for i, name in enumerate(NAMES) if report[i >> 3] >> (i & 7) & 1]
    if not hasattr(mechanism, "members"):
        return None
    found = mechanism.members(report)
    if mechanism.name == "listed-sets":
        return [" + ".join(NAMES[i] for i in mechanism.sets[one]) or "–" for one in found]
    names = [*survey.categories, *(f"– {i}" for i in range(1, 10))]
    return [names[one] for one in found]


def test_reports_and_what_they_name():
    surveys = [*CHOICES, *SETS, *LARGE, SCALE]
    made = run_node(MADE, [(one.to_json(), answer_of(one)) for one in surveys])
    for survey, found in zip(surveys, made, strict=True):
        mechanism = survey.mechanism
        assert found["size"] == mechanism.report_bytes
        for text, names in zip(found["reports"], found["members"], strict=True):
            report = bytes.fromhex(text)
            assert mechanism.problem(report) is None
            assert members(survey, report) in (None, names), survey.id
        assert isclose(found["ratio"], mechanism.likelihood_ratio, rel_tol=1e-9), survey.id
        if "other" in found and mechanism.name not in ("listed-sets", "geometric-noise"):
            g, h = map(float, mechanism.hit_rates)
            assert isclose(found["own"], g, rel_tol=1e-9), survey.id
            assert isclose(found["other"], h, rel_tol=1e-9), survey.id
    assert sum("other" in found for found in made) >= 12


def test_a_table_of_a_questionnaire_is_named_by_its_cells():
    (found,) = run_node(MADE, [(PARTY.to_json(), answer_of(PARTY))])
    (page,) = PARTY.pages
    for text, names in zip(found["reports"], found["members"], strict=True):
        report = bytes.fromhex(text)
        assert PARTY.mechanism.problem(report) is None
        cells = [page.answers.names[one] for one in page.mechanism.members(report[1:])]
        assert [name.replace(" – ", " to ") for name in names] == cells


VALUES = """
import { readFileSync } from "node:fs";
import { Survey } from "./privet.js";
const [text, given] = JSON.parse(readFileSync(0, "utf8"));
const survey = await Survey.from(text);
console.log(JSON.stringify(given.map((answers) => survey.value(answers, survey.pages[0]))));
"""


def test_a_band_of_whole_numbers_may_begin_between_them():
    age = Survey("Age?", Scale(0, 100, bands=[17.5], whole=True), 1.0, id="age")
    both = ("age", "drink")
    party = Questionnaire("?", [DRINK, age], 1.0, tables=[both], shares={both: 1})
    given = [{"age": years, "drink": "milk"} for years in (17, 18)]
    found = run_node(VALUES, (party.to_json(), given))
    assert found == [party.pages[0].value(answers) for answers in given]


REFUSED = """
import { readFileSync } from "node:fs";
import * as privet from "./privet.js";
const [text, answers] = JSON.parse(readFileSync(0, "utf8"));
const survey = await privet.Survey.from(text);
console.log(JSON.stringify(answers.map((answer) => {
  try {
    survey.randomize(answer);
    return null;
  } catch (error) {
    if (!(error instanceof privet.InvalidAnswer)) throw error;
    return error.message;
  }
})));
"""


@pytest.mark.parametrize(
    ("survey", "good", "bad"),
    [
        (DRINK, ["tea"], ["Tea", "", None, ["tea"], 0, {}]),
        (Survey("?", ["1", "true", "null"], 1.0), [1, "1", True], [2, False, [1], None]),
        (SETS[0], [[], ["c1"], ["c8", "c0", "c3"]], ["c1", None, ["c1", "c1"], ["x"], NAMES[:4]]),
        (SCALE, [3, "3.5", -99, 1e300, "-1e-3"], [None, "", "x", "0x10", [], True, " 3"]),
        (AGE, [3, "3", 2.0], [2.5, "2.5"]),
        (PARTY, [{"age": 3, "drink": "tea"}], [{"age": 3}, {}, None, "tea", {"drink": "tea"}]),
    ],
    ids=lambda one: getattr(one, "id", ""),
)  # fmt: skip
def test_answers_that_are_none(survey, good, bad):
    found = run_node(REFUSED, (survey.to_json(), [*good, *bad]))
    assert found[: len(good)] == [None] * len(good)
    assert all(found[len(good) :]), json.dumps(found)
