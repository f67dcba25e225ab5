"""The k-subset mechanism over sets of options, for analysts: batches, counts, shares, crowds."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import naive
import naive_sets
from exact import laws, values_of
from privet import Estimate, simulate, theory
from privet.analysis.choices import held_together
from privet.device.mechanisms.subsets.listed_sets import sets_holding
from privet.entropy import seeded
from privet.mechanisms import ListedSets

# (options, most, k)
SHAPES = [(2, 1, 1), (2, 2, 2), (3, 1, 3), (3, 2, 1), (3, 2, 4), (3, 3, 2), (4, 2, 2), (5, 2, 1)]


@pytest.mark.parametrize(("d", "most", "k"), SHAPES)
def test_the_estimate_is_unbiased_with_the_variance_it_claims(d, most, k):
    """In fractions, over all reports; for single options, and for pairs of them."""
    mechanism = ListedSets(d, 1.0, most, k)
    sets = naive_sets.listed(d, most)
    g, h = mechanism.listed.hit_rates
    for value, table in zip(values_of(mechanism), laws(mechanism), strict=True):
        for options in [{0}, {d - 1}, {0, 1}][: 3 if most > 1 else 2]:
            number = sets_holding(d, most, len(options))
            estimates = []
            for report, p in table.items():
                held = [sets[i] for i in naive.unpack(report, len(sets), k)]
                count = sum(options <= {*chosen} for chosen in held)
                estimates.append(((count - number * h) / (g - h), p))
            mean = sum(e * p for e, p in estimates)
            assert mean == (options <= {*value})
            variance = sum((e - mean) ** 2 * p for e, p in estimates)
            assert variance == mechanism.spreads(number)[0 if mean else 1] / (g - h) ** 2
            shape, share = (d, 1.0, most, k), float(mean)
            if len(options) == 2:
                claimed = theory.listed_pair_variance(*shape, share)
            else:
                claimed = theory.listed_item_variance(*shape, share, 1)
                found = mechanism.variance(np.array([share]), 1, "sample")
                assert found == pytest.approx(float(variance), rel=1e-9)
            assert claimed == pytest.approx(float(variance), rel=1e-9)


def test_control_sets_that_are_taken_for_independent_are_not():
    """Adding up the variances of all sets with an option ignores that their errors go together."""
    mechanism = ListedSets(4, 1.0, 2, 3)
    g, h = mechanism.listed.hit_rates
    apart = 4 * h * (1 - h) / (g - h) ** 2
    assert Fraction(11, 10) * mechanism.spreads(4)[1] / (g - h) ** 2 < apart


@pytest.mark.parametrize("shape", [(5, 3.0, 2), (5, 0.5, 2), (12, 1.0, 3), (12, 8.0, 12)])
def test_a_batch_is_that_of_the_numbers(shape):
    mechanism = ListedSets(*shape)
    rng = np.random.default_rng(1)
    order = np.argsort(rng.random((500, mechanism.d)), axis=1)[:, : mechanism.most]
    values = np.where(rng.random(order.shape) < rng.random((500, 1)), order, -1)
    numbers = np.array([mechanism.number([x for x in row if x >= 0]) for row in values.tolist()])
    made, expected = (
        each.analyst.batches.side_by_side(rows, seeded(2))
        for each, rows in ((mechanism, values), (mechanism.listed, numbers))
    )
    assert np.array_equal(made, expected)
    few, expected = (
        each.randomize(rows, entropy=seeded(2))
        for each, rows in ((mechanism, values), (mechanism.listed, numbers))
    )
    assert np.array_equal(few, expected)


def test_counts_are_of_sets_with_an_option():
    mechanism = ListedSets(3, 1.0, 2, 2)  # (), 0, 1, 01, 2, 02, 12
    reports = [mechanism.packed(members) for members in ([1, 3], [3, 5], [0, 4])]
    assert mechanism.tally(reports).tolist() == [4, 2, 2]
    aggregate = mechanism.aggregate(reports)[1]
    assert aggregate.tolist() == [1, 1, 0, 2, 1, 1, 0]
    assert held_together(mechanism, aggregate).tolist() == [[4, 2, 1], [2, 2, 0], [1, 0, 2]]


@pytest.mark.parametrize("shape", [(4, 2.0, 2), (4, 0.5, 2), (6, 4.0, 3)])
@pytest.mark.parametrize("times", [1, 1000])
def test_simulated_counts_have_the_claimed_mean_and_variance(shape, times):
    """By few people's reports and by the joint law of many: within six standard errors."""
    mechanism, draws = ListedSets(*shape), 400
    people = {(): 100 * times, (0,): 150 * times, (0, 1): 200 * times, (2, 3): 50 * times}
    n, rng = 500 * times, np.random.default_rng(3)
    shares = np.array([350, 200, 50, 50] + [0] * (mechanism.d - 4)) * times / n
    drawn = [simulate.counts(mechanism, people, rng) for _ in range(draws)]
    found = np.array([mechanism.frequencies(counts, n) for counts in drawn])
    variance = mechanism.variance(shares, n, "sample")
    error = np.sqrt(variance / draws)
    assert (np.abs(found.mean(axis=0) - shares) < 6 * error).all()
    assert not (np.abs(found.mean(axis=0) - np.roll(shares, 1)) < 6 * error).all()
    assert found.var(axis=0) / variance == pytest.approx(1, abs=6 * np.sqrt(2 / draws))


