"""Clients of scales are asked for numbers between centres, at borders and beyond the ends."""

import json
import sys
import textwrap
import warnings
from itertools import pairwise

import numpy as np
import pytest

from browser import ROOT, STATIC, need
from defects import EvenCoin, Floored, Nearest, ReversedCoin, Rounded
from privet import Questionnaire, Scale, Survey
from privet.audit import Callable, Command, audit
from privet.audit.between import Between, mixture, numbers_of, place_of
from privet.audit.events import supports
from privet.audit.fit import fit_of
from privet.audit.subjects import probes
from privet.errors import Clamped
from privet.mechanisms import Interval

AGE = Survey("How old?", Scale(0, 120), 1.0, id="age")
COARSE = Survey("How old?", Scale(0, 120, cells=7), 4.0, id="coarse")
MANY = Survey("How many?", Scale(0, 1000, whole=True), 1.0, id="many")
RATING = Survey("How good?", Scale(1, 5, whole=True), 1.0, id="rating")
LAW, REPEATS = "law", "repeats"


def failed(found):
    return {verdict.name for verdict in found.verdicts if verdict.passed is False}


# --- what is asked --------------------------------------------------------------------------------


def test_a_place_is_a_cell_or_lies_between_two():
    scale = Scale(0, 120, cells=61)
    assert place_of(scale.value(34)) == 17
    assert place_of(scale.value(120)) == 60
    assert place_of(scale.value(35.5)) == Between(17, 0.75)
    assert place_of((17 << 52) - 1) == place_of((17 << 52) + 1) == 17  # a rounding of floats
    assert mixture(4) == [(4, 1.0)]
    assert mixture(Between(4, 0.75)) == [(4, 0.25), (5, 0.75)]


@pytest.mark.parametrize("survey", [AGE, COARSE, MANY], ids=lambda one: one.id)
def test_numbers_are_asked_between_centres_and_beyond_the_ends(survey):
    scale = survey.answers
    for seed in range(5):
        asked = probes(survey, 8, np.random.default_rng(seed))
        numbers = [one.answer for one in asked]
        assert numbers[:2] == [scale.low, scale.high]
        assert min(numbers) < scale.low
        assert max(numbers) > scale.high
        assert not scale.whole or all(one.is_integer() for one in numbers)
        parts = [one.value.part for one in asked if isinstance(one.value, Between)]
        assert parts[:3] == pytest.approx([0.5, 0.25, 0.75], abs=0.05)
        assert [one.value for one in asked if one.answer < scale.low] == [0]
        assert [one.value for one in asked if one.answer > scale.high] == [scale.cells - 1]
        assert len(numbers) == 8


def test_forms_are_not_asked_beyond_the_ends_and_few_answers_lie_between_as_well():
    rng = np.random.default_rng(1)
    numbers = [one.answer for one in probes(AGE, 8, rng, beyond=False)]
    assert len(numbers) == 8
    assert min(numbers) == 0
    assert max(numbers) == 120
    assert isinstance(probes(AGE, 3, rng, beyond=False)[2].value, Between)


def test_scales_that_round_nothing_are_asked_for_all_numbers_where_they_are_few():
    asked = probes(RATING, 8, np.random.default_rng(1))
    assert sorted(one.answer for one in asked) == [-1, 1, 2, 3, 4, 5, 7]
    assert all(isinstance(one.value, int) for one in asked)


def test_either_side_of_a_border_is_asked():
    for scale in (Scale(0, 120, bands=[30, 50]), Scale(0, 100, whole=True, cells=11)):
        numbers = numbers_of(scale, 8, np.random.default_rng(1), in_bands=True, beyond=False)
        beside = [(a, b) for a, b in pairwise(numbers) if scale.band(a) == scale.band(b) + 1]
        assert any(a in map(np.ceil, scale.bands) and b < a <= b + scale.step for a, b in beside)


