"""Covariates of every form become the same columns; what cannot be one is said with its row."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.analysis.regression.covariates import Covariates, check_independent
from refusing import refused_argument

AGES, TOWNS = [30, 41, 25, 60], ["Bonn", "Aachen", "Bonn", "Köln"]
COLUMNS = {"age": AGES, "town": TOWNS}
EXPECTED = [[1, 30, 1, 0], [1, 41, 0, 0], [1, 25, 1, 0], [1, 60, 0, 1]]
NAMES = ["intercept", "age", "town = Bonn", "town = Köln"]


@pytest.mark.parametrize(
    "covariates",
    [
        COLUMNS,
        {"age": np.array(AGES), "town": np.array(TOWNS)},
        {"age": pa.array(AGES), "town": pd.Series(TOWNS)},
        {"age": [Decimal(age) for age in AGES], "town": pd.Series(TOWNS, dtype="category")},
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS, index=[7, 3, 4, 4]),
        pl.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS, schema_overrides={"town": pl.Categorical}),
        pa.table(COLUMNS),
        pa.concat_tables([pa.table(COLUMNS).slice(0, 1), pa.table(COLUMNS).slice(1)]),
        pa.record_batch(COLUMNS),
    ],
    ids=lambda covariates: type(covariates).__name__,
)
def test_named_columns_of_every_form_are_the_same(covariates):
    read, columns = Covariates.read("fit", covariates, 4)
    assert columns.tolist() == EXPECTED
    assert read.names == NAMES
    assert np.array_equal(read.matrix("predict", covariates), columns)


@pytest.mark.parametrize(
    "covariates",
    [[*zip(AGES, TOWNS, strict=True)], np.array([AGES, TOWNS], dtype=object).T],
    ids=["rows", "objects"],
)
def test_rows_without_names_are_numbered(covariates):
    read, columns = Covariates.read("fit", covariates, 4)
    assert columns.tolist() == EXPECTED
    assert read.names == ["intercept", "x1", "x2 = Bonn", "x2 = Köln"]
    assert read.matrix("predict", covariates[:1]).tolist() == EXPECTED[:1]


@pytest.mark.parametrize("one", [AGES, np.array(AGES), pd.Series(AGES), pl.Series(AGES)])
def test_a_single_column_is_one(one):
    read, columns = Covariates.read("fit", one, 4)
    assert columns[:, 1].tolist() == AGES
    assert read.names == ["intercept", "x1"]


def test_levels_have_their_text_s_order_or_their_own():
    sizes = {"size": ["10", "9", "refused", "9"]}
    assert Covariates.read("fit", sizes, 4)[0].terms[0].levels == ("9", "10", "refused")
    days = {"day": [date(2026, 1, 2), date(2026, 1, 1)]}
    assert Covariates.read("fit", days, 2)[0].names == ["intercept", "day = 2026-01-02"]
    moments = {"day": np.array(["2026-01-02", "2026-01-01"], "datetime64[ns]")}
    assert Covariates.read("fit", moments, 2)[0].names == ["intercept", "day = 2026-01-02"]
    kind = pd.CategoricalDtype(["small", "medium", "large"], ordered=True)
    frame = pd.DataFrame({"size": pd.Series(["large", "small", "large"], dtype=kind)})
    assert Covariates.read("fit", frame, 3)[0].terms[0].levels == ("small", "large")


def test_truth_values_are_numbers():
    for truths in ([True, False], np.array([True, False]), pl.Series([True, False])):
        read, columns = Covariates.read("fit", {"member": truths}, 2)
        assert (read.names[1], columns[:, 1].tolist()) == ("member", [1, 0])


def test_no_covariates_are_an_intercept():
    for none in ({}, np.empty((3, 0)), [[], [], []]):
        read, columns = Covariates.read("fit", none, 3)
        assert (read.names, columns.tolist()) == (["intercept"], [[1], [1], [1]])


@pytest.mark.parametrize(
    ("covariates", "named"),
    [
        ("text", "'text'"),
        (7, r"\b7\b"),
        (np.zeros((4, 1, 1)), r"\(4, 1, 1\)"),
        (np.zeros((3, 2)), r"\b4\b.*\b3\b.*\bx1\b"),
        ({"age": AGES[:3]}, r"\b4\b.*\b3\b.*\bage\b"),
        ({"age": [1, 2, float("nan"), 3]}, r"'age'.*\b2\b.* nan\b"),
        ({"age": np.array([1, np.inf, 2, 3])}, r"'age'.*\b1\b.* inf\b"),
        ({"age": [1, 2, 3, None]}, r"'age'.*\b3\b"),
        ({"age": pa.array([1, None, 2, 3])}, r"'age'.*\b1\b"),
        ({"town": ["a", "b", None, "a"]}, r"'town'.*\b2\b"),
        ({"town": pl.Series(["a", None, "b", "a"])}, r"'town'.*\b1\b"),
        ({"town": [[1], [2], [3], [4]]}, "'town'"),
        ({"town": ["a", "b", ["c"], "d"]}, r"'town'.*\b2\b"),
        ({"town": 7}, r"'town'.*\b7\b"),
        ({"towns": pa.array([["a"], ["b"], [], []])}, "'towns'"),
        ({"town": ["a"] * 4}, "'town'"),
        ({"intercept": AGES}, "intercept"),
        ([[1, 2], [3], [4, 5], [6, 7]], r"\b2\b.*\b1\b"),
    ],
)
def test_what_is_no_covariate_is_refused(covariates, named):
    with refused_argument("covariates", "fit", naming=named):
        Covariates.read("fit", covariates, 4)


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"age": AGES}, r"\['age'\]"),
        ({"age": TOWNS, "town": TOWNS}, "'age'"),
        ({"age": AGES, "town": AGES}, "'town'"),
        ({"age": [1, 2], "town": ["Bonn", "Ulm"]}, r"'town'.*\b1\b.*'Ulm'"),
        ({"age": [1, 2, 3], "town": ["Bonn", "Bonn"]}, r"\[3, 2\]"),
    ],
)
def test_other_people_s_covariates_are_those_of_the_fit(other, named):
    read, _ = Covariates.read("fit", COLUMNS, 4)
    with refused_argument("covariates", "Logit.predict", naming=named):
        read.matrix("Logit.predict", other)


def test_other_columns_do_no_harm_where_they_have_names():
    read, _ = Covariates.read("fit", COLUMNS, 4)
    more = {"height": [180], "town": ["Köln"], "age": [60]}
    assert read.matrix("predict", more).tolist() == EXPECTED[3:]
    numbered, _ = Covariates.read("fit", np.array([AGES]).T, 4)
    with refused_argument("covariates", naming=r"\bx1\b"):
        numbered.matrix("predict", np.ones((2, 2)))


def test_columns_that_follow_from_others_are_refused():
    x = np.random.default_rng(1).normal(size=(50, 2))
    columns = np.hstack([np.ones((50, 1)), x, x @ [[0.5], [0.25]] + 1])
    check_independent("fit", columns[:, :3], ["intercept", "a", "b"])
    with refused_argument("covariates", "fit", value="c"):
        check_independent("fit", columns, ["intercept", "a", "b", "c"])
    with refused_argument("covariates", "fit", naming=r"\b3\b"):
        check_independent("fit", columns[:3], ["intercept", "a", "b", "c"])
