"""Targets between the sample and a population without end: n of N people took part."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from crowds import survey_of, zipf
from privet import Estimate, simulate
from privet.analysis.hits import drawn
from privet.mechanisms import GeometricNoise, KSubset
from refusing import refused_argument


def count_law(mechanism, n):
    """The law of a count, a row for each number of holders among the n people."""
    g, h = mechanism.g, mechanism.h
    return np.array(
        [
            np.convolve(
                binom.pmf(np.arange(x + 1), x, g), binom.pmf(np.arange(n - x + 1), n - x, h)
            )
            for x in range(n + 1)
        ]
    )


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 12.0])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_for_n_of_so_many_people_cover_exactly(epsilon, level):
    """Whatever number of the N people hold a value, by the exact law of its count."""
    n, mechanism = 30, KSubset(5, epsilon, k=1)
    law, counts = count_law(mechanism, n), np.arange(n + 1)
    for people in (30, 31, 33, 45, 60, 300):
        holders = np.arange(people + 1)
        chances = hypergeom.pmf(counts[None], people, holders[:, None], n) @ law
        low, high = mechanism.interval(counts, n, 1 - level, people)
        true = (holders / people)[:, None]
        covered = (chances * ((low <= true + 1e-12) & (true <= high + 1e-12))).sum(axis=1)
        assert covered.min() >= level - 1e-9


def test_the_variance_is_that_of_the_exact_law():
    n, people, mechanism = 12, 20, KSubset(4, 1.0, k=1)
    law, counts = count_law(mechanism, n), np.arange(n + 1)
    shares = mechanism.frequencies(counts, n)
    for holders in range(people + 1):
        chances = hypergeom.pmf(counts, people, holders, n) @ law
        theta = holders / people
        assert chances @ shares == pytest.approx(theta)
        variance = mechanism.variance(np.array([theta]), n, people)[0]
        assert chances @ (shares - theta) ** 2 == pytest.approx(variance)


@pytest.mark.parametrize("times", [1, 1.1, 2])
def test_intervals_of_categories_and_totals_cover(times):
    """400 repeats of 500 of N people, drawn without replacement."""
    n, repeats, rng = 500, 400, np.random.default_rng(11)
    people, survey = int(times * n), survey_of(KSubset(8, 3.0))
    crowd = rng.multinomial(people, zipf(8))
    truth, hits, totals = crowd / people, 0.0, 0.0
    for _ in range(repeats):
        drawn_people = rng.multivariate_hypergeometric(crowd, n)
        estimate = Estimate(survey, n, simulate.counts(survey.mechanism, drawn_people, rng))
        low, high = estimate.interval(target=people)
        hits += ((low <= truth + 1e-12) & (truth <= high + 1e-12)).mean() / repeats
        low, high = estimate.total(["c1", "c3", "c4"], target=people).interval()
        totals += (low <= truth[[1, 3, 4]].sum() <= high) / repeats
    assert 0.945 <= hits <= 0.98
    assert abs(totals - 0.95) < 4.9 * (0.95 * 0.05 / repeats) ** 0.5


def test_all_of_them_are_the_sample_and_many_are_the_population():
    estimate = Estimate(survey_of(KSubset(4, 1.0)), 1000, np.array([320, 270, 230, 180]))
    for target, people in (("sample", 1000), ("population", 10**12)):
        for made, same in (
            (estimate.interval(target=people), estimate.interval(target=target)),
            (
                estimate.total(["c0", "c1"], target=people).interval(),
                estimate.total(["c0", "c1"], target=target).interval(),
            ),
            (
                estimate.difference("c0", "c1", target=people).interval(),
                estimate.difference("c0", "c1", target=target).interval(),
            ),
        ):
            assert np.array(made) == pytest.approx(np.array(same), abs=1e-9)


@pytest.mark.parametrize("mechanism", [KSubset(4, 3.0), GeometricNoise(4, 3.0)])
def test_more_people_mean_wider_intervals(mechanism):
    estimate = Estimate(survey_of(mechanism), 1000, np.array([820, 110, 60, 10]))
    widths = [
        np.ptp(estimate.interval(target=target), axis=0)
        for target in ("sample", 1100, 2000, np.int64(20_000), "population")
    ]
    for narrower, wider in pairwise(widths):
        assert (narrower <= wider + 1e-3).all()
    assert widths[0].sum() < widths[-1].sum()


def test_people_are_shares_of_so_many():
    estimate = Estimate(survey_of(KSubset(4, 1.0)), 1000, np.array([320, 270, 230, 180]))
    columns = estimate.columns(target=80_000)
    assert columns["people"] == pytest.approx(80_000 * estimate.frequencies)
    assert columns["people_low"] == pytest.approx(np.rint(columns["people_low"]))
    assert columns["people_high"] == pytest.approx(80_000 * columns["high"])
    assert "people" not in estimate.columns()


@pytest.mark.parametrize("target", [999, 0, -1, 1000.0, True, "people", None])
def test_fewer_people_than_reports_are_refused(target):
    estimate = Estimate(survey_of(KSubset(3, 1.0)), 1000, np.array([400, 300, 300]))
    for ask in (estimate.interval, lambda target: estimate.total("c0", target=target)):
        with refused_argument("target", value=target):
            ask(target=target)


def test_one_person_of_one():
    assert drawn(1, 1) == 0
