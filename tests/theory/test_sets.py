"""The theory of several choices: against published numbers, exact sums, and all sizes."""

import csv
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import naive_sets
from privet import theory
from privet.mechanisms import SetSubset
from refusing import refused_argument

SETS = Path(__file__).parents[1] / "vectors" / "sets.csv"
ROWS = list(csv.DictReader(SETS.read_text().splitlines()))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['options']}-{r['most']}-{r['epsilon']}")
def test_published_numbers(row):
    shape = int(row["options"]), float(row["epsilon"]), int(row["most"])
    k = theory.set_optimal_k(*shape)
    assert k == int(row["k"]) == SetSubset(*shape).k
    g, h = theory.set_hit_rates(*shape, k)
    assert (g, h) == pytest.approx((float(row["g"]), float(row["h"])), rel=1e-12)
    for theta, name in ((0.0, "n_var_theta0"), (0.5, "n_var_theta_half")):
        expected = pytest.approx(float(row[name]), rel=1e-12)
        assert theory.set_item_variance(*shape, k, theta, 1) == expected
        assert SetSubset(*shape).variance(np.array(theta), 1, "sample") == expected


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 30.0])
@pytest.mark.parametrize("shape", [(5, 2), (40, 7), (300, 3)])
def test_rates_are_those_of_the_mechanism_from_small_to_large_epsilon(shape, epsilon):
    options, most = shape
    for k in (1, 2, 5):
        mechanism = SetSubset(options, epsilon, most, k)
        for rates, exact in (
            (theory.set_hit_rates, mechanism.hit_rates),
            (theory.set_pair_rates, mechanism.pair_rates),
        ):
            found = rates(options, epsilon, most, k)
            assert found == pytest.approx([float(rate) for rate in exact], rel=1e-5)


@pytest.mark.parametrize("shape", [(3, 2, 2), (4, 2, 3), (4, 3, 2), (5, 2, 2)])
def test_the_estimate_of_a_pair_is_unbiased_with_the_variance_that_is_claimed(shape):
    """Exactly, from the law of one report; at another ε it is biased."""
    d, most, k = shape
    mechanism = SetSubset(d, 1.0, most, k)

    def moments(value, pair, rates):
        (g, h), (u, w) = rates.hit_rates, rates.pair_rates
        mean = square = Fraction(0)
        for z, p in laws[value].items():
            held = len({*z} & {*pair})
            worth = (held - 2 * h) / (g - h) - ((held == 2) - w) / (u - w)
            mean, square = mean + p * worth, square + p * worth**2
        return mean, square - mean**2

    laws = naive_sets.law(d, most, k, mechanism.meet)
    for value in laws:
        for pair in combinations(range(d), 2):
            mean, variance = moments(value, pair, mechanism)
            assert mean == ({*pair} <= {*value})
            held = [float(option in value) for option in pair]
            claimed = theory.set_pair_variance(d, 1.0, most, k, (*held, float(mean)))
            assert claimed == pytest.approx(float(variance), rel=1e-9)
    mean, _ = moments((0, 1), (0, 1), SetSubset(d, 1.1, most, k))
    assert abs(mean - 1) > 0.01


def test_the_best_sizes_are_the_best_of_all():
    for options, epsilon, most in [(5, 1.0, 2), (60, 0.2, 3), (60, 4.0, 20)]:
        shape, sizes = (options, epsilon, most), range(1, min(options, 30) + 1)
        items = [theory.set_item_variance(*shape, k, 0, 1) for k in sizes]
        pairs = [theory.set_pair_variance(*shape, k) for k in sizes[1:]]
        assert theory.set_optimal_k(*shape) == 1 + np.argmin(items)
        assert theory.set_pair_optimal_k(*shape) == 2 + np.argmin(pairs)


@pytest.mark.parametrize("shape", [(4096, 4096), (4096, 1), (2, 1), (2, 2)])
@pytest.mark.parametrize("epsilon", [1e-12, 1.0, 100.0])
def test_sizes_are_found_at_the_limits(shape, epsilon):
    assert 1 <= theory.set_optimal_k(shape[0], epsilon, shape[1]) <= shape[0]
    assert 2 <= theory.set_pair_optimal_k(shape[0], epsilon, shape[1]) <= shape[0]


def test_sizes_shares_and_people_may_be_arrays():
    shape, sizes = (60, 1.0, 3), np.arange(2, 9)
    g, h = theory.set_hit_rates(*shape, sizes)
    items = theory.set_item_variance(*shape, sizes[:, None], [0.0, 0.5], n=100)
    pairs = theory.set_pair_variance(*shape, sizes, (0.2, 0.1, 0.05), 100)
    assert (g.shape, h.shape, items.shape, pairs.shape) == ((7,), (7,), (7, 2), (7,))
    for place, k in enumerate(sizes.tolist()):
        assert (g[place], h[place]) == theory.set_hit_rates(*shape, k)
        assert items[place, 1] == theory.set_item_variance(*shape, k, 0.5, 100)
        assert pairs[place] == theory.set_pair_variance(*shape, k, (0.2, 0.1, 0.05), 100)
    for function in (theory.listed_item_variance, theory.listed_pair_variance):
        assert function(5, 1.0, 2, 1, [0.1, 0.2], 9).tolist() == [
            function(5, 1.0, 2, 1, theta, 9) for theta in (0.1, 0.2)
        ]
    asked = theory.asked_item_variance(5, 1.0, 0.5, [10, 20])
    assert asked[0] == 2 * asked[1] == theory.asked_item_variance(5, 1.0, 0.5, 10)


def test_bad_arguments_of_sets_are_named():
    for parameter, bad in [
        ("options", 1), ("epsilon", 0.0), ("most", 11), ("theta", 1.5), ("theta", None), ("n", 0)
    ]:  # fmt: skip
        usual = {"options": 10, "epsilon": 1.0, "most": 3, "k": 2, "theta": 0.1, "n": 5}
        with refused_argument(parameter):
            theory.set_item_variance(**usual | {parameter: bad})


def test_a_pair_needs_two_points():
    with refused_argument("k", value=1):
        theory.set_pair_variance(10, 1.0, 3, 1)
    for k in (0, 11, 1.5):
        with refused_argument("k"):
            theory.set_hit_rates(10, 1.0, 3, k)
