"""fit: from reports and covariates to a table that covers the truth as often as it says."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privet import Scale, Survey, regression
from privet.entropy import seeded
from privet.errors import InvalidArgument, InvalidReport, NoReports
from privet.regression import Linear
from privet.regression.logit import Likelihood, maximize, softmax
from privet.regression.supports import Supports

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
    """300 crowds: pooled coverage within 4 simulation errors, each row's intervals being alike."""
    survey, repeats, n = Survey("What do you drink?", DRINKS, 2.0), 300, 1000
    truth, covered, naive = unscaled(TRUTH), [], []
    for seed in range(repeats):
        known, reports = crowd(survey, n, seed)
        fitted = regression.fit(survey, reports, known)
        low, high = fitted.interval()
        covered.append((low < truth) & (truth < high))
        supports = Supports(survey.mechanism, reports)
        supports.excess = 1e9  # as if the answer were sure to be supported
        columns = np.stack([np.ones(n), known["age"] / 10 - 5, known["region"] == "north"], axis=1)
        found = maximize("fit", Likelihood(columns, supports), 0 * truth, DRINKS)
        errors = np.sqrt(np.diagonal(found.covariance)).reshape(truth.shape)
        naive.append(np.abs(found.coefficients - TRUTH) < 1.96 * errors)
    error = (0.95 * 0.05 / repeats) ** 0.5
    assert np.mean(covered, axis=0).min() > 0.95 - 4 * error
    assert abs(np.mean(covered) - 0.95) < 4 * error
    assert np.mean(naive, axis=0)[1, 0] < 0.1  # a slope that is not 0 looks too small


def test_the_table_is_aligned_and_has_the_numbers():
    survey = Survey("What do you drink?", DRINKS, 2.0)
    fitted = regression.fit(survey, *crowd(survey, 2000, seed=1)[::-1])
    title, heads, *rows = str(fitted).splitlines()
    assert title == "Multinomial logit of 2,000 reports, compared with 'tea'; 95 % intervals"
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
    with pytest.raises(InvalidArgument, match="Logit.interval"):
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
    assert lines[0] == "Linear regression of 20,000 reports; 95 % intervals"
    assert [line.split()[0] for line in lines[2:]] == ["intercept", "member"]


def test_what_cannot_be_fitted_is_said():
    survey = Survey("Q", DRINKS, 2.0)
    known, reports = crowd(survey, 100, seed=1)
    with pytest.raises(NoReports):
        regression.fit(survey, reports[:0], {})
    with pytest.raises(InvalidReport, match=r"reports\[1\]"):
        regression.fit(survey, [bytes(reports[0]), b"\xff"], {"x": [1, 2]})
    with pytest.raises(InvalidArgument, match="one row for each of the 99 reports"):
        regression.fit(survey, reports[1:], known)
    with pytest.raises(InvalidArgument, match="do not follow from others.*'half'"):
        regression.fit(survey, reports, {"age": known["age"], "half": known["age"] / 2 + 1})
    with pytest.raises(InvalidArgument, match="nor are constant.*'one'"):
        regression.fit(survey, reports, {"one": np.ones(100)})
    many = Survey("Q", [str(i) for i in range(1002)], 2.0)
    with pytest.raises(InvalidArgument, match="at most 2000 coefficients. Got '2 × 1001'"):
        regression.fit(many, many.randomize_batch(["1"] * 9), {"x": np.arange(9)})
    noise = Survey("Q", DRINKS, 2.0, mechanism="geometric-noise")
    with pytest.raises(InvalidArgument, match="'survey' parameter of fit must be of a mechanism"):
        regression.fit(noise, noise.randomize_batch(["tea"] * 9), {"x": np.arange(9)})
