"""privet regress: tables, JSON, files and pictures, and what is refused in the user's terms."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from commands import BAD_DATA, SURVEY, USAGE, assert_is_a_picture, fails, run, succeeds
from privet import Scale, Several, Survey, regression
from privet.entropy import seeded

N = 4000


@pytest.fixture
def kept(folder):
    """Reports with an age, a region, a weight and more, in r.parquet."""
    rng = np.random.default_rng(1)
    age, north = rng.integers(20, 80, N), rng.random(N) < 0.5
    wish = np.stack([0 * age, 1.5 - 0.03 * age, -1 + north, -9 + 0 * age], 1) + rng.gumbel(
        size=(N, 4)
    )
    reports = SURVEY.randomize_batch(
        np.array(SURVEY.categories)[wish.argmax(1)].tolist(), entropy=seeded(1)
    )
    columns = {
        "age": age,
        "region": np.where(north, "north", "south"),
        "district": rng.integers(1, 4, N),
        "weight": rng.choice([0.5, 2.0], N),
        "same": np.ones(N),
        "name": np.array([f"person {i}" for i in range(N)]),
        "twice": 2.0 * age,
        "holes": [None if i % 40 == 0 else float(i % 7) for i in range(N)],
        "zero": np.arange(N) % 3,
    }
    write(reports, columns)
    return reports, columns


def write(reports, columns, survey=SURVEY, path="r.parquet"):
    rows = pa.array([bytes(one) for one in reports], pa.binary(reports.shape[1]))
    table = pa.table({"report": rows, **columns})
    note = {b"privet.survey": survey.to_json().encode()}
    parquet.write_table(table.replace_schema_metadata(note), path)


def document(*args):
    return json.loads(succeeds("regress", "r.parquet", *args, "--json"))


def test_it_is_the_fit_of_the_same_columns(kept):
    reports, columns = kept
    found = document("--on", "age", "--on", "region")
    fitted = regression.fit(SURVEY, reports, {name: columns[name] for name in ("age", "region")})
    low, high = fitted.interval()
    assert (found["n"], found["left_out"], found["reference"]) == (N, 0, "tea")
    assert found["too_rare"] == list(fitted.too_rare) == ["neither"]
    rows = [row for row in found["coefficients"] if row["category"] == "coffee"]
    assert [row["covariate"] for row in rows] == fitted.names
    assert np.allclose([row["coefficient"] for row in rows], fitted.coefficients[:, 0])
    assert np.allclose([row["low"] for row in rows], low[:, 0])
    assert np.allclose([row["high"] for row in rows], high[:, 0])
    assert np.allclose([row["p_value"] for row in rows], fitted.p_values[:, 0])
    (row,) = (row for row in found["coefficients"][-1:])
    assert row["category"] == "neither"
    assert row["coefficient"] is row["low"] is row["high"] is row["p_value"] is None


def test_the_table_names_what_is_too_rare(kept):
    said = succeeds("regress", "r.parquet", "--on", "age", "--on", "region")
    assert "'tea'" in said
    assert "region = south" in said
    assert "'neither'" in said


def test_reference_baseline_and_numbers_that_are_names(kept):
    options = ("--on", "region", "--on", "district", "--text", "district")
    found = document(*options, "--reference", "coffee", "--baseline", "region=south")
    assert found["reference"] == "coffee"
    names = [row["covariate"] for row in found["coefficients"] if row["category"] == "tea"]
    assert names == ["intercept", "region = north", "district = 2", "district = 3"]


def test_people_are_predicted_with_intervals(kept):
    reports, columns = kept
    options = ("--on", "age", "--on", "region", "--level", 0.9)
    found = document(*options, "--at", "age=20,region=north", "--at", "region=south, age=70")
    fitted = regression.fit(SURVEY, reports, {name: columns[name] for name in ("age", "region")})
    people = {"age": [20, 70], "region": ["north", "south"]}
    low, high = fitted.predict_interval(people, 0.9)
    for name, expected in (("share", fitted.predict(people)), ("low", low), ("high", high)):
        assert np.allclose([row[name] for row in found["predictions"]], expected.ravel())
    assert found["predictions"][0]["at"] == {"age": 20, "region": "north"}
    said = succeeds("regress", "r.parquet", *options, "--at", "age=20,region=north")
    assert "age = 20, region = north" in said


def test_weights_are_those_of_the_fit(kept):
    reports, columns = kept
    found = document("--on", "age", "--weights", "weight")
    fitted = regression.fit(SURVEY, reports, {"age": columns["age"]}, weights=columns["weight"])
    assert np.isclose(found["coefficients"][1]["coefficient"], fitted.coefficients[1, 0])
    assert np.isclose(found["coefficients"][1]["standard_error"], fitted.standard_errors[1, 0])


def test_files_and_a_picture(kept):
    options = ("regress", "r.parquet", "--on", "age", "--on", "region")
    said = succeeds(*options, "-o", "c.csv", "--figure", "c.png")
    assert_is_a_picture(Path("c.png"))
    with Path("c.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 9
    assert rows[-1]["coefficient"] == rows[-1]["low"] == ""
    succeeds(*options, "-o", "c.parquet")
    table = parquet.read_table("c.parquet")
    assert table["coefficient"].null_count == 3
    assert said


def test_rows_without_a_value_are_left_out_and_counted(kept):
    result = run("regress", "r.parquet", "--on", "holes", "--json")
    assert json.loads(result.stdout)["left_out"] == N // 40
    assert f"{N // 40} reports" in result.stderr
    assert "holes 100" in result.stderr


def test_text_columns_of_privet_randomize_are_numbers_where_they_look_like_some(folder):
    rows = [f"{'tea' if i % 3 else 'coffee'},{20 + i % 50}" for i in range(600)]
    Path("known.csv").write_text("\n".join(["answer,age", *rows]))
    options = ("--column", "answer", "--by", "age", "-o", "r.parquet")
    succeeds("randomize", "survey.json", "known.csv", *options)
    names = {row["covariate"] for row in document("--on", "age")["coefficients"]}
    assert names == {"intercept", "age"}


def test_numbers_on_a_scale(folder):
    survey = Survey("How old?", Scale(0, 64), 4.0, id="age")
    rng = np.random.default_rng(1)
    member = rng.random(3000) < 0.5
    ages = rng.normal(20 + 20 * member, 5).clip(0, 64)
    columns = {"member": np.where(member, "yes", "no")}
    write(survey.randomize_batch(ages, entropy=seeded(1)), columns, survey)
    found = document("--on", "member", "--at", "member=yes")
    assert found["model"] == "linear"
    intercept, slope = found["coefficients"]
    assert slope["low"] < 20 < slope["high"]
    assert intercept["low"] < 20 < intercept["high"]
    (mean,) = found["predictions"]
    assert mean["low"] < 40 < mean["high"]
    assert "mean" in succeeds("regress", "r.parquet", "--on", "member", "--at", "member=yes")
    succeeds("regress", "r.parquet", "--on", "member", "--figure", "c.png")
    assert_is_a_picture(Path("c.png"))
    fails(USAGE, "regress", "r.parquet", "--on", "member", "--reference", "yes")


@pytest.mark.parametrize(
    ("code", "said", "options"),
    [
        (BAD_DATA, "'nothing'", ["--on", "nothing"]),
        (BAD_DATA, "'same'", ["--on", "same"]),
        (BAD_DATA, "4,000 different", ["--on", "name"]),
        (BAD_DATA, "twice", ["--on", "age", "--on", "twice"]),
        (BAD_DATA, "'zero'", ["--on", "age", "--weights", "zero"]),
        (BAD_DATA, "'region'", ["--on", "age", "--weights", "region"]),
        (USAGE, "water", ["--on", "age", "--reference", "water"]),
        (USAGE, "east", ["--on", "region", "--baseline", "region=east"]),
        (USAGE, "age", ["--on", "region", "--baseline", "age=20"]),
        (USAGE, "region", ["--on", "region", "--baseline", "region"]),
        (USAGE, "twice", ["--on", "age", "--on", "age"]),
        (USAGE, "district", ["--on", "age", "--text", "district"]),
        (USAGE, "age", ["--on", "age", "--weights", "age"]),
        (USAGE, "region", ["--on", "age", "--on", "region", "--at", "age=3"]),
        (USAGE, "old", ["--on", "age", "--at", "age=old"]),
        (USAGE, "east", ["--on", "region", "--at", "region=east"]),
        (USAGE, "--on", []),
        (USAGE, "c.txt", ["--on", "age", "-o", "c.txt"]),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(kept, code, said, options):
    line = fails(code, "regress", "r.parquet", *options)
    assert said in line


def test_other_files_are_refused(kept):
    line = fails(USAGE, "regress", "survey.json", "--survey", "survey.json", "--on", "age")
    assert "survey.json" in line
    succeeds("tally", "r.parquet", "-o", "r.tally")
    line = fails(BAD_DATA, "regress", "r.tally", "--survey", "survey.json", "--on", "age")
    assert line.startswith("r.tally")
    survey = Survey("Q", Several(["a", "b", "c"], 2), 2.0, id="some")
    write(survey.randomize_batch([["a"]] * 20), {"age": np.arange(20)}, survey, "s.parquet")
    assert "some" in fails(USAGE, "regress", "s.parquet", "--on", "age")
    write(kept[0][:0], {"age": np.zeros(0)}, path="empty.parquet")
    fails(BAD_DATA, "regress", "empty.parquet", "--on", "age")
