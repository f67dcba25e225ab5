"""privet compare of scales, of several choices, and of one question of a questionnaire."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from commands import (
    BAD_DATA,
    SHARES,
    SURVEY,
    USAGE,
    assert_is_a_picture,
    fails,
    succeeds,
    write_reports,
)
from privet import Questionnaire, Scale, Several, Survey
from privet.bulk import tally_files
from privet.entropy import seeded
from refusing import assert_names

AGE = Survey("How old are you?", Scale(0, 120, unit="years", bands=[30, 60]), 4.0, id="age")
USES = Survey("What do you use?", Several(["bus", "car", "bike"], 2), 2.0, id="uses")
DRINK = Survey("What do you drink?", list(SHARES), 4.0, id="drink")
BOTH = Questionnaire("Both", [DRINK, AGE], 4.0, id="both")


def ages(path, mean, seed, people=3000):
    numbers = np.random.default_rng(seed).normal(mean, 12, people).clip(0, 120)
    write_reports(path, AGE.randomize_batch(numbers.tolist(), entropy=seeded(seed)), AGE)


def uses(path, bikes, seed, people=3000):
    chosen = [["bus"] + ["bike"] * (i % 100 < bikes) for i in range(people)]
    write_reports(path, USES.randomize_batch(chosen, entropy=seeded(seed)), USES)


def both(path, mean, tea, seed, people=3000):
    rng = np.random.default_rng(seed)
    answers = [
        BOTH.randomize({"drink": "tea" if i % 100 < tea else "coffee", "age": float(number)})
        for i, number in enumerate(rng.normal(mean, 12, people).clip(0, 120))
    ]
    write_reports(path, np.array([np.frombuffer(report, np.uint8) for report in answers]), BOTH)


@pytest.fixture
def waves():
    for name, mean, seed in (("before", 40, 1), ("after", 60, 2), ("again", 40, 3)):
        ages(f"{name}.parquet", mean, seed)


def estimate(path, survey):
    return tally_files([Path(path)], survey).estimate()


def document(*args):
    return json.loads(succeeds("compare", *args, "--json"))


def in_words(*args):
    return " ".join(succeeds("compare", *args).split())


def agrees(rows):
    return all(
        row["found"] is (row["p_value"] <= 0.05) is (row["low"] > 0 or row["high"] < 0)
        for row in rows
    )


def test_did_the_mean_change(waves):
    for first, second, differs, sign in (
        ("before", "after", True, 1),
        ("before", "again", False, None),
        ("after", "before", True, -1),
    ):
        found = document(f"{first}.parquet", f"{second}.parquet")
        (pair,) = found["comparisons"]
        assert found["test"]["differs"] is differs
        mean = pair["figures"][0]
        assert mean["figure"] == "mean"
        assert sign is None or sign * mean["difference"] > 0
        said = in_words(f"{first}.parquet", f"{second}.parquet")
        assert ("higher" in said, "lower" in said) == (sign == 1, sign == -1)
        assert "years" in said


def test_figures_in_full(waves):
    found = document("before.parquet", "after.parquet")
    one, two = estimate("before.parquet", AGE), estimate("after.parquet", AGE)
    table = two.change(one).table()
    (pair,) = found["comparisons"]
    assert agrees(pair["figures"])
    assert [row["figure"] for row in pair["figures"]] == [*table.names] == [*one.figures()]
    for i, row in enumerate(pair["figures"]):
        assert (row["low"], row["high"], row["p_value"]) == (
            table.low[i],
            table.high[i],
            table.p_values[i],
        )
        assert row["difference"] == pytest.approx(row["second_value"] - row["first_value"])
    assert found["test"] == {
        "what": "mean",
        "p_value": table.p_values[0],
        "statistic": None,
        "degrees_of_freedom": None,
        "method": "intervals",
        "differs": True,
    }


def test_three_waves_allow_for_their_number(waves):
    found = document("before.parquet", "after.parquet", "again.parquet")
    alone = document("before.parquet", "again.parquet")["comparisons"][0]["figures"]
    both = found["comparisons"][1]["figures"]
    assert both[0]["p_value"] == pytest.approx(min(2 * alone[0]["p_value"], 1))
    assert both[0]["low"] < alone[0]["low"] < alone[0]["high"] < both[0]["high"]
    changed = found["comparisons"][0]["figures"][0]
    assert (changed["found"], both[0]["found"]) == (True, False)
    said = in_words("before.parquet", "after.parquet", "again.parquet")
    for name in ("before", "after", "again"):
        assert name in said


def test_known_figures(waves):
    Path("known.csv").write_text("figure,value\nmean,40\n0 to 30,0.2\n")
    found = document("before.parquet", "--known", "known.csv")
    (pair,) = found["comparisons"]
    assert (pair["first"], pair["second"]) == ("known", "before")
    assert [row["figure"] for row in pair["figures"]] == ["mean", "share of 0 to 30"]
    low, high = estimate("before.parquet", AGE).mean().interval()
    assert (pair["figures"][0]["low"], pair["figures"][0]["high"]) == (low - 40, high - 40)
    assert agrees(pair["figures"])
    assert "mean" in in_words("after.parquet", "--known", "known.csv")
    assert document("after.parquet", "--known", "known.csv")["test"]["differs"] is True
    Path("known.json").write_text('{"median": 40}')
    found = document("after.parquet", "--known", "known.json")
    assert found["test"]["what"] == "any"
    assert found["test"]["p_value"] == found["comparisons"][0]["figures"][0]["p_value"]
    assert "mean" not in in_words("after.parquet", "--known", "known.json")


def test_groups_of_a_scale():
    Path("age.json").write_text(AGE.to_json())
    rows = [(40 + 30 * (i % 2), "north" if i % 2 else "south") for i in range(2000)]
    Path("a.csv").write_text("age,region\n" + "".join(f"{age},{name}\n" for age, name in rows))
    succeeds(
        "randomize", "age.json", "a.csv", "--column", "age", "--by", "region", "-o", "g.parquet"
    )
    found = document("g.parquet", "--by", "region", "--groups", "south,north")
    (pair,) = found["comparisons"]
    assert (pair["first"], pair["second"]) == ("south", "north")
    assert found["test"]["differs"] is True
    assert pair["figures"][0]["low"] > 0
    assert "north" in in_words("g.parquet", "--by", "region", "--groups", "south,north")


def test_options_one_by_one():
    for name, bikes, seed in (("one", 20, 1), ("two", 60, 2)):
        uses(f"{name}.parquet", bikes, seed)
    found = document("one.parquet", "two.parquet")
    (pair,) = found["comparisons"]
    assert [row["category"] for row in pair["categories"]] == ["bus", "car", "bike"]
    assert agrees(pair["categories"])
    assert [row["found"] for row in pair["categories"]] == [False, False, True]
    assert found["test"]["what"] == "any"
    assert found["test"]["p_value"] == min(row["p_value"] for row in pair["categories"])
    said = in_words("one.parquet", "two.parquet")
    assert "1 of 3 options" in said
    Path("known.csv").write_text("category,share\nbus,1\ncar,0\nbike,0.2\n")
    rows = document("two.parquet", "--known", "known.csv")["comparisons"][0]["categories"]
    assert [row["found"] for row in rows] == [False, False, True]


def test_a_question_of_a_questionnaire():
    both("one.parquet", 40, 50, 1)
    both("two.parquet", 70, 50, 2)
    one, two = (estimate(f"{name}.parquet", BOTH) for name in ("one", "two"))
    found = document("one.parquet", "two.parquet", "--question", "age")
    assert found["test"]["differs"] is True
    assert [crowd["survey"] for crowd in found["crowds"]] == ["age", "age"]
    assert [crowd["n"] for crowd in found["crowds"]] == [one["age"].n, two["age"].n]
    found = document("one.parquet", "two.parquet", "--question", "drink")
    assert found["test"]["what"] == "shares"
    assert agrees(found["comparisons"][0]["categories"])
    for args in ([], ["--question", "height"]):
        line = fails(USAGE, "compare", "one.parquet", "two.parquet", *args)
        assert_names(line, "--question", "drink, age")


def test_a_question_that_several_pages_ask():
    tea = Survey("Tea?", ["yes", "no"], 3.0, id="tea")
    cake = Survey("Cake?", ["yes", "no"], 3.0, id="cake")
    party = Questionnaire("Party", [tea, cake], 3.0, tables=[("tea", "cake")], id="party")
    for name, yes in (("one", 20), ("two", 80)):
        answers = [
            {"tea": "yes" if i % 100 < yes else "no", "cake": "yes" if i % 2 else "no"}
            for i in range(2000)
        ]
        reports = [np.frombuffer(party.randomize(answer), np.uint8) for answer in answers]
        write_reports(f"{name}.parquet", np.array(reports), party)
    found = document("one.parquet", "two.parquet", "--question", "tea")
    rows = found["comparisons"][0]["categories"]
    assert agrees(rows)
    assert all(row["found"] for row in rows)
    assert found["test"]["differs"] is True


@pytest.mark.parametrize("name", ["out.csv", "out.json", "out.parquet"])
def test_files_have_every_figure(waves, name):
    succeeds("compare", "before.parquet", "after.parquet", "-o", name)
    if name.endswith("csv"):
        with Path(name).open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == [
            "first", "second", "figure", "first_value", "second_value", "difference", "low", "high",
            "p_value", "found",
        ]  # fmt: skip
        assert float(rows[0]["low"]) < float(rows[0]["difference"]) < float(rows[0]["high"])
    assert Path(name).stat().st_size


def test_pictures_of_figures(waves):
    succeeds("compare", "before.parquet", "after.parquet", "--figure", "a.png")
    assert_is_a_picture("a.png")
    succeeds("compare", "before.parquet", "after.parquet", "again.parquet", "--figure", "b.svg")
    text = Path("b.svg").read_text()
    for words in ("after − before", "again − before", "years", "30 to 60", "median"):
        assert words in text


def test_what_is_refused(waves, folder):
    Path("known.csv").write_text("figure,value\nmode,40\n")
    Path("shares.csv").write_text("category,share\n0 to 30,0.5\n")
    other = Survey("How old are you?", Scale(0, 100, unit="years"), 4.0, id="other")
    write_reports("other.parquet", other.randomize_batch([40] * 50), other)
    write_reports("drinks.parquet", SURVEY.randomize_batch(["tea"] * 50))
    uses("uses.parquet", 20, 1, people=50)
    both = ["before.parquet", "after.parquet"]
    for code, args, names in (
        (USAGE, [*both, "--top", 3], ["--top", "categories"]),
        (USAGE, [*both, "--question", "age"], ["--question", "age"]),
        (BAD_DATA, ["before.parquet", "other.parquet"], ["'age'", "'other'", "120.0", "100.0"]),
        (BAD_DATA, ["before.parquet", "drinks.parquet"], ["'age'", "'drinks'", "scale"]),
        (BAD_DATA, ["drinks.parquet", "uses.parquet"], ["'drinks'", "'uses'", "categories"]),
        (BAD_DATA, ["before.parquet", "--known", "known.csv"], ["known.csv", "row 1", "'mode'"]),
        (BAD_DATA, ["before.parquet", "--known", "shares.csv"], ["shares.csv", "column 'figure'"]),
    ):
        assert_names(fails(code, "compare", *args), *names)
