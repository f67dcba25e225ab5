"""Designs as values: their integers, what of these is refused, and their tallies."""

import pickle

import numpy as np
import pytest

from exact import MadeOfOthers
from privet import Survey, Tally
from privet.device.mechanisms.odds import floor_exp
from privet.device.mechanisms.subsets.cyclotomic import Cyclotomic
from privet.device.mechanisms.subsets.design import MOST_BLOCKS
from privet.device.mechanisms.subsets.hadamard import Hadamard
from privet.device.mechanisms.subsets.projective import Projective
from privet.errors import InvalidSurvey, InvalidTally
from refusing import refused_argument


@pytest.mark.parametrize("make", [Cyclotomic, Projective, Hadamard])
def test_parameters_rebuild_the_mechanism(make):
    for d, epsilon in [(2, 0.1), (50, 1.0), (1000, 4.0)]:
        mechanism = make(d, epsilon)
        rebuilt = make.from_parameters(d, epsilon, mechanism.parameters)
        mechanism.sample(0, Words([0, 0]))
        assert pickle.loads(pickle.dumps(mechanism)) == rebuilt == mechanism
        assert hash(rebuilt) == hash(mechanism)
    assert make(50, 1.0) != make(50, 2.0)
    with pytest.raises(AttributeError, match="immutable"):
        mechanism.k = 5


class Words(MadeOfOthers):
    """A stream of given numbers."""

    def __init__(self, numbers):
        self.numbers = numbers

    def coin(self, heads, total):
        return self.numbers.pop(0) < heads

    def below(self, n):
        return self.numbers.pop(0) % n


def test_own_classes_and_fields():
    assert Cyclotomic(10, 1.0, p=13, m=3, u=np.int64(2)).k == 8
    assert repr(Projective(10, 1.0, q=9)) == "Projective(d=10, epsilon=1.0, q=9, t=2, recurrence=4)"
    assert repr(Hadamard(10, 1.0)) == "Hadamard(d=10, epsilon=1.0, t=4)"


@pytest.mark.parametrize(
    ("make", "parameter", "owner"),
    [
        (lambda: Cyclotomic(1, 1.0), "d", "Cyclotomic"),
        (lambda: Projective(10, 0), "epsilon", "Projective"),
        (lambda: Hadamard(10, 99.0), "epsilon", "Hadamard"),
        (lambda: Cyclotomic(10, 99.0), "epsilon", "Cyclotomic"),
        (lambda: Cyclotomic(10, 2000.0), "epsilon", "Cyclotomic"),
        (lambda: Projective(10, 1e-30), "epsilon", "Projective"),
        (lambda: Cyclotomic(2**25, 1.0), "d", "Cyclotomic"),
        (lambda: Projective(2**26, 1.0), "d", "Projective"),
        (lambda: Hadamard(2**26, 1.0), "d", "Hadamard"),
        (lambda: Cyclotomic(10, 1.0, p=15, m=2, u=1), "p", "Cyclotomic"),
        (lambda: Cyclotomic(10, 1.0, p=7, m=2, u=1), "p", "Cyclotomic"),
        (lambda: Cyclotomic(10, 1.0, p=10**40, m=2, u=1), "p", "Cyclotomic"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=5, u=1), "m", "Cyclotomic"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=1, u=1), "m", "Cyclotomic"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=4, u=4), "u", "Cyclotomic"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=4, u=0), "u", "Cyclotomic"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=4), "u", "Cyclotomic"),
        (lambda: Cyclotomic(10, 1.0, p=13.0, m=4, u=1), "p", "Cyclotomic"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=4, u=True), "u", "Cyclotomic"),
        (lambda: Cyclotomic(10, 1.0, p=8388617, m=8, u=1), "p", "Cyclotomic"),
        (lambda: Cyclotomic(33_554_393, 1.0, p=33_554_393, m=4, u=1), "m", "Cyclotomic"),
        (lambda: Projective(10, 1.0, q=6), "q", "Projective"),
        (lambda: Projective(10, 1.0, q=1), "q", "Projective"),
        (lambda: Projective(10, 1.0, q=10**40), "q", "Projective"),
        (lambda: Projective(10, 1.0, q="4"), "q", "Projective"),
        (lambda: Projective(10**6, 1.0, q=509), "d", "Projective"),
    ],
)
def test_bad_arguments_are_refused(make, parameter, owner):
    with refused_argument(parameter, owner):
        make()


