"""privet estimate with weights: one table of groups whose sizes are known."""

import csv
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from commands import (
    BAD_DATA,
    SURVEY,
    USAGE,
    assert_is_a_picture,
    fails,
    shares,
    succeeds,
)
from privet.bulk import tally_groups
from privet.sums import poststratify

KNOWN = {"DE": 0.5, "FR": 0.2, "IT": 0.3}
ASK = ["estimate", "survey.json", "g.parquet", "--by", "country"]
TYPED = [part for name, share in KNOWN.items() for part in ("--weight", f"{name}={share}")]


@pytest.fixture(autouse=True)
def known(grouped):
    """The sizes of the countries, as shares and as people."""
    rows = [f"{name},{share}\n" for name, share in KNOWN.items()]
    Path("known.csv").write_text("country,share\n" + "".join(rows))
    rows = [f"{name},{int(share * 10_000)}\n" for name, share in KNOWN.items()]
    Path("people.csv").write_text("country,people\n" + "".join(rows))


def weighted():
    tallies = tally_groups("g.parquet", SURVEY, ["country"])
    estimates = {country: tally.estimate() for (country,), tally in tallies.items()}
    return poststratify(estimates, KNOWN)


@pytest.mark.parametrize("given", [["--weights", "known.csv"], TYPED])
def test_one_table_of_all_groups(given):
    document = shares("g.parquet", "--by", "country", *given)
    whole = weighted()
    low, high = whole.interval()
    assert document["n"] == 1000
    assert document["design_effect"] == pytest.approx(whole.design_effect)
    assert [(one["group"]["country"], one["n"]) for one in document["weighted_by"]] == [
        ("DE", 250), ("FR", 500), ("IT", 250),
    ]  # fmt: skip
    for i, row in enumerate(document["categories"]):
        assert row["frequency"] == pytest.approx(whole.frequencies[i])
        assert (row["low"], row["high"]) == pytest.approx((low[i], high[i]))
    table = succeeds(*ASK, *given)
    assert table.count("  category  ") == 1
    assert "3 groups by country, weighted by known size. The design effect is 1." in table
    assert f"as much as {1000 / whole.design_effect:,.0f} reports of people drawn" in table


def test_people():
    document = shares("g.parquet", "--by", "country", "--weights", "people.csv")
    assert document["target"] == 10_000
    low, _ = weighted().interval(target=10_000)
    for i, row in enumerate(document["categories"]):
        assert row["people"] == pytest.approx(10_000 * row["frequency"])
        assert row["people_low"] == pytest.approx(10_000 * low[i])
    same = shares("g.parquet", "--by", "country", *TYPED, "--people", "10000")
    assert same == document
    assert "1,000 reports from 10,000 people" in succeeds(*ASK, "--weights", "people.csv")


def test_files_and_pictures():
    outputs = ["-o", "w.csv", "--figure", "w.png"]
    succeeds(*ASK, "--weights", "known.csv", *outputs)
    assert_is_a_picture("w.png")
    with Path("w.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["frequency"]) for row in rows] == pytest.approx(weighted().frequencies)
    succeeds(*ASK, "--weights", "known.csv", "-o", "w.parquet")
    shrunk = parquet.read_table("w.parquet")["shrunk"].to_numpy()
    assert np.sum(shrunk) == pytest.approx(1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (TYPED[:4], "--weight: the group country = IT, with 250 reports, is not there."),
        ([*TYPED, "--weight", "US=0.1"], "--weight: the group country = US has no reports"),
        ([*TYPED[:5], "IT=0.1"], "--weight: shares add up to 1, and people are whole numbers. The"),
        (["--weights", "survey.json"], "survey.json: there is no column 'share'"),
        (
            ["--weights", "known.csv", "--people", "1000"],
            "known.csv: the group country = FR has 200 people, and 500 reports.",
        ),
    ],
)
def test_weights_that_do_not_fit(given, said):
    assert fails(BAD_DATA, *ASK, *given).startswith(said)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--weight", "DE"], "--weight must be a group and its share, such as north=0.3. Got 'DE'"),
        (["--weight", "=1"], "--weight must be"),
        (["--weight", "DE=-1"], "--weight must be"),
        (["--weight", "DE=nan"], "--weight must be"),
        (["--weight", "DE=1", "--weight", "DE=2"], "--weight DE is given twice"),
        ([*TYPED, "--weights", "known.csv"], "--weights and --weight say the same"),
        (["--weights", "known.csv", "--target", "sample"], "Weights are for a population"),
        (["--weights", "people.csv", "--people", "20000"], "says how many people there are"),
        ([*TYPED, "--by", "report2"], "--weight is for one column"),
        (["--weights", "known.csv", "-o", "known.csv"], "given twice"),
    ],
)
def test_wrong_usage(given, said):
    assert said in fails(USAGE, *ASK, *given)


def test_weights_without_groups():
    line = fails(USAGE, "estimate", "survey.json", "g.parquet", "--weights", "known.csv")
    assert "name their column with --by" in line
