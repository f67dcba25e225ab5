"""Guard rails: surveys inside files, surveys that are kept, and words about thin privacy."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from commands import BAD_DATA, SHARES, SURVEY, fails, run, shares, succeeds
from privet import Survey
from refusing import assert_names

NEW = ["survey", "new", "-q", "Drink?", "-c", "tea", "-c", "coffee"]


# --- the survey that a file of reports carries ----------------------------------------------


def test_reports_are_estimated_by_the_survey_that_they_carry(folder):
    alone = json.loads(succeeds("estimate", "reports.parquet", "--json"))
    assert alone == shares("reports.parquet")
    Path("more.parquet").write_bytes(Path("reports.parquet").read_bytes())
    both = json.loads(succeeds("estimate", "reports.parquet", "more.parquet", "--json"))
    assert both["n"] == 2000
    succeeds("tally", "reports.parquet", "-o", "week.tally")
    assert shares("week.tally")["n"] == 1000


def test_the_survey_that_reports_carry_is_shown(folder):
    for command in ("show", "check"):
        own = succeeds("survey", command, "survey.json", "--json")
        assert succeeds("survey", command, "reports.parquet", "--json") == own


def test_a_file_that_carries_no_survey(folder):
    succeeds("tally", "survey.json", "reports.parquet", "-o", "week.tally")
    parquet.write_table(pa.table({"report": [b"1"]}), "bare.parquet")
    Path("cut.parquet").write_bytes(Path("reports.parquet").read_bytes()[:-100])
    for name, reason in {
        "week.tally": "no survey",
        "bare.parquet": "no survey",
        "cut.parquet": "not a Parquet file",
        "answers.csv": "survey",
    }.items():
        for command in (["estimate"], ["survey", "show"], ["estimate", "--by", "x"]):
            line = fails(BAD_DATA, *command, name)
            assert line.startswith(f"{name}: ")
            assert_names(line, reason)


# --- surveys that would be lost -------------------------------------------------------------


def test_another_survey_is_kept_unless_it_is_forced(folder):
    before = Path("survey.json").read_text()
    assert run(*NEW, "-e", "1", "-o", "survey.json").exit_code == 2
    assert Path("survey.json").read_text() == before
    succeeds(*NEW, "-e", "1", "-o", "survey.json", "--force")
    succeeds(*NEW, "-e", "1", "-o", "survey.json")  # the same again
    assert Survey.read("survey.json").categories == ("tea", "coffee")


# --- thin privacy ---------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "noted"), [("5", False), ("8", True)])
def test_a_large_epsilon_has_a_word_said_about_it(folder, epsilon, noted):
    new = run(*NEW, "-e", epsilon, "-o", "new.json")
    Path("a.csv").write_text("answer\ntea\n")
    randomized = run("randomize", "new.json", "a.csv", "-o", "new.parquet")
    planned = run("plan", "--categories", "9", "-e", epsilon, "-n", "100")
    for result in (new, randomized, planned):
        assert result.exit_code == 0
        assert ("2,981 times" in result.stderr) is noted


def grouped(sizes):
    """Answers of people in groups of these sizes, each called by its number."""
    names = [name for name, size in enumerate(sizes) for _ in range(size)]
    parquet.write_table(pa.table({"answer": ["tea"] * len(names), "g": names}), "a.parquet")
    return run("randomize", "survey.json", "a.parquet", "--by", "g", "-o", "g.parquet").stderr


def test_small_groups_have_a_word_said_about_them(folder):
    assert "Note" not in grouped([10, 10, 30])
    few = "1 of 3 groups by g"
    said = grouped([10, 9, 30])
    assert few in said
    assert "identify" not in said
    assert few in run("estimate", "g.parquet", "--by", "g").stderr


def test_identifiers_have_a_word_said_about_them(folder):
    assert "g may identify people" in grouped([1] * 20)
    said = grouped([1, 2, 4] * 5)
    for name in ("15 of 15 groups by g", "g may identify people", "4 reports", "ε = 8"):
        assert name in said


def test_a_group_of_one_has_no_table(folder):
    grouped([1, 40])
    shown = succeeds("estimate", "g.parquet", "--by", "g")
    assert "g = 1 · 40 reports" in shown
    assert "g = 0" not in shown
    assert "1 group" in shown
    assert "41 reports in 2 groups" in shown
    document = json.loads(succeeds("estimate", "g.parquet", "--by", "g", "--json"))
    assert [group["n"] for group in document["groups"]] == [1, 40]
    succeeds("estimate", "g.parquet", "--by", "g", "--figure", "g.svg")
    grouped([1, 2])
    command = ["estimate", "g.parquet", "--by", "g", "--figure", "g.svg"]
    shown = succeeds(*command)
    assert "2 groups" in shown
    assert "shrunk" not in shown


# --- what was taken, and what was written ---------------------------------------------------


def test_commands_say_what_they_took_and_wrote(folder):
    took = "reports.parquet", "1,000 reports", SURVEY.id
    result = run("estimate", "reports.parquet", "-o", "new.csv", "--figure", "new.png")
    for line, names in zip(
        result.stderr.splitlines(), [["new.csv"], ["new.png"], took], strict=True
    ):
        assert_names(line, *names)
    result = run("tally", "reports.parquet", "-o", "new.tally")
    first, second = result.stderr.splitlines()
    assert_names(first, *took)
    assert_names(second, "new.tally", "1,000 reports", SURVEY.id)
    result = run("survey", "new", "-q", "?", "--from", "answers.csv", "-e", "1", "-o", "new.json")
    first, second, _ = result.stderr.splitlines()
    assert_names(first, "answers.csv", "column answer", "1,000 rows", f"{len(SHARES)} different")
    assert second.startswith("new.json: ")
