"""fit: from reports and covariates to a table that covers the truth as often as it says."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privet import Scale, Survey, regression
from privet.analysis.regression.logit import LogitLikelihood, maximize, softmax
from privet.analysis.regression.supports import Supports
from privet.entropy import seeded
from privet.errors import InvalidArgument, InvalidReport, NoReports
from privet.regression import Linear
from refusing import refused_argument

DRINKS = ["tea", "coffee", "juice"]
TRUTH = np.array([[-0.5, 0.3], [0.8, -0.4], [0.6, 0.0]])


def crowd(survey, n, seed, truth=TRUTH):
    """Return what is known of n people, and reports of their answers."""
    rng = np.random.default_rng(seed)
    age, north = rng.normal(size=n), rng.random(n) < 0.4
    columns = np.stack([np.ones(n), age, north], axis=1)
    below = softmax(columns @ truth).cumsum(axis=1)[:, :-1]
    answers = (rng.random((n, 1)) > below).sum(axis=1)
    reports = survey.mechanism.randomize(answers, entropy=seeded(seed))
    return {"age": 50 + 10 * age, "region": np.where(north, "north", "east")}, reports


def unscaled(truth):
    """Return the coefficients for ages in years."""
    return np.array([truth[0] - 5 * truth[1], truth[1] / 10, truth[2]])


@pytest.mark.parametrize(
    "mechanism", ["k-subset", "binary-rr", "optimized-unary", "local-hash", "interval", "hashed-rr"]
)
def test_many_people_s_coefficients_are_near_the_truth(mechanism):
    survey = Survey("What do you drink?", DRINKS, 2.0, mechanism=mechanism)
    known, reports = crowd(survey, 200_000, seed=1)
    fitted = regression.fit(survey, reports, known)
    assert fitted.names == ["intercept", "age", "region = north"]
    assert fitted.n == 200_000
    away = (fitted.coefficients - unscaled(TRUTH)) / fitted.standard_errors
    assert np.abs(away).max() < 5
    assert fitted.standard_errors[2].max() < 0.06  # and that says something
    people = {"age": [50, 60], "region": ["east", "north"]}
    expected = softmax(np.array([[1.0, 0, 0], [1, 1, 1]]) @ TRUTH)
    assert np.abs(fitted.predict(people) - expected).max() < 0.03


def test_reports_of_every_form_give_the_same_fit():
    survey = Survey("What do you drink?", DRINKS, 2.0)
    known, reports = crowd(survey, 500, seed=2)
    first = regression.fit(survey, reports, known).coefficients
    size = survey.mechanism.report_bytes
    rows = [bytes(report) for report in reports]
    for form in (rows, pa.array(rows, pa.binary(size)), pa.chunked_array([rows[:9], rows[9:]])):
        assert np.array_equal(regression.fit(survey, form, known).coefficients, first)


def test_units_change_coefficients_and_nothing_else():
    survey = Survey("What do you drink?", DRINKS, 2.0)
    known, reports = crowd(survey, 2000, seed=3)
    years = regression.fit(survey, reports, known)
    since = 1.7e9 + 3.15e7 * known["age"]  # in seconds
    seconds = regression.fit(survey, reports, known | {"age": since})
    assert np.allclose(seconds.coefficients[1] * 3.15e7, years.coefficients[1], rtol=1e-6)
    assert np.allclose(seconds.p_values[1:], years.p_values[1:], rtol=1e-5)
    assert np.isclose(seconds.log_likelihood, years.log_likelihood, rtol=1e-9)


def test_more_columns_are_likelier_by_chi_squared():
    """Twice the gain by two coefficients that are 0 is chi-squared with 2: mean 2, variance 4."""
    survey = Survey("What do you drink?", DRINKS, 3.0)
    gains = []
    for seed in range(60):
        known, reports = crowd(survey, 1000, seed)
        known["noise"] = np.random.default_rng(1000 + seed).normal(size=1000)
        more = regression.fit(survey, reports, known)
        del known["noise"]
        fewer = regression.fit(survey, reports, known)
        gains.append(2 * (more.log_likelihood - fewer.log_likelihood))
    assert min(gains) >= 0
    assert abs(np.mean(gains) - 2) < 4 * (4 / 60) ** 0.5


def test_intervals_cover_and_those_of_reports_taken_for_answers_do_not():
    """150 crowds: pooled coverage within 4 simulation errors, each row's intervals being alike."""
    survey, repeats, n = Survey("What do you drink?", DRINKS, 2.0), 150, 1000
    truth, covered, naive = unscaled(TRUTH), [], []
    for seed in range(repeats):
        known, reports = crowd(survey, n, seed)
        fitted = regression.fit(survey, reports, known)
        low, high = fitted.interval()
        covered.append((low < truth) & (truth < high))
        supports = Supports(survey.mechanism, reports)
        supports.excess = 1e9  # as if the answer were sure to be supported
        columns = np.stack([np.ones(n), known["age"] / 10 - 5, known["region"] == "north"], axis=1)
        found = maximize(LogitLikelihood.of_people(columns, supports), 0 * truth)
        errors = np.sqrt(np.diagonal(found.inverse)).reshape(truth.shape)
        naive.append(np.abs(found.coefficients - TRUTH) < 1.96 * errors)
    error = (0.95 * 0.05 / repeats) ** 0.5
    assert np.mean(covered, axis=0).min() > 0.95 - 4 * error
    assert abs(np.mean(covered) - 0.95) < 4 * error
    assert np.mean(naive, axis=0)[1, 0] < 0.1  # a slope that is not 0 looks too small


