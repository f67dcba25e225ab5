"""privet compare: waves, groups and known shares, tables, pictures, and what is refused."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from commands import (
    BAD_DATA,
    SHARES,
    SURVEY,
    USAGE,
    assert_is_a_picture,
    fails,
    run,
    succeeds,
    write_reports,
)
from privet import Survey
from privet.bulk import tally_files
from privet.entropy import seeded
from privet.sums import changes, fit, homogeneity
from refusing import assert_names, in_row

LATER = Survey("What do you drink?", list(SHARES), 1.0, id="drinks-later")
KNOWN = "category,share\ntea,0.5\ncoffee,0.3\njuice,0.15\nneither,0.05\n"


def wave(path, shares, survey=SURVEY, people=2000, seed=1):
    """Reports of people with these shares, in percent."""
    answers = np.repeat(list(SHARES), np.array(shares) * people // 100).tolist()
    write_reports(path, survey.randomize_batch(answers, entropy=seeded(seed)), survey)


@pytest.fixture
def waves(folder):
    wave("before.parquet", [50, 30, 15, 5])
    wave("after.parquet", [20, 60, 15, 5], LATER, 5000, seed=2)
    Path("known.csv").write_text(KNOWN)
    Path("later.json").write_text(LATER.to_json())


def estimate(path, survey=SURVEY):
    return tally_files([Path(path)], survey).estimate()


def document(*args):
    return json.loads(succeeds("compare", *args, "--json"))


def test_two_waves_with_surveys_of_their_own(waves):
    found = document("before.parquet", "after.parquet")
    one, two = estimate("before.parquet"), estimate("after.parquet", LATER)
    test, shares = homogeneity(one, two), changes(one, two)
    assert found["test"]["p_value"] == test.p_value
    assert found["test"]["method"] == "chi-square"
    assert found["test"]["differs"] is True
    assert [(crowd["name"], crowd["n"], crowd["survey"]) for crowd in found["crowds"]] == [
        ("before", 2000, "drinks"),
        ("after", 5000, "drinks-later"),
    ]
    (pair,) = found["comparisons"]
    assert (pair["first"], pair["second"]) == ("before", "after")
    for i, row in enumerate(pair["categories"]):
        assert row["category"] == list(SHARES)[i]
        assert row["difference"] == shares.values[i] == row["second_share"] - row["first_share"]
        assert (row["low"], row["high"]) == (shares.low[i], shares.high[i])
        assert row["p_value"] == shares.p_values[i]
        assert row["found"] is (row["p_value"] <= 0.05) is (row["low"] > 0 or row["high"] < 0)
    assert [row["found"] for row in pair["categories"]] == [True, True, False, False]


def test_the_table_says_it_in_words(waves):
    said = succeeds("compare", "before.parquet", "after.parquet")
    assert said.index("coffee") < said.index("juice")  # the largest differences first
    assert "2 of 4 categories" in said
    assert "1 of 1,000" in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 100
    said = succeeds("compare", "before.parquet", "after.parquet", "--top", 1)
    assert "coffee" in said
    assert "juice" not in said
    assert "3 categories" in said
    wave("again.parquet", [50, 30, 15, 5], seed=7)
    found = document("before.parquet", "again.parquet")
    assert found["test"]["differs"] is False
    assert not any(row["found"] for row in found["comparisons"][0]["categories"])
    assert "2 of 4 categories" not in succeeds("compare", "before.parquet", "again.parquet")


def test_tallies_with_a_survey_for_all_or_one_for_each(waves):
    succeeds("tally", "before.parquet", "-o", "before.tally")
    succeeds("tally", "after.parquet", "-o", "after.tally")
    wanted = document("before.parquet", "after.parquet")
    surveys = ["--survey", "survey.json", "--survey", "later.json"]
    assert document("before.tally", "after.tally", *surveys) == wanted
    wave("again.parquet", [50, 30, 15, 5], seed=7)
    mixed = document("before.tally", "again.parquet", "--survey", "survey.json")
    assert mixed == document("before.parquet", "again.parquet")
    line = fails(BAD_DATA, "compare", "before.tally", "after.tally", "--survey", "survey.json")
    assert line.startswith("after.tally: ")
    line = fails(BAD_DATA, "compare", "before.tally", "after.tally")
    assert_names(line, "before.tally", "no survey")


def test_groups_of_one_file(grouped):
    found = document("g.parquet", "--by", "country")
    assert [crowd["name"] for crowd in found["crowds"]] == ["DE", "FR", "IT"]
    assert [(p["first"], p["second"]) for p in found["comparisons"]] == [("DE", "FR"), ("DE", "IT")]
    assert found["test"]["degrees_of_freedom"] == 6
    said = succeeds("compare", "g.parquet", "--by", "country")
    for name in ("DE", "FR", "IT", "3 groups"):
        assert name in said
    two = document("g.parquet", "--by", "country", "--groups", "IT, FR")
    assert [(p["first"], p["second"]) for p in two["comparisons"]] == [("IT", "FR")]
    # Two comparisons with one group are more than one: intervals are wider, p-values larger.
    narrow = document("g.parquet", "--by", "country", "--groups", "DE,FR")["comparisons"][0]
    for one, many in zip(narrow["categories"], found["comparisons"][0]["categories"], strict=True):
        assert many["low"] < one["low"] <= one["high"] < many["high"]
        assert many["p_value"] == pytest.approx(min(2 * one["p_value"], 1))


def test_small_groups_are_left_out(folder):
    answers = pa.table(
        {"answer": ["tea"] * 45, "country": ["FR"] * 20 + ["DE"] * 20 + ["IT"] * 4 + [None]}
    )
    parquet.write_table(answers, "a.parquet")
    succeeds("randomize", "survey.json", "a.parquet", "-o", "g.parquet", "--by", "country")
    result = run("compare", "g.parquet", "--by", "country", "--json")
    assert [crowd["name"] for crowd in json.loads(result.stdout)["crowds"]] == ["DE", "FR"]
    assert "Note: 2 groups" in result.stderr
    named = document("g.parquet", "--by", "country", "--groups", "FR,IT,(none)")
    assert [crowd["n"] for crowd in named["crowds"]] == [20, 4, 1]
    assert named["test"]["method"] == "resampled"


def test_known_shares(waves):
    found = document("before.parquet", "--known", "known.csv")
    one = estimate("before.parquet")
    test = fit(one, [0.5, 0.3, 0.15, 0.05])
    assert found["test"]["p_value"] == test.p_value
    (pair,) = found["comparisons"]
    assert (pair["first"], pair["second"]) == ("known", "before")
    low, _ = one.survey.mechanism.interval(one.counts, one.n, 0.05 / 4, "population")
    for i, row in enumerate(pair["categories"]):
        assert row["first_share"] == SHARES[row["category"]] / 100
        assert row["low"] == pytest.approx(low[i] - row["first_share"])
        assert row["found"] is (row["p_value"] <= 0.05) is (row["low"] > 0 or row["high"] < 0)
    assert found["test"]["differs"] is False
    assert "known" in succeeds("compare", "before.parquet", "--known", "known.csv")
    Path("known.json").write_text('{"tea": 0.2, "coffee": 0.6, "juice": 0.15, "neither": 0.05}')
    assert document("before.parquet", "--known", "known.json")["test"]["differs"] is True


@pytest.mark.parametrize("name", ["out.csv", "out.json", "out.parquet"])
def test_files_have_every_category(grouped, name):
    succeeds("compare", "g.parquet", "--by", "country", "-o", name, "--top", 1)
    if name.endswith("json"):
        document = json.loads(Path(name).read_text())
        rows = [
            {"first": pair["first"], "second": pair["second"], **row}
            for pair in document["comparisons"]
            for row in pair["categories"]
        ]
    elif name.endswith("csv"):
        with Path(name).open(newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = parquet.read_table(name).to_pylist()
    assert [(row["first"], row["second"], row["category"]) for row in rows] == [
        ("DE", other, category) for other in ("FR", "IT") for category in SHARES
    ]
    for row in rows:
        assert float(row["low"]) < float(row["difference"]) < float(row["high"])


def test_pictures(waves, grouped):
    succeeds("compare", "before.parquet", "after.parquet", "--figure", "a.png")
    succeeds("compare", "g.parquet", "--by", "country", "--figure", "b.png")
    succeeds("compare", "before.parquet", "--known", "known.csv", "--figure", "c.svg")
    assert_is_a_picture("a.png")
    assert_is_a_picture("b.png")
    text = Path("c.svg").read_text()
    for words in ("before − known", "difference, percentage points", "What do you drink?"):
        assert words in text


def test_files_of_the_same_name_are_called_by_their_paths(waves):
    Path("old").mkdir()
    Path("before.parquet").rename("old/after.parquet")
    found = document("old/after.parquet", "after.parquet")
    assert [crowd["name"] for crowd in found["crowds"]] == ["old/after.parquet", "after.parquet"]


def test_a_folder_is_one_crowd(waves):
    Path("days").mkdir()
    for day in (1, 2):
        wave(f"days/{day}.parquet", [50, 30, 15, 5], seed=day)
    found = document("days", "after.parquet")
    assert [(crowd["name"], crowd["n"]) for crowd in found["crowds"]] == [
        ("days", 4000),
        ("after", 5000),
    ]


def test_wrong_usage(waves, grouped):
    both, by = ["before.parquet", "after.parquet"], ["g.parquet", "--by", "country"]
    for args, names in (
        (["before.parquet"], ["compare", "--by", "--known"]),
        (["before.parquet", "before.parquet"], ["before.parquet", "twice"]),
        (["survey.json", "before.parquet"], ["survey.json", "--survey"]),
        ([*by, "--known", "known.csv"], ["--by", "--known"]),
        ([*both, "--groups", "a,b"], ["--groups", "--by"]),
        (["before.parquet", "nowhere.parquet"], ["'nowhere.parquet'"]),
        ([*by, "--groups", "FR,FR"], ["'FR'", "twice"]),
        ([*by, "-o", "g.parquet"], ["g.parquet", "output"]),
        ([*both, *["--survey", "later.json"] * 3], ["--survey", "2", "3"]),
    ):
        assert_names(fails(USAGE, "compare", *args), *names)


def test_bad_data(waves, grouped):
    other = Survey("What do you eat?", ["bread", "rice"], 1.0, id="food")
    write_reports("food.parquet", other.randomize_batch(["rice"] * 50), other)
    write_reports("none.parquet", SURVEY.randomize_batch([]))
    Path("part.csv").write_text(KNOWN.replace("neither,0.05\n", ""))
    Path("sum.csv").write_text(KNOWN.replace("0.05", "0.1"))
    Path("other.csv").write_text(KNOWN.replace("juice", "milk"))
    for args, names in (
        (["before.parquet", "food.parquet"], ["'drinks'", "'food'", "categories"]),
        (["before.parquet", "none.parquet"], ["none.parquet", "no reports"]),
        (["none.parquet", "--known", "known.csv"], ["none.parquet", "no reports"]),
        (["before.parquet", "--by", "country"], ["before.parquet", "column 'country'"]),
        (["g.parquet", "--by", "country", "--groups", "FR,UK"], ["g.parquet", "'UK'", "country"]),
        (["g.parquet", "--by", "country", "--groups", "FR"], ["g.parquet", "country", "1"]),
        (["before.parquet", "--known", "part.csv"], ["part.csv", "'neither'", "missing"]),
        (["before.parquet", "--known", "sum.csv"], ["sum.csv", "1.05"]),
        (["before.parquet", "--known", "other.csv"], ["other.csv", *in_row(3), "'milk'"]),
    ):
        assert_names(fails(BAD_DATA, "compare", *args, "-o", "out.csv"), *names)
