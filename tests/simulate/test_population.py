"""Whole populations: the joint law of the counts, against its enumeration and against theory."""

import itertools
from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import stats

from privet import simulate
from privet.analysis import laws
from privet.analysis.kernels.population_counts import hypergeometric
from privet.mechanisms import BinaryRR, KSubset, MultivariateRR
from refusing import refused_argument

ALPHA = 1e-6


@pytest.fixture
def no_shortcut(monkeypatch):
    """Simulate even a handful of people, instead of making their reports."""
    monkeypatch.setattr(laws, "_FEW_PEOPLE", 0)


def law_of_counts(mechanism, truth):
    """Return the probability of every vector of counts, by adding up one person after another."""
    d = mechanism.d
    if isinstance(mechanism, BinaryRR):
        sets = [s for size in range(d + 1) for s in itertools.combinations(range(d), size)]
    else:
        sets = list(itertools.combinations(range(d), mechanism.k))
    vectors = {s: tuple(int(j in s) for j in range(d)) for s in sets}
    law = {(0,) * d: 1.0}
    for value, people in enumerate(truth):
        one = {vectors[s]: float(chance(mechanism, s, value)) for s in sets}
        for _ in range(people):
            law = added(law, one)
    return law


def chance(mechanism, members, value):
    g, h = mechanism.hit_rates
    if isinstance(mechanism, BinaryRR):
        flipped = len(set(members) ^ {value})
        return h**flipped * g ** (mechanism.d - flipped)
    hit = value in members
    sets = comb(mechanism.d - 1, mechanism.k - hit)
    return (g if hit else 1 - g) / sets


def added(law, one):
    total = Counter()
    for (a, p), (b, q) in itertools.product(law.items(), one.items()):
        total[tuple(x + y for x, y in zip(a, b, strict=True))] += p * q
    return total


def p_value(law, drawn):
    """Return that of a chi-square test; cells that expect fewer than 10 are one cell."""
    seen = Counter(map(tuple, drawn.tolist()))
    if not set(seen) <= set(law):
        return 0.0
    expected = {vector: len(drawn) * p for vector, p in law.items()}
    common = [vector for vector, e in expected.items() if e >= 10]
    e = np.array([expected[v] for v in common] + [0.0])
    o = np.array([seen[v] for v in common] + [0])
    e[-1], o[-1] = len(drawn) - e.sum(), len(drawn) - o.sum()
    keep = e > 1e-6
    statistic = ((o[keep] - e[keep]) ** 2 / e[keep]).sum()
    return stats.chi2.sf(statistic, keep.sum() - 1)


def draw(mechanism, truth, times, seed):
    rng = np.random.default_rng(seed)
    return np.array([simulate.counts(mechanism, truth, rng) for _ in range(times)])


CASES = [
    (KSubset(4, 1.0, k=2), [2, 1, 0, 1]),
    (KSubset(3, 2.0, k=1), [0, 3, 2]),
    (KSubset(3, 0.5, k=2), [1, 1, 3]),
    (KSubset(5, 1.0, k=2), [0, 2, 0, 0, 1]),
    (KSubset(5, 3.0, k=4), [1, 0, 1, 1, 2]),
    (KSubset(6, 0.3, k=3), [0, 0, 1, 0, 1, 0]),
    (KSubset(7, 1.0, k=3), [0, 0, 0, 0, 0, 0, 2]),
    (KSubset(2, 1.0), [3, 4]),
    (MultivariateRR(5, 1.0), [2, 0, 1, 0, 2]),
    (BinaryRR(3, 1.0), [2, 0, 1]),
]


@pytest.mark.parametrize(("mechanism", "truth"), CASES, ids=repr)
@pytest.mark.usefixtures("no_shortcut")
def test_the_whole_vector_of_counts_follows_its_enumerated_law(mechanism, truth):
    law = law_of_counts(mechanism, truth)
    assert sum(law.values()) == pytest.approx(1)
    assert p_value(law, draw(mechanism, truth, 20_000, seed=1)) > ALPHA