def test_the_table_is_aligned_and_has_the_numbers():
    survey = Survey("What do you drink?", DRINKS, 2.0)
    fitted = regression.fit(survey, *crowd(survey, 2000, seed=1)[::-1])
    title, heads, *rows = str(fitted).splitlines()
    for part in ("logit", "2,000", "'tea'", "95 %"):
        assert part in title
    assert heads.split() == ["coefficient", "std.", "error", "low", "high", "p-value"]
    assert len({len(line) for line in (heads, *rows)}) == 1
    assert [row.split()[0] for row in rows] == ["coffee", "age", "region", "juice", "age", "region"]
    assert "90 %" in fitted.summary(0.9)
    assert repr(fitted) == str(fitted)
    frame = fitted.to_frame(0.9)
    assert isinstance(frame, pd.DataFrame)
    assert [*frame] == [
        "category", "covariate", "coefficient", "standard_error", "low", "high", "p_value",
    ]  # fmt: skip
    assert np.array_equal(frame["coefficient"][:3], fitted.coefficients[:, 0])
    assert np.array_equal(frame["low"][3:], fitted.interval(0.9)[0][:, 1])
    assert ((frame["p_value"] < 0.1) == (frame["low"] * frame["high"] > 0)).all()
    page = fitted._repr_html_()
    assert page.count("<tr") == 7
    assert "region = north" in page


def test_what_people_wrote_is_escaped():
    survey = Survey("Q", ["<a>", "<b>"], 2.0)
    reports = survey.randomize_batch(["<a>", "<b>"] * 50, entropy=seeded(1))
    page = regression.fit(survey, reports, {"<x>": np.arange(100) % 7})._repr_html_()
    assert "&lt;b&gt;" in page
    assert "&lt;x&gt;" in page
    assert "<x>" not in page


def test_results_cannot_be_changed():
    survey = Survey("Q", DRINKS, 2.0)
    fitted = regression.fit(survey, *crowd(survey, 500, seed=1)[::-1])
    with pytest.raises(ValueError, match="read-only"):
        fitted.coefficients[0] = 0
    with pytest.raises(AttributeError):
        fitted.n = 0
    with refused_argument("level", "Logit.interval", value=95):
        fitted.interval(95)


