"""Theorem 2.1 and its corollaries: how much a private report tells of a uniform answer."""

from itertools import pairwise, product

import numpy as np
import pytest

import naive
from channels import (
    SMALL,
    channel,
    exact_channel,
    information,
    is_private,
    most,
    patterns,
    random_channels,
    random_weights,
    reports,
)
from privet import theory
from privet.mechanisms import BinaryRR, KSubset

small = pytest.mark.parametrize(("d", "epsilon"), SMALL)


# --- Theorem 2.1: the most that a private report tells of a uniform answer ------------------------


@small
def test_no_private_channel_tells_more_than_the_bound(d, epsilon):
    bound = theory.information_bound(d, epsilon)
    for Q in random_channels(d, epsilon):
        assert is_private(Q, epsilon)
        assert information(Q).sum() <= bound + 1e-12


@small
def test_the_k_subset_mechanism_attains_the_bound(d, epsilon):
    bound = theory.information_bound(d, epsilon)
    Q = channel(KSubset(d, epsilon, "information"))
    assert is_private(Q, epsilon)
    assert information(Q).sum() == pytest.approx(bound, abs=1e-12)
    # Control: a billionth less privacy is seen to be less, and to tell more.
    Q = channel(KSubset(d, epsilon + 1e-9, "information"))
    assert not is_private(Q, epsilon)
    assert information(Q).sum() > bound + 1e-12


@small
def test_the_bound_is_the_optimum_of_a_linear_program(d, epsilon):
    bound = pytest.approx(theory.information_bound(d, epsilon), rel=1e-10)
    columns = patterns(d, epsilon)
    optimum = most(information(columns), columns)
    assert optimum == bound
    # Randomized response attains it exactly where no larger set does better.
    first = theory.multivariate_mutual_information(d, epsilon)
    assert theory.mrr_is_suboptimal(d, epsilon) == (optimum > first * (1 + 1e-9))
    # Entries between 1 and E do not help; entries a little above E do.
    for top, same in ((1, True), (1 + 1e-6, False)):
        columns = patterns(d, epsilon, (0, 0.4, top))
        reached = most(information(columns), columns) == bound
        assert reached == same


def test_the_bound_is_for_uniform_answers_alone():
    """At d = 3 and small ε it is ε²/9, whereas the prior (½, ½, 0) allows ε²/8, as at d = 2."""
    epsilon = 0.01
    columns = patterns(3, epsilon)
    uniform, biased = (most(information(columns, p), columns) for p in (None, (0.5, 0.5, 0)))
    assert uniform == pytest.approx(theory.information_bound(3, epsilon), rel=1e-9)
    assert uniform == pytest.approx(epsilon**2 / 9, rel=0.01)
    assert biased == pytest.approx(theory.information_bound(2, epsilon), rel=1e-9)
    assert biased == pytest.approx(epsilon**2 / 8, rel=0.01)


@small
def test_the_universal_bound_holds_for_every_prior(d, epsilon):
    bound = theory.universal_information_bound(epsilon)
    columns = patterns(d, epsilon)
    for prior in np.random.default_rng(d).dirichlet(np.full(d, 0.7), size=15):
        assert most(information(columns, prior), columns) <= bound
    # Control: at large d it is nearly attained, and a thousandth more ε is too much.
    assert theory.information_bound(1000, epsilon) <= bound
    assert theory.information_bound(1000, 1.001 * epsilon) > bound


def test_one_bit_tells_at_most_an_eighth_of_epsilon_squared():
    """The paper's closed form for d = 2, in its section on related work."""
    epsilon = np.linspace(0.01, 10, 500)
    E = np.exp(epsilon)
    one_bit = theory.information_bound(2, epsilon)
    np.testing.assert_allclose(one_bit, epsilon * E / (E + 1) - np.log((E + 1) / 2), rtol=1e-10)
    assert np.all(one_bit < epsilon**2 / 8)
    assert one_bit[0] > 0.9999 * epsilon[0] ** 2 / 8


# --- Corollaries 2.1 and 2.2: sizes are all that matters ------------------------------------------


@pytest.mark.parametrize(("d", "epsilon"), list(product((3, 4, 5, 6), (0.1, 1.0, 4.0))))
def test_amortizing_weights_over_sets_of_one_size_loses_nothing(d, epsilon):
    """Corollary 2.1: give all patterns with k entries E the mean of their weights. The mechanism
    stays valid and I(X; Z) stays the same, X being uniform. By Corollary 2.2 it is Σ P_k I_k, with
    P_k the chance of k entries E, and hence at most the largest I_k.
    """
    columns = patterns(d, epsilon)
    sizes = np.sum(columns > 1, axis=0)
    subset = np.zeros(d + 1)  # I_0 = I_d = 0
    subset[1:d] = theory.mutual_information(d, epsilon, np.arange(1, d))
    biased = np.arange(1, d + 1) / (d * (d + 1) / 2)
    changes = []
    for weights in random_weights(columns, 20, seed=d):
        amortized = (np.bincount(sizes, weights) / np.bincount(sizes))[sizes]
        np.testing.assert_allclose(columns @ amortized, 1, atol=1e-12)
        before, after = information(columns) @ weights, information(columns) @ amortized
        assert after == pytest.approx(before, abs=1e-12)
        chances = np.bincount(sizes, columns[0] * amortized)
        assert after == pytest.approx(chances @ subset, abs=1e-12)
        changes.append(information(columns, biased) @ (amortized - weights))
    # Control: for answers that are not uniform it is false.
    assert max(np.abs(changes)) > 0.01 * subset.max()


