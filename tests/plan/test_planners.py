"""A kind of answers of shares is planned, drafted and drawn without a line in other files."""

import pytest

from privet import Estimate, Survey
from privet.analysis.kinds import register as register_kind
from privet.analysis.kinds.choice import OneChoice
from privet.device.answers.base import Answers
from privet.device.answers.names import Names
from privet.errors import InvalidArgument, InvalidSurvey
from privet.figures import plot_plan
from privet.mechanisms import KSubset, OptimizedUnary
from privet.plan import Plan, plan, plan_questionnaire
from privet.plan.drafts import contract_of
from privet.plan.planners import Draft, Unit, drafts, planner_of, register
from privet.plan.planners.shares import AnswersPlanner
from privet.service.made_up import made_up_of


class Grades(Answers[Estimate]):
    """A grade from 1 to the worst."""

    kind = "grades"
    fits_best = KSubset

    def __init__(self, worst):
        if worst < 2:
            raise InvalidArgument("Grades", "worst", "at least 2", worst)
        self._freeze(worst=worst, names=Names(str(grade + 1) for grade in range(worst)))

    def fields(self):
        return {"kind": self.kind, "worst": self.worst}

    @classmethod
    def from_fields(cls, fields):
        return cls(fields["worst"])

    def described(self):
        return f"a grade from 1 to {self.worst}"

    def fitting(self):
        return (self.fits_best.name,)

    def choose(self, epsilon):
        return self.fits_best(self.size, epsilon)

    def made(self, kind, epsilon):
        return kind(self.size, epsilon)

    def value(self, answer):
        return self.names.index_of(str(answer))

    def context(self, value):
        return value.to_bytes(8, "big")


class Marked(Grades):
    """Grades of which a report marks any, which has more error than subsets."""

    fits_best = OptimizedUnary


@pytest.fixture
def drafted(monkeypatch):
    """Let drafts ask for grades."""
    draft = Draft("grades", frozenset({"worst"}), lambda fields: Grades(fields["worst"]))
    monkeypatch.setitem(drafts, "grades", draft)


@pytest.mark.parametrize("kind", [Grades, Marked])
@pytest.mark.parametrize("wished", [{"epsilon": 2.0}, {"margin": 0.1}])
def test_a_kind_of_its_own_is_planned_as_shares(kind, wished):
    made = plan(kind(6), n=3000, **wished)
    assert isinstance(made, Plan)
    assert made.answers == kind(6)
    assert isinstance(made.mechanism, kind.fits_best)
    assert made.margin <= wished.get("margin", 1)
    if kind is Grades:
        assert made.margin == plan(6, epsilon=made.epsilon, n=3000).margin
    else:
        assert made.margin > plan(6, epsilon=made.epsilon, n=3000).margin


def test_what_is_said_of_its_plan():
    made, planner = plan(Grades(6), epsilon=1.0, n=3000), planner_of(Grades(6))
    assert planner.fields == {"answers": "a grade from 1 to 6"}
    said = planner.lines(made)
    assert said["95 % margin, a rare category"] == f"± {100 * made.margin:.3g} %"
    assert [row.mechanism for row in planner.compared(made)] == [made.mechanism]
    axes = plot_plan(made).gca()
    assert axes.get_title().startswith("a grade from 1 to 6 · 3,000 people")
    assert axes.get_ylabel() == "95 % margin for a rare category, ± %"


@pytest.mark.usefixtures("drafted")
def test_a_kind_of_its_own_is_drafted():
    questions = {"school": {"question": "Which grade?", "grades": True, "worst": 6}}
    draft = {"title": "School", "epsilon": 1.0, "questions": questions}
    survey = contract_of(draft)
    assert survey == Survey("Which grade?", Grades(6), 1.0, id="school")
    questions["school"]["worst"] = 1
    with pytest.raises(InvalidSurvey, match="'school'.*'worst'"):
        contract_of(draft)
    questions["school"]["best"] = 1
    with pytest.raises(InvalidSurvey, match="'best'"):
        contract_of(draft)


def test_one_registration_is_enough_to_plan_and_draft(monkeypatch):
    class Marks(Grades):
        pass

    class MarkPlanner(AnswersPlanner):
        rare = "a rare mark"

    monkeypatch.setattr("privet.plan.planners.drafts", dict(drafts))
    register(Marks, MarkPlanner, Draft("marks", frozenset(), lambda fields: Marks(fields["marks"])))
    assert isinstance(planner_of(Marks(5)), MarkPlanner)
    assert planner_of(Marks(5)).label == "for a rare mark, ± %"


def test_a_drawing_of_its_answers_is_of_shares():
    survey = Survey("Which grade?", Grades(6), 1.0, id="school")
    row = made_up_of(survey.answers, survey).alone(3000)
    assert (row.asks, row.of) == (["school"], "share")
    assert row.margin == plan(6, epsilon=1.0, n=3000).common_margin
    assert row.picture["categories"] == ["1", "2", "3", "4", "5", "6"]
    assert sum(row.picture["frequencies"]) == pytest.approx(1)


def test_among_other_questions_it_is_planned_as_one_choice():
    register_kind(Grades, OneChoice)
    ours = Survey("Which grade?", Grades(6), 1.0, id="grade")
    as_choice = Survey("Which grade?", [str(i + 1) for i in range(6)], 1.0, id="grade")
    (ours,), (plain,) = (plan_questionnaire(one, 3000) for one in (ours, as_choice))
    assert ours == plain
    assert ours.people == 3000
    assert ours.standard_error == pytest.approx(ours.split)


def test_units():
    assert Unit(1, "", 3).error(2.5) == "± 2.5"
    assert Unit(100, "%", 2).reach(0.12345) == "± 12.3 %"
