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
from privet.errors import InvalidArgument, InvalidSurvey, InvalidTally


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
    ("make", "message"),
    [
        (lambda: Cyclotomic(1, 1.0), "'d' parameter of Cyclotomic must be an int in"),
        (lambda: Projective(10, 0), "'epsilon' parameter of Projective must be a finite number"),
        (lambda: Hadamard(10, 99.0), "'epsilon' parameter of Hadamard must be .*64-bit integers"),
        (lambda: Cyclotomic(10, 99.0), "'epsilon' parameter of Cyclotomic"),
        (lambda: Cyclotomic(10, 2000.0), "'epsilon' parameter of Cyclotomic"),
        (lambda: Projective(10, 1e-30), "'epsilon' parameter of Projective"),
        (lambda: Cyclotomic(2**25, 1.0), r"small enough for a prime in \[d, 33554432\]. Got 33554"),
        (
            lambda: Projective(2**26, 1.0),
            "'d' parameter of Projective must be a number of values",
        ),
        (lambda: Hadamard(2**26, 1.0), "'d' parameter of Hadamard must be at most 67108863. Got"),
        (lambda: Cyclotomic(10, 1.0, p=15, m=2, u=1), r"'p' .* a prime in \[10, .*Got 15 instead"),
        (lambda: Cyclotomic(10, 1.0, p=7, m=2, u=1), r"'p' .* a prime in \[10, .*Got 7 instead"),
        (lambda: Cyclotomic(10, 1.0, p=10**40, m=2, u=1), "'p' parameter of Cyclotomic"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=5, u=1), r"'m' .* a divisor of 12 in .*Got 5 instead"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=1, u=1), "'m' .* a divisor of 12 in .*Got 1 instead"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=4, u=4), r"'u' .* in \[1, 3\]. Got 4 instead"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=4, u=0), r"'u' .* in \[1, 3\]. Got 0 instead"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=4), "'u' .* an int, as p, m and u. Got None"),
        (lambda: Cyclotomic(10, 1.0, p=13.0, m=4, u=1), "'p' .* an int, as p, m and u. Got 13.0"),
        (lambda: Cyclotomic(10, 1.0, p=13, m=4, u=True), "'u' .* an int"),
        (lambda: Cyclotomic(10, 1.0, p=8388617, m=8, u=1), r"'p' .* in \[10, 104\]. Got 8388617"),
        (lambda: Cyclotomic(33_554_393, 1.0, p=33_554_393, m=4, u=1), r"'m' .* in \[2, 2\]. Got 4"),
        (lambda: Projective(10, 1.0, q=6), "'q' .* a power of a prime below 8192. Got 6 instead"),
        (lambda: Projective(10, 1.0, q=1), "'q' .* a power of a prime below 8192. Got 1 instead"),
        (lambda: Projective(10, 1.0, q=10**40), "'q' .* a power of a prime below 8192"),
        (lambda: Projective(10, 1.0, q="4"), "'q' .* a power of a prime below 8192. Got '4'"),
        (
            lambda: Projective(10**6, 1.0, q=509),
            "'d' parameter of Projective must be a number of values",
        ),
    ],
)
def test_bad_arguments_are_refused(make, message):
    with pytest.raises(InvalidArgument, match=message):
        make()


@pytest.mark.parametrize(
    ("mechanism", "change", "message"),
    [
        (Cyclotomic(10, 1.0, p=13, m=4, u=1), change, message)
        for change, message in [
            ({"p": 15}, r"The p of cyclotomic must be a prime in \[10, 104\]. Got 15."),
            ({"p": 7}, "must be a prime"),
            ({"p": 2**61 - 1}, "must be a prime"),
            ({"m": 5}, r"The m of cyclotomic must be a divisor of 12 in \[2, 8192\]. Got 5."),
            ({"u": 0}, r"The u of cyclotomic must be in \[1, 3\]. Got 0."),
            ({"u": 4}, r"must be in \[1, 3\]. Got 4."),
            ({"root": 3}, "The root of cyclotomic must be a primitive root modulo 13. Got 3."),
            ({"root": 15}, "must be a primitive root"),
            ({"root": True}, "must be p, m, u, root, scale"),
            ({"extra": 1}, "must be p, m, u, root, scale"),
            ({"odds": 5}, "odds of cyclotomic must be a decimal string"),
            ({"odds": str(floor_exp(1.0, 50) + 1), "scale": 50}, "not as private as it says"),
            ({"odds": "1", "scale": 0}, "not as private as it says"),
            ({"scale": 61}, "not as private as it says"),
            ({"odds": str(floor_exp(1.0, 60)), "scale": 60}, "more than 64-bit integers"),
        ]
    ]
    + [
        (Projective(10, 1.0, q=4), change, message)
        for change, message in [
            ({"q": 6}, "The q of projective must be a power of a prime below 8192. Got 6."),
            (
                {"t": 2},
                "The t of projective must be a dimension of 10 or somewhat",
            ),
            ({"t": 14}, "must be a dimension"),
            ({"t": 10**9}, "must be a dimension"),
            ({"recurrence": 5}, "The recurrence of projective must be a primitive one of 6 terms"),
            ({"recurrence": 64}, "must be a primitive one"),
            ({"recurrence": -3}, "must be a primitive one"),
            ({"recurrence": [1, 1]}, "must be q, t, recurrence, scale"),
        ]
    ]
    + [
        (Hadamard(10, 1.0), {"t": 3}, r"The t of hadamard must be in \[4, 6\]. Got 3."),
        (Hadamard(10, 1.0), {"t": 27}, r"The t of hadamard must be in \[4, 6\]. Got 27."),
        (Hadamard(10, 1.0), {"t": 4.0}, "must be t, scale"),
    ],
    ids=lambda each: str(each).replace("\\", ""),
)
def test_tampered_parameters_are_refused(mechanism, change, message):
    parameters = {**mechanism.parameters, **change}
    with pytest.raises(InvalidSurvey, match=message):
        type(mechanism).from_parameters(10, 1.0, parameters)


def test_a_missing_parameter_is_refused():
    for mechanism in (Cyclotomic(10, 1.0), Projective(10, 1.0), Hadamard(10, 1.0)):
        for name in mechanism.parameters:
            rest = {key: value for key, value in mechanism.parameters.items() if key != name}
            with pytest.raises(InvalidSurvey, match="must be"):
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
    assert "no report 67108863; the last one is 67108862." in why
    with pytest.raises(InvalidArgument, match="'d' .* at most 67108863. Got 67108864 instead"):
        Hadamard(MOST_BLOCKS, 1.0)
