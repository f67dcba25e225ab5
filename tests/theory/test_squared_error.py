"""Theorems 3.1 and 3.2: the least squared error; and which estimators are one and the same."""

from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
import pytest

from channels import SMALL, channel, exact_channel, most, patterns, random_channels, reports
from privet import theory
from privet.mechanisms import BinaryRR, KSubset

small = pytest.mark.parametrize(("d", "epsilon"), SMALL)
subsets = pytest.mark.parametrize(("d", "k"), [(d, k) for d in range(2, 8) for k in range(1, d)])


def variance_of_rates(d, g, h):
    """The total variance of the remapping estimator from one report (paper, above Theorem 3.1)."""
    return (g * (1 - g) + (d - 1) * h * (1 - h)) / (g - h) ** 2


def least_subset_variance(d, epsilon):
    return theory.total_variance(d, epsilon, theory.l2_optimal_k(d, epsilon), 1)


def least_variance(Q):
    """The least total variance of an unbiased linear estimate from one report, X being uniform.

    With M the diagonal marginal law of the report, the best T of those with T Qᵀ = 1 is
    (Q M⁻¹ Qᵀ)⁻¹ Q M⁻¹ (Gauss and Markov), and its tr(T M Tᵀ) − 1 is tr((Q M⁻¹ Qᵀ)⁻¹) − 1.
    """
    spectrum = np.linalg.eigvalsh(Q / Q.mean(axis=0) @ Q.T)
    return np.sum(1 / np.maximum(spectrum, 1e-12)) - 1


# --- Theorems 3.1 and 3.2: the least squared error ------------------------------------------------


def test_the_l2_optimal_size_is_floor_or_ceil_and_the_best_of_all():
    """Theorem 3.1, with k kept within [1, d − 1]."""
    for d, epsilon in product((2, 3, 10, 77, 500, 3000), np.geomspace(0.01, 10, 40)):
        spread = theory.total_variance(d, epsilon, np.arange(1, d), 1)
        best = theory.l2_optimal_k(d, epsilon)
        real = d / (1 + np.exp(epsilon))
        assert best in {max(int(real), 1), int(real) + 1}
        assert spread[best - 1] == spread.min()


@subsets
def test_the_total_variance_has_a_closed_form(d, k):
    """n·MSE = ((d − 1)/(E − 1))² (1/k + E²/(d − k)) − (d − 1), exactly; hence convex in k."""
    mechanism = KSubset(d, 1.0, k)
    (g, h), E = mechanism.hit_rates, mechanism.likelihood_ratio
    exact = variance_of_rates(d, g, h)
    assert exact == ((d - 1) / (E - 1)) ** 2 * (Fraction(1, k) + E**2 / (d - k)) - (d - 1)
    assert theory.total_variance(d, 1.0, k, 1) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("k", [0.5, 1, 3, 7.5])
def test_the_slope_of_the_total_variance(k):
    """In Appendix D its sign and denominator are wrong; the minimum is at d/(1 + E) still."""
    d, E = 10, mp.e

    def variance(k):
        g = k * E / (k * E + d - k)
        return variance_of_rates(d, g, (k - g) / (d - 1))

    slope = mp.diff(variance, k)
    scale, numerator = ((d - 1) / (E - 1)) ** 2, (E * k) ** 2 - (d - k) ** 2
    corrected, printed = scale * numerator / (k * (d - k)) ** 2, -scale * numerator / (k * (d - k))
    assert float(slope) == pytest.approx(float(corrected), rel=1e-6)
    assert slope * printed < 0
    assert (slope > 0) == (k > d / (1 + E))


def test_less_privacy_errs_less():
    epsilon = np.geomspace(0.001, 15, 300)
    for d in (2, 3, 10, 1000):
        assert np.all(np.diff(least_subset_variance(d, epsilon)) < 0)


def test_binary_rr_always_errs_more_than_the_best_size():
    d, epsilon = np.meshgrid([2, 3, 10, 100, 1000], np.geomspace(0.01, 15, 50))
    spread = theory.binary_total_variance(d, epsilon, 1)
    assert np.all(spread > least_subset_variance(d, epsilon))
    # Control: it errs less than half the ε would, except at d = 2, where it errs just as much.
    halved = least_subset_variance(d, epsilon / 2)
    assert np.all((spread < halved * (1 - 1e-9)) == (d > 2))
    np.testing.assert_allclose(spread[d == 2], halved[d == 2], rtol=1e-12)


def test_the_total_variance_is_the_same_for_every_distribution():
    d, epsilon, k = 7, 1.0, 2
    for theta in np.random.default_rng(3).dirichlet(np.full(d, 0.3), size=20):
        items = theory.item_variance(d, epsilon, k, theta, 1)
        assert np.sum(items) == pytest.approx(theory.total_variance(d, epsilon, k, 1), rel=1e-12)
        assert np.ptp(items) > 0.05 * np.mean(items)  # unlike that of an item


