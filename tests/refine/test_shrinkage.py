"""The shrunk estimate: a distribution, nearer to the truth, with honest error bars."""

from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, norm

from privet.analysis.refine import shrinkage
from privet.mechanisms import BinaryRR, GeometricNoise, KSubset, MultivariateRR, SetSubset
from privet.refine import project_simplex, shrink
from privet.simulate import counts
from privet.simulate.truths import truth
from refusing import refused_argument

PEOPLE = 10_000


@st.composite
def tallies(draw):
    d = draw(st.integers(2, 12))
    kind = draw(st.sampled_from([KSubset, MultivariateRR, BinaryRR]))
    mechanism = kind(d, draw(st.floats(0.01, 12)))
    n = draw(st.integers(1, 10**6))
    if draw(st.booleans()):  # of people; or of whoever sends what reports they like
        rng = np.random.default_rng(draw(st.integers(0, 2**32)))
        people = rng.multinomial(min(n, 1000), rng.dirichlet(np.full(d, 0.3)))
        return mechanism, counts(mechanism, people, rng), int(people.sum())
    return mechanism, np.array(draw(st.lists(st.integers(0, n), min_size=d, max_size=d))), n


@settings(max_examples=60, deadline=None)
@given(tally=tallies())
def test_any_counts_give_a_distribution(tally):
    shrunk = shrink(*tally)
    low, high = shrunk.interval(0.9)
    assert shrunk.frequencies.min() >= 0
    assert shrunk.frequencies.sum() == pytest.approx(1, abs=1e-12)
    assert np.all(shrunk.standard_deviations >= 0)
    assert np.all(shrunk.standard_deviations <= 0.51)
    assert np.all((low >= 0) & (low <= high) & (high <= 1))
    assert np.all((low <= shrunk.frequencies) & (shrunk.frequencies <= high))
    assert shrunk.prior[1].sum() == pytest.approx(1)


@settings(max_examples=20, deadline=None)
@given(tally=tallies(), seed=st.integers(0, 100))
def test_the_order_of_values_makes_no_difference(tally, seed):
    mechanism, hits, n = tally
    order = np.random.default_rng(seed).permutation(len(hits))
    there, here = shrink(mechanism, hits[order], n), shrink(mechanism, hits, n)
    assert there.frequencies == pytest.approx(here.frequencies[order], abs=1e-8)
    assert there.standard_deviations == pytest.approx(here.standard_deviations[order], abs=1e-8)


@pytest.mark.parametrize("form", ["flat", "zipf:1.1", "spikes:1", "two-level", "dirichlet:1"])
@pytest.mark.parametrize("d", [2, 7, 300])
def test_without_noise_the_truth_comes_back(form, d):
    theta = truth(form)(d, np.random.default_rng(d))
    mechanism, n = KSubset(d, 8.0), 10**15
    hits = np.rint(n * (mechanism.h + theta * (mechanism.g - mechanism.h))).astype(np.int64)
    shrunk = shrink(mechanism, hits, n)
    noise = np.sqrt(mechanism.variance(theta, n))
    assert np.all(np.abs(shrunk.frequencies - theta) < 3 * noise)
    assert np.all(shrunk.standard_deviations < 3 * noise)


@pytest.mark.parametrize("d", [4, 64, 5000])
def test_under_overwhelming_noise_all_are_equal(d):
    mechanism = KSubset(d, 1e-4)
    hits = np.random.default_rng(1).binomial(100, mechanism.h, d)
    assert shrink(mechanism, hits, 100).frequencies == pytest.approx(1 / d, rel=0.02)


def test_one_report_says_little():
    shrunk = shrink(KSubset(10, 1.0, k=3), [1, 1, 1, 0, 0, 0, 0, 0, 0, 0], 1)
    own, other = shrunk.frequencies[[0, 9]]
    assert 0.1 < own < 0.2
    assert other < 0.1
    assert np.all(shrunk.standard_deviations > 0.5 * shrunk.frequencies)


def test_many_counts_are_rounded_without_a_difference(monkeypatch):
    d = 3000
    mechanism, rng = KSubset(d, 2.0), np.random.default_rng(3)
    hits = counts(mechanism, rng.multinomial(PEOPLE, truth("zipf:1.1")(d, rng)), rng)
    apart = shrink(mechanism, hits, PEOPLE)
    monkeypatch.setattr(shrinkage, "_MOST_COUNTS", 10)
    together = shrink(mechanism, hits, PEOPLE)
    assert len(together._hits) < len(apart._hits)
    near = {"abs": 0.15 * np.sqrt(mechanism.variance(np.zeros(1), PEOPLE))[0]}
    assert together.frequencies == pytest.approx(apart.frequencies, **near)
    assert together.standard_deviations == pytest.approx(apart.standard_deviations, **near)


