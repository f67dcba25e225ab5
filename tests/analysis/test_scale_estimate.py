"""Estimates of numbers on a scale, through surveys and their batches."""

import numpy as np
import pytest

from privet import Scale, Survey
from privet.entropy import seeded
from privet.errors import InvalidArgument


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


@pytest.mark.parametrize("nearest", [False, True])
def test_means_of_numbers_between_centres_are_covered_if_a_coin_rounds(nearest, monkeypatch):
    """The negative control takes the nearest centre."""
    survey, many, number = survey_of(Scale(0, 4, 5), 2.0), 400, 2.4
    if nearest:
        monkeypatch.setattr(
            "privet.analysis.lookup.places", lambda scale, x: (np.rint(x).astype(int) << 52, 0)
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
    assert estimate.share(end, end).interval() == pytest.approx((0, 1), abs=0.01)
    for ends in ((3, 2), (float("nan"), 1)):
        with pytest.raises(InvalidArgument, match="'high' parameter of ScaleEstimate.share"):
            estimate.share(*ends)
