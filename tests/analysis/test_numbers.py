"""Means, variances, shares and quantiles of numbers on a scale."""

from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
import pytest

from privet.analysis.numbers import Measured, Numbers
from privet.entropy import seeded
from privet.errors import InvalidArgument, NoReports
from privet.mechanisms import Interval


def chances_of(mechanism):
    return mechanism.analyst.estimator.chances


def all_crowds(mechanism, theta, n):
    """Yield every count of windows by n people drawn from theta, and how likely it is."""
    chances = chances_of(mechanism) @ theta
    for windows in combinations_with_replacement(range(mechanism.numbers), n):
        counts = np.bincount(windows, minlength=mechanism.numbers)
        ways = factorial(n) / prod(map(factorial, counts.tolist()))
        yield counts, ways * np.prod(chances**counts)


def moments(mechanism, theta, n, measure):
    """Return mean and variance of a measured value over all crowds."""
    drawn = [
        (chance, measure(Numbers(mechanism, counts, n, -1.0, 2.0, False)).value)
        for counts, chance in all_crowds(mechanism, theta, n)
    ]
    chances, values = np.array(drawn).T
    mean = chances @ values
    return mean, chances @ (values - mean) ** 2


THETA = np.array([0.1, 0.4, 0.3, 0.2])
CENTRES = -1 + 3 * (np.arange(4) + 0.5) / 4
MEAN = THETA @ CENTRES
VARIANCE = THETA @ (CENTRES - MEAN) ** 2


@pytest.mark.parametrize("window", [1, 2, 4])
@pytest.mark.parametrize("n", [2, 4])
def test_mean_and_variance_are_unbiased_and_err_as_the_formulas_say(window, n):
    mechanism = Interval(4, 1.0, window)
    mean, error = moments(mechanism, THETA, n, Numbers.mean)
    assert mean == pytest.approx(MEAN, abs=1e-12)
    p, slope = chances_of(mechanism) @ THETA, float(mechanism.slope)
    y = np.arange(len(p)) - (len(p) - 1) / 2
    spread = p @ y**2 - (p @ y) ** 2
    assert error == pytest.approx((3 / 4) ** 2 * spread / slope**2 / n, rel=1e-10)

    variance, error = moments(mechanism, THETA, n, Numbers.variance)
    assert variance == pytest.approx(VARIANCE, abs=1e-12)
    far, near = (len(p) ** 2 - 1) / 12, (window**2 - 1) / 12
    u, v = y / slope, (y**2 - (1 - slope) * far) / slope - near
    part = v - 2 * (p @ u) * u
    exact = p @ part**2 - (p @ part) ** 2 + 2 * (p @ u**2 - (p @ u) ** 2) ** 2 / (n - 1)
    assert error == pytest.approx((3 / 4) ** 4 * exact / n, rel=1e-10)


def expected(mechanism, theta, n):
    """Return counts of a crowd of about n people that has no luck, and its size."""
    counts = np.rint(n * (chances_of(mechanism) @ theta)).astype(np.int64)
    return counts, int(counts.sum())


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_standard_errors_are_those_of_the_channel(epsilon):
    theta = np.arange(1, 17) / 136
    mechanism = Interval(16, epsilon)
    counts, n = expected(mechanism, theta, 10**12)
    numbers = Numbers(mechanism, counts, n, 0, 16, rounded=False)
    p, worth = chances_of(mechanism) @ theta, mechanism.analyst.estimator.borders
    share, inside = numbers.share(3, 9), slice(3, 9)
    part = worth[:, 9] - worth[:, 3]
    exact = np.sqrt((p @ part**2 - (p @ part) ** 2) / n)
    assert share.value == pytest.approx(theta[inside].sum(), abs=1e-6)
    assert share.standard_error == pytest.approx(exact, rel=1e-6)
    mean, variance = theta @ (np.arange(16) + 0.5), theta @ np.arange(16) ** 2
    assert numbers.mean().value == pytest.approx(mean, abs=1e-5)
    variance -= (theta @ np.arange(16)) ** 2
    assert numbers.variance().value == pytest.approx(variance, abs=1e-4)
    for q in (0.2, 0.5, 0.9):
        assert numbers.quantile(q).value == pytest.approx(
            np.interp(q, np.cumsum([0, *theta]), np.arange(17)), abs=1e-4
        )
    assert numbers.median().value == numbers.quantile(0.5).value


@pytest.mark.parametrize("length", [0, 1, 5, 32])
def test_ramps_are_below_and_above_what_is_below_a_border(length):
    """For each cell, so that it holds for all distributions."""
    mechanism = Interval(32, 1.0)
    numbers = Numbers(mechanism, np.full(mechanism.numbers, 9), 9 * mechanism.numbers, 0, 1)
    steps = np.arange(32)[:, None] < np.arange(33)
    lower, upper = (chances_of(mechanism).T @ ramps for ramps in numbers._ramps(length))
    assert (lower < steps + 1e-10).all()
    assert (upper > steps - 1e-10).all()
    ramp = np.clip(1 - (np.arange(32) - 15) / (length + 1), 0, 1)
    assert upper[:, 16] == pytest.approx(ramp, abs=1e-10)
    if length == 0:
        assert lower == pytest.approx(1.0 * steps, abs=1e-10)


