"""One option asked of each, for analysts: batches, counts, shares and simulated crowds."""

from fractions import Fraction
from itertools import product
from math import comb
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

import naive
from privet import Estimate, simulate, theory
from privet.analysis.presence import binomial_tail
from privet.entropy import seeded
from privet.mechanisms import OneOption
from refusing import refused_argument


def some_sets(mechanism, n, seed=1):
    """Rows of options in any order, with -1 anywhere."""
    rng = np.random.default_rng(seed)
    order = np.argsort(rng.random((n, mechanism.d)), axis=1)[:, : mechanism.most]
    return np.where(rng.random(order.shape) < rng.random((n, 1)), order, -1)


class Wired:
    """The draws of one report of a batch: a word each."""

    def __init__(self, coin, option):
        self.words = [coin, option]

    def coin(self, heads, total):
        assert self.words[0] < total
        return self.words[0] < heads

    def below(self, n):
        assert self.words[1] < 2**64 // n * n
        return self.words[1] % n


@pytest.mark.parametrize(("d", "most"), [(2, 1), (10, 3), (37, 20), (200, 2), (4096, 5)])
def test_a_batch_makes_the_decisions_of_the_sampler_on_its_words(d, most):
    mechanism = OneOption(d, 1.0, most)
    values = some_sets(mechanism, 300)
    fixed = naive.Bytes(seeded(3).keystream().read(1 << 20))
    coins = [fixed.take(8) for _ in range(300 + 300 // 64 + 16)]
    spare = coins[300:]
    for i in range(300):
        while coins[i] >= mechanism.coin[1]:
            coins[i] = spare.pop(0)
    words = [(coin, fixed.take(8)) for coin in coins[:300]]
    made = mechanism.analyst.batches.side_by_side(values, seeded(3))
    people = mechanism.analyst.batches.people(values)
    expected = [mechanism.sample(x, Wired(*w)) for x, w in zip(people, words, strict=True)]
    assert [row.tobytes() for row in made] == expected


def test_counts_say_how_many_said_yes_and_how_many_were_asked():
    mechanism = OneOption(3, 1.0, 2)
    counts = mechanism.tally([b"\x00", b"\x01", b"\x01", b"\x04"])
    assert counts.tolist() == [[2, 3], [0, 0], [0, 1]]


def test_a_share_is_unbiased_among_those_who_were_asked():
    """Exactly, over all that n people may say, with the exact variance given who was asked."""
    mechanism = OneOption(2, 1.0, 1)
    (p, q), share, most = mechanism.hit_rates, Fraction(3, 10), 6
    rate = q + share * (p - q)
    for asked in range(1, most + 1):
        law = [comb(asked, y) * rate**y * (1 - rate) ** (asked - y) for y in range(asked + 1)]
        counts = np.array([[[y, asked], [0, most - asked]] for y in range(asked + 1)])
        found = [mechanism.frequencies(each, most)[0] for each in counts]
        chances = np.array(law, float)
        assert chances @ found == pytest.approx(0.3, abs=1e-12)
        variance = chances @ np.square(found) - 0.3**2
        # With d = 1, all of the people would be asked: what the theory says of so many.
        assert variance == pytest.approx(
            (float(p * q / (p - q) ** 2) + 0.3 * 0.7) / asked, rel=1e-9
        )


def test_nobody_asked_nothing_known():
    mechanism = OneOption(3, 1.0, 2)
    counts = np.array([[5, 9], [0, 0], [0, 1]])
    assert mechanism.frequencies(counts, 10)[1] == 0.5
    assert mechanism.analyst.estimator.p_values(counts, 10)[1] == 1
    for target in ("population", "sample", 50):
        low, high = mechanism.interval(counts, 10, 0.05, target)
        assert (low[1], high[1]) == (0, 1)


@pytest.mark.parametrize(("d", "epsilon"), [(2, 0.1), (5, 1.0), (20, 3.0)])
def test_the_variance_is_that_of_the_theory(d, epsilon):
    mechanism, theta = OneOption(d, epsilon, 1), np.array([0.0, 0.2, 0.5, 1.0])
    for n in (1, 1000):
        claimed = theory.asked_item_variance(d, epsilon, theta, n)
        assert mechanism.variance(theta, n, "sample") == pytest.approx(claimed, rel=1e-9)


def crowds(mechanism, people, draws, seed=7):
    rng = np.random.default_rng(seed)
    return [simulate.counts(mechanism, people, rng) for _ in range(draws)]


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_simulated_counts_have_the_claimed_mean_and_variance(epsilon):
    """Within six standard errors; with a tenth of the people moved elsewhere, no more."""
    mechanism, draws, n = OneOption(4, epsilon, 2), 4000, 5000
    people = {(): 1000, (0,): 1500, (0, 1): 2000, (2, 3): 500}
    shares = np.array([3500, 2000, 500, 500]) / n
    found = np.array([mechanism.frequencies(c, n) for c in crowds(mechanism, people, draws)])
    variance = mechanism.variance(shares, n, "sample")
    error = np.sqrt(variance / draws)
    assert (np.abs(found.mean(axis=0) - shares) < 6 * error).all()
    assert not (np.abs(found.mean(axis=0) - shares - [0.1, 0, 0, 0]) < 6 * error).all()
    # 1/asked is on average (1 + (d − 1)/n) d/n, a thousandth more; six standard errors are 0.13.
    assert found.var(axis=0) / variance == pytest.approx(1, abs=6 * np.sqrt(2 / draws))


def test_simulated_counts_are_those_of_reports():
    """Of both, the means of all counts are within six standard errors of the exact ones."""
    mechanism, n, draws = OneOption(3, 1.0, 2), 600, 400
    people = {(): 100, (0, 2): 300, (1,): 200}
    values = [[*options] for options, count in people.items() for _ in range(count)]
    p, q = map(float, mechanism.hit_rates)
    holders = np.array([300, 200, 300])
    expected = (holders * p + (n - holders) * q) / 3
    made = [mechanism.tally(mechanism.randomize(values, entropy=seeded(i))) for i in range(draws)]
    for drawn in (crowds(mechanism, people, draws), made):
        yes, asked = np.mean(drawn, axis=0).T
        assert np.abs(asked - 200).max() < 6 * np.sqrt(n * 2 / 9 / draws)
        assert np.abs(yes - expected).max() < 6 * np.sqrt(n / 4 / draws)
        assert all(each[:, 1].sum() == n for each in drawn)


@pytest.mark.parametrize("target", ["population", "sample", 900])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_intervals_cover_at_least_at_their_level(target, share):
    """Summed over all answers of those who were asked, exactly: the level is never missed."""
    mechanism, n, asked, alpha = OneOption(4, 1.0, 2), 120, 30, 0.1
    p, q = map(float, mechanism.hit_rates)
    answers = np.arange(asked + 1)
    if target == "population":
        chances = binom.pmf(answers, asked, q + share * (p - q))
    else:
        people = n if target == "sample" else target
        held = round(share * people)
        chances = np.zeros(asked + 1)
        for own in range(asked + 1):
            weight = comb(held, own) * comb(people - held, asked - own) / comb(people, asked)
            both = np.convolve(
                binom.pmf(np.arange(own + 1), own, p),
                binom.pmf(np.arange(asked - own + 1), asked - own, q),
            )
            chances += weight * both
    counts = np.array([[[y, asked], *[[10, 30]] * 3] for y in answers])
    ends = [mechanism.interval(each, n, alpha, target) for each in counts]
    low, high = (np.array([end[i][0] for end in ends]) for i in range(2))
    covered = chances[(low <= share + 1e-9) & (share - 1e-9 <= high)].sum()
    assert covered >= 1 - alpha
    wrong = share - 0.6 if share > 0.5 else share + 0.6
    assert chances[(low <= wrong) & (wrong <= high)].sum() < 0.9


def test_p_values_are_exact_binomial_tails():
    mechanism = OneOption(2, 1.0, 1)
    q = float(mechanism.hit_rates[1])
    for yes, asked in product(range(6), [5, 8]):
        counts = np.array([[yes, asked], [0, 0]])
        found = mechanism.analyst.estimator.p_values(counts, asked)
        sure = min(yes, asked * float(mechanism.hit_rates[0]))
        assert found == pytest.approx([float(binomial_tail(sure, asked, q)), 1], rel=1e-9)
        if yes <= asked * mechanism.hit_rates[0]:
            assert found[0] == pytest.approx(binom.sf(yes - 1, asked, q), rel=1e-9)


def test_estimates_are_written_against_it():
    mechanism = OneOption(4, 2.0, 2)
    counts = simulate.counts(mechanism, {(0, 1): 3000, (2,): 1000}, seed=1)
    survey = SimpleNamespace(mechanism=mechanism, categories=("a", "b", "c", "d"), question="?")
    estimate = Estimate(survey, 4000, counts)
    assert not estimate.can_shrink
    columns = estimate.columns()
    assert columns["count"].tolist() == counts[:, 0].tolist()
    assert {len(column) for column in columns.values()} == {4}
    assert not {"projected", "shrunk"} & set(columns)
    assert estimate.found().tolist() == [True, True, True, False]
    assert estimate.frequencies == pytest.approx([0.75, 0.75, 0.25, 0], abs=0.1)
    low, high = estimate.interval()
    assert ((low <= [0.75, 0.75, 0.25, 0]) & (high >= [0.75, 0.75, 0.25, 0])).all()
    assert "3 of 4" in repr(estimate)
    assert len(estimate.to_frame()) == 4
    with refused_argument("mechanism", value=estimate.survey.mechanism):
        estimate.project()
