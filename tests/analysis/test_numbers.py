"""Means, variances, shares and quantiles of numbers on a scale."""

from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
import pytest

from privet.analysis.measured import Measured
from privet.analysis.numbers import Numbers
from privet.analysis.ramps import Ramps
from privet.entropy import seeded
from privet.errors import NoReports
from privet.mechanisms import Interval
from refusing import refused_argument


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
    share, inside = numbers.share(3, 9), slice(3, 9)
    p, worth = chances_of(mechanism) @ theta, mechanism.analyst.estimator.borders
    part = worth[:, 9] - worth[:, 3]
    exact = np.sqrt((p @ part**2 - (p @ part) ** 2) / n)
    assert share.value == pytest.approx(theta[inside].sum(), abs=1e-5)
    assert exact * 0.99 < share.standard_error < exact * 2
    low, high = share.interval(0.95)
    assert high - low == pytest.approx(2 * 1.96 * exact, rel=0.01)
    mean, variance = theta @ (np.arange(16) + 0.5), theta @ np.arange(16) ** 2
    assert numbers.mean().value == pytest.approx(mean, abs=1e-5)
    variance -= (theta @ np.arange(16)) ** 2
    assert numbers.variance().value == pytest.approx(variance, abs=1e-4)
    for q in (0.2, 0.5, 0.9):
        assert numbers.quantile(q).value == np.searchsorted(np.cumsum(theta), q) + 0.5
    between = Numbers(mechanism, counts, n, 0, 16)
    for q in (0.2, 0.5, 0.9):
        assert between.quantile(q).value == pytest.approx(
            np.interp(q, np.cumsum([0, *theta]), np.arange(17)), abs=1e-4
        )
    assert numbers.median().value == numbers.quantile(0.5).value


@pytest.mark.parametrize("n", [100, 10_000, 10**9])
@pytest.mark.parametrize("cells", [2, 5, 32])
def test_ramps_are_below_and_above_what_is_below_a_border(n, cells):
    """For each cell, so that it holds for all distributions."""
    mechanism = Interval(cells, 1.0)
    ramps, chances = Ramps(mechanism, n), chances_of(mechanism).T
    steps = np.arange(cells)[:, None] < np.arange(cells + 1)
    assert (chances @ ramps.lower < steps + 1e-9).all()
    assert (chances @ ramps.upper > steps - 1e-9).all()
    for first in range(cells):
        for last in range(first, cells + 1):
            inside = (np.arange(cells) >= first) & (np.arange(cells) < last)
            assert (chances @ ramps.between(first, last, inside=True) < inside + 1e-9).all()
            assert (chances @ ramps.between(first, last, inside=True) > -1e-9).all()
            outer = chances @ ramps.between(first, last, inside=False)
            assert (outer > inside - 1e-9).all() or first == last


def test_ramps_are_for_few_people():
    mechanism = Interval(256, 1.0)
    lengths = [Ramps(mechanism, n).lengths for n in (1000, 10**5, 10**9)]
    assert (lengths[0] >= lengths[1]).all()
    assert lengths[0][128] > lengths[1][128] > lengths[2].max() == 0


TRUTHS = {
    "smooth": np.arange(16) ** 4.0 * np.arange(16, 0, -1),
    "bimodal": np.exp(-((np.arange(16) - 4) ** 2)) + np.exp(-((np.arange(16) - 12) ** 2) / 4),
    "spiky": np.array([0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2.0]),
}


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_intervals_cover(truth, epsilon):
    """In 150 crowds of a thousand, at least as often as 0.95 allows by four of its own errors."""
    theta, mechanism, crowds = TRUTHS[truth] / TRUTHS[truth].sum(), Interval(16, epsilon), 150
    p = chances_of(mechanism) @ theta
    centres, below = np.arange(16) + 0.5, np.cumsum([0, *theta])
    mean = theta @ centres
    hits = np.zeros(6)
    for counts in np.random.default_rng(1).multinomial(1000, p / p.sum(), size=crowds):
        numbers = Numbers(mechanism, counts, 1000, 0, 16, rounded=False)
        measured = [
            (numbers.mean(), mean),
            (numbers.variance(), theta @ (centres - mean) ** 2),
            (numbers.share(0, 8), below[8]),
            (numbers.share(4, 12), below[12] - below[4]),
            (numbers.median(), centres[np.searchsorted(below, 0.5) - 1]),
            (numbers.quantile(0.1), centres[np.searchsorted(below, 0.1) - 1]),
        ]
        ends = [(*one.interval(), value) for one, value in measured]
        hits += [low <= value <= high for low, high, value in ends]
    assert (hits / crowds > 0.95 - 4 * np.sqrt(0.05 * 0.95 / crowds)).all()


def crowds_of(truth, cells, epsilon, n, crowds, rounded=False):
    mechanism = Interval(cells, epsilon)
    p = chances_of(mechanism) @ truth
    for counts in np.random.default_rng(1).multinomial(n, p / p.sum(), size=crowds):
        yield Numbers(mechanism, counts, n, 0, cells, rounded=rounded)


def test_shares_bands_and_quantiles_come_from_one_distribution():
    truth = TRUTHS["bimodal"] / TRUTHS["bimodal"].sum()
    for numbers in crowds_of(truth, 16, 2.0, 10_000, 5, rounded=True):
        below = np.cumsum([0, *numbers.distribution()])
        assert below[-1] == pytest.approx(1)
        bands = [numbers.share(low, low + 4).value for low in (0, 4, 8, 12)]
        assert bands == pytest.approx(np.diff(below[::4]))
        for q in (0.1, 0.5, 0.9):
            value = numbers.quantile(q).value
            assert value == pytest.approx(np.interp(q, below, np.arange(17)), abs=1e-9)
            assert numbers.share(0, value).value == pytest.approx(q)


