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
from refusing import assert_names

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
    assert "3 groups by country" in table
    assert f"{1000 / whole.design_effect:,.0f} reports" in table


def test_people():
    document = shares("g.parquet", "--by", "country", "--weights", "people.csv")
    assert document["target"] == 10_000
    low, _ = weighted().interval(target=10_000)
    for i, row in enumerate(document["categories"]):
        assert row["people"] == pytest.approx(10_000 * row["frequency"])
        assert row["people_low"] == pytest.approx(10_000 * low[i])
    same = shares("g.parquet", "--by", "country", *TYPED, "--people", "10000")
    assert same == document
    table = succeeds(*ASK, "--weights", "people.csv")
    assert "1,000 reports" in table
    assert "10,000 people" in table


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
    ("given", "names"),
    [
        (TYPED[:4], ["--weight", "country = IT", "250 reports"]),
        ([*TYPED, "--weight", "US=0.1"], ["--weight", "country = US", "no reports"]),
        ([*TYPED[:5], "IT=0.1"], ["--weight", "add up to 1", "0.8"]),
        (["--weights", "survey.json"], ["survey.json", "column 'share'"]),
        (
            ["--weights", "known.csv", "--people", "1000"],
            ["known.csv", "country = FR", "200 people", "500 reports"],
        ),
    ],
)
def test_weights_that_do_not_fit(given, names):
    assert_names(fails(BAD_DATA, *ASK, *given), *names)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["--weight", "DE"], ["--weight", "'DE'"]),
        (["--weight", "=1"], ["--weight", "'=1'"]),
        (["--weight", "DE=-1"], ["--weight", "'DE=-1'"]),
        (["--weight", "DE=nan"], ["--weight", "'DE=nan'"]),
        (["--weight", "DE=1", "--weight", "DE=2"], ["--weight DE", "twice"]),
        ([*TYPED, "--weights", "known.csv"], ["--weights", "--weight"]),
        (["--weights", "known.csv", "--target", "sample"], ["population"]),
        (["--weights", "people.csv", "--people", "20000"], ["people.csv", "--people"]),
        ([*TYPED, "--by", "report2"], ["--weight", "one column"]),
        (["--weights", "known.csv", "-o", "known.csv"], ["known.csv", "output"]),
    ],
)
def test_wrong_usage(given, names):
    assert_names(fails(USAGE, *ASK, *given), *names)


def test_weights_without_groups():
    line = fails(USAGE, "estimate", "survey.json", "g.parquet", "--weights", "known.csv")
    assert_names(line, "--by")
