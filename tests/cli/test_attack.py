"""privet simulate attack."""

import json

from commands import USAGE, fails, succeeds
from refusing import assert_names

POISONING = [
    "simulate",
    "attack",
    "poisoning",
    "--values",
    "100",
    "--people",
    "3000",
    "--seed",
    "1",
]


def test_liars_gain_what_the_theory_says_and_are_seen():
    found = json.loads(succeeds(*POISONING, "--liars", "200", "--repeats", "10", "--json"))
    assert abs(found["gain"] - found["worst"]) < 4 * found["standard_error"]
    assert found["seen"] == {"canaries": 1.0}
    shown = succeeds(*POISONING, "--liars", "200", "--repeats", "2")
    for name in ("200", "3,200", "canaries"):
        assert name in shown
    assert shown.endswith("seed: 1\n")


def test_other_mechanisms_and_random_lies():
    words = ["--repeats", "3", "--json", "--lie", "random"]
    assert json.loads(succeeds(*POISONING, *words, "-m", "k-subset"))["seen"].keys() == {"pairs"}
    assert json.loads(succeeds(*POISONING, *words, "-m", "multivariate-rr"))["seen"] == {}
    assert "No test" in succeeds(*POISONING, "-m", "multivariate-rr", "--repeats", "2")


def test_senseless_attacks_are_refused():
    assert_names(fails(USAGE, *POISONING, "-m", "none"), "'none'")
    assert_names(fails(USAGE, *POISONING, "-m", "binary-rr"), "mechanism", "sets of k values")
    assert_names(fails(USAGE, *POISONING, "--targets", "101"), "--targets 101")
