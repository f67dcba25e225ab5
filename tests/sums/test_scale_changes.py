"""Differences of means, quantiles and bands: their intervals, their tests, and what is known."""

import numpy as np
import pytest
from scipy.special import ndtri

from privet import Scale, Survey
from privet.analysis.scale_estimate import ScaleEstimate
from privet.errors import InvalidArgument, NoReports, SurveyMismatch
from privet.sums import scale_changes
from refusing import refused_argument

YEARS = Scale(0, 120, 61, "years", bands=[30, 60])
RATING = Scale(0, 10, whole=True, bands=[5, 9])


def survey_of(scale, epsilon=2.0, name="wave"):
    return Survey("?", scale, epsilon, id=name)


def wave(survey, numbers, n, seed):
    """The estimate of n people drawn from these numbers, each as frequent, by the exact law."""
    scale, rng = survey.answers, np.random.default_rng(seed)
    places = (np.asarray(numbers, dtype=float) - scale.low) / scale.step
    below = np.minimum(places.astype(int), scale.cells - 2)
    cells = np.bincount(below, 1 - places + below, scale.cells)
    cells += np.bincount(below + 1, places - below, scale.cells)
    chances = survey.mechanism.analyst.estimator.chances @ (cells / len(places))
    return ScaleEstimate(survey, n, rng.multinomial(n, chances / chances.sum()))


def normal(mean, deviation=12):
    return (mean + deviation * ndtri((np.arange(1000) + 0.5) / 1000)).clip(0, 120)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_a_figure_differs_exactly_if_its_p_value_is_small(level):
    found = []
    for seed, later in enumerate((40, 41, 44, 60)):
        before = wave(survey_of(YEARS), normal(40), 20_000, seed)
        after = wave(survey_of(YEARS, 4.0, "later"), normal(later), 30_000, seed + 10)
        for one in (before, {"mean": 40, "median": 40, "0 to 30": 0.2}):
            table = after.change(one).table(level)
            excluded = (table.low > 0) | (table.high < 0)
            assert (excluded == table.found).all()
            assert (excluded == (table.p_values <= 1 - level)).all()
            found.append(excluded.mean())
    assert 0 < np.mean(found) < 1


def test_every_figure_is_the_difference_of_both():
    before = wave(survey_of(YEARS), normal(40), 5000, 1)
    after = wave(survey_of(YEARS, 1.0, "later"), normal(50), 8000, 2)
    found = after.change(before)
    rows = found.figures()
    assert list(rows) == list(after.figures())
    for name, one in rows.items():
        now, then = after.figures()[name], before.figures()[name]
        assert one.value == now.value - then.value
        assert one.standard_error == pytest.approx(
            np.hypot(now.standard_error, then.standard_error)
        )
        low, high = one.interval()
        assert low <= one.value <= high
    assert found.median().value == found.quantile(0.5).value == rows["median"].value
    assert found.share(0, 30).value == after.share(0, 30).value - before.share(0, 30).value
    assert [name for name, _ in found.bands()] == [*YEARS.band_names]
    assert found.mean().p_value < 1e-6
    mirrored = before.change(after).mean()
    assert mirrored.interval() == pytest.approx([-end for end in found.mean().interval()[::-1]])
    assert mirrored.p_value == pytest.approx(found.mean().p_value)


def test_the_mean_is_nearly_welchs():
    before = wave(survey_of(YEARS), normal(40), 2000, 3)
    after = wave(survey_of(YEARS, 2.0, "later"), normal(41), 900, 4)
    grown = after.change(before).mean()
    low, high = grown.interval(0.95)
    assert high - low == pytest.approx(2 * 1.96 * grown.standard_error, rel=0.08)


def test_figures_that_are_told_together_are_wider_but_for_the_mean():
    before = wave(survey_of(YEARS), normal(40), 2000, 5)
    after = wave(survey_of(YEARS), normal(41), 2000, 6)
    found = after.change(before)
    table = found.table(0.95)
    for i, (name, one) in enumerate(found.figures().items()):
        others = 1 if name == "mean" else len(table.names) - 1
        assert (table.low[i], table.high[i]) == pytest.approx(one.interval(1 - 0.05 / others))
        assert table.p_values[i] == pytest.approx(min(others * one.p_value, 1))
    thrice = found.table(0.95, times=3)
    assert thrice.p_values[0] == pytest.approx(min(3 * table.p_values[0], 1))
    assert (thrice.low < table.low).all() or (thrice.low <= table.low).all()


REPEATS = 100


