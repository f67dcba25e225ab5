"""privet questionnaire, and what randomize and estimate make of one; surveys of other kinds."""

import csv
import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from commands import BAD_DATA, SYSTEM, USAGE, assert_is_a_picture, fails, run, succeeds
from privet import Questionnaire, Scale, Several, Survey
from privet.cli.answered import _cells
from privet.mechanisms import KSubset
from privet.tables import Combined, PageCounts
from refusing import assert_names, in_row

EXAMPLE = Path(__file__).parents[2] / "examples" / "questionnaire.toml"
COLUMNS = "--from", "people.csv", "--title", "T", "-e", "1"
SMOKES, REGIONS = ["every day", "now and then", "no"], ["north", "south", "east", "west"]


def people(n):
    """A table of n people as CSV: those of the north smoke more."""
    rng = np.random.default_rng(5)
    rows = ["smokes,region,drinks,age,team"]
    for i in range(n):
        region = REGIONS[i % 4]
        smokes = SMOKES[rng.choice(3, p=[0.6, 0.2, 0.2] if region == "north" else [0.1, 0.1, 0.8])]
        drinks = rng.choice(["tea;milk", "coffee", "", "water; tea"])
        rows.append(f"{smokes},{region},{drinks},{rng.integers(0, 100)},{'ab'[i % 2]}")
    return "\n".join([*rows, ""])


@pytest.fixture
def asked(folder):
    """The example's contract, answers of 4,000 people, and their reports at a large ε."""
    draft = EXAMPLE.read_text().replace("epsilon = 1.0", "epsilon = 4.0")
    Path("draft.toml").write_text(draft)
    succeeds("questionnaire", "new", "draft.toml", "-o", "q.json")
    Path("people.csv").write_text(people(4000))
    succeeds(
        "randomize", "q.json", "people.csv", "-o", "q.parquet", "--missing", "drop", "--by", "team"
    )
    return Questionnaire.read("q.json")


def test_the_example_is_a_questionnaire_and_so_is_the_same_in_json(folder):
    succeeds("questionnaire", "new", EXAMPLE, "-o", "a.json")
    Path("draft.json").write_text(json.dumps(tomllib.loads(EXAMPLE.read_text())))
    succeeds("questionnaire", "new", "draft.json", "-o", "b.json")
    read = Questionnaire.read("a.json")
    assert read == Questionnaire.read("b.json")
    assert [one.answers.kind for one in read.surveys] == ["choice", "choice", "several", "scale"]
    assert read["age"].answers.cells == 121
    assert {page.asks for page in read.pages} >= {("smokes", "region"), ("smokes", "age")}


def test_a_questionnaire_is_shown(asked):
    shown = succeeds("questionnaire", "show", "q.json")
    for part in ("How are you?", asked.fingerprint, "Do you smoke?", "smokes × region", "ε = 4"):
        assert part in shown
    document = json.loads(succeeds("questionnaire", "show", "q.json", "--json"))
    assert sum(page["share"] for page in document["pages"]) == pytest.approx(1)
    assert document["questions"][3]["cells"] == 121
    assert succeeds("questionnaire", "show", "q.parquet") == shown  # which reports carry


def test_every_question_and_table_is_estimated(asked):
    shown = succeeds("estimate", "q.parquet")
    for part in (
        "Do you smoke?",
        "option",
        "median",
        "smokes × region",
        "Cramér's V",
        "go together",
    ):
        assert part in shown
    document = json.loads(succeeds("estimate", "q.parquet", "--json"))
    assert set(document["questions"]) == {"smokes", "region", "drinks", "age"}
    by_region = next(t for t in document["tables"] if t["questions"] == ["smokes", "region"])
    assert by_region["independence_p_value"] < 1e-6
    assert by_region["row_shares"][0][0] > 0.4  # of those who smoke every day, most are northern
    mean = document["questions"]["age"]["figures"][0]
    assert mean["low"] - 10 < 49.5 < mean["high"] + 10


