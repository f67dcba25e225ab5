"""Estimates of numbers on a scale, through surveys and their batches."""

import numpy as np
import pytest

from privet import Scale, Survey
from privet.analysis.presence import clopper_pearson
from privet.analysis.refine.smooth import smooth
from privet.analysis.scale_estimate import ScaleEstimate
from privet.entropy import seeded
from refusing import refused_argument


def survey_of(scale, epsilon):
    return Survey("How many?", scale, epsilon)


def crowds(survey, draw, n, many):
    """Yield estimates from the reports of crowds whose numbers are drawn, all in one batch."""
    numbers = draw(np.random.default_rng(1), n * many)
    reports = survey.randomize_batch(numbers, entropy=seeded(1))
    for at in range(0, n * many, n):
        tally = survey.tally()
        tally.update(reports[at : at + n])
        yield tally.estimate()


def beta(rng, size):
    return 100 * rng.beta(5, 2, size)


def least(many):
    """Return how often intervals cover at least, by four of 95 %'s own errors."""
    return 0.95 - 4 * (0.95 * 0.05 / many) ** 0.5


def test_intervals_cover_the_numbers_before_rounding():
    """Means, shares, bands and quantiles of numbers from Beta(5, 2), off the centres."""
    from scipy.stats import beta as law

    truth, many = law(5, 2, scale=100), 400
    survey = survey_of(Scale(0, 100, 24, bands=[33, 50, 80]), 2.0)
    ends, hits = [0, 33, 50, 80, 100], []
    for estimate in crowds(survey, beta, 1000, many):
        measured = [
            (estimate.mean(), truth.mean()),
            (estimate.share(0, 55), truth.cdf(55)),
            (estimate.share(60, 90), truth.cdf(90) - truth.cdf(60)),
            *((estimate.quantile(q), truth.ppf(q)) for q in (0.1, 0.5, 0.75)),
        ]
        shares = np.diff(truth.cdf(ends)).tolist()
        measured += [(one, share) for (_, one), share in zip(estimate.bands(), shares, strict=True)]
        found = [(*one.interval(), value) for one, value in measured]
        hits.append([low <= value <= high for low, high, value in found])
    assert (np.mean(hits, axis=0) > least(many)).all()


def heaped(rng, size):
    return rng.choice(np.arange(20, 81, 10.0), size)


def windows_drawn(scale, epsilon, chances, n, many):
    """Yield estimates of people whose cells have these chances, without making their reports."""
    survey = survey_of(scale, epsilon)
    law = survey.mechanism.analyst.estimator.chances @ chances
    for windows in np.random.default_rng(1).multinomial(n, law / law.sum(), size=many):
        yield ScaleEstimate(survey, n, windows)


def by_borders_alone(estimate, low, high):
    """The control: the unbiased share between the nearest borders of cells, with Student's ends."""
    first, last = (
        round((one - estimate.scale.edges[0]) / estimate.scale.step) for one in (low, high)
    )
    borders = estimate.survey.mechanism.analyst.estimator.borders
    worth, shares = borders[:, last] - borders[:, first], estimate.windows / estimate.n
    value = shares @ worth
    reach = 1.96 * np.sqrt(max(shares @ worth**2 - value**2, 0) / estimate.n)
    return value - reach, value + reach


@pytest.mark.parametrize(("epsilon", "n"), [(4.0, 10_000), (1.0, 100_000)])
def test_bands_hold_heaps_at_their_borders(epsilon, n):
    """A coin moves part of the heap at 30 over the border between 30 and what is below."""
    scale, many = Scale(0, 120, bands=[30, 50, 70]), 200
    truths, hits, control = np.array([1, 2, 2, 2]) / 7, [], []
    for estimate in crowds(survey_of(scale, epsilon), heaped, n, many if n < 20_000 else 40):
        ends = np.array([band.interval() for _, band in estimate.bands()])
        hits.append((ends[:, 0] <= truths) & (truths <= ends[:, 1]))
        low, high = by_borders_alone(estimate, scale.edges[0], 30)
        control.append(low <= truths[0] <= high)
        assert sum(band.value for _, band in estimate.bands()) == pytest.approx(1)
    assert (np.mean(hits, axis=0) > least(len(hits))).all()
    assert np.mean(control) < 0.9