def test_a_hundred_thousand_values_take_less_than_a_second():
    d, n = 100_000, 10**8
    mechanism, rng = KSubset(d, 6.0), np.random.default_rng(2)
    people = rng.multinomial(n, truth("zipf:1")(d, rng))
    hits = rng.binomial(people, mechanism.g) + rng.binomial(n - people, mechanism.h)
    seconds = []
    for _ in range(3):
        start = perf_counter()
        shrink(mechanism, hits, n).interval()
        seconds.append(perf_counter() - start)
    assert min(seconds) < 1


def test_the_result_cannot_be_changed():
    shrunk = shrink(KSubset(3, 1.0), [50, 30, 20], 100)
    assert repr(shrunk).startswith("<Shrunk: 3 shares, largest 0.")
    with pytest.raises(ValueError, match="read-only"):
        shrunk.frequencies[0] = 1
    with pytest.raises(AttributeError):
        shrunk.frequencies = shrunk.frequencies


# --- little signal --------------------------------------------------------------------------------


def test_it_says_when_there_was_too_little_signal():
    mechanism, rng = KSubset(100, 0.5), np.random.default_rng(8)
    flat, giant = np.full(100, 0.01), np.where(np.arange(100) == 0, 0.5, 0.5 / 99)
    said = {name: [] for name in ("flat", "giant")}
    for _ in range(200):
        for name, theta in (("flat", flat), ("giant", giant)):
            hits = counts(mechanism, rng.multinomial(PEOPLE, theta), rng)
            said[name].append(shrink(mechanism, hits, PEOPLE).flat)
    # An even crowd is called uneven in 5 % of surveys, give or take five standard errors.
    assert 0.95 - 5 * np.sqrt(0.05 * 0.95 / 200) < np.mean(said["flat"])
    assert not any(said["giant"])


@pytest.mark.parametrize(("d", "n"), [(4, 300), (20, 1000)])
def test_too_little_signal_is_what_two_tests_say(d, n):
    """Chi-squared of all estimates and the normal law of the largest, each at half of 5 %."""
    mechanism, rng = KSubset(d, 1.0), np.random.default_rng(9)
    variance = mechanism.variance(np.array([1 / d]), n)[0]
    said = []
    for _ in range(60):
        hits = counts(mechanism, rng.multinomial(n, rng.dirichlet(np.full(d, 5.0))), rng)
        estimates = mechanism.frequencies(hits, n)
        scatter = np.square(estimates - 1 / d).sum() / variance * (d - 1) / d
        furthest = (estimates.max() - 1 / d) / np.sqrt(variance)
        alike = chi2.sf(scatter, d - 1) > 0.025, norm.sf(furthest) * d > 0.025
        assert shrink(mechanism, hits, n).flat == all(alike)
        said.append(alike)
    assert len(set(said)) > 2  # either test has something to say


def test_the_word_for_tables():
    assert shrink(KSubset(4, 0.1), [26, 25, 25, 24], 50).remark == "too little signal"
    assert shrink(KSubset(3, 6.0), [900, 60, 40], 1000).remark == ""


# --- draws ----------------------------------------------------------------------------------------


def test_draws_are_distributions_with_the_posterior_means_and_deviations():
    mechanism, rng = KSubset(50, 3.0), np.random.default_rng(4)
    theta = truth("zipf:1")(50, rng)
    shrunk = shrink(mechanism, counts(mechanism, rng.multinomial(PEOPLE, theta), rng), PEOPLE)
    draws = shrunk.sample(2000, seed=1)
    assert draws.shape == (2000, 50)
    assert draws.min() >= 0
    assert draws.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert np.array_equal(draws, shrunk.sample(2000, seed=1))
    deviation = shrunk.standard_deviations
    assert np.all(np.abs(draws.mean(axis=0) - shrunk.frequencies) < 0.25 * deviation)
    assert draws.std(axis=0)[:5] == pytest.approx(deviation[:5], rel=0.2)


def test_a_value_that_everyone_may_hold_is_drawn_as_one():
    mechanism = KSubset(10, 6.0, k=1)
    hits = np.rint(300 * np.where(np.arange(10) == 0, mechanism.g, mechanism.h)).astype(np.int64)
    draws = shrink(mechanism, hits, 300).sample(1000, seed=1)
    assert 0.1 < np.mean(draws[:, 0] > 0.9999) < 0.5


def test_draws_of_a_total_cover_it():
    mechanism, rng = KSubset(30, 2.0), np.random.default_rng(6)
    theta = truth("zipf:1")(30, rng)
    covered = []
    for _ in range(150):
        hits = counts(mechanism, rng.multinomial(PEOPLE, theta), rng)
        total = shrink(mechanism, hits, PEOPLE).sample(200, rng)[:, :3].sum(axis=1)
        low, high = np.quantile(total, (0.05, 0.95))
        covered.append(low <= theta[:3].sum() <= high)
    assert np.mean(covered) > 0.8
    assert np.mean(covered) < 1


@pytest.mark.parametrize("size", [0, 1.5, True, None])
def test_a_bad_number_of_draws_is_refused(size):
    with refused_argument("size", "Shrunk.sample"):
        shrink(KSubset(2, 1.0), [1, 2], 3).sample(size, seed=1)


# --- the bars -------------------------------------------------------------------------------------


