"""The choice of a mechanism: surveys that name none keep the contract that they always had."""

import json
from pathlib import Path

import numpy as np
import pytest

from privet.device.mechanisms.choosing import choose_for_sets, squared_error
from privet.mechanisms import KSubset, ListedSets, OneOption, SetSubset, choose
from refusing import refused_argument

CHOICES = json.loads((Path(__file__).parents[1] / "vectors" / "choices.json").read_text())


def contract(mechanism):
    return {"name": mechanism.name, **mechanism.parameters}


def test_one_choice_takes_the_recorded_mechanism_and_integers():
    for d, epsilon, expected in CHOICES["one"]:
        assert contract(choose(d, epsilon)) == expected, (d, epsilon)
    names = {expected["name"] for _, _, expected in CHOICES["one"]}
    assert names == {"k-subset", "hadamard", "projective", "cyclotomic"}


def test_several_choices_take_the_recorded_mechanism_and_integers():
    for options, epsilon, most, pairs, expected in CHOICES["several"]:
        chosen = choose_for_sets(options, epsilon, most, pairs=pairs)
        assert contract(chosen) == expected, (options, epsilon, most, pairs)
    kinds = {(expected["name"], pairs) for *_, pairs, expected in CHOICES["several"]}
    assert kinds == {
        ("set-subset", False), ("set-subset", True), ("listed-sets", False),
        ("listed-sets", True), ("one-option", False),
    }  # fmt: skip


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_errors_that_are_compared_are_those_that_an_analyst_computes(epsilon):
    for d in (2, 5, 40):
        for mechanism in (KSubset(d, epsilon), choose(d, epsilon)):
            flat = np.full(d, 1 / d)
            expected = mechanism.variance(flat, 1, "sample").sum()
            assert squared_error(mechanism) == pytest.approx(expected, rel=1e-12)
    for make in (SetSubset, OneOption, ListedSets):
        for options, most in ((2, 1), (6, 2), (7, 4)):
            mechanism = make(options, epsilon, most)
            for share in (0.0, 0.2, 1.0):
                (expected,) = mechanism.variance(np.array([share]), 1, "sample")
                assert mechanism.share_variance(share) == pytest.approx(expected, rel=1e-12)


def test_bad_arguments_are_named():
    for d, epsilon, parameter in ((1, 1.0, "d"), (2.5, 1.0, "d"), (3, 0.0, "epsilon")):
        with refused_argument(parameter):
            choose(d, epsilon)