@pytest.mark.parametrize(
    ("scale", "epsilon", "numbers"),
    [
        (YEARS, 1.0, [0.0]),  # everybody at one end
        (YEARS, 8.0, [0.0]),
        (YEARS, 4.0, np.arange(20, 81, 10.0)),  # heaps
        (YEARS, 8.0, normal(40)),
        (RATING, 1.0, [0, 0, 5, 5, 5, 10]),
        (RATING, 8.0, [10]),
    ],
)
def test_true_nulls_are_rejected_as_often_as_is_said(scale, epsilon, numbers):
    """Of 300 people before and 900 after, whose mean and quantiles are the same."""
    survey, rejected = survey_of(scale, epsilon), []
    for seed in range(REPEATS):
        before = wave(survey, numbers, 300, seed)
        after = wave(survey, numbers, 900, REPEATS + seed)
        found = after.change(before)
        ends = np.array([one.interval() for one in (found.mean(), found.quantile(0.4))])
        rejected.append((ends[:, 0] > 0) | (ends[:, 1] < 0))
    assert (np.mean(rejected, axis=0) <= 0.05 + 3.5 * (0.05 * 0.95 / REPEATS) ** 0.5).all()


def test_a_whole_number_scale_has_the_same_median_twice():
    """Medians of the same whole number do not differ, however many people say so."""
    numbers = [3] * 4 + [4] * 5 + [5] * 4
    before = wave(survey_of(RATING, 4.0), numbers, 200_000, 7)
    after = wave(survey_of(RATING, 4.0), numbers, 100_000, 8)
    assert after.change(before).median().p_value == 1
    moved = wave(survey_of(RATING, 4.0), [number + 1 for number in numbers], 100_000, 9)
    low, high = moved.change(before).median().interval()
    assert low <= 1 <= high


def test_known_numbers_are_taken_off():
    after = wave(survey_of(YEARS), normal(50), 8000, 10)
    found = after.change(
        {"mean": 50, "median": 49.5, "25 % are below": 40, "share of 0 to 30": 0.05}
    )
    assert list(found.figures()) == ["mean", "25 % are below", "median", "share of 0 to 30"]
    low, high = after.mean().interval()
    assert found.mean().interval() == pytest.approx((low - 50, high - 50))
    assert found.mean().standard_error == after.mean().standard_error
    low, high = after.share(0, 30).interval()
    assert dict(found.bands())["0 to 30"].interval() == pytest.approx((low - 0.05, high - 0.05))
    with refused_argument("before", "ScaleChanges") as caught:
        found.quantile(0.1)
    assert "10 %" in caught.value.rule
    with refused_argument("before", "ScaleChanges.share"):
        found.share(0, 30)


def test_tallies_are_as_good_as_their_estimates():
    survey = survey_of(RATING, 1.0)
    tallies = [survey.tally(), survey.tally()]
    for tally, rating in zip(tallies, (3, 8), strict=True):
        tally.update(survey.randomize_batch([rating] * 500))
    one, two = (tally.estimate() for tally in tallies)
    ends = scale_changes(*tallies).mean().interval()
    assert ends == scale_changes(one, two).mean().interval() == two.change(one).mean().interval()


def test_what_is_refused():
    one = wave(survey_of(YEARS), normal(40), 300, 11)
    for scale, what in (
        (Scale(0, 100, 61, "years", bands=[30, 60]), "ends"),
        (Scale(0, 120, 61, "months", bands=[30, 60]), "unit"),
        (Scale(0, 120, 61, "years", bands=[30, 65]), "bands"),
        (Scale(0, 120, 61, "years", whole=True, bands=[30, 60]), "whole numbers"),
    ):
        other = wave(survey_of(scale), [40], 300, 12)
        with pytest.raises(SurveyMismatch, match=what):
            one.change(other)
    finer = wave(survey_of(Scale(0, 120, 100, "years", bands=[30, 60])), normal(40), 300, 13)
    assert finer.change(one).mean().p_value > 0
    choice = Survey("?", ["a", "b"], 1.0).tally()
    choice.update(choice.survey.randomize_batch(["a"] * 10))
    with refused_argument("before", "change"):
        one.change(choice)
    with pytest.raises(NoReports):
        one.change(survey_of(YEARS).tally())
    with refused_argument("before", "change", value="wave"):
        one.change(one)
    for known in (
        {},
        {"mode": 3},
        {"mean": 130},
        {"0 to 30": 30},
        {"120 % are below": 3},
        {"mean": "x"},
    ):
        with pytest.raises(InvalidArgument):
            one.change(known)
    with refused_argument("before"):
        one.change({"0 to 30": 0.3, "share of 0 to 30": 0.3})
