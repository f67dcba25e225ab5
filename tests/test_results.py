"""The types of results: what a type checker says of an estimate is what a user gets."""

from typing import assert_type

import pytest

from privet import Questionnaire, Scale, Several, Survey, Tally
from privet.analysis.estimate import Estimate
from privet.analysis.measured import Measured
from privet.analysis.questionnaire_estimate import QuestionnaireEstimate
from privet.analysis.scale_estimate import ScaleEstimate
from refusing import refused_argument

TEA = Survey("Tea?", ["yes", "no"], 1.0)
DRINKS = Survey("Which?", Several(["tea", "milk", "juice"]), 1.0)
AGE = Survey("How old?", Scale(0, 120), 1.0)
PARTY = Questionnaire("Party", [TEA, AGE], 1.0)


def test_an_estimate_is_of_the_kind_of_its_survey():
    tea, drinks, age = TEA.tally(), DRINKS.tally(), AGE.tally()
    tea.update(TEA.randomize("yes"))
    drinks.update(DRINKS.randomize(["tea"]))
    age.update(AGE.randomize(40))
    assert isinstance(assert_type(tea.estimate(), Estimate), Estimate)
    assert isinstance(assert_type(drinks.estimate(), Estimate), Estimate)
    assert isinstance(assert_type(age.estimate(), ScaleEstimate), ScaleEstimate)
    assert isinstance(assert_type(age.estimate().mean(), Measured), Measured)


def test_an_estimate_of_a_questionnaire():
    tally = PARTY.tally()
    tally.update(PARTY.randomize({"tea": "yes", "how-old": 40}))
    found = assert_type(tally.estimate(), QuestionnaireEstimate)
    assert isinstance(found, QuestionnaireEstimate)


def test_a_tally_that_is_read_is_of_its_survey():
    tally = AGE.tally()
    tally.update(AGE.randomize(40))
    again = assert_type(Tally.from_bytes(tally.to_bytes(), AGE), Tally[ScaleEstimate])
    assert isinstance(again.estimate(), ScaleEstimate)


@pytest.mark.parametrize("survey", [TEA, DRINKS, AGE])
def test_a_survey_that_is_read_may_be_of_any_kind(survey):
    read = assert_type(Survey.from_json(survey.to_json()), Survey[Estimate | ScaleEstimate])
    assert read == survey


@pytest.mark.parametrize("choice", [True, False])
def test_answers_of_either_kind_give_either_survey(choice: bool) -> None:
    answers: list[str] | Scale = ["yes", "no"] if choice else Scale(0, 120)
    survey = assert_type(Survey("?", answers, 1.0), Survey[Estimate] | Survey[ScaleEstimate])
    assert survey.answers.kind == ("choice" if choice else "scale")


def test_a_question_is_asked_for_by_itself_or_by_its_id():
    tally = PARTY.tally()
    tally.update([PARTY.randomize({"tea": "yes", "how-old": 40}) for _ in range(100)])
    found = tally.estimate()
    age = assert_type(found[AGE], ScaleEstimate)
    assert age.mean().value == found["how-old"].mean().value
    another = Survey("How old?", Scale(0, 100), 1.0)
    with refused_argument("question", value=another):
        _ = found[another]