def test_one_table_alone_also_one_that_no_page_asks_for(asked):
    only = json.loads(succeeds("estimate", "q.parquet", "--table", "region,smokes", "--json"))
    assert (only["questions"], len(only["tables"][0]["cells"])) == ({}, 12)
    said = fails(BAD_DATA, "estimate", "q.parquet", "--table", "region,age")
    assert_names(said, "'region'", "'age'")
    assert_names(fails(USAGE, "estimate", "q.parquet", "--table", "region"), "table", "two ids")
    assert_names(fails(USAGE, "estimate", "q.parquet", "--table", "region,colour"), "'colour'")


def test_every_number_is_written_and_every_question_drawn(asked):
    succeeds("estimate", "q.parquet", "-o", "out.csv", "--figure", "out.png", "--by", "team")
    with Path("out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["team"] for row in rows} == {"a", "b"}
    assert {row["question"] for row in rows} >= {"age", "smokes × region"}
    assert all(float(row["low"]) <= float(row["high"]) for row in rows)
    for name in ("a-smokes", "a-drinks", "b-age", "b-smokes-region"):
        assert_is_a_picture(f"out-{name}.png")


def test_shares_of_a_row_that_nobody_is_in_are_not_a_number(folder):
    surveys = [Survey(f"{name}?", ["a", "b", "c"], 20.0, id=name) for name in ("one", "two")]
    Questionnaire("Both?", surveys, 20.0, tables=[("one", "two")]).write("q.json")
    Path("people.csv").write_text("one,two\n" + "a,a\nb,c\n" * 200)
    succeeds("randomize", "q.json", "people.csv", "-o", "q.parquet")
    document = json.loads(succeeds("estimate", "q.parquet", "--json"))
    assert document["tables"][0]["row_shares"][2] == [None] * 3
    assert document["tables"][0]["row_shares_high"][2] == [1.0] * 3
    assert "– (0.0–100.0)" in succeeds("estimate", "q.parquet")


def test_shares_are_shown_within_0_and_100_percent():
    """Also where the unbiased ones are beyond; and so are the ends of intervals, which differ."""
    beyond, mechanism = np.array([[0.33, -0.03], [0.15, 0.55]]), KSubset(4, 1.0)
    counts = 3000 * (mechanism.h + (mechanism.g - mechanism.h) * beyond.ravel())
    page = PageCounts((0, 1), (2, 2), mechanism, 3000, counts)
    table = Combined([page], (2, 2)).table(0, 1)
    assert table.row_shares().frequencies.max() == pytest.approx(1.1)
    for shown in (table, table.row_shares()):
        for text in _cells(shown, 0.95).ravel():
            share, low, high = map(float, re.fullmatch(r"(\S+) \((\S+)–(\S+)\)", text).groups())
            assert 0 <= share <= 100
            assert 0 <= low < high <= 100


def test_a_group_may_be_called_like_a_column_of_the_table(asked):
    text = Path("people.csv").read_text().replace(",team\n", ",value\n")
    Path("people.csv").write_text(text)
    how = "--missing", "drop", "--by", "value"
    succeeds("randomize", "q.json", "people.csv", "-o", "v.parquet", *how)
    succeeds("estimate", "v.parquet", "--by", "value", "-o", "out.csv")
    with Path("out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["by_value"] for row in rows} == {"a", "b"}
    assert all(float(row["value"]) < 120 for row in rows)


def test_pictures_that_cannot_all_be_written_leave_nothing(asked):
    text = Path("people.csv").read_text().replace(",a\n", ",a/b\n").replace(",b\n", ",a_b\n")
    Path("people.csv").write_text(text)
    more = "people.csv", "-o", "g.parquet", "--missing", "drop", "--by", "team"
    succeeds("randomize", "q.json", *more)
    drawn = "--by", "team", "--figure", "out.png", "-o", "out.csv"
    assert_names(fails(USAGE, "estimate", "g.parquet", *drawn), "out-a_b-smokes.png")
    fails(SYSTEM, "estimate", "q.parquet", "-o", "out.csv", "--figure", "nowhere/out.png")


def test_the_columns_of_a_table_make_a_questionnaire(folder):
    Path("people.csv").write_text(people(50))
    columns = "--column", "smokes", "--column", "region", "--several", "drinks=2"
    made = "--scale", "age=0:120:61", "--table", "smokes,region", "--title", "People", "-e", "1"
    succeeds(
        "questionnaire", "new", "--from", "people.csv", *columns, *made, "--na", "", "-o", "t.json"
    )
    read = Questionnaire.read("t.json")
    assert read["drinks"].categories == ("coffee", "milk", "tea", "water")
    assert (read["age"].answers.cells, read["smokes"].categories) == (61, tuple(sorted(SMOKES)))


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (("title", "titel"), ["field 'titel'"]),
        (("epsilon = 1.0", ""), ["field 'epsilon'"]),
        (("epsilon = 1.0", "epsilon = -1"), ["'epsilon'", "-1"]),
        (('categories = ["north"', 'kategories = ["north"'), ["categories, several, scale"]),
        (("most = 2", "most = 9"), ["question 'drinks'", "'most'", "9"]),
        (("scale = [0, 120]", "scale = [0]"), ["question 'age'", "[low, high]"]),
        (("scale = [0, 120]", 'scale = [0, "x"]'), ["question 'age'", "'x'"]),
        (("most = 2", "most = 2\nbest = 3"), ["question 'drinks'", "field 'best'"]),
        (('["smokes", "age"]]', '["smokes", "drinks"]]'), ["'drinks'", "scales"]),
        (('["smokes", "age"]]', '["smokes", "colour"]]'), ["'colour'"]),
        (("# [shares]", "[shares]\nage = 0.5"), ["'shares'", "1", "0.5"]),
        (("# [shares]", "[shares]\ncolour = 1"), ["'shares'", "'colour'"]),
        (("title =", "title"), ["TOML", "JSON"]),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_wrong_drafts(folder, change, names):
    before = EXAMPLE.read_text()
    assert change[0] in before
    Path("draft.toml").write_text(before.replace(*change))
    line = fails(BAD_DATA, "questionnaire", "new", "draft.toml", "-o", "q.json")
    assert line.startswith("draft.toml: ")
    assert_names(line, *names)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ((), ["--from"]),
        (("draft.toml", "--table", "a,b"), ["--table", "--from"]),
        (("--from", "people.csv"), ["--title", "--epsilon"]),
        ((*COLUMNS,), ["--from", "--column"]),
        ((*COLUMNS, "--scale", "age"), ["COLUMN=LOW:HIGH", "'age'"]),
        ((*COLUMNS, "--scale", "age=x"), ["LOW:HIGH", "'x'"]),
        ((*COLUMNS, "--several", "drinks=x"), ["--several", "MOST", "'x'"]),
    ],
    ids=str,
)
def test_wrong_usage(folder, arguments, names):
    Path("draft.toml").write_text(EXAMPLE.read_text())
    Path("people.csv").write_text(people(20))
    assert_names(fails(USAGE, "questionnaire", "new", *arguments), *names)