@pytest.mark.parametrize("target", ["population", "sample"])
@pytest.mark.parametrize("shape", [(4, 0.5, 2), (4, 3.0, 2), (6, 2.0, 3)])
def test_intervals_cover_at_their_level(shape, target):
    """2,000 crowds: at 95 % within five standard errors, where half the level does not cover."""
    mechanism, n, repeats = ListedSets(*shape), 1000, 2000
    rng, theta = np.random.default_rng(4), np.array([0.5, 0.3, 0.1, 0.1])
    sets = [(), (0,), (0, 1), (2, 3)]
    chances = [0.4, 0.2, 0.3, 0.1]
    fixed = [round(n * chance) for chance in chances]
    people = rng.multinomial(n, chances, repeats) if target == "population" else [fixed] * repeats
    drawn = [
        simulate.counts(mechanism, dict(zip(sets, map(int, each), strict=True)), rng)
        for each in people
    ]
    counts = np.array(drawn)[:, :4]
    low, high = (
        ends.reshape(-1, 4) for ends in mechanism.interval(counts.ravel(), n, 0.05, target)
    )
    covered = ((low <= theta) & (theta <= high)).mean(axis=0)
    assert covered.min() > 0.95 - 5 * np.sqrt(0.95 * 0.05 / repeats)
    low, high = (ends.reshape(-1, 4) for ends in mechanism.interval(counts.ravel(), n, 0.5, target))
    assert ((low <= theta) & (theta <= high)).mean() < 0.7


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_p_values_of_options_that_nobody_chose_are_rarely_small(epsilon):
    mechanism, n, repeats = ListedSets(5, epsilon, 2), 2000, 2000
    rng = np.random.default_rng(5)
    drawn = [simulate.counts(mechanism, {(0, 1): n}, rng) for _ in range(repeats)]
    found = np.array([mechanism.analyst.estimator.p_values(counts, n) for counts in drawn])
    error = np.sqrt(0.05 * 0.95 / repeats)
    assert ((found[:, 2:] <= 0.05).mean(axis=0) < 0.05 + 5 * error).all()
    assert ((found[:, 2:] <= 0.2).mean(axis=0) > 0.1).all()
    assert (found[:, :2] < 0.05).all()


def test_estimates_are_written_against_it():
    mechanism = ListedSets(4, 2.0, 2)
    counts = simulate.counts(mechanism, {(0, 1): 3000, (2,): 1000}, seed=1)
    survey = SimpleNamespace(mechanism=mechanism, categories=("a", "b", "c", "d"), question="?")
    estimate = Estimate(survey, 4000, counts)
    assert estimate.found().tolist() == [True, True, True, False]
    assert estimate.frequencies == pytest.approx([0.75, 0.75, 0.25, 0], abs=0.1)
    assert "3 of 4" in repr(estimate)
    assert not {"projected", "shrunk"} & set(estimate.columns())