def test_a_scale_gets_a_linear_regression_of_its_mean():
    survey = Survey("How old?", Scale(0, 64, aim="mean"), 2.0)
    rng, n = np.random.default_rng(1), 20_000
    member = rng.random(n) < 0.5
    ages = rng.normal(30 + 10 * member, 5)
    reports = survey.randomize_batch(ages, entropy=seeded(1))
    fitted = regression.fit(survey, reports, {"member": member})
    assert isinstance(fitted, Linear)
    assert fitted.coefficients.shape == fitted.p_values.shape == (2,)
    assert (np.abs(fitted.coefficients - [30, 10]) < 5 * fitted.standard_errors).all()
    assert fitted.predict({"member": [False, True]}) == pytest.approx(
        [fitted.coefficients[0], fitted.coefficients.sum()]
    )
    lines = str(fitted).splitlines()
    for part in ("Linear", "20,000", "95 %"):
        assert part in lines[0]
    assert [line.split()[0] for line in lines[2:]] == ["intercept", "member"]


def test_what_cannot_be_fitted_is_said():
    survey = Survey("Q", DRINKS, 2.0)
    known, reports = crowd(survey, 100, seed=1)
    with pytest.raises(NoReports):
        regression.fit(survey, reports[:0], {})
    with pytest.raises(InvalidReport, match=r"reports\[1\]"):
        regression.fit(survey, [bytes(reports[0]), b"\xff"], {"x": [1, 2]})
    with refused_argument("covariates", naming=r"\b99\b"):
        regression.fit(survey, reports[1:], known)
    with refused_argument("covariates", value="half"):
        regression.fit(survey, reports, {"age": known["age"], "half": known["age"] / 2 + 1})
    with refused_argument("covariates", value="one"):
        regression.fit(survey, reports, {"one": np.ones(100)})
    many = Survey("Q", [str(i) for i in range(1002)], 2.0)
    with refused_argument("covariates", "fit", value="2 × 1001"):
        regression.fit(many, many.randomize_batch(["1"] * 9), {"x": np.arange(9)})
    noise = Survey("Q", DRINKS, 2.0, mechanism="geometric-noise")
    with refused_argument("survey", "fit"):
        regression.fit(noise, noise.randomize_batch(["tea"] * 9), {"x": np.arange(9)})


# --- rare categories ------------------------------------------------------------------------------

RARE = Survey("Q", list("abcd"), 1.0)


def rare_crowd(seed, survey=RARE, n=1000, shares=(0.5, 0.3, 0.2, 0.0)):
    """Return a group for each of n people, and reports of answers that do not depend on it."""
    rng = np.random.default_rng(seed)
    answers = rng.choice(len(shares), n, p=shares)
    group = np.where(rng.random(n) < 0.3, "second", "first")
    return {"group": group}, survey.mechanism.randomize(answers, entropy=seeded(seed))


def test_a_category_that_is_too_rare_is_named_and_others_are_fitted():
    known, reports = rare_crowd(1, n=20_000)
    fitted = regression.fit(RARE, reports, known)
    assert fitted.too_rare == ("d",)
    assert np.isnan(fitted.coefficients[:, 2]).all()
    assert np.isnan(fitted.standard_errors[:, 2]).all()
    assert np.isnan(fitted.p_values[:, 2]).all()
    low, high = fitted.interval()
    assert np.isneginf(low[:, 2]).all()
    assert np.isposinf(high[:, 2]).all()
    assert np.isfinite(low[:, :2]).all()
    assert "'d'" in fitted.note
    assert str(fitted).count("—") >= 6
    shares = fitted.predict({"group": ["first", "second"]})
    low, high = fitted.predict_interval({"group": ["first", "second"]})
    assert ((low >= 0) & (low <= shares) & (shares <= high) & (high <= 1)).all()
    assert (high - low > 0.01).all()