def test_answers_that_do_not_fit_are_named_with_row_and_question(asked):
    Path("bad.csv").write_text("smokes,region,drinks,age\n" + "never,moon,beer,old\n" * 50)
    line = fails(BAD_DATA, "randomize", "q.json", "bad.csv", "-o", "bad.parquet")
    assert_names(line, "bad.csv", *in_row(1), "question")
    Path("bad.csv").write_text("smokes,region,drinks\nno,north,tea\n")
    line = fails(BAD_DATA, "randomize", "q.json", "bad.csv", "-o", "b.parquet")
    assert_names(line, "bad.csv", "column 'age'")
    more = "people.csv", "-o", "b.parquet", "--column", "age"
    assert_names(fails(USAGE, "randomize", "q.json", *more), "'column'", "'age'")


def test_a_survey_and_a_questionnaire_are_told_apart(asked):
    line = fails(BAD_DATA, "survey", "show", "q.json")
    assert_names(line, "q.json", "privet questionnaire")
    line = fails(BAD_DATA, "questionnaire", "show", "survey.json")
    assert_names(line, "survey.json", "privet survey show")
    line = fails(USAGE, "estimate", "reports.parquet", "--table", "a,b")
    assert_names(line, "--table", "questionnaires")
    assert_names(fails(USAGE, "estimate", "q.parquet", "--ranks"), "--ranks", "questionnaire")