@pytest.mark.parametrize("d", [2, 3, 5, 10, 40])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0])
def test_no_mixture_of_sizes_errs_less_with_the_remapping_estimator(d, epsilon):
    """Theorem 3.2: P_s is the chance of a set of size s, C_s how much likelier one that holds the
    own value is than another of that size; g and h of the mixture are the means of those of sizes.
    """
    rng, least, s = np.random.default_rng(d), least_subset_variance(d, epsilon), np.arange(d + 1)

    def variance(P, C):
        g = s * C / (s * C + d - s)
        h = (s - g) / (d - 1)
        return variance_of_rates(d, np.sum(P * g, axis=-1), np.sum(P * h, axis=-1))

    alone = s == theory.l2_optimal_k(d, epsilon)
    others, share = rng.dirichlet(np.full(d + 1, 0.3), size=3000), rng.uniform(size=(3000, 1))
    P = share * alone + (1 - share) * others
    C = np.exp(epsilon * np.minimum(rng.uniform(0.5, 1.5, size=P.shape), 1))
    assert np.all(variance(P, C) >= least * (1 - 1e-9))
    # A single size attains it, and with C a little above E passes it.
    assert variance(alone, np.exp(epsilon)) == pytest.approx(least, rel=1e-9)
    assert variance(alone, np.exp(epsilon) * (1 + 1e-6)) < least * (1 - 1e-9)


@small
def test_the_best_linear_estimate_from_a_mixture_averages_the_precision_of_its_sizes(d, epsilon):
    """So no mixture errs less than its best size. (Precisions are those of a drawn population.)"""
    variances = theory.total_variance(d, epsilon, np.arange(1, d), 1)
    channels = [channel(KSubset(d, epsilon, k)) for k in range(1, d)]
    sampling = 1 - 1 / d
    for P in np.random.default_rng(d).dirichlet(np.full(d - 1, 0.5), size=30):
        Q = np.hstack([chance * part for chance, part in zip(P, channels, strict=True)])
        mixed = 1 / np.sum(P / (variances + sampling)) - sampling
        assert least_variance(Q) == pytest.approx(mixed, rel=1e-8)
        assert mixed >= least_subset_variance(d, epsilon) * (1 - 1e-9)


@small
def test_no_private_channel_errs_less_with_the_best_linear_estimator(d, epsilon):
    """Theorem 3.2 without its assumptions: any reports, any unbiased linear estimator."""
    least = least_subset_variance(d, epsilon)
    for Q in random_channels(d, epsilon):
        assert least_variance(Q) >= least * (1 - 1e-9)
    assert least_variance(channel(KSubset(d, epsilon))) == pytest.approx(least, rel=1e-9)
    # Control: a millionth less privacy errs less.
    assert least_variance(channel(KSubset(d, epsilon + 1e-6))) < least * (1 - 1e-9)


@small
def test_the_least_error_is_the_optimum_of_a_linear_program(d, epsilon):
    """J = Q M⁻¹ Qᵀ has the eigenvalue d (of the constant vector) and d − 1 others, whose inverses
    add up to at least (d − 1)²/(tr J − d); and tr J is a sum over the columns of the channel.
    """
    least = pytest.approx(least_subset_variance(d, epsilon), rel=1e-9)
    for top, same in ((1, True), (1 + 1e-6, False)):
        columns = patterns(d, epsilon, (0, 0.4, top))
        trace = most(np.sum(columns**2, axis=0) / np.mean(columns, axis=0), columns)
        reached = (d - 1) ** 2 / (trace - d) + 1 / d - 1 == least
        assert reached == same


# --- the estimators -------------------------------------------------------------------------------


def remapping(mechanism):
    """The estimator as a matrix T: a report z adds ([j in z] − h)/(g − h) to the count of j."""
    g, h = mechanism.hit_rates
    rows = [[(int(j in z) - h) / (g - h) for z in reports(mechanism)] for j in range(mechanism.d)]
    return np.array(rows, dtype=object)


@subsets
def test_regression_is_the_remapping_estimator(d, k):
    """(Q Qᵀ)⁻¹ Q = T, exactly: T Qᵀ = 1, so Q has full rank, and Q Qᵀ T = Q."""
    mechanism = KSubset(d, 1.0, k)
    Q, T = exact_channel(mechanism), remapping(mechanism)
    assert np.array_equal(T @ Q.T, np.eye(d))
    assert np.array_equal(Q @ Q.T @ T, Q)
    # The same of the code, from counts of reports.
    f = np.random.default_rng(d).integers(0, 50, size=Q.shape[1])
    Q = Q.astype(float)
    counts = np.array([f[[j in z for z in reports(mechanism)]].sum() for j in range(d)])
    regression = np.linalg.solve(Q @ Q.T, Q @ f) / f.sum()
    np.testing.assert_allclose(mechanism.frequencies(counts, f.sum()), regression, atol=1e-10)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_regression_is_another_estimator_where_sizes_vary(d):
    mechanism = BinaryRR(d, 1.0)
    Q, T = exact_channel(mechanism), remapping(mechanism)
    assert np.array_equal(T @ Q.T, np.eye(d))
    assert not np.any(Q @ Q.T @ T == Q)
    # The best linear estimator errs less, though more than that of the best size.
    best, remapped = least_variance(channel(mechanism)), theory.binary_total_variance(d, 1.0, 1)
    assert least_subset_variance(d, 1.0) < best < remapped


@subsets
def test_the_k_subset_mechanism_is_an_exponential_mechanism(d, k):
    """Q(z|x) ∝ E^u(z) with u(z) = −#{a in z: a ≠ x}; the paper leaves out ε in exp(ε u(z))."""
    mechanism = KSubset(d, 2.0, k)
    sets, E = reports(mechanism), mechanism.likelihood_ratio
    for base, same in ((E, True), (Fraction(np.e), False)):
        scores = [[base ** -(len(set(z) - {x})) for z in sets] for x in range(d)]
        law = np.array([[score / sum(row) for score in row] for row in scores])
        assert np.all(exact_channel(mechanism) == law) == same