# --- their law ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cells", "window"), [(8, 3), (6, 1), (5, 5), (700, 400)])
def test_the_law_is_the_mixture_of_two_cells(cells, window):
    """Reports in their exact proportions are not odd at all; those of one cell alone are."""
    mechanism, place = Interval(cells, 1.0, window), Between(cells // 2, 0.25)
    numbers = [z.to_bytes(mechanism.report_bytes, "little") for z in range(mechanism.numbers)]
    rows = np.array([[*one] for one in numbers], dtype=np.uint8)
    law = [
        float(3 * mechanism.probability(z, place.cell) + mechanism.probability(z, place.cell + 1))
        / 4
        for z in numbers
    ]
    below = [float(mechanism.probability(z, place.cell)) for z in numbers]
    for chances, odd in ((law, False), (below, True)):
        fit = fit_of(mechanism, place)
        fit.add(np.repeat(rows, np.rint(np.array(chances) * 4_000_000).astype(int), axis=0))
        p = {check.what: check.p for check in fit.checks()}
        assert (min(p.values()) < 1e-9) == odd, p
        assert (p["rounding"] < 1e-9) == odd


def test_two_centres_support_a_number_between_them():
    mechanism = Interval(5, 1.0, window=2)
    seen = supports(mechanism, [1, Between(1, 0.5), 2])(np.arange(6, dtype=np.uint8)[:, None])
    assert seen[:, 1].tolist() == (seen[:, 0] & seen[:, 2]).tolist() == [0, 0, 1, 0, 0, 0]


# --- audits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("survey", [AGE, MANY], ids=lambda one: one.id)
@pytest.mark.parametrize("way", [Floored, Nearest, EvenCoin, ReversedCoin])
def test_rounding_in_another_way_is_another_law(survey, way):
    found = audit(survey, 30_000, client=way(survey, 1), seed=1)
    assert failed(found) == {LAW}
    assert found["law"].figures["what"] in ("rounding", "numbers")


@pytest.mark.parametrize("way", [Floored, Nearest])
def test_a_hundred_thousand_trials_suffice_at_a_low_level_too(way):
    """At ε = .5, two windows in a hundred tell two neighbouring cells apart."""
    weak = Survey("How old?", Scale(0, 120), 0.5, id="weak")
    assert failed(audit(weak, 100_000, client=way(weak, 1), seed=1)) == {LAW}


@pytest.mark.parametrize("way", [Floored, Nearest])
def test_control_the_ends_alone_show_nothing_of_rounding(way):
    assert audit(AGE, 30_000, client=way(AGE, 1), answers=2, seed=1).passed


@pytest.mark.parametrize("survey", [AGE, COARSE, MANY, RATING], ids=lambda one: one.id)
def test_right_clients_pass(survey):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # numbers beyond the ends are asked without a warning
        assert audit(survey, 3_000, 1 - 1e-7).passed
        client = Callable(survey.randomize, survey)
        found = audit(survey, 200, 1 - 1e-7, client=client, answers=6)
    assert found.passed
    assert found["repeats"].passed
    assert audit(survey, 30_000, 1 - 1e-7, client=Rounded(survey, 1)).passed


def test_the_level_holds_between_centres():
    alarms = sum(
        not audit(COARSE, 1000, 0.9, client=Rounded(COARSE, seed), seed=seed).passed
        for seed in range(100)
    )
    assert alarms <= 25  # of Binomial(100, .1), one in 10⁵ is more


def floored(answer, secret=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Clamped)
        return COARSE.randomize(answer // 20 * 20, secret=secret)


def test_functions_are_asked_between_centres():
    assert failed(audit(COARSE, 1_000, client=Callable(floored, COARSE), seed=1)) == {LAW}


def test_commands_are_asked_between_centres_and_beyond_the_ends(tmp_path):
    path = tmp_path / "survey.json"
    COARSE.write(path)
    script = """
        import json, sys
        from privet import Survey
        survey = Survey.read(sys.argv[1])
        for line in sys.stdin:
            print(survey.randomize(json.loads(line) // 20 * 20).hex())
    """
    client = Command([sys.executable, "-W", "ignore", "-c", textwrap.dedent(script), path], COARSE)
    assert failed(audit(COARSE, 1_000, client=client, seed=1)) == {LAW, REPEATS}


def test_javascript_in_node_is_asked_between_centres_and_beyond_the_ends(tmp_path):
    node, path = need("node", "nodejs"), tmp_path / "survey.json"
    COARSE.write(path)
    script = (ROOT / "examples" / "audited_client.mjs").read_text()
    assert "JSON.parse(line)" in script
    wrong = tmp_path / "wrong.mjs"
    wrong.write_text(script.replace("JSON.parse(line)", "Math.floor(JSON.parse(line) / 20) * 20"))
    right = ROOT / "examples" / "audited_client.mjs"
    for program, expected in ((right, set()), (wrong, {LAW})):
        argv = [node, program, (STATIC / "privet.js").as_uri(), path]
        found = audit(COARSE, 2_000, 1 - 1e-6, client=Command(argv, COARSE), repeats=4, seed=1)
        assert failed(found) == expected


# --- questionnaires -------------------------------------------------------------------------------

TEA = Survey("Tea?", ["yes", "no"], 4.0, id="tea")
ASKED = Survey("How old?", Scale(0, 120, cells=13, bands=[35, 65]), 4.0, id="age")
APART = Questionnaire("Apart", [TEA, ASKED], 4.0)
JOINT = Questionnaire(
    "Joint", [TEA, ASKED], 4.0, tables=[("tea", "age")], shares={("tea", "age"): 1}
)


class OfQuestionnaire:
    """A client of a questionnaire that rounds ages before it randomizes them."""

    def __init__(self, survey, rounded):
        self.survey, self.rounded = survey, rounded

    def reports(self, answers):
        columns = {"tea": [one["tea"] for one in answers]}
        columns["age"] = [self.rounded(one["age"]) for one in answers]
        return self.survey.randomize_batch(columns)

    def repeats(self, answer, times):
        return []


@pytest.mark.parametrize("questionnaire", [APART, JOINT], ids=lambda one: one.title)
@pytest.mark.parametrize("rounded", [lambda age: age // 10 * 10, lambda age: round(age / 10) * 10])
def test_questionnaires_are_asked_between_centres_and_beside_borders(questionnaire, rounded):
    wrong, right = OfQuestionnaire(questionnaire, rounded), OfQuestionnaire(questionnaire, float)
    assert LAW in failed(audit(questionnaire, 4_000, client=wrong, seed=1))
    assert audit(questionnaire, 4_000, 1 - 1e-7, client=right, seed=1).passed


def test_every_answer_of_every_question_is_asked_where_there_is_room():
    asked = probes(JOINT, 8, np.random.default_rng(1))
    assert len({json.dumps(one.answer) for one in asked}) == 8
    assert {one.answer["tea"] for one in asked[:2]} == {"yes", "no"}
    ages = [one.answer["age"] for one in asked]
    assert ages == numbers_of(ASKED.answers, 8, np.random.default_rng(1), in_bands=True)
    assert {ASKED.answers.band(min(max(age, 0), 120)) for age in ages} == {0, 1, 2}
