"""Pratt's intervals against their definition, and whom they cover."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from privet.analysis.presence import clopper_pearson
from privet.analysis.refine.intervals import _best_chance, _counts, pratt
from privet.analysis.refine.prior import Noise, learn
from privet.mechanisms import KSubset
from privet.refine import shrink
from privet.simulate import counts


def learned(mechanism, hits, n):
    noise = Noise(n, mechanism.g, mechanism.h)
    different, times = np.unique(hits, return_counts=True)
    law = learn(noise, different.astype(float), times.astype(float), mechanism.d)
    return noise, law, different.astype(float)


def accepts(noise, law, theta, alpha):
    """Return which counts a share accepts, by definition: all counts, sorted."""
    every = np.arange(noise.n + 1)
    chance = binom.pmf(every, noise.n, noise.rate(theta))
    rates = noise.rate(law.shares)
    evidence = binom.pmf(every[:, None], noise.n, rates) @ law.others
    order = np.argsort(evidence / chance, kind="stable")
    taken = np.zeros(noise.n + 1, dtype=bool)
    taken[order[: np.searchsorted(np.cumsum(chance[order]), 1 - alpha) + 1]] = True
    return taken


@pytest.mark.parametrize(("d", "epsilon", "n"), [(10, 1.0, 60), (40, 3.0, 200), (5, 4.0, 120)])
def test_they_are_the_shares_that_accept_the_count(d, epsilon, n):
    mechanism, rng = KSubset(d, epsilon), np.random.default_rng(d)
    theta = 1 / np.arange(1, d + 1)
    hits = counts(mechanism, rng.multinomial(n, theta / theta.sum()), rng)
    noise, law, different = learned(mechanism, hits, n)
    low, high = pratt(noise, law, different, 0.1)
    fine = np.linspace(0, 1, 401)
    table = np.stack([accepts(noise, law, share, 0.1) for share in fine])
    step = np.sqrt(noise.variance(different / n)) / 3 + 1 / 400
    for at, count in enumerate(different.astype(int)):
        accepting = fine[table[:, count]]
        assert low[at] == pytest.approx(accepting.min(), abs=step[at])
        assert high[at] == pytest.approx(accepting.max(), abs=step[at])


@pytest.mark.parametrize("n", [1, 2, 60, 10**6])
def test_the_chance_of_the_likeliest_count_is_the_binomial_one(n):
    counts = np.unique(np.linspace(0, n, 61).round())
    chances = _best_chance(Noise(n, 0.6, 0.1), counts)
    assert chances == pytest.approx(binom.pmf(counts, n, counts / n), rel=2e-3)


def test_of_few_counts_all_are_looked_at_and_each_stands_for_itself():
    counts, width = _counts(Noise(60, 0.6, 0.1), np.array([0.1, 0.6]), 12.0)
    assert counts.tolist() == list(range(61))
    assert width.tolist() == [1] * 61


def test_of_many_counts_some_stand_for_those_near_and_none_for_what_is_far():
    n, rates = 10**6, np.array([0.2, 0.5])
    counts, width = _counts(Noise(n, 0.6, 0.1), rates, 3.0)
    gaps = np.diff(counts)
    far = np.argmax(gaps)
    assert np.delete(gaps, far).max() <= 101 < gaps[far]  # a fifth of a deviation, 500 at most
    reach = np.minimum(gaps, 201) / 2
    assert width == pytest.approx(np.append(0.5, reach) + np.append(reach, 0.5), abs=0.01)


def test_whatever_the_share_it_is_covered():
    """At fixed shares, for a law that was learned from other counts: exactly as often as said."""
    mechanism, n = KSubset(20, 2.0), 400
    rng = np.random.default_rng(5)
    noise, law, _ = learned(
        mechanism, counts(mechanism, rng.multinomial(n, np.full(20, 0.05)), rng), n
    )
    every = np.arange(n + 1.0)
    low, high = pratt(noise, law, every, 0.05)
    for share in (0.0, 0.02, 0.05, 0.1, 0.3, 0.9):
        covered = (low <= share) & (share <= high)
        chance = binom.pmf(every, n, noise.rate(share)) @ covered
        assert 0.94 < chance < 0.985


@pytest.mark.parametrize(("epsilon", "n"), [(1.0, 100), (8.0, 3)])
def test_clopper_and_pearson_are_the_mechanisms(epsilon, n):
    mechanism, hits = KSubset(4, epsilon), np.arange(n + 1)
    exact = np.array([binomtest(k, n).proportion_ci(0.95, "exact") for k in hits.tolist()]).T
    assert np.array(clopper_pearson(hits, n, 0.05)) == pytest.approx(exact, abs=1e-10)
    ends = Noise(n, mechanism.g, mechanism.h).share_of(exact)
    ours = np.clip(mechanism.interval(hits, n, 0.05, "population"), 0, 1)
    likely = (hits >= n * mechanism.h) & (hits <= n * mechanism.g)  # others are held to these
    assert likely.any()
    assert ends[:, likely] == pytest.approx(ours[:, likely], abs=1e-10)


GIANTS = [
    (500, 6.0, 20_000, 0.8),
    (100, 4.0, 10_000, 0.8),
    (30, 6.0, 500, 0.8),
    (100, 4.0, 10_000, 0.65),
    (300, 2.0, 10_000, 0.55),
]


@pytest.mark.parametrize(("d", "epsilon", "n", "share"), GIANTS)
def test_a_giant_keeps_its_share(d, epsilon, n, share):
    mechanism, rng, surveys = KSubset(d, epsilon), np.random.default_rng([d, n]), 80
    theta = np.append(share, np.full(d - 1, (1 - share) / (d - 1)))
    error = np.sqrt(mechanism.variance(theta[:1], n))[0]
    wrong, covered = [], []
    for _ in range(surveys):
        shrunk = shrink(mechanism, counts(mechanism, rng.multinomial(n, theta), rng), n)
        low, high = shrunk.interval(0.95)
        wrong.append((shrunk.frequencies[0] - share) / error)
        covered.append(low[0] <= share <= high[0])
    assert np.mean(np.square(wrong)) < 1 + 5 * np.sqrt(2 / surveys)
    assert np.mean(covered) > 0.95 - 5 * np.sqrt(0.05 * 0.95 / surveys)
    assert np.mean(np.abs(wrong) < 1) < 0.95  # no more certain than the counts allow


def test_values_that_nobody_holds_are_covered():
    mechanism, rng, n = KSubset(100, 2.0), np.random.default_rng(3), 5000
    theta = np.where(np.arange(100) < 50, 0.02, 0)
    covered = []
    for _ in range(40):
        low, _ = shrink(mechanism, counts(mechanism, rng.multinomial(n, theta), rng), n).interval()
        covered.append(np.mean(low[50:] == 0))
    assert np.mean(covered) > 0.94
