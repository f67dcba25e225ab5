"""Repeated reports: what averaging finds of fresh ones, and that keyed clients stop it."""

import numpy as np
import pytest

from exact import law
from privet import Survey
from privet.mechanisms import (
    Cyclotomic,
    GeometricNoise,
    KSubset,
    LocalHash,
    MultivariateRR,
    OptimizedUnary,
    TwoLevelUnary,
)
from privet.simulate import averaging
from refusing import refused_argument


def guessed(counts, own):
    """How likely the person's value is guessed, of those with the highest count."""
    best = np.flatnonzero(counts == counts.max())
    return (own in best) / len(best)


def members(mechanism, report):
    held = np.unpackbits(np.frombuffer(report, np.uint8), bitorder="little")[: mechanism.d]
    return held.astype(int)


def by_clients(survey, repeats, people):
    """The part of people that real clients with a secret give away, report after report."""
    mechanism, right = survey.mechanism, np.zeros(len(repeats))
    for person in range(people):
        own, secret = person % mechanism.d, person.to_bytes(16, "big")
        counts, done = np.zeros(mechanism.d, int), 0
        for at, wanted in enumerate(repeats):
            while done < wanted:
                report = survey.randomize(survey.categories[own], secret=secret)
                counts += members(mechanism, report)
                done += 1
            right[at] += guessed(counts, own)
    return right / people


@pytest.mark.parametrize("mechanism", [KSubset(5, 1.0, k=2), MultivariateRR(4, 2.0)], ids=repr)
def test_what_one_and_two_reports_give_away_is_as_enumerated(mechanism):
    own = law(lambda walk: mechanism.sample(0, walk))
    held = {report: np.isin(np.arange(mechanism.d), mechanism.members(report)) for report in own}
    once = sum(p * guessed(held[z].astype(int), 0) for z, p in own.items())
    twice = sum(
        p * q * guessed(held[y].astype(int) + held[z], 0)
        for y, p in own.items()
        for z, q in own.items()
    )
    found = averaging(mechanism, [2, 1], people=50_000, seed=3)
    assert found.reports == (1, 2)
    # People hold all values; the mechanism treats them alike.
    for share, error, exact in zip(found.found, found.standard_errors, (once, twice), strict=True):
        assert abs(share - float(exact)) < 5 * error


def test_fresh_reports_give_answers_away():
    found = averaging(KSubset(100, 1.0), [10, 25, 50, 100], people=4000, seed=1)
    for share, percent in zip(found.found, (19, 49, 81, 98), strict=True):
        assert share == pytest.approx(percent / 100, abs=0.03)


def test_with_a_secret_a_thousand_reports_say_no_more_than_one():
    mechanism = KSubset(100, 1.0)
    found = averaging(mechanism, [1, 1000], keyed=True, people=20_000, seed=1)
    assert found.found[0] == found.found[1]
    assert found.found[0] == pytest.approx(
        mechanism.g / mechanism.k, abs=5 * found.standard_errors[0]
    )


def test_so_do_real_clients():
    survey = Survey("Which?", [f"c{i}" for i in range(100)], 1.0, mechanism="k-subset")
    once, often = by_clients(survey, [1, 1000], people=20)
    assert once == often < 0.05


def test_two_levels_level_off_at_what_the_permanent_response_says():
    """Which is a guess among its bits that are set."""
    mechanism = TwoLevelUnary(100, 2.0, 1.0)
    found = averaging(mechanism, [1, 100, 10**6], keyed=True, people=20_000, seed=1)
    q1 = mechanism.flip / 2**64
    others = (1 - (1 - q1) ** 100) / (100 * q1)  # the mean of 1 / (1 + others that are set)
    limit = others / 2 + (1 - q1) ** 99 / 100 / 2
    assert found.found[2] == pytest.approx(limit, abs=5 * found.standard_errors[2])
    assert found.found[1] == pytest.approx(limit, abs=5 * found.standard_errors[1])
    fresh = averaging(OptimizedUnary(100, 1.0), [1], people=20_000, seed=2)
    assert found.found[0] == pytest.approx(fresh.found[0], abs=5 * fresh.standard_errors[0])


def test_so_do_real_clients_of_two_levels():
    mechanism = TwoLevelUnary(5, 2.0, 1.0)
    survey = Survey("Which?", list("abcde"), 2.0, mechanism=mechanism)
    real = by_clients(survey, [1, 40], people=1000)
    found = averaging(mechanism, [1, 40], keyed=True, people=50_000, seed=1)
    assert real == pytest.approx(found.found, abs=5 * 0.5 / 1000**0.5)


def test_control_a_permanent_response_that_is_redrawn_is_averaged_away():
    mechanism = TwoLevelUnary(100, 2.0, 1.0)
    found = averaging(mechanism, [100], keyed=False, people=1000, seed=1)
    assert found.found[0] > 0.9


@pytest.mark.parametrize("kind", [Cyclotomic, LocalHash, OptimizedUnary])
def test_other_mechanisms_do_no_better(kind):
    (share,) = averaging(kind(100, 1.0), [50], people=1000, seed=1).found
    assert share == pytest.approx(0.81, abs=0.07)


def test_a_seed_gives_the_same_again():
    one, same = (averaging(KSubset(9, 1.0), [3, 5], people=50, seed=4) for _ in range(2))
    assert one == same
    assert one != averaging(KSubset(9, 1.0), [3, 5], people=50, seed=5)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"reports": []}, "reports"),
        ({"reports": [0]}, "reports"),
        ({"reports": [1.5]}, "reports"),
        ({"people": 1}, "people"),
        ({"people": 10**9}, "people"),
        ({"mechanism": GeometricNoise(5, 1.0)}, "survey"),
    ],
)
def test_bad_arguments_are_refused(options, parameter):
    with refused_argument(parameter):
        averaging(**{"mechanism": KSubset(5, 1.0), **options})
