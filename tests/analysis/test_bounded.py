"""Intervals for bounded means: exact where they must be, and safe where reports are rare."""

import numpy as np
import pytest
from scipy.stats import beta

from privet.analysis.bounded import lower_ends, lower_p_values, mean_ends, upper_ends

BINARY = np.array([[0.0], [1.0]])


@pytest.mark.parametrize(("n", "hits"), [(5, 0), (5, 5), (100, 2), (1000, 500), (10**9, 10**6)])
def test_of_zeros_and_ones_it_is_clopper_and_pearsons(n, hits):
    low, high = mean_ends(BINARY, np.array([n - hits, hits]), 0.05)
    assert low == pytest.approx(beta.ppf(0.025, hits, n - hits + 1) if hits else 0)
    assert high == pytest.approx(beta.ppf(0.975, hits + 1, n - hits) if hits < n else 1)


@pytest.mark.parametrize("n", [1, 4, 40, 400])
def test_ends_are_quantiles_of_the_weighted_mean(n):
    """Compared with the definition: uniform weights, drawn, and one report more at the bound."""
    random = np.random.default_rng(n)
    worth = np.sort(random.exponential(size=7))
    counts = random.multinomial(n, np.full(7, 1 / 7))
    low, high = mean_ends(worth[:, None], counts, 0.1)
    held, times = worth[counts > 0], counts[counts > 0].astype(float)
    for end, bound, q in ((low, worth[0], 0.05), (high, worth[-1], 0.95)):
        weights = random.dirichlet([*times, 1], size=200_000)
        drawn = weights @ [*held, bound]
        assert (drawn < end).mean() == pytest.approx(q, abs=0.003)


@pytest.mark.parametrize("n", [1, 30, 1000, 3000, 30_000, 10**6])
@pytest.mark.parametrize("chance", [1e-4, 0.025, 0.16, 0.3])
def test_if_all_reports_are_alike_the_end_is_that_of_the_imaginary_one(n, chance):
    """Its weight has a beta distribution; rounding errors once led to the mean of it."""
    worth = np.array([[0.0, 0.0], [0.9, 0.01], [1.0, 1.0]])
    (high, _), (_, low) = (
        ends(worth, np.array([0, n, 0]), chance) for ends in (upper_ends, lower_ends)
    )
    reach = beta.ppf(1 - chance, 1, n)
    assert high - 0.9 == pytest.approx(0.1 * reach, rel=0.03)
    assert 0.01 - low == pytest.approx(0.01 * reach, rel=0.03)


def test_ends_hold_where_a_few_reports_are_far_from_all_others():
    """Random heavy tails; compared with drawn weights, as the definition has it."""
    random = np.random.default_rng(5)
    for _ in range(40):
        worth, n = random.normal(size=(30, 1)) ** 5, int(10 ** random.uniform(3, 5))
        counts = random.multinomial(n, random.dirichlet(np.full(30, 0.05)))
        chance = random.uniform(0.01, 0.4)
        weights = random.gamma(
            np.append(counts[counts > 0], 1.0), size=(20_000, sum(counts > 0) + 1)
        )
        drawn = weights @ np.append(worth[counts > 0, 0], worth.max()) / weights.sum(axis=1)
        (high,) = upper_ends(worth, counts, chance)
        assert (drawn > high).mean() == pytest.approx(chance, abs=0.025)


def test_many_reports_have_the_normal_interval():
    worth = np.linspace(-3, 5, 60)[:, None] ** 3
    counts = np.random.default_rng(1).multinomial(10**8, np.full(60, 1 / 60))
    low, high = mean_ends(worth, counts, 0.05)
    mean = counts @ worth / 10**8
    reach = 1.959964 * np.sqrt((counts @ worth**2 / 10**8 - mean**2) / 10**8)
    assert low == pytest.approx(mean - reach, rel=1e-4)
    assert high == pytest.approx(mean + reach, rel=1e-4)


def test_a_rare_value_that_nobody_reported_is_allowed_for():
    """1 in 300 holds 1000, all others about 0: Student's interval, the control, misses it often."""
    worth, chances = np.array([0.0, 1, 2, 1000]), np.array([0.3, 0.4, 0.3, 1 / 300])
    chances /= chances.sum()
    mean, hits = worth @ chances, []
    for counts in np.random.default_rng(1).multinomial(300, chances, size=500):
        low, high = mean_ends(worth[:, None], counts, 0.05)
        about = counts @ worth / 300
        reach = 1.96 * np.sqrt((counts @ worth**2 / 300 - about**2) / 300)
        hits.append((low[0] <= mean <= high[0], about - reach <= mean <= about + reach))
    ours, students = np.mean(hits, axis=0)
    assert ours >= 0.95 > 0.7 > students


def test_columns_do_not_disturb_each_other_and_constants_are_certain():
    random = np.random.default_rng(1)
    worth = np.column_stack([random.normal(size=9), np.full(9, 0.7), np.arange(9) % 2, np.zeros(9)])
    counts = random.multinomial(500, np.full(9, 1 / 9))
    low, high = mean_ends(worth, counts, 0.05)
    for at in range(4):
        alone = mean_ends(worth[:, [at]], counts, 0.05)
        assert (low[at], high[at]) == pytest.approx([end[0] for end in alone])
    assert (low[[1, 3]], high[[1, 3]]) == (pytest.approx([0.7, 0]), pytest.approx([0.7, 0]))


def test_p_values_are_the_levels_at_which_a_lower_end_reaches_a_number():
    random = np.random.default_rng(1)
    worth = np.column_stack([random.normal(0.3, 1, size=12), np.arange(12) % 3 == 0, np.zeros(12)])
    counts = random.multinomial(300, np.full(12, 1 / 12))
    for chance in (0.001, 0.025, 0.3):
        ends = lower_ends(worth, counts, chance)
        for at in range(2):
            assert lower_p_values(worth, counts, ends[at])[at] == pytest.approx(chance, rel=1e-4)
        assert (ends <= upper_ends(worth, counts, chance)).all()
    assert lower_p_values(worth, counts, 0.0)[2] == 1
    assert lower_p_values(worth, counts, -1.0)[2] == 0


@pytest.mark.parametrize("chance", [0.4999999, 0.49, 0.475, 0.45, 0.4])
def test_ends_next_to_the_mean_are_found(chance):
    """Of skew reports, of which one in many is far from the others, and of columns of all kinds."""
    rng = np.random.default_rng(3)
    worth = rng.normal(size=(40, 60)) ** 3
    counts = rng.multinomial(300, np.array([0.9, *[0.1 / 39] * 39]))
    mean, ends = counts @ worth / 300, upper_ends(worth, counts, chance)
    wider = upper_ends(worth, counts, 0.025)
    assert (ends <= wider).all()
    assert (ends > lower_ends(worth, counts, chance)).all()
    assert (np.abs(ends - mean) < np.abs(wider - mean)).mean() > 0.95
