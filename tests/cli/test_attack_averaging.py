"""privet simulate attack averaging: the table, JSON, the picture, and what it refuses."""

import json

import pytest

from commands import USAGE, assert_is_a_picture, fails, succeeds
from privet.mechanisms import KSubset, TwoLevelUnary
from privet.simulate import averaging
from refusing import assert_names

COMMAND = ["simulate", "attack", "averaging", "--seed", "1", "-n", "300"]


@pytest.fixture(autouse=True)
def _in(folder):
    """Every command runs in a folder of its own."""


def test_json_is_what_the_library_says():
    options = ["-d", "20", "-e", "2", "--all-epsilon", "3", "--reports", "1", "--reports", "40"]
    document = json.loads(succeeds(*COMMAND, *options, "--json"))
    curves = [
        averaging(mechanism, [1, 40], keyed=keyed, people=300, seed=1)
        for mechanism, keyed in [
            (KSubset(20, 2.0), False), (KSubset(20, 2.0), True), (TwoLevelUnary(20, 3.0, 2.0), True)
        ]
    ]  # fmt: skip
    rows = document.pop("rows")
    assert document == {"values": 20, "people": 300, "seed": 1}
    assert [row["found"] for row in rows] == [share for curve in curves for share in curve.found]
    assert [row["reports"] for row in rows] == [1, 40] * 3
    assert [row["keyed"] for row in rows] == [False, False, True, True, True, True]


def test_the_table_shows_that_a_secret_stops_it():
    text = succeeds(*COMMAND)
    rows = [line.split() for line in text.splitlines() if "±" in line]
    first, last = rows[0], rows[-1]
    assert last[0] == "1,000"
    assert last[1] == "100.0"
    assert last[5] == first[5] == "1.8"
    assert_names(text.splitlines()[-1], "values: 100", "ε: 1", "people: 300", "seed: 1")


def test_the_picture():
    succeeds(*COMMAND, "-d", "10", "--reports", "1", "--reports", "9", "--figure", "found.png")
    assert_is_a_picture("found.png")


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (["--reports", "0"], ["'reports'", "[1, 1000000]"]),
        (["--all-epsilon", "0.5"], ["'report_epsilon'", "[1e-12, 0.5)"]),
        (["-d", "1"], ["'d'", "KSubset", "1"]),
        (["-d", "100000000"], ["'people'"]),
    ],
)
def test_what_is_refused(args, names):
    assert_names(fails(USAGE, *COMMAND, *args), *names)


def test_options_before_the_name_of_an_attack_are_refused():
    line = fails(USAGE, "simulate", "-d", "5", "attack", "averaging")
    assert_names(line, "'--values'", "'attack'")
