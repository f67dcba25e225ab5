"""What questionnaires tell, as planned, is what their tallies tell."""

from math import inf, isinf, sqrt

import numpy as np
import pytest

from privet import Questionnaire, Scale, Several, Survey
from privet.entropy import seeded
from privet.plan import plan_questionnaire
from privet.tables import compare
from refusing import refused_argument

ANSWERS = {
    "a": ["x", "y", "z"],
    "b": ["p", "q"],
    "some": Several(["i", "j", "k", "l"], 2),
    "age": Scale(0, 80, 41, "years", bands=4),
}


def questionnaire(*ids, epsilon=1.0, **options):
    asked = [Survey(f"Question {name}?", ANSWERS[name], epsilon, id=name) for name in ids]
    return Questionnaire("All", asked, epsilon, **options)


def test_of_choices_errors_are_those_of_the_total_variances():
    """For complete k-subsets, which all of these pages take."""
    both = questionnaire("a", "b", tables=[("a", "b")])
    assert {page.mechanism.name for page in both.pages} == {"k-subset"}
    people = [1000 * page.share for page in both.pages]
    wanted = [(0,), (1,), (0, 1)]
    variances = compare((3, 2), wanted, people, 1.0, wanted)
    for row, one, cells in zip(plan_questionnaire(both, 1000), variances, (3, 2, 6), strict=True):
        assert row.standard_error == pytest.approx(sqrt(one.pages / cells))
        assert row.split == pytest.approx(sqrt(one.split / cells))
        assert row.one_each == pytest.approx(sqrt(one.one_each / cells))


def test_errors_are_those_of_estimates():
    """Of 200,000 people whose answers are alike; standard errors vary by about 1/√n."""
    made = questionnaire("a", "b", "some", "age", tables=[("a", "b"), ("a", "age")])
    n, rng = 200_000, np.random.default_rng(5)
    crowd = {
        "a": rng.choice(ANSWERS["a"], n).tolist(),
        "b": rng.choice(ANSWERS["b"], n).tolist(),
        "some": [["ijkl"[i]] for i in rng.integers(4, size=n)],  # one of two, which is half
        "age": (2.0 * rng.integers(41, size=n)).tolist(),
    }
    tally = made.tally()
    tally.update(made.randomize_batch(crowd, entropy=seeded(5)))
    estimate, rows = tally.estimate(), plan_questionnaire(made, n)
    found = {row.asks: row.standard_error for row in rows}
    for name in ("a", "b", "some"):
        shown = sqrt(np.square(estimate[name].standard_errors).mean())
        assert shown == pytest.approx(found[name,], rel=0.02)
    assert estimate["age"].mean().standard_error == pytest.approx(found["age",], rel=0.02)
    for ids in (("a", "b"), ("a", "age")):
        shown = sqrt(np.square(estimate.table(*ids).standard_errors).mean())
        assert shown == pytest.approx(found[ids], rel=0.03)
    assert [row.of for row in rows] == ["share", "share", "option", "mean", "share", "share"]
    assert rows[0].people == pytest.approx(
        sum(n * page.share for page in made.pages if "a" in page.asks)
    )
    assert rows[3].people == pytest.approx(n * made.pages[3].share)


def test_without_tables_nothing_is_known_of_them():
    made = questionnaire("a", "b", "age", tables=[("a", "b")])
    *questions, table = plan_questionnaire(made, 1000)
    assert table.without_tables == table.one_each == inf
    assert all(row.without_tables < row.standard_error for row in questions)
    alone = questionnaire("a", "b", "age")
    for row in plan_questionnaire(alone, 1000):
        assert row.without_tables == pytest.approx(row.standard_error, rel=1e-3)


def test_splitting_wins_where_epsilon_is_large():
    made = questionnaire("a", "b", epsilon=8.0)
    assert all(row.split < row.standard_error for row in plan_questionnaire(made, 1000))
    made = questionnaire("a", "b", epsilon=1.0)
    assert all(row.split > row.standard_error for row in plan_questionnaire(made, 1000))


def test_a_question_that_is_never_asked_by_itself_is_told_by_its_table():
    made = questionnaire("a", "age", tables=[("a", "age")], shares={("a", "age"): 1.0})
    choice, numbers, table = plan_questionnaire(Questionnaire.from_json(made.to_json()), 1000)
    assert choice.people == table.people == 1000
    assert isinf(numbers.standard_error)
    assert numbers.people == 0
    assert choice.without_tables < choice.standard_error


def test_one_question_is_its_own_page():
    (row,) = plan_questionnaire(questionnaire("age"), 1000)
    errors = {row.standard_error, row.without_tables, row.one_each, row.split}
    assert max(errors) == pytest.approx(min(errors))


def test_nobody_is_refused():
    with refused_argument("n", "plan_questionnaire"):
        plan_questionnaire(questionnaire("a", "b"), 0)