def test_ramps_are_for_few_people():
    mechanism = Interval(256, 1.0)
    lengths = []
    for n in (1000, 10**5, 10**9):
        counts, size = expected(mechanism, np.full(256, 1 / 256), n)
        lengths.append(Numbers(mechanism, counts, size, 0, 1)._length(0, 128))
    assert lengths[0] > lengths[1] > lengths[2] == 0


TRUTHS = {
    "smooth": np.arange(16) ** 4.0 * np.arange(16, 0, -1),
    "bimodal": np.exp(-((np.arange(16) - 4) ** 2)) + np.exp(-((np.arange(16) - 12) ** 2) / 4),
    "spiky": np.array([0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2.0]),
}


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_intervals_cover(truth, epsilon):
    """In 500 crowds of a thousand, at least as often as 0.95 allows by four of its own errors."""
    theta, mechanism, crowds = TRUTHS[truth] / TRUTHS[truth].sum(), Interval(16, epsilon), 500
    p = chances_of(mechanism) @ theta
    centres, below = np.arange(16) + 0.5, np.cumsum([0, *theta])
    mean = theta @ centres
    hits = np.zeros(6)
    for counts in np.random.default_rng(1).multinomial(1000, p / p.sum(), size=crowds):
        numbers = Numbers(mechanism, counts, 1000, 0, 16, rounded=False)
        measured = {
            numbers.mean(): mean,
            numbers.variance(): theta @ (centres - mean) ** 2,
            numbers.share(0, 8): below[8],
            numbers.share(4, 12): below[12] - below[4],
            numbers.median(): centres[np.searchsorted(below, 0.5) - 1],
            numbers.quantile(0.1): centres[np.searchsorted(below, 0.1) - 1],
        }
        ends = [(*one.interval(), value) for one, value in measured.items()]
        hits += [low <= value <= high for low, high, value in ends]
    assert (hits / crowds > 0.95 - 4 * np.sqrt(0.05 * 0.95 / crowds)).all()


def crowds_of(truth, cells, epsilon, n, crowds):
    mechanism = Interval(cells, epsilon)
    p = chances_of(mechanism) @ truth
    for counts in np.random.default_rng(1).multinomial(n, p / p.sum(), size=crowds):
        yield Numbers(mechanism, counts, n, 0, cells, rounded=False)


def test_quantiles_are_those_of_the_smooth_distribution_moved_into_their_intervals(monkeypatch):
    truth = TRUTHS["bimodal"] / TRUTHS["bimodal"].sum()
    for numbers in crowds_of(truth, 16, 2.0, 10_000, 5):
        below = np.cumsum([0, *numbers.distribution()])
        for q in (0.1, 0.5, 0.9):
            value, (low, high) = np.interp(q, below, np.arange(17)), numbers.quantile(q).interval()
            assert numbers.quantile(q).value == pytest.approx(np.clip(value, low, high), abs=1e-9)
    flat = np.eye(16)[0]
    given = "privet.refine.smooth.smooth_with_errors"
    monkeypatch.setattr(given, lambda *some: (flat, np.zeros(16)))
    for numbers in crowds_of(truth, 16, 2.0, 10_000, 5):
        assert numbers.median().value == numbers.median().interval()[0] > 1


def test_quantiles_of_a_smooth_truth_are_nearer_than_where_the_unbiased_shares_say():
    """By a quarter or more, on average over crowds."""
    x = (np.arange(64) + 0.5) / 64
    truth = x**4 * (1 - x) / (x**4 * (1 - x)).sum()
    levels, errors = np.array([0.1, 0.25, 0.5, 0.75, 0.9]), []
    expected = np.interp(levels, np.cumsum([0, *truth]), np.arange(65))
    for numbers in crowds_of(truth, 64, 1.0, 10_000, 30):
        shares = [numbers.share(0, border).value for border in range(65)]
        plain = np.interp(levels, np.maximum.accumulate(shares), np.arange(65))
        found = [numbers.quantile(q).value for q in levels]
        errors.append([np.abs(found - expected).mean(), np.abs(plain - expected).mean()])
    smooth, unbiased = np.mean(errors, axis=0)
    assert smooth < 0.75 * unbiased


def test_the_smooth_distribution_is_made_once_and_only_for_values(monkeypatch):
    made = []

    def flat(mechanism, windows):
        made.append(windows)
        return np.full(16, 1 / 16), np.zeros(16)

    monkeypatch.setattr("privet.refine.smooth.smooth_with_errors", flat)
    (numbers,) = crowds_of(np.full(16, 1 / 16), 16, 1.0, 1000, 1)
    quantiles = [numbers.quantile(q) for q in (0.25, 0.5, 0.75)]
    assert all(one.interval()[0] < one.interval()[1] for one in quantiles)
    assert all(one.standard_error > 0 for one in quantiles)
    assert not made
    assert [one.value for one in quantiles] == pytest.approx([4, 8, 12])
    numbers.distribution()[0] = 9  # a copy
    assert numbers.distribution()[0] == 1 / 16
    assert len(made) == 1
    assert repr(quantiles[1]).startswith("Measured(value=8.0, standard_error=")


