"""privet plan, and surveys whose categories come from a file."""

import json

import pytest
from commands import BAD_DATA, USAGE, fails, succeeds

from privet import Survey, theory
from privet.mechanisms import by_name, choose

PLAN = ["plan", "--categories", "100", "--epsilon", "1", "--people", "10000"]


def test_the_plan_is_of_the_mechanism_that_a_survey_would_take():
    (row,) = json.loads(succeeds(*PLAN, "--json"))
    survey = Survey("Which?", [str(i) for i in range(100)], 1.0)
    assert row["mechanism"] == survey.mechanism.name == choose(100, 1.0).name
    assert row["report_bytes"] == survey.mechanism.report_bytes
    best = theory.total_variance(100, 1.0, 27, 10_000)
    assert row["squared_error"] == pytest.approx(best, rel=0.01)


def test_every_mechanism_is_compared():
    rows = json.loads(succeeds(*PLAN, "--compare", "--json"))
    assert {row["mechanism"] for row in rows} == set(by_name)
    assert [row["chosen"] for row in rows].count(True) == 1
    errors = [row["squared_error"] for row in rows]
    assert errors == sorted(errors)
    assert min(row["relative_error"] for row in rows) == pytest.approx(1)


def test_the_table_is_readable():
    shown = succeeds(*PLAN, "--compare")
    assert all(name in shown for name in by_name)
    assert "←" in shown
    assert max(map(len, shown.splitlines())) <= 120


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--categories", "1"], "'d' parameter"),
        (["--epsilon", "0"], "'epsilon' parameter"),
        (["--people", "0"], "--people"),
        (["--epsilon", "much"], "--epsilon"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_plans_are_told(options, said):
    assert said in fails(USAGE, *PLAN, *options)


def test_categories_from_a_file(tmp_path):
    listed = tmp_path / "fruit.txt"
    listed.write_text("pear\nplum \n", encoding="utf-8-sig")
    new = ["survey", "new", "-q", "Which?", "-e", "1"]
    made = Survey.from_json(succeeds(*new, "-c", "apple", "--categories", listed))
    assert made.categories == ("apple", "pear", "plum")


@pytest.mark.parametrize(
    ("content", "said", "code"),
    [
        (b"pear\n\nplum\n", "line 2: there is no category", BAD_DATA),
        (b"\xff\xfe\n", "not text in UTF-8", BAD_DATA),
        (b"pear\npear\n", "different from categories[0]", USAGE),
        (b"pear\n", "at least two", USAGE),
    ],
)
def test_bad_files_of_categories_are_told(folder, content, said, code):
    (folder / "fruit.txt").write_bytes(content)
    new = ["survey", "new", "-q", "Q", "-e", "1", "--categories", "fruit.txt"]
    assert said in fails(code, *new)