def test_the_distribution_goes_no_further_from_the_reports_than_a_standard_error(monkeypatch):
    """Even if the smooth fit is far off, and every value lies in its own interval."""
    monkeypatch.setattr("privet.analysis.numbers.smooth", lambda *some: np.eye(16)[0])
    truth = TRUTHS["bimodal"] / TRUTHS["bimodal"].sum()
    for numbers in crowds_of(truth, 16, 2.0, 10_000, 5):
        assert 1 < numbers.median().value == numbers.median().interval(0.6827)[0]
        for low in range(16):
            share = numbers.share(low, low + 1)
            first, last = share.interval(0.3)
            assert 0 <= first <= share.value <= last <= 1


def test_quantiles_of_a_smooth_truth_are_nearer_than_where_the_unbiased_shares_say():
    """By a quarter or more, on average over crowds."""
    x = (np.arange(64) + 0.5) / 64
    truth = x**4 * (1 - x) / (x**4 * (1 - x)).sum()
    levels, errors = np.array([0.1, 0.25, 0.5, 0.75, 0.9]), []
    expected = np.interp(levels, np.cumsum([0, *truth]), np.arange(65))
    for numbers in crowds_of(truth, 64, 1.0, 10_000, 30, rounded=True):
        shares = numbers.windows / numbers.n @ numbers.mechanism.analyst.estimator.borders
        plain = np.interp(levels, np.maximum.accumulate(shares), np.arange(65))
        found = [numbers.quantile(q).value for q in levels]
        errors.append([np.abs(found - expected).mean(), np.abs(plain - expected).mean()])
    smooth, unbiased = np.mean(errors, axis=0)
    assert smooth < 0.75 * unbiased


def test_the_smooth_distribution_is_made_once(monkeypatch):
    made = []

    def flat(mechanism, windows):
        made.append(windows)
        return np.full(16, 1 / 16)

    monkeypatch.setattr("privet.analysis.numbers.smooth", flat)
    (numbers,) = crowds_of(np.full(16, 1 / 16), 16, 1.0, 1000, 1, rounded=True)
    quantiles = [numbers.quantile(q) for q in (0.25, 0.5, 0.75)]
    assert all(one.interval()[0] < one.interval()[1] for one in quantiles)
    assert all(one.standard_error > 0 for one in quantiles)
    assert [one.value for one in quantiles] == pytest.approx([4, 8, 12], abs=0.5)
    numbers.distribution()[0] = 9  # a copy
    assert numbers.distribution()[0] == pytest.approx(1 / 16, abs=0.03)
    assert len(made) == 1
    assert repr(quantiles[1]).startswith("Measured(value=")


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
        with refused_argument("level"):
            one.interval(1.5)
    assert numbers.share(10, 18).interval() == (1, 1)
    assert numbers.share(0, 10).value == 0
    assert numbers.share(10.1, 10.1).value == 0
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


def test_a_share_reaches_from_what_is_surely_inside_to_what_may_be():
    """Borders at a centre, between centres, and between cells, of numbers that a coin rounded."""
    mechanism, theta = Interval(6, 2.0), np.array([0.1, 0.2, 0.3, 0.2, 0.15, 0.05])
    counts, n = expected(mechanism, theta, 10**12)
    numbers = Numbers(mechanism, counts, n, 0, 6)
    share = numbers.share(0, 2.25)
    assert share.value == pytest.approx(0.3 + 0.25 * 0.3, abs=1e-5)
    assert share.interval() == pytest.approx((0.1, 0.6), abs=1e-4)  # up to 1 or 3 cells
    assert numbers.share(0, 2.5).interval() == pytest.approx((0.3, 0.6), abs=1e-4)
    assert numbers.share(0, 3).interval() == pytest.approx((0.3, 0.8), abs=1e-4)
    assert numbers.share(1.5, 3.5).interval() == pytest.approx((0.3, 0.7), abs=1e-4)
    exact = Numbers(mechanism, counts, n, 0, 6, rounded=False)
    assert exact.share(0, 3).interval() == pytest.approx((0.6, 0.6), abs=1e-4)
    assert exact.share(0, 2.4).value == pytest.approx(0.3, abs=1e-5)  # the centre 2.5 is not below
    assert exact.share(0, 2.6).value == pytest.approx(0.6, abs=1e-5)


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
    shares = mechanism.frequencies(mechanism.counts(windows), n)  # by plain least squares
    assert abs(share.value - shares[:5].sum()) < 2 * share.standard_error


def test_what_is_refused():
    mechanism = Interval(5, 1.0, window=2)
    counts = np.ones(6, dtype=np.int64)
    for bad in (counts[:5], counts * 1.0, counts - 2, counts * 2):
        with refused_argument("windows"):
            Numbers(mechanism, bad, 6, 0, 1)
    with pytest.raises(NoReports):
        Numbers(mechanism, 0 * counts, 0, 0, 1)
    for low, high in ((1, 1), (0, float("inf")), (float("nan"), 1)):
        with refused_argument("high"):
            Numbers(mechanism, counts, 6, low, high)
    numbers = Numbers(mechanism, counts, 6, 0, 1)
    with refused_argument("high"):
        numbers.share(0.5, 0.4)
    for q in (0, 1, "half"):
        with refused_argument("q"):
            numbers.quantile(q)