def test_a_reference_that_is_too_rare_says_so_and_another_helps():
    known, reports = rare_crowd(1, n=20_000)
    fitted = regression.fit(RARE, reports, known, reference="d")
    assert np.isnan(fitted.coefficients).all()
    assert "'a'" in fitted.note
    better = regression.fit(RARE, reports, known, reference="b")
    first = regression.fit(RARE, reports, known)
    assert better.rows == ("a", "c", "d")
    assert np.allclose(better.coefficients[:, 0], -first.coefficients[:, 0], atol=2e-3)
    people = {"group": ["first", "second"]}
    assert np.allclose(better.predict(people), first.predict(people), atol=1e-3)
    assert np.isclose(better.log_likelihood, first.log_likelihood, atol=1e-2)


def test_no_fit_is_refused_and_intervals_hold_where_the_usual_ones_do_not():
    """One person in a hundred holds the last category; 150 crowds, 4 simulation errors."""
    shares, repeats = (0.4, 0.35, 0.24, 0.01), 150
    truth = np.zeros((2, 3))
    truth[0] = np.log(np.array(shares[1:]) / shares[0])
    covered, usual = np.zeros((2, 3)), np.zeros((2, 3))
    for seed in range(repeats):
        known, reports = rare_crowd(seed, n=3000, shares=shares)
        fitted = regression.fit(RARE, reports, known)
        low, high = fitted.interval()
        covered += (low <= truth) & (truth <= high)
        profiles = fitted.profiles
        away = np.abs(profiles.values.reshape(2, 3) - truth)
        usual += away <= 1.96 * profiles.standard_errors.reshape(2, 3)
    error = (0.95 * 0.05 / repeats) ** 0.5
    assert (covered / repeats).min() > 0.95 - 4 * error
    assert (usual / repeats).min() < 0.95 - 4 * error


def test_p_values_agree_with_the_intervals():
    for seed in range(30):
        fitted = regression.fit(RARE, *rare_crowd(seed, n=1500)[::-1])
        low, high = fitted.interval()
        shown = ~np.isnan(fitted.p_values)
        outside = (low > 0) | (high < 0)
        doubtful = np.abs(fitted.p_values - 0.05) < 0.002
        assert (((fitted.p_values <= 0.05) == outside) | doubtful)[shown].all()
        assert not outside[~shown].any()


def test_predicted_shares_are_covered_even_when_they_are_small():
    """300 crowds; the delta method's own intervals are too narrow where a share looks like 0."""
    shares, repeats, covered, usual = np.array([0.5, 0.3, 0.2, 0.0]), 300, 0, 0
    people = {"group": ["first", "second"]}
    for seed in range(repeats):
        fitted = regression.fit(RARE, *rare_crowd(seed, n=1000)[::-1])
        low, high = fitted.predict_interval(people)
        covered += (low <= shares) & (shares <= high)
        values = fitted.predict(people)
        usual += values - 0.002 <= shares
    error = (0.95 * 0.05 / repeats) ** 0.5
    assert (covered / repeats).min() > 0.95 - 4 * error
    assert (usual / repeats)[:, 3].max() < 1


# --- weights --------------------------------------------------------------------------------------


def test_weights_of_one_change_nothing_and_their_unit_neither():
    known, reports = rare_crowd(1, n=5000, shares=(0.4, 0.3, 0.2, 0.1))
    plain = regression.fit(RARE, reports, known)
    for weights in (np.ones(5000), np.full(5000, 7.0), pa.array([2] * 5000), pd.Series([3] * 5000)):
        even = regression.fit(RARE, reports, known, weights=weights)
        assert np.allclose(even.coefficients, plain.coefficients, atol=1e-4)
        assert np.allclose(even.standard_errors, plain.standard_errors, rtol=0.05)


def test_weights_undo_a_sample_that_is_out_of_proportion():
    """The second half of people is over-sampled among those who hold the first category."""
    survey = Survey("Q", ["a", "b"], 4.0)
    rng, n = np.random.default_rng(1), 40_000
    answers = (rng.random(n) < 0.5).astype(int)
    weights = np.where(answers == 0, 1.0, 3.0)  # those of "b" were invited three times as seldom
    reports = survey.mechanism.randomize(answers, entropy=seeded(1))
    group = {"group": np.where(rng.random(n) < 0.5, "first", "second")}
    fitted = regression.fit(survey, reports, group, weights=weights)
    assert np.allclose(fitted.predict({"group": ["first"]}), [[0.25, 0.75]], atol=0.03)
    plain = regression.fit(survey, reports, group)
    assert np.allclose(plain.predict({"group": ["first"]}), [[0.5, 0.5]], atol=0.03)