# --- surveys of other kinds -----------------------------------------------------------------------


def test_a_survey_of_several_choices(folder):
    succeeds(
        "survey", "new", "-q", "Drinks?", "--several", "--most", "2", "-e", "4", "-o", "d.json",
        "-c", "tea", "-c", "coffee", "-c", "milk", "-c", "water",
    )  # fmt: skip
    survey = Survey.read("d.json")
    assert survey.answers == Several(["tea", "coffee", "milk", "water"], 2)
    assert "2 of 4 options" in succeeds("survey", "show", "d.json")
    Path("people.csv").write_text(people(2000))
    more = "people.csv", "--column", "drinks", "-o", "d.parquet"
    assert "--missing" in fails(BAD_DATA, "randomize", "d.json", *more)
    succeeds("randomize", "d.json", *more, "--missing", "none")
    shown = succeeds("estimate", "d.parquet", "--figure", "d.png")
    assert "option" in shown
    assert "leads" not in shown  # as shares do not add up
    assert_is_a_picture("d.png")
    Path("e.parquet").write_bytes(Path("d.parquet").read_bytes())
    rows = json.loads(succeeds("compare", "d.parquet", "e.parquet", "--json"))
    assert "tea" in json.dumps(rows)


def test_a_survey_of_numbers(folder):
    made = "--scale", "0:80", "--whole", "--unit", "years", "--bands", "18,40"
    succeeds("survey", "new", "-q", "Age?", *made, "-e", "4", "-o", "a.json")
    scale = Survey.read("a.json").answers
    assert scale == Scale(0, 80, 81, "years", whole=True, bands=[18, 40])
    assert "0 to 80 years" in succeeds("survey", "show", "a.json")
    Path("people.csv").write_text(people(3000))
    noted = run("randomize", "a.json", "people.csv", "--column", "age", "-o", "a.parquet").stderr
    assert "scale" in noted
    shown = succeeds("estimate", "a.parquet", "--quantiles", "5,95", "--figure", "a.png")
    for part in ("mean", "5 %", "95 %", "18 to 39", "years"):
        assert part in shown
    assert_is_a_picture("a.png")
    succeeds("estimate", "a.parquet", "-o", "a.csv")
    with Path("a.csv").open(newline="") as file:
        assert next(csv.DictReader(file))["figure"] == "mean"


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--scale", "0:10", "-c", "a"], ["--scale", "numbers"]),
        (["--scale", "0"], ["--scale", "LOW:HIGH"]),
        (["--scale", "0:10", "--most", "2"], ["--most", "--several"]),
        (["-c", "a", "-c", "b", "--unit", "years"], ["--unit", "--scale"]),
        (["-c", "a", "-c", "b", "--pairs"], ["--pairs", "--several"]),
        (["--scale", "0:10", "--bands", "x"], ["--bands", "numbers"]),
    ],
    ids=str,
)
def test_options_of_another_kind_are_refused(folder, options, names):
    assert_names(fails(USAGE, "survey", "new", "-q", "Q?", "-e", "1", *options), *names)