# --- I_k as a function of k -----------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 7, 30, 300])
def test_information_rises_up_to_beta_and_falls_beyond(d):
    for epsilon in (0.01, 0.3, 1.0, 1.3, 3.0, 8.0):
        beta = theory.information_beta(d, epsilon)
        held = theory.mutual_information(d, epsilon, np.arange(1, d))
        for k, (this, following) in enumerate(pairwise(held), start=1):
            if k + 1 <= beta:
                assert this < following
            elif k >= beta:
                assert this > following
        best = theory.information_optimal_k(d, epsilon)
        assert best in {max(int(beta), 1), int(beta) + 1}


@pytest.mark.parametrize(
    ("epsilon", "concave"), [(0.1, True), (1.25, True), (1.26, False), (4.0, False)]
)
def test_information_is_concave_in_k_only_for_small_epsilon(epsilon, concave):
    """The paper says always (below Corollary 2.2); it ends where E − 1 = 2ε, at ε = 1.2564."""
    held = theory.mutual_information(1000, epsilon, np.arange(1, 1000))
    assert np.all(np.diff(held, 2) < 0) == concave == (np.expm1(epsilon) < 2 * epsilon)


def test_information_depends_on_the_ratio_of_k_to_d():
    """So a multiple of d allows no less information, though d + 1 may."""
    epsilon = np.array([0.1, 1.0, 4.0])
    for d, times in product((2, 3, 5, 16), (2, 3, 10)):
        for k in range(1, d):
            larger = theory.mutual_information(times * d, epsilon, times * k)
            np.testing.assert_allclose(larger, theory.mutual_information(d, epsilon, k), rtol=1e-13)
    assert theory.information_bound(4, 1.0) < theory.information_bound(3, 1.0)


def test_the_most_informative_set_is_no_smaller_than_the_most_accurate():
    epsilon = np.geomspace(0.001, 15, 60)
    ahead = []
    for d in (*range(2, 200), 1000, 10**6):
        k_star, k_sharp = theory.information_optimal_k(d, epsilon), theory.l2_optimal_k(d, epsilon)
        ahead.append(k_star - k_sharp)
    assert np.min(ahead) == 0 < np.max(ahead)


def test_less_privacy_tells_more():
    epsilon = np.geomspace(0.001, 15, 300)
    for d in (2, 3, 10, 1000):
        assert np.all(np.diff(theory.information_bound(d, epsilon)) > 0)


# --- binary randomized response -------------------------------------------------------------------


@pytest.mark.parametrize("d", range(2, 7))
def test_binary_rr_is_a_mixture_of_k_subset_mechanisms(d):
    """Given its number of ones, a report has the law of Definition 2.1, E being (g/h)²."""
    for epsilon in (0.1, 1.0, 4.0):
        mechanism = BinaryRR(d, epsilon)
        g, h = mechanism.hit_rates
        law, sets = exact_channel(mechanism), reports(mechanism)
        chances = []
        for k in range(d + 1):
            part = law[:, [len(z) == k for z in sets]]
            chance = part[0].sum()
            assert all(row.sum() == chance for row in part)
            chances.append(chance)
            expected, wrong = (
                np.array([list(row.values()) for row in naive.subset_law(d, k, E)])
                for E in ((g / h) ** 2, g / h)
            )
            assert np.all(part == chance * expected)
            assert np.all(part == chance * wrong) == (k in (0, d))
        inner = np.array(chances[1:d], dtype=float)
        mixture = inner @ theory.mutual_information(d, epsilon, np.arange(1, d))
        assert theory.binary_mutual_information(d, epsilon) == pytest.approx(mixture, rel=1e-12)
        # Equation 8 ends with 1 − P_0 − P_d, whose second term has e^(+ε/2), not e^(−ε/2).
        half = np.exp(epsilon / 2)
        rest, printed = (1 - (half ** (d - 1) + half**s) / (half + 1) ** d for s in (1, -1))
        assert inner.sum() == pytest.approx(rest, rel=1e-12)
        assert inner.sum() < printed
        assert mixture <= rest * theory.information_bound(d, epsilon) * (1 + 1e-12)


def test_binary_rr_always_tells_less_than_the_bound():
    d, epsilon = np.meshgrid([2, 3, 10, 100, 1000], np.geomspace(0.01, 15, 50))
    told = theory.binary_mutual_information(d, epsilon)
    assert np.all(told < theory.information_bound(d, epsilon))
    # Control: yet more than the bound for half the ε.
    assert np.all(told > theory.information_bound(d, epsilon / 2))