def test_weighted_intervals_cover_and_those_that_forget_the_weights_do_not():
    survey, repeats, covered, naive = Survey("Q", ["a", "b", "c"], 2.0), 300, 0, 0
    truth = np.array([np.log([0.3 / 0.5, 0.2 / 0.5]), [0, 0]])
    for seed in range(repeats):
        known, reports = rare_crowd(seed, survey, 1000, (0.5, 0.3, 0.2))
        weights = np.random.default_rng(seed).choice([0.2, 5.0], 1000)
        fitted = regression.fit(survey, reports, known, weights=weights)
        low, high = fitted.interval()
        covered += (low <= truth) & (truth <= high)
        shorter = fitted.profiles.standard_errors / fitted.profiles.design_effect**0.5
        away = np.abs(fitted.coefficients - truth).ravel()
        naive += away <= 1.96 * shorter
    error = (0.95 * 0.05 / repeats) ** 0.5
    assert (covered / repeats).min() > 0.95 - 4 * error
    assert (naive / repeats).max() < 0.95 - 4 * error


@pytest.mark.parametrize(
    "weights", [[1.0] * 99, [1.0] * 99 + [0.0], [1.0] * 99 + [-1.0], [float("nan")] * 100,
                [1.0] * 99 + [float("inf")], ["heavy"] * 100, 3],
)  # fmt: skip
def test_weights_that_are_none_are_refused(weights):
    known, reports = rare_crowd(1, n=100)
    with pytest.raises(InvalidArgument) as error:
        regression.fit(RARE, reports, known, weights=weights)
    assert error.value.parameter == "weights"


# --- what coefficients are compared with ----------------------------------------------------------


def test_another_baseline_turns_a_coefficient_around():
    known, reports = rare_crowd(1, n=20_000, shares=(0.4, 0.3, 0.2, 0.1))
    first = regression.fit(RARE, reports, known)
    other = regression.fit(RARE, reports, known, baselines={"group": "second"})
    assert other.names == ["intercept", "group = first"]
    assert np.allclose(other.coefficients[1], -first.coefficients[1], atol=2e-3)
    assert np.allclose(other.predict(known), first.predict(known), atol=1e-3)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("reference", "e"), ("baselines", {"nothing": "x"}), ("baselines", {"group": "third"}),
     ("baselines", {"number": "3"})],
)  # fmt: skip
def test_a_reference_that_there_is_not_is_refused(parameter, value):
    known, reports = rare_crowd(1, n=100)
    known["number"] = np.arange(100)
    with refused_argument(parameter):
        regression.fit(RARE, reports, known, **{parameter: value})


def test_a_scale_has_no_reference_but_intervals_of_predictions():
    survey = Survey("How old?", Scale(0, 64, aim="mean"), 2.0)
    rng = np.random.default_rng(1)
    group = np.where(rng.random(5000) < 0.5, "first", "second")
    reports = survey.randomize_batch(rng.normal(30, 5, 5000).clip(0, 64), entropy=seeded(1))
    with refused_argument("reference", value="a"):
        regression.fit(survey, reports, {"group": group}, reference="a")
    fitted = regression.fit(survey, reports, {"group": group}, weights=np.ones(5000))
    plain = regression.fit(survey, reports, {"group": group})
    assert np.allclose(fitted.coefficients, plain.coefficients)
    assert np.allclose(fitted.standard_errors, plain.standard_errors)
    low, high = fitted.predict_interval({"group": ["first", "second"]})
    means = fitted.predict({"group": ["first", "second"]})
    assert (low < means).all()
    assert (means < high).all()
    assert np.allclose([low[0], high[0]], [end[0] for end in fitted.interval()])
