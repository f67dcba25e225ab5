"""The search finds what is beside a report, and nothing where there is nothing."""

import random
from math import exp, inf

import pytest

from privet import Survey
from privet.audit.leaks import search
from privet.entropy import seeded

NAMES = [f"c{i}" for i in range(20)]
ALPHA = 1e-6  # so that no test fails by chance
KINDS = {
    "k-subset": Survey("?", NAMES, 1.0, mechanism="k-subset"),
    "binary-rr": Survey("?", NAMES, 1.0, mechanism="binary-rr"),
    "multivariate-rr": Survey("?", NAMES, 1.0, mechanism="multivariate-rr"),
    "local-hash": Survey("?", NAMES, 1.0, mechanism="local-hash"),
    "rappor": Survey("?", NAMES, 1.0, mechanism="rappor"),
}


def made(survey, answer, n, seed):
    return survey.randomize_batch([answer] * n, entropy=seeded(seed))


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_correct_mechanism_shows_at_most_its_epsilon(kind):
    survey = KINDS[kind]
    x, y = (made(survey, answer, 40_000, i) for i, answer in enumerate(("c3", "c17")))
    assert search(x, y, ALPHA).lower_bound <= survey.epsilon


@pytest.mark.parametrize(
    ("kind", "least"), [("k-subset", 0.9), ("binary-rr", 0.85), ("multivariate-rr", 0.8)]
)
def test_the_tight_event_is_found(kind, least):
    x, y = (made(KINDS[kind], answer, 100_000, i) for i, answer in enumerate(("c3", "c17")))
    leak = search(x, y, 0.01)
    assert least < leak.lower_bound <= 1.0
    assert leak.false_rate < leak.rate < exp(1.2) * leak.false_rate


def test_the_kind_of_sequence_makes_no_difference():
    x, y = (made(KINDS["k-subset"], answer, 2_000, 1) for answer in ("c3", "c17"))
    assert search(x, y, 0.01) == search([*map(bytes, x)], [*map(bytes, y)], 0.01)


def test_false_alarms_are_as_rare_as_they_are_said_to_be():
    """Of the same answer, ε is 0: at a level of 10 % at most 10 % of bounds exceed it."""
    survey = Survey("?", NAMES, 1.0, mechanism="k-subset")
    x = made(survey, "c3", 200 * 2_000, 5).reshape(200, 2, 1_000, -1)
    alarms = sum(search(one, other, 0.1).lower_bound > 0 for one, other in x)
    assert alarms <= 38  # 20 are expected at most; more have a chance below 1e-4


# --- defects ------------------------------------------------------------------------------------


def length(report, hit):
    return report + b"\0" * hit


def trailing(report, hit):
    return report + bytes([hit])


def order(report, hit):
    """The members, one a byte, the person's own first; KSubset(20, 1.0) has five."""
    members = [i for i in range(20) if report[i >> 3] >> (i & 7) & 1]
    own = members.index(3) if hit and 3 in members else 0
    return bytes([members.pop(own), *members])


def padding(report, hit):
    """A bit that no value has."""
    return report[:2] + bytes([report[2] | 0x80 * hit])


def rare(report, hit):
    """Something of one answer alone, once in fifty reports."""
    return report + (b"\1" if hit and random.random() < 0.02 else b"\0")


@pytest.mark.parametrize("defect", [length, trailing, order, padding, rare])
def test_a_leak_is_found(defect):
    random.seed(4)
    survey = KINDS["k-subset"]
    x, y = (
        [defect(bytes(one), answer == "c3") for one in made(survey, answer, 20_000, i)]
        for i, answer in enumerate(("c3", "c17"))
    )
    leak = search(x, y, ALPHA)
    assert leak.lower_bound > survey.epsilon, leak


def test_many_weak_signs_are_put_together():
    """Each bit alone is private at ε = 0.5; all twenty are not."""
    weak = Survey("?", ["a", "b"], 0.5, mechanism="multivariate-rr")
    x, y = (
        made(weak, answer, 400_000, i).reshape(20_000, 20) for i, answer in enumerate(("a", "b"))
    )
    assert search(x, y, ALPHA).lower_bound > 2.0


def test_few_reports_show_nothing():
    assert search([], [b"a"], 0.01).lower_bound == -inf
    assert search([b"a"] * 3, [b"b"] * 3, 0.01).lower_bound == -inf
    assert search([b""] * 9, [b""] * 9, 0.01).lower_bound <= 0
    assert search([b"a"] * 9, [b"b"] * 9, 0.01).lower_bound < 0
    assert search([b"a"] * 99, [b"b"] * 99, 0.01).lower_bound > 1
