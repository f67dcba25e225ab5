"""What is not found, together: the interval allows for how it was picked."""

import numpy as np
import pytest

from crowds import survey_of, zipf
from privet import Survey
from privet.analysis.estimate import Estimate
from privet.mechanisms import KSubset, Rappor
from refusing import refused_argument

NOTHING, EVERYTHING = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)


def flat(d):
    return np.full(d, 1 / d)


def two_levels(d):
    weights = np.where(np.arange(d) < d // 10, 10, 0.3)
    return weights / weights.sum()


def estimates(mechanism, truth, n, repeats):
    """Estimates of crowds, with counts that are independent but for the people they share."""
    rng, survey = np.random.default_rng(1), survey_of(mechanism)
    for people in rng.multinomial(n, truth, size=repeats):
        counts = rng.binomial(people, mechanism.g) + rng.binomial(n - people, mechanism.h)
        yield Estimate(survey, n, counts)


@pytest.mark.parametrize("shape", [zipf, flat, two_levels])
@pytest.mark.parametrize(
    ("d", "epsilon", "n", "repeats"),
    [(244, 1.0, 20_000, 400), (356, 4.0, 5_000, 400), (4000, 3.0, 200_000, 100)],
)
def test_the_interval_holds_half_of_the_categories_empty(shape, d, epsilon, n, repeats):
    truth = np.concatenate([shape(d // 2), np.zeros(d - d // 2)])
    held, naive, some = 0, 0, 0
    for estimate in estimates(KSubset(d, epsilon), truth, n, repeats):
        rest, found = estimate.remainder(0.95), estimate.found()
        share = truth[~found].sum()
        held += rest.low - 1e-9 <= share <= rest.high + 1e-9
        assert rest.categories == (~found).sum()
        assert 0 <= rest.low <= rest.value <= rest.high <= 1
        if found.any():
            some += 1
            names = [estimate.survey.categories[i] for i in np.flatnonzero(found)]
            low, high = estimate.total(names).interval()
            naive += low <= 1 - share <= high
    assert held >= 0.93 * repeats
    assert naive < 0.9 * some  # what forgets the choice does not hold


def test_it_is_withheld_where_counts_are_small(monkeypatch):
    """With little noise, 3 people are enough to be found; the control misses half of the time."""

    def shown(crowds):
        for estimate in crowds:
            rest, share = estimate.remainder(), 0.01 * (~estimate.found()).sum()
            yield None if rest is None else rest.low <= share <= rest.high

    assert not any(
        one is not None for one in shown(estimates(KSubset(100, 8.0), flat(100), 300, 50))
    )
    monkeypatch.setattr("privet.analysis.remainder._FEWEST", 0)
    assert np.mean([*shown(estimates(KSubset(100, 8.0), flat(100), 300, 50))]) < 0.8


def test_it_is_narrow_enough_to_say_something():
    truth = np.concatenate([zipf(2000), np.zeros(2000)])
    (estimate,) = estimates(KSubset(4000, 3.0), truth, 200_000, 1)
    rest = estimate.remainder()
    assert rest.high - rest.low < 0.06
    wider = estimate.remainder(0.999)
    assert wider.low < rest.low < rest.high < wider.high


def test_none_found_leaves_everything_and_all_found_nothing():
    survey = Survey("Q", ["a", "b", "c", "d"], 2.0, mechanism="k-subset")
    n, mechanism = 100_000, survey.mechanism
    none = Estimate(survey, n, np.full(4, int(n * mechanism.h)))
    rest = none.remainder()
    assert (rest.categories, rest.value, rest.low, rest.high) == (4, *EVERYTHING)
    rest = Estimate(survey, n, np.full(4, n // 4)).remainder()
    assert (rest.categories, rest.value, rest.low, rest.high) == (0, *NOTHING)


def test_mechanisms_without_a_law_of_counts_do_not_say():
    survey = Survey("Q", ["a", "b", "c"], 1.0, mechanism=Rappor(3, 1.0))
    tally = survey.tally()
    tally.update(survey.randomize_batch(["a"] * 100))
    assert tally.estimate().remainder() is None
    with refused_argument("level", "remainder"):
        Estimate(survey_of(KSubset(4, 1.0)), 10, np.full(4, 3)).remainder(2)