@pytest.mark.parametrize(
    ("mechanism", "change", "named"),
    [
        (Cyclotomic(10, 1.0, p=13, m=4, u=1), change, named)
        for change, named in [
            ({"p": 15}, r"p of .*\b15\b"),
            ({"p": 7}, "p of "),
            ({"p": 2**61 - 1}, "p of "),
            ({"m": 5}, r"m of .*\b5\b"),
            ({"u": 0}, r"u of .*\b0\b"),
            ({"u": 4}, r"u of .*\b4\b"),
            ({"root": 3}, r"root of .*\b3\b"),
            ({"root": 15}, "root of "),
            ({"root": True}, "p, m, u, root, scale"),
            ({"extra": 1}, "p, m, u, root, scale"),
            ({"odds": 5}, "odds of cyclotomic"),
            ({"odds": str(floor_exp(1.0, 50) + 1), "scale": 50}, "private"),
            ({"odds": "1", "scale": 0}, "private"),
            ({"scale": 61}, "private"),
            ({"odds": str(floor_exp(1.0, 60)), "scale": 60}, "64-bit"),
        ]
    ]
    + [
        (Projective(10, 1.0, q=4), change, named)
        for change, named in [
            ({"q": 6}, r"q of .*\b6\b"),
            (
                {"t": 2},
                "t of projective",
            ),
            ({"t": 14}, "t of "),
            ({"t": 10**9}, "t of "),
            ({"recurrence": 5}, "recurrence of projective"),
            ({"recurrence": 64}, "recurrence of "),
            ({"recurrence": -3}, "recurrence of "),
            ({"recurrence": [1, 1]}, "q, t, recurrence, scale"),
        ]
    ]
    + [
        (Hadamard(10, 1.0), {"t": 3}, r"t of .*\b3\b"),
        (Hadamard(10, 1.0), {"t": 27}, r"t of .*\b27\b"),
        (Hadamard(10, 1.0), {"t": 4.0}, "t, scale"),
    ],
    ids=lambda each: str(each).replace("\\", ""),
)
def test_tampered_parameters_are_refused(mechanism, change, named):
    parameters = {**mechanism.parameters, **change}
    with pytest.raises(InvalidSurvey, match=named):
        type(mechanism).from_parameters(10, 1.0, parameters)


def test_a_missing_parameter_is_refused():
    for mechanism in (Cyclotomic(10, 1.0), Projective(10, 1.0), Hadamard(10, 1.0)):
        for name in mechanism.parameters:
            rest = {key: value for key, value in mechanism.parameters.items() if key != name}
            with pytest.raises(InvalidSurvey, match=rf"\b{name}\b"):
                type(mechanism).from_parameters(10, 1.0, rest)


def test_tallies_of_designs():
    survey = Survey("Colour?", list("abcdefghij"), 1.0, mechanism=Cyclotomic(10, 1.0))
    tally = survey.tally()
    tally.update([survey.randomize("c") for _ in range(20)])
    tally.update(survey.randomize("c", secret=bytes(16)))
    assert tally.n == 21
    assert Tally.from_bytes(tally.to_bytes(), survey) == tally
    assert tally.estimate().frequencies.shape == (10,)
    mechanism, n = survey.mechanism, 2**47
    honest = np.zeros(mechanism.blocks, dtype=np.int64)
    honest[3] = n
    assert mechanism.check_aggregate(honest, n) is None
    for change in (1, -1):
        wrong = honest.copy()
        wrong[5] += change
        assert "counts must" in mechanism.check_aggregate(wrong, n)
    overflowing = np.full(mechanism.blocks, 2**63 - 1, dtype=np.int64)
    assert "counts must" in mechanism.check_aggregate(overflowing, n)
    data = bytearray(tally.to_bytes())
    data[50] ^= 1
    with pytest.raises(InvalidTally):
        Tally.from_bytes(bytes(data), survey)


def test_the_largest_designs_still_fit():
    assert Cyclotomic(33_554_393, 1.0).blocks <= MOST_BLOCKS
    assert Projective(MOST_BLOCKS - 1, 1.0).q == 2
    largest = Hadamard(MOST_BLOCKS - 1, 1.0)
    assert largest.blocks == MOST_BLOCKS - 1
    assert largest.problem((largest.blocks - 1).to_bytes(4, "little")) is None
    why = largest.problem(largest.blocks.to_bytes(4, "little"))
    assert "67108863" in why
    assert "67108862" in why
    with refused_argument("d", "Hadamard", value=MOST_BLOCKS):
        Hadamard(MOST_BLOCKS, 1.0)
