"""Estimates: unbiased, with errors as the theory says and intervals that hold."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import beta, norm

from privet import Estimate, Survey, simulate, sums, theory
from privet.entropy import seeded
from privet.mechanisms import KSubset
from refusing import refused_argument

D, EPSILON = 100, 1.0


def zipf(d):
    weights = 1 / np.arange(1, d + 1)
    return weights / weights.sum()


def survey_of(d, epsilon=EPSILON, **options):
    return Survey("Q", [f"c{i}" for i in range(d)], epsilon, **options)


def estimate_of(survey, values, seed):
    tally = survey.tally()
    tally.update(survey.mechanism.randomize(values, entropy=seeded(seed)))
    return tally.estimate()


def within_tolerance(squared_error, expected, variance, alpha=1e-6):
    return abs(squared_error - expected) < norm.isf(alpha / 2) * variance**0.5


@pytest.fixture(scope="module")
def million():
    """A million people's reports at d = 100, and the truth."""
    values = np.random.default_rng(11).choice(D, size=1_000_000, p=zipf(D))
    survey = survey_of(D, mechanism="k-subset")
    return estimate_of(survey, values, 12), np.bincount(values, minlength=D) / len(values)


def test_the_squared_error_is_what_the_theory_says(million):
    estimate, truth = million
    mechanism = estimate.survey.mechanism
    squared_error = np.sum((estimate.frequencies - truth) ** 2)
    expected = theory.total_variance(D, EPSILON, mechanism.k, estimate.n)
    # Of d nearly independent normal errors with this variance each, one degree of freedom less.
    spread = 2 * expected**2 / (D - 1)
    assert within_tolerance(squared_error, expected, spread)
    # Negative controls: the same reports read with a wrong ε or a wrong k are off.
    for wrong in (KSubset(D, 1.2), KSubset(D, EPSILON, k=26)):
        frequencies = wrong.frequencies(estimate.counts, estimate.n)
        assert not within_tolerance(np.sum((frequencies - truth) ** 2), expected, spread)


def test_frequencies_sum_to_one_and_projection_is_a_distribution(million):
    estimate, truth = million
    assert estimate.frequencies.sum() == pytest.approx(1, abs=1e-9)
    projected = estimate.project()
    assert projected.min() >= 0
    assert projected.sum() == pytest.approx(1)
    assert np.sum((projected - truth) ** 2) <= np.sum((estimate.frequencies - truth) ** 2)


def test_standard_errors_are_those_of_the_binomial_count(million):
    estimate, _ = million
    p = estimate.counts / estimate.n
    g, h = estimate.survey.mechanism.g, estimate.survey.mechanism.h
    plain = np.sqrt(p * (1 - p) / estimate.n) / (g - h)
    inside = estimate.frequencies > 0
    assert estimate.standard_errors[inside] == pytest.approx(plain[inside], rel=1e-9)
    assert (estimate.standard_errors > 0).all()


@pytest.mark.parametrize("mechanism", ["k-subset", "multivariate-rr", "binary-rr"])
def test_intervals_cover(mechanism):
    """400 repeats: for the population, for the sample, and all of them at once."""
    d, n, theta = D, 5000, zipf(D)
    survey = survey_of(d, mechanism=mechanism)
    crowds = np.random.default_rng(5).choice(d, size=(400, n), p=theta)
    # All at once, as compiled code makes reports only of many.
    reports = survey.mechanism.randomize(crowds.ravel(), entropy=seeded(5)).reshape(400, n, -1)
    covered = {"population": 0, "sample": 0, "together": 0}
    for values, made in zip(crowds, reports, strict=True):
        estimate = Estimate(survey, n, survey.mechanism.tally(made))
        sample = np.bincount(values, minlength=d) / n

        def holds(truth, estimate=estimate, **options):
            low, high = estimate.interval(0.95, **options)
            return (low <= truth) & (truth <= high)

        covered["population"] += holds(theta).mean() / 400
        covered["sample"] += holds(sample, target="sample").mean() / 400
        covered["together"] += holds(theta, simultaneous=True).all() / 400
    assert 0.94 <= covered["population"] <= 0.99
    assert 0.94 <= covered["sample"] <= 0.98
    assert covered["together"] >= 0.93


