"""Questionnaires in batches, and their tallies."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from party import CAKES, DRINKS, EVERYONE, HOURS, law_of, party
from privet import Questionnaire
from privet.analysis.tally import Tally
from privet.entropy import seeded
from privet.errors import (
    Clamped,
    InvalidAnswer,
    InvalidReport,
    InvalidTally,
    SurveyMismatch,
)
from refusing import refused_argument

N = 3000
COLUMNS = {
    "drink": [DRINKS[i % 3] for i in range(N)],
    "cakes": [CAKES[i % 7] for i in range(N)],
    "hours": [float(HOURS[i % 5]) for i in range(N)],
}


@pytest.mark.parametrize(
    "make",
    [
        lambda c: {name: tuple(column) for name, column in c.items()},
        lambda c: {**c, "hours": np.array(c["hours"])},
        lambda c: {name: iter(column) for name, column in c.items()},
        pa.table,
        lambda c: {name: pa.array(column) for name, column in c.items()},
        lambda c: pa.concat_tables([pa.table(c).slice(0, 1000), pa.table(c).slice(1000)]),
        pd.DataFrame,
        lambda c: pd.DataFrame(c).assign(other=1.5),
        pl.DataFrame,
        lambda c: {name: pl.Series(column) for name, column in c.items()},
    ],
    ids=["tuples", "numpy", "iterators", "arrow", "arrays", "chunks", "pandas", "more", "polars",
         "series"],
)  # fmt: skip
def test_tables_and_mappings_of_columns_are_alike(make):
    expected = party().randomize_batch(COLUMNS, entropy=seeded(3))
    found = party().randomize_batch(make(COLUMNS), entropy=seeded(3))
    assert found.dtype == np.uint8
    assert np.array_equal(found, expected)


def test_a_batch_has_the_law_of_single_reports(monkeypatch):
    """For each of a few people, how often each report comes, against its exact chance."""
    questionnaire, n = party(), 40_000
    for seed, answers in enumerate(EVERYONE[::20]):
        columns = {name: [answer] * n for name, answer in answers.items()}
        reports = questionnaire.randomize_batch(columns, entropy=seeded(seed))
        found, counts = np.unique(reports, axis=0, return_counts=True)
        expected = law_of(questionnaire, answers, monkeypatch)
        assert {row.tobytes() for row in found} <= set(expected)
        for row, count in zip(found, counts, strict=True):
            chance = float(expected[row.tobytes()])
            assert abs(count - n * chance) < 6 * np.sqrt(n * chance * (1 - chance))


@pytest.mark.parametrize("make", [dict, pa.table], ids=["lists", "arrow"])
def test_errors_in_a_batch_name_row_and_question(make):
    columns = {**COLUMNS, "drink": ["tea"] * (N - 1) + ["cofee"]}
    columns["drink"][500:510] = ["cofee"] * 10
    with pytest.raises(InvalidAnswer) as raised:
        party().randomize_batch(make(columns), entropy=seeded(1))
    error = raised.value
    assert (error.question, error.answer, error.nearest) == ("drink", "cofee", "coffee")
    assert 500 <= error.row < 510


@pytest.mark.parametrize("make", [dict, pa.table], ids=["lists", "arrow"])
def test_numbers_beyond_the_ends_are_noted_in_a_batch(make):
    with pytest.warns(Clamped, match=r"\b0 to 2\b"):
        party().randomize_batch(make({**COLUMNS, "hours": [9.5] * N}), entropy=seeded(1))


@pytest.mark.parametrize(
    ("answers", "parameter", "named"),
    [
        ({}, "answers", ""),
        ({**COLUMNS, "drink": ["tea"]}, "answers", ""),
        ({"cake": ["a"]}, "answers", "'cake'"),
        (["tea"], "answers", r"\['tea'\]"),
        ("tea", "answers", "'tea'"),
        ({**COLUMNS, "drink": "tea"}, "answers['drink']", "'tea'"),
        ({**COLUMNS, "drink": None}, "answers['drink']", "None"),
        ({**COLUMNS, "drink": pa.array([["tea"]] * N)}, "answers['drink']", ""),
    ],
)
def test_what_is_no_batch(answers, parameter, named):
    with refused_argument(parameter, naming=named):
        party().randomize_batch(answers)


def test_a_column_that_is_missing_is_an_answer_that_is_missing():
    with pytest.raises(InvalidAnswer) as caught:
        party().randomize_batch({k: v for k, v in COLUMNS.items() if k != "cakes"})
    assert (caught.value.question, caught.value.answer) == ("cakes", None)


def test_answers_off_the_page_are_not_looked_at():
    """In each row, all but those on the page that it draws is nonsense."""
    plain = party().randomize_batch(COLUMNS, entropy=seeded(4))
    asks = [party().pages[report[0]].asks for report in plain]
    columns = {
        name: [one if name in asked else "?" for one, asked in zip(column, asks, strict=True)]
        for name, column in COLUMNS.items()
    }
    assert np.array_equal(party().randomize_batch(columns, entropy=seeded(4)), plain)


def test_no_people_give_no_reports():
    for empty in ({name: [] for name in COLUMNS}, pa.table(COLUMNS).slice(0, 0)):
        assert party().randomize_batch(empty).shape == (0, party().mechanism.report_bytes)


# --- tallies --------------------------------------------------------------------------------------


def tallied(reports, questionnaire=None):
    tally = (questionnaire or party()).tally()
    tally.update(reports)
    return tally


def test_tallies_add_and_survive_bytes():
    reports = party().randomize_batch(COLUMNS, entropy=seeded(5))
    whole = tallied(reports)
    assert whole == tallied(reports[:700]) + tallied(reports[700:])
    assert whole == tallied(reports[::-1]) == tallied([row.tobytes() for row in reports])
    assert Tally.from_bytes(whole.to_bytes(), party()) == whole
    assert sum(whole.estimate().people.values()) == whole.n == N


def test_tallies_of_another_questionnaire_are_refused():
    whole = tallied(party().randomize_batch(COLUMNS))
    fewer = Questionnaire("Party", party().surveys, 1.0)
    with pytest.raises(SurveyMismatch):
        fewer.tally().merge(whole)
    with pytest.raises(SurveyMismatch):
        Tally.from_bytes(whole.to_bytes(), fewer)


def test_counts_that_no_reports_give_are_refused():
    good = tallied(party().randomize_batch(COLUMNS, entropy=seeded(6)))
    (first, counts), *_ = party().mechanism.analyst.counter.parts(good._aggregate)
    for place, step, named in [
        (0, 1, "page: "),
        (1, -10_000, r"\[0, 3000\]"),
        (1, 10_000, "page 0"),
    ]:
        tally = Tally.from_bytes(good.to_bytes(), party())
        tally._aggregate[place] += step
        with pytest.raises(InvalidTally, match=named):
            Tally.from_bytes(tally.to_bytes(), party())
    assert first > 0
    assert counts.sum() > 0


@pytest.mark.parametrize("many", [1, 30_000], ids=["few", "many"])
def test_reports_that_are_wrong_are_refused_and_none_is_counted(many):
    columns = {name: column * (1 + many // N) for name, column in COLUMNS.items()}
    good = party().randomize_batch(columns, entropy=seeded(7))
    for byte, value, named in [(0, 4, r"\bpage 4\b"), (1, 255, "Page ")]:
        reports = good.copy()
        reports[[20, 2500], byte] = value
        tally = party().tally()
        with pytest.raises(InvalidReport, match=named) as caught:
            tally.update(reports)
        assert caught.value.row == 20
        assert tally == party().tally()