def errors(form, d, epsilon, repeats, *estimators):
    mechanism, draw = KSubset(d, epsilon), truth(form)
    rng = np.random.default_rng([d, repeats])
    measured = []
    for _ in range(repeats):
        theta = draw(d, rng)
        hits = counts(mechanism, rng.multinomial(PEOPLE, theta), rng)
        measured.append([np.square(f(mechanism, hits) - theta).sum() for f in estimators])
    return np.array(measured).T


def shrunken(mechanism, hits):
    return shrink(mechanism, hits, PEOPLE).frequencies


def projected(mechanism, hits):
    return project_simplex(mechanism.frequencies(hits, PEOPLE))


def even(mechanism, hits):
    return np.full(mechanism.d, 1 / mechanism.d)


def standard_errors_above(one, factor, other):
    """Return how many standard errors E one lies above factor · E other."""
    excess = one - factor * other
    return excess.mean() / (excess.std(ddof=1) / np.sqrt(len(excess)))


@pytest.mark.parametrize(
    ("form", "d", "epsilon", "factor"),
    [
        ("paper", 4, 0.5, 1.02),
        ("paper", 64, 0.1, 0.25),
        ("paper", 64, 1.0, 0.4),
        ("paper", 256, 1.0, 0.2),
        ("zipf:1.1", 256, 1.0, 0.7),
        ("geometric:0.5", 64, 1.0, 0.8),
        ("spikes:3", 16, 0.1, 1.25),
        ("spikes:1", 1024, 0.5, 0.5),
        ("two-level", 16, 0.1, 1.25),
        ("two-level", 64, 5.0, 1.05),
    ],
)
def test_it_errs_less_than_the_projection(form, d, epsilon, factor):
    ours, nearest = errors(form, d, epsilon, 40, shrunken, projected)
    assert standard_errors_above(ours, factor, nearest) < 5


@pytest.mark.parametrize(("form", "d"), [("geometric:0.5", 64), ("two-level", 16)])
def test_and_that_is_no_matter_of_taste(form, d):
    # A constant would pass for the paper's truths under much noise. It does not pass for others.
    constant, nearest = errors(form, d, 1.0, 40, even, projected)
    assert standard_errors_above(constant, 1.25, nearest) > 5


@pytest.mark.parametrize("d", [10, 100])
def test_a_value_that_everyone_holds_is_thought_possible_among_any_number(d):
    ours, nearest = errors("spikes:1", d, 6.0, 300, shrunken, projected)
    assert standard_errors_above(ours, 0.9, nearest) < -5


def test_posterior_intervals_cover_the_shares_they_were_learned_from():
    mechanism, rng = KSubset(64, 1.0), np.random.default_rng(5)
    covered, narrow = [], []
    for _ in range(60):
        theta = truth("paper")(64, rng)
        shrunk = shrink(mechanism, counts(mechanism, rng.multinomial(PEOPLE, theta), rng), PEOPLE)
        low, high = shrunk.interval(0.95)
        covered.append(np.mean((low <= theta) & (theta <= high)))
        low, high = shrunk.interval(0.5)
        narrow.append(np.mean((low <= theta) & (theta <= high)))
    spread = 5 * np.std(covered, ddof=1) / np.sqrt(60)
    assert 0.9 - spread < np.mean(covered) < 0.99 + spread
    assert np.mean(narrow) < 0.9 - spread


# --- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mechanism", "hits", "n", "parameter", "value"),
    [
        ("k-subset", [1, 2], 3, "mechanism", "k-subset"),
        (GeometricNoise(2, 1.0), [1, 2], 3, "mechanism", GeometricNoise(2, 1.0)),
        (SetSubset(2, 1.0, 2), [1, 2], 3, "mechanism", SetSubset(2, 1.0, 2)),
        (KSubset(2, 1.0), [0, 0], 0, "n", 0),
        (KSubset(2, 1.0), [0, 0], 2**63, "n", 2**63),
        (KSubset(2, 1.0), [0, 0], 1.5, "n", 1.5),
        (KSubset(2, 1.0), [0, 0], True, "n", True),
        (KSubset(2, 1.0), [1, 2, 3], 3, "counts", "int64 of shape (3,)"),
        (KSubset(2, 1.0), [[1, 2]], 3, "counts", "int64 of shape (1, 2)"),
        (KSubset(2, 1.0), [0.5, 2.5], 3, "counts", "float64 of shape (2,)"),
        (KSubset(2, 1.0), [1, -2], 3, "counts[1]", -2),
        (KSubset(2, 1.0), [4, 2], 3, "counts[0]", 4),
    ],
)
def test_bad_arguments_are_refused(mechanism, hits, n, parameter, value):
    with refused_argument(parameter, "shrink", value=value):
        shrink(mechanism, hits, n)


@pytest.mark.parametrize("level", [0.0, 1.0, 95, None, float("nan")])
def test_bad_levels_are_refused(level):
    with refused_argument("level"):
        shrink(KSubset(2, 1.0), [1, 2], 3).interval(level)