def test_the_sample_interval_does_not_cover_the_population():
    """At large ε sampling dominates, and mixing the two targets up must show."""
    d, n, theta = 4, 1000, np.full(4, 0.25)
    survey, rng = survey_of(d, 6.0), np.random.default_rng(6)
    hits = {"population": 0.0, "sample": 0.0}
    for repeat in range(200):
        estimate = estimate_of(survey, rng.choice(d, size=n, p=theta), repeat)
        for target in hits:
            low, high = estimate.interval(target=target)
            hits[target] += ((low <= theta) & (theta <= high)).mean() / 200
    assert hits["population"] > 0.93
    assert hits["sample"] < 0.6


def test_the_population_interval_is_clopper_and_pearsons():
    survey = survey_of(5)
    n, counts = 100, np.array([0, 100, 40, 30, 50])
    estimate = Estimate(survey, n, counts)
    low, high = estimate.interval(0.9)
    g, h = survey.mechanism.g, survey.mechanism.h
    least, most = np.minimum(counts, n * g), np.maximum(counts, n * h)
    lower = np.nan_to_num(beta.ppf(0.05, least, n - least + 1), nan=0.0)
    upper = np.nan_to_num(beta.ppf(0.95, most + 1, n - most), nan=1.0)
    assert low == pytest.approx(np.clip((lower - h) / (g - h), 0, 1), abs=1e-12)
    assert high == pytest.approx(np.clip((upper - h) / (g - h), 0, 1), abs=1e-12)


@pytest.mark.parametrize("name", ["geometric-noise", "hashed-rr"])
@pytest.mark.parametrize("target", ["population", "sample"])
def test_other_intervals_are_nearly_normal_for_many(name, target):
    survey = survey_of(10, 2.0, mechanism=name)
    estimate = estimate_of(survey, np.repeat([0, 1], [24_000, 16_000]), 1)
    shares = np.clip(estimate.frequencies, 0, 1)
    reach = norm.isf(0.05) * np.sqrt(survey.mechanism.variance(shares, 40_000, target))
    low, high = estimate.interval(0.9, target=target)
    assert low[:2] == pytest.approx((estimate.frequencies - reach)[:2], abs=0.03 * reach.min())
    assert high[:2] == pytest.approx((estimate.frequencies + reach)[:2], abs=0.03 * reach.min())


def test_wider_levels_and_simultaneous_intervals_contain_the_others(million):
    estimate, _ = million
    for target in ("population", "sample"):
        low, high = estimate.interval(0.9, target=target)
        for wider in (
            estimate.interval(0.99, target=target),
            estimate.interval(0.9, target=target, simultaneous=True),
        ):
            assert (wider[0] <= low).all()
            assert (wider[1] >= high).all()


def test_one_report_is_enough_for_an_honest_answer():
    survey = survey_of(6)
    tally = survey.tally()
    tally.update(survey.randomize("c1"))
    estimate = tally.estimate()
    low, high = estimate.interval()
    assert (low == 0).all()
    assert (high == 1).all()
    assert np.isfinite(estimate.standard_errors).all()


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 95, float("nan"), "0.95"])
def test_bad_levels_are_refused(level):
    estimate = Estimate(survey_of(3), 9, np.array([3, 3, 3]))
    with refused_argument("level", value=level):
        estimate.interval(level)


def test_an_estimate_keeps_its_own_counts():
    counts = np.array([3, 3, 3])
    estimate = Estimate(survey_of(3), 9, counts)
    counts[0] = 9
    assert estimate.counts.tolist() == [3, 3, 3]
    with pytest.raises(ValueError, match="read-only"):
        estimate.counts[0] = 9