def test_a_share_is_as_near_as_its_standard_error_says():
    """Ages by N(40, 12): the mean of ramps of 0.2 was .29 off, with a standard error of .03."""
    scale, ages = Scale(0, 120, whole=True, bands=[18, 41, 66]), np.arange(121)
    chances = np.exp(-(((ages - 40) / 12) ** 2) / 2)
    chances /= chances.sum()
    truth, found = chances[30:60].sum(), []
    for estimate in windows_drawn(scale, 1.0, chances, 1000, 100):
        share = estimate.share(30, 59)
        low, high = share.interval()
        found.append((abs(share.value - truth), share.standard_error, low <= truth <= high))
        assert sum(one.value for _, one in estimate.bands()) == pytest.approx(1)
        median = estimate.median().value
        below = estimate.share(0, median).value
        assert below >= 0.5 > below - estimate.frequencies[round(median)] - 1e-9
    off, errors, held = np.array(found).T
    assert np.sqrt(np.mean(off**2)) < 1.1 * np.sqrt(np.mean(errors**2))
    assert np.mean(off < 1.96 * errors) > least(100)
    assert held.mean() > least(100)


@pytest.mark.parametrize(("epsilon", "share"), [(6.0, 0.01), (8.0, 0.003)])
def test_rare_ratings_are_covered_where_reports_are_nearly_exact(epsilon, share):
    """The count is binomial, and Student's interval, the control, misses zeros."""
    hits, control = [], []
    chances = np.array([1 - share, 0, 0, 0, share])
    for estimate in windows_drawn(Scale(1, 5, whole=True), epsilon, chances, 300, 400):
        low, high = estimate.share(5, 5).interval()
        hits.append(low <= share <= high)
        low, high = by_borders_alone(estimate, 4.5, 5.5)
        control.append(low <= share <= high)
    assert np.mean(hits) > least(400) > np.mean(control)


def test_the_interval_of_a_window_of_one_cell_is_clopper_and_pearsons():
    (estimate,) = windows_drawn(Scale(1, 5, whole=True), 6.0, np.full(5, 0.2), 300, 1)
    mechanism = estimate.survey.mechanism
    assert mechanism.window == 1
    h = 1 / (float(mechanism.likelihood_ratio) + 4)
    g = float(mechanism.likelihood_ratio) * h
    ends = clopper_pearson(estimate.windows[4], 300, 0.05)
    assert estimate.share(5, 5).interval() == pytest.approx([(end - h) / (g - h) for end in ends])


@pytest.mark.parametrize(
    ("scale", "chances", "epsilon"),
    [
        (Scale(0, 10, whole=True), [25, 2, 2, 2, 2, 30, 3, 4, 5, 5, 20], 1.0),
        (Scale(0, 63, whole=True), [i in (4, 17, 33, 50) for i in range(64)], 1.0),
        (Scale(0, 9, whole=True), [1] * 10, 4.0),
    ],
    ids=["heaped", "spikes", "flat"],
)
def test_intervals_of_cells_cover_heaps_and_spikes(scale, chances, epsilon):
    """The control is what pictures drew before: what smoothing hides is missing from it."""
    chances, hits, control = np.array(chances) / sum(chances), [], []
    for estimate in windows_drawn(scale, epsilon, chances, 1000, 60):
        low, high = estimate.interval()
        hits.append((low <= chances) & (chances <= high))
        fitted = smooth(estimate.survey.mechanism, estimate.windows)
        spread = np.sqrt(fitted * (1 - fitted) / estimate.n)
        control.append(np.abs(fitted - chances) <= 1.96 * spread)
        assert (low <= estimate.frequencies).all()
        assert (estimate.frequencies <= high).all()
        assert (estimate.p_values <= 0.025).tolist() == (low > 0).tolist()
    assert (np.mean(hits, axis=0) > least(60) - 0.02).all()
    if len(set(chances)) > 1:
        assert np.mean(control, axis=0).min() < 0.7