@pytest.mark.parametrize(("mechanism", "truth"), [CASES[0], *CASES[-3:]], ids=repr)
@pytest.mark.usefixtures("no_shortcut")
def test_the_test_tells_another_law(mechanism, truth):
    """Counts that are drawn each by itself (which they are for BinaryRR), and a wrong ε."""
    law, rng = law_of_counts(mechanism, truth), np.random.default_rng(1)
    alone = rng.permuted(draw(mechanism, truth, 15_000, seed=1), axis=0)
    assert (p_value(law, alone) > ALPHA) == isinstance(mechanism, BinaryRR)
    size = [mechanism.k] if type(mechanism) is KSubset else []
    wrong = type(mechanism)(mechanism.d, mechanism.epsilon / 3, *size)
    assert p_value(law, draw(wrong, truth, 15_000, seed=2)) < ALPHA


@pytest.mark.parametrize("d", [16, 37, 64])
@pytest.mark.parametrize("n", [300, 50_000, 10**9])
@pytest.mark.usefixtures("no_shortcut")
def test_mean_and_covariance_are_those_of_the_reports(d, n):
    mechanism, times = KSubset(d, 1.0), 1500
    rng = np.random.default_rng(d)
    truth = rng.multinomial(n, rng.dirichlet(np.ones(d)))
    drawn = draw(mechanism, truth, times, seed=n)
    assert (drawn.sum(axis=1) == n * mechanism.k).all()
    mean, covariance = moments(mechanism, truth)
    inverse = np.linalg.pinv(covariance, hermitian=True)
    off = drawn - mean
    # The mean, as one chi-square with d − 1 degrees of freedom.
    centre = off.mean(axis=0)
    assert stats.chi2.sf(times * centre @ inverse @ centre, d - 1) > ALPHA
    # The whole covariance: whitened deviations have unit covariance within the plane.
    whitened = np.linalg.svd(covariance, hermitian=True)[0][:, : d - 1].T @ off.T
    whitened /= np.sqrt(np.linalg.svd(covariance, hermitian=True)[1][: d - 1])[:, None]
    found = whitened @ whitened.T / times
    z = np.sqrt(times) * (found - np.eye(d - 1)) / np.where(np.eye(d - 1), np.sqrt(2), 1)
    assert np.abs(z).max() < 6.5
    assert 0.9 < np.sqrt((z**2).mean()) < 1.1


def moments(mechanism, truth):
    """Return mean and covariance of the counts, from the chances of one and of two members."""
    d, k = mechanism.d, mechanism.k
    g, h = mechanism.hit_rates
    with_own = g * Fraction(k - 1, d - 1)
    without = g * Fraction((k - 1) * (k - 2), (d - 1) * (d - 2))
    without += (1 - g) * Fraction(k * (k - 1), (d - 1) * (d - 2))
    n = int(truth.sum())
    mean = truth * float(g) + (n - truth) * float(h)
    pairs = truth[:, None] + truth[None, :]
    covariance = pairs * float(with_own - g * h) + (n - pairs) * float(without - h * h)
    own, other = float(g * (1 - g)), float(h * (1 - h))
    np.fill_diagonal(covariance, truth * own + (n - truth) * other)
    return mean, covariance


@pytest.mark.parametrize("kind", [KSubset, MultivariateRR, BinaryRR])
def test_the_estimate_from_simulated_counts_is_unbiased(kind):
    mechanism = kind(50, 1.0)
    rng = np.random.default_rng(1)
    truth = rng.multinomial(10**8, rng.dirichlet(np.ones(50)))
    n = truth.sum()
    estimate = mechanism.frequencies(simulate.counts(mechanism, truth, 5), n)
    z = (estimate - truth / n) / np.sqrt(mechanism.variance(truth / n, n, "sample"))
    assert np.abs(z).max() < 6