def test_bad_targets_are_refused():
    estimate = Estimate(survey_of(3), 9, np.array([3, 3, 3]))
    with refused_argument("target", value="people"):
        estimate.interval(target="people")


def half_empty(d):
    """Shares of which half are 0, the others falling as 1/rank."""
    shares = np.zeros(d)
    shares[: d // 2] = 1 / np.arange(1, d // 2 + 1)
    return shares / shares.sum()


@pytest.mark.parametrize(
    ("d", "epsilon", "n"), [(244, 1.0, 20_000), (356, 2.0, 50_000), (4000, 2.0, 100_000)]
)
def test_what_is_found_is_there_and_its_intervals_hold_together(d, epsilon, n):
    repeats, truth, survey = 400, half_empty(d), survey_of(d, epsilon)
    wrong, covered, rng = [], 0, np.random.default_rng(1)
    for seed in range(repeats):
        counts = simulate.counts(survey.mechanism, rng.multinomial(n, truth), seed)
        estimate = Estimate(survey, n, counts)
        found = estimate.found()
        assert found[0]
        wrong.append((truth[found] == 0).mean())
        low, high = estimate.interval(simultaneous=True)
        covered += ((low <= truth) & (truth <= high))[found].all()
    assert np.mean(wrong) < 0.05 + 3 * np.std(wrong) / np.sqrt(repeats)
    assert covered >= 0.93 * repeats


def test_the_printed_form_says_which_categories_are_not_found():
    survey = survey_of(30, 1.0)
    estimate = estimate_of(survey, np.repeat([0, 1], [4000, 1000]), 1)
    rows = repr(estimate).splitlines()[3:15]
    expected = [not estimate.found()[i] for i in estimate.order(12)]
    assert [row.endswith("not found") for row in rows] == expected
    assert set(expected) == {True, False}


def test_other_mechanisms_find_nearly_by_the_normal_law():
    survey = survey_of(30, 3.0, mechanism="hashed-rr")
    estimate = estimate_of(survey, np.repeat([0, 1], [4000, 1000]), 1)
    empty = estimate.frequencies[2:]
    _, spread = survey.mechanism.analyst.estimator.spreads(estimate.frequencies)
    expected = norm.sf(empty / np.sqrt(spread[2:] / 5000))
    assert estimate.p_values[2:] == pytest.approx(expected, abs=0.03)
    assert np.flatnonzero(estimate.found(0.01)).tolist() == [0, 1]


@pytest.mark.parametrize("rate", [0.0, 1.0, 5, "0.05"])
def test_rates_of_false_discoveries_that_cannot_be(rate):
    estimate = Estimate(survey_of(3), 9, np.array([3, 3, 3]))
    with refused_argument("rate", value=rate):
        estimate.found(rate)


def test_frames_and_tables_hold_the_same_columns(million):
    estimate, _ = million
    frame, table = estimate.to_frame(0.9), estimate.to_arrow(0.9)
    names = [
        "category",
        "count",
        "frequency",
        "standard_error",
        "low",
        "high",
        "p_value",
        "found",
        "projected",
        "shrunk",
    ]
    assert list(frame.columns) == table.column_names == names
    assert len(frame) == table.num_rows == D
    assert table.schema.field("count").type == pa.int64()
    assert frame["frequency"].to_numpy() == pytest.approx(estimate.frequencies)
    assert table["low"].to_numpy() == pytest.approx(estimate.interval(0.9)[0])


def test_decimals_tell_the_ends_of_intervals_apart():
    survey = Survey("Which?", ["all", "none"], 12.0)
    n = 10**7
    text = repr(Estimate(survey, n, np.array([n - 60, 60])))
    rows = [line.split("[")[1].split("]")[0].split(", ") for line in text.splitlines()[3:-1]]
    assert len(rows) == 2
    assert all(float(low) < float(high) for low, high in rows)
    few = repr(Estimate(survey, 10, np.array([5, 5])))
    assert "[0.1871, 0.8129]" in few


def test_the_repr_is_worth_reading(million):
    estimate, _ = million
    text = repr(estimate)
    first, second, *_ = text.splitlines()
    assert "1,000,000" in first
    assert first.endswith("Q")
    assert second == repr(estimate.survey.mechanism)
    assert "… and 88" in text
    assert "c0 " in text
    assert "95 %" in text
    assert f"{estimate.found().sum()} of 100" in text.splitlines()[-1]
    assert len(text.splitlines()) == 17


def test_plots_show_every_category_and_the_truth():
    survey = survey_of(6)
    estimate = estimate_of(survey, np.arange(6000) % 6, 3)
    axes = estimate.plot(truth=np.full(6, 1 / 6))
    labels = [tick.get_text() for tick in axes.get_yticklabels()]
    assert sorted(labels) == sorted(survey.categories)
    rising = estimate.order()[::-1]
    bars = [bar.get_width() for bar in axes.patches]
    assert bars == pytest.approx(100 * estimate.shrink()[rising])
    marks = next(line for line in axes.lines if line.get_label() == "unbiased share")
    assert marks.get_xdata() == pytest.approx(100 * estimate.frequencies[rising])
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    for series in ("shrunk", "unbiased", "95 %", "truth"):
        assert len([label for label in legend if series in label]) == 1
    assert len(legend) == 4
    assert estimate.plot(ax=axes, simultaneous=False) is axes
    (alone,) = {text.get_text() for text in axes.get_legend().get_texts()} - {*legend}
    assert "95 %" in alone
    with refused_argument("truth"):
        estimate.plot(truth=[0.5, 0.5])


def test_names_are_drawn_as_they_are(tmp_path):
    survey = Survey(r"How much, in $ or $\x$?", ["$0-$20", r"$\x$", "a_b^c"], 1.0)
    axes = Estimate(survey, 9, np.array([5, 3, 1])).plot()
    axes.figure.savefig(tmp_path / "names.png")
    assert r"$\x$" in [tick.get_text() for tick in axes.get_yticklabels()]


def test_only_the_largest_of_many_categories_are_drawn(million):
    axes = million[0].plot()
    assert len(axes.patches) == 40
    assert "60" in axes.texts[0].get_text()


# --- beyond single frequencies ------------------------------------------------------------------


def test_shrinking_gives_a_distribution_with_less_error(million):
    estimate, truth = million
    shrunk = estimate.shrink()
    assert shrunk.min() >= 0
    assert shrunk.sum() == pytest.approx(1)
    assert np.sum((shrunk - truth) ** 2) < np.sum((estimate.project() - truth) ** 2)
    assert estimate.posterior.frequencies is shrunk
    assert np.array_equal(estimate.columns()["shrunk"], shrunk)


def test_mechanisms_that_cannot_be_shrunk_say_so():
    survey = survey_of(4, mechanism="geometric-noise")
    tally = survey.tally()
    tally.update(survey.randomize_batch(["c0", "c1"] * 50, entropy=seeded(1)))
    estimate = tally.estimate()
    assert not estimate.can_shrink
    assert "shrunk" not in estimate.columns()
    with refused_argument("mechanism", "shrink", value=survey.mechanism):
        estimate.shrink()


def test_sums_and_comparisons_are_those_of_their_functions(million):
    estimate, _ = million
    other = Estimate(estimate.survey, estimate.n, np.roll(estimate.counts, 1))
    some = ["c0", "c1"]
    assert estimate.total(some) == sums.total(estimate, some)
    assert estimate.total(some).value == pytest.approx(estimate.frequencies[:2].sum())
    assert estimate.difference("c0", "c1") == sums.difference(estimate, "c0", "c1")
    assert estimate.change(other, some) == sums.change(other, estimate, some)
    assert estimate.homogeneity(other).p_value < 1e-6
    assert (
        estimate.homogeneity(Estimate(estimate.survey, estimate.n, estimate.counts)).p_value > 0.9
    )