def test_a_cell_that_reports_clearly_show_is_not_empty_and_p_values_agree_with_intervals():
    """1 % are far from where all others are, and the smooth fit has nobody there."""
    chances, clear = np.array([0, 0, 0, 0.99, 0, 0, 0, 0, 0, 0, 0.01]), []
    for estimate in windows_drawn(Scale(0, 10, whole=True), 4.0, chances, 3000, 40):
        for level in (0.5, 0.9, 0.95):
            low, _ = estimate.interval(level)
            assert ((estimate.p_values <= (1 - level) / 2) == (low > 0)).all()
        low, high = by_borders_alone(estimate, 9.5, 10.5)
        if low + high > 1.8 * (high - low):  # 3.5 standard errors
            clear.append(estimate.frequencies[10])
    assert len(clear) > 10
    assert min(clear) > 0


def test_p_values_agree_with_intervals_even_if_all_reports_are_the_same():
    """The estimate of the last cell is far above 1, and its lower end is moved down by the rest."""
    survey = survey_of(Scale(0, 10, cells=8), 0.2)
    windows = np.zeros(survey.mechanism.numbers, dtype=np.int64)
    windows[-1] = 7
    estimate = ScaleEstimate(survey, 7, windows)
    for level in (0.5, 0.95, 0.999):
        low, high = estimate.interval(level)
        assert (low < high).all()
        assert ((estimate.p_values <= (1 - level) / 2) == (low > 0)).all()


@pytest.mark.parametrize("nearest", [False, True])
def test_means_of_numbers_between_centres_are_covered_if_a_coin_rounds(nearest, monkeypatch):
    """The negative control takes the nearest centre."""
    survey, many, number = survey_of(Scale(0, 4, 5), 2.0), 400, 2.4
    if nearest:
        monkeypatch.setattr(
            "privet.analysis.kinds.scale.places", lambda scale, x: (np.rint(x).astype(int) << 52, 0)
        )
    found = crowds(survey, lambda rng, size: np.full(size, number), 1000, many)
    ends = np.array([estimate.mean().interval() for estimate in found])
    covered = ((ends[:, 0] <= number) & (number <= ends[:, 1])).mean()
    assert (covered > least(many)) is not nearest


def test_whole_numbers_are_counted_as_they_are():
    """Shares include both ends, bands are of whole numbers, and quantiles lie within the scale."""
    survey, many = survey_of(Scale(1, 5, whole=True, bands=[3]), 2.0), 400
    shares = np.array([0.1, 0.4, 0.2, 0.1, 0.2])
    found = crowds(survey, lambda rng, size: rng.choice(5, size, p=shares) + 1, 1000, many)
    hits = []
    for estimate in found:
        (one, low), (two, high) = estimate.bands()
        assert (one, two) == ("1 to 2", "3 to 5")
        measured = [
            (estimate.mean(), 2.9), (estimate.share(2, 3), 0.6), (estimate.share(2, 2), 0.4),
            (low, 0.5), (high, 0.5), (estimate.quantile(0.75), 4), (estimate.quantile(0.05), 1),
        ]  # fmt: skip
        hits.append([one.interval()[0] <= x <= one.interval()[1] for one, x in measured])
        assert all(1 <= estimate.quantile(q).value <= 5 for q in (0.01, 0.99))
    assert (np.mean(hits, axis=0) > least(many)).all()


@pytest.mark.parametrize("end", [0, 100])
def test_numbers_at_an_end_are_counted_in_full(end):
    """Nothing lies beyond the ends, so that all of the outermost cells are inside."""
    survey = survey_of(Scale(0, 100, 11), 4.0)
    tally = survey.tally()
    tally.update(survey.randomize_batch(np.full(20_000, end), entropy=seeded(1)))
    share = tally.estimate().share(0, 40) if end == 0 else tally.estimate().share(60, 100)
    assert abs(share.value - 1) < 5 * share.standard_error
    estimate = tally.estimate()
    for ends in ((0, 100), (-9, 999)):
        assert estimate.share(*ends).value == pytest.approx(1)
    for ends in ((-9, -1), (101, 999)):
        assert estimate.share(*ends).interval() == (0, 0)
    assert estimate.share(end, end).interval()[1] == pytest.approx(1, abs=0.01)
    for ends in ((3, 2), (float("nan"), 1)):
        with refused_argument("high", "ScaleEstimate.share"):
            estimate.share(*ends)