def test_levels_and_bounds():
    mechanism = Interval(8, 0.2)
    numbers = Numbers(mechanism, np.bincount([0] * 9, minlength=mechanism.numbers), 9, 10, 18)
    for one, least, most in [
        (numbers.mean(), 10, 18),
        (numbers.variance(), 0, 16),
        (numbers.share(12, 15), 0, 1),
        (numbers.median(), 10, 18),
    ]:
        low, high = one.interval(0.5)
        wide_low, wide_high = one.interval(0.99)
        assert least <= wide_low <= low <= high <= wide_high <= most
        assert isinstance(one, Measured)
        assert one.standard_error > 0  # also where all reports are alike
        with pytest.raises(InvalidArgument, match="'level'"):
            one.interval(1.5)
    assert numbers.share(10, 18).interval() == (1, 1)
    assert numbers.share(0, 10).value == 0
    assert numbers.share(10.1, 10.1).value == pytest.approx(0, abs=1e-12)
    one = Numbers(mechanism, np.bincount([3], minlength=mechanism.numbers), 1, 10, 18)
    assert one.mean().interval() == (10, 18)


def test_rounding_adds_to_the_variance_and_is_taken_off():
    """Numbers spread evenly over [1, 7] of 8 cells, each rounded to one of two centres."""
    people = np.array([1 / 8, 7 / 8, 1, 1, 1, 1, 7 / 8, 1 / 8]) / 6
    mechanism = Interval(8, 2.0)
    counts, n = expected(mechanism, people, 10**12)
    rounded, plain = (Numbers(mechanism, counts, n, 0, 8, flag) for flag in (True, False))
    assert rounded.mean().value == pytest.approx(4, abs=1e-5)
    assert rounded.variance().value == pytest.approx(6**2 / 12, abs=1e-4)
    assert plain.variance().value - rounded.variance().value == pytest.approx(1 / 6)
    low, high = rounded.variance().interval()
    assert high - low == pytest.approx(1 / 4, abs=1e-4)
    assert np.subtract(*rounded.median().interval()) == np.subtract(*plain.median().interval()) - 1


def test_a_cut_cell_counts_in_part_and_its_interval_allows_for_all_of_it():
    mechanism, theta = Interval(4, 2.0), np.array([0.1, 0.2, 0.3, 0.4])
    counts, n = expected(mechanism, theta, 10**12)
    share = Numbers(mechanism, counts, n, 0, 4).share(0.5, 2.25)
    assert share.value == pytest.approx(0.05 + 0.2 + 0.3 / 4, abs=1e-5)
    assert share.interval() == pytest.approx((0.2, 0.6), abs=1e-4)


@pytest.mark.parametrize("smooth", [True, False])
def test_distributions_are_near_the_truth(smooth):
    mechanism = Interval(16, 2.0)
    theta = TRUTHS["smooth"] / TRUTHS["smooth"].sum()
    people = np.rint(theta * 200_000).astype(np.int64)
    counts = np.rint(chances_of(mechanism) @ people).astype(np.int64)
    found = Numbers(mechanism, counts, int(counts.sum()), 0, 1).distribution(smooth)
    assert found.shape == (16,)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1)
    assert np.abs(np.cumsum(found - theta)).max() < 0.004


def test_numbers_of_simulated_people():
    """Through the reports' own batches, not the formulas above."""
    mechanism, people = Interval(10, 4.0), 1000 * np.arange(10)
    reports = mechanism.randomize(np.repeat(np.arange(10), people), entropy=seeded(1))
    n, windows = mechanism.aggregate(reports)
    numbers = Numbers(mechanism, windows, n, 0, 10, rounded=False)
    mean = numbers.mean()
    assert abs(mean.value - (people @ np.arange(10) / n + 0.5)) < 5 * mean.standard_error
    share = numbers.share(0, 5)
    assert abs(share.value - people[:5].sum() / n) < 5 * share.standard_error
    shares = mechanism.frequencies(mechanism.counts(windows), n)
    assert abs(share.value - shares[:5].sum()) < share.standard_error  # by plain least squares


def test_what_is_refused():
    mechanism = Interval(5, 1.0, window=2)
    counts = np.ones(6, dtype=np.int64)
    for bad in (counts[:5], counts * 1.0, counts - 2, counts * 2):
        with pytest.raises(InvalidArgument, match="'windows'"):
            Numbers(mechanism, bad, 6, 0, 1)
    with pytest.raises(NoReports):
        Numbers(mechanism, 0 * counts, 0, 0, 1)
    for low, high in ((1, 1), (0, float("inf")), (float("nan"), 1)):
        with pytest.raises(InvalidArgument, match="'high'"):
            Numbers(mechanism, counts, 6, low, high)
    numbers = Numbers(mechanism, counts, 6, 0, 1)
    with pytest.raises(InvalidArgument, match="'high'"):
        numbers.share(0.5, 0.4)
    for q in (0, 1, "half"):
        with pytest.raises(InvalidArgument, match="'q'"):
            numbers.quantile(q)