@pytest.mark.parametrize(
    ("good", "bad", "sample"),
    [(0, 5, 3), (5, 0, 3), (3, 4, 7), (5, 6, 4), (30, 40, 35), (40, 30, 60), (500, 20, 300),
     (7, 5000, 2000), (5000, 7, 2000), (12, 12, 12), (10**4, 10**5, 3 * 10**4)],
)  # fmt: skip
def test_hypergeometric_draws(good, bad, sample):
    """The distribution function of what is drawn, smoothed over its steps, is uniform."""
    rng = np.random.default_rng(1)
    drawn = np.array([hypergeometric(rng, good, bad, sample) for _ in range(20_000)])
    cdf = stats.hypergeom(good + bad, good, sample).cdf(np.arange(-1, drawn.max() + 1))
    below, up_to = cdf[drawn], cdf[drawn + 1]
    assert stats.kstest(below + rng.random(20_000) * (up_to - below), "uniform").pvalue > ALPHA
    if up_to.min() < 1:
        assert stats.kstest(below, "uniform").pvalue < ALPHA or good > 1000


def test_hypergeometric_draws_among_billions():
    rng = np.random.default_rng(2)
    good, bad, sample = 1_400_000_000, 1_600_000_000, 900_000_000
    drawn = np.array([hypergeometric(rng, good, bad, sample) for _ in range(200_000)])
    total, share = good + bad, good / (good + bad)
    deviation = np.sqrt(sample * share * (1 - share) * (total - sample) / (total - 1))
    z = (drawn - sample * share) / deviation  # steps of 1 / 10,000: as good as continuous
    assert stats.kstest(z, "norm").pvalue > ALPHA
    assert stats.kstest(1.02 * z, "norm").pvalue < ALPHA


def test_a_seed_gives_the_same_counts():
    mechanism, truth = KSubset(64, 1.0), np.full(64, 10_000)
    first, again = (simulate.counts(mechanism, truth, 7) for _ in range(2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, simulate.counts(mechanism, truth, 8))
    assert not np.array_equal(simulate.counts(mechanism, truth), simulate.counts(mechanism, truth))


def test_extreme_truths():
    everyone = np.zeros(1000, np.int64)
    everyone[17] = 10**10
    for mechanism in (KSubset(1000, 1.0), MultivariateRR(1000, 8.0), KSubset(1000, 0.01)):
        drawn = simulate.counts(mechanism, everyone, 1)
        assert drawn.sum() == 10**10 * mechanism.k
        assert abs(drawn[17] / 1e10 - mechanism.g) < 1e-4
        assert np.abs(np.delete(drawn, 17) / 1e10 - mechanism.h).max() < 1e-4


@pytest.mark.parametrize(
    ("truth", "parameter", "shown"),
    [
        ([1, -1, 0], "truth[1]", "-1"),
        ([1, 0.5, 0], "truth[1]", "0.5"),
        ([1, float("nan"), 0], "truth[1]", "nan"),
        ([0, 0, 0], "truth", "0"),
        ([10**10, 1, 0], "truth", "10000000001"),
        ([2**63, 1, 0], "truth[0]", "9.22"),
        ([1, 2], "truth", "(2,)"),
        ([], "truth", "(0,)"),
        (["a", "b", "c"], "truth", "U1"),
    ],
)
def test_bad_truths_are_named(truth, parameter, shown):
    with refused_argument(parameter, "counts") as caught:
        simulate.counts(KSubset(3, 1.0), truth)
    assert shown in str(caught.value.value)


def test_other_bad_arguments_are_named():
    with refused_argument("seed", "counts"):
        simulate.counts(KSubset(3, 1.0), [1, 2, 3], seed="x")
    with refused_argument("seed", "counts"):
        simulate.counts(KSubset(3, 1.0), [1, 2, 3], seed=-1)
    with refused_argument("mechanism", "counts"):
        simulate.counts("k-subset", [1, 2, 3])
