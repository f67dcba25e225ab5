"""Cleaning: what an answer is taken for, and what becomes of missing and unknown ones."""

import pyarrow as pa
import pytest

from privet import Survey
from privet.analysis.cleaning import MISSING, UNKNOWN, Cleaning
from privet.analysis.lookup import check_cleaning, look_up
from privet.errors import InvalidAnswer
from refusing import refused_argument

SURVEY = Survey("?", ["tea", "Coffee", "straße", "no answer"], 1.0)


@pytest.mark.parametrize(
    ("cleaning", "answer", "place"),
    [
        (Cleaning(), "tea", 0),
        (Cleaning(), " tea", UNKNOWN),
        (Cleaning(strip=True), " tea\t", 0),
        (Cleaning(strip=True), "Tea", UNKNOWN),
        (Cleaning(ignore_case=True), "COFFEE", 1),
        (Cleaning(ignore_case=True), "STRASSE", 2),
        (Cleaning(ignore_case=True), " tea", UNKNOWN),
        (Cleaning(strip=True, ignore_case=True), " TEA ", 0),
        (Cleaning(), "", MISSING),
        (Cleaning(), None, MISSING),
        (Cleaning(), "  ", UNKNOWN),
        (Cleaning(strip=True), "  ", MISSING),
        (Cleaning(), "NA", UNKNOWN),
        (Cleaning(na=["NA"]), "NA", MISSING),
        (Cleaning(na=["NA"]), "na", UNKNOWN),
        (Cleaning(na=["NA"], ignore_case=True), "na", MISSING),
        (Cleaning(na=["NA"], strip=True), " NA ", MISSING),
        (Cleaning(strip=True, ignore_case=True), b"\xff", UNKNOWN),
    ],
)
def test_the_place_of_an_answer(cleaning, answer, place):
    assert cleaning.place(SURVEY.answers.names, answer) == place


ROWS = pa.array(["tea", None, "mate", "", "Coffee"])


@pytest.mark.parametrize(
    ("missing", "unknown", "positions", "kept"),
    [
        ("drop", "drop", [0, 1], [True, False, False, False, True]),
        ("no answer", "drop", [0, 3, 3, 1], [True, True, False, True, True]),
        ("drop", "tea", [0, 0, 1], [True, False, True, False, True]),
        ("no answer", "tea", [0, 3, 0, 3, 1], None),
    ],
)
def test_missing_and_unknown_answers_are_apart(missing, unknown, positions, kept):
    found = look_up(SURVEY, ROWS, Cleaning(missing=missing, unknown=unknown))
    assert found.values.tolist() == positions
    assert (found.known is None) if kept is None else (found.known.tolist() == kept)
    assert (found.missing, found.unknown, found.seen) == (2, 1, {0, 1})


@pytest.mark.parametrize(
    ("cleaning", "row"),
    [(Cleaning(), 1), (Cleaning(unknown="drop"), 1), (Cleaning(missing="drop"), 2)],
)
def test_the_first_row_that_is_an_error_is_named(cleaning, row):
    with pytest.raises(InvalidAnswer) as caught:
        look_up(SURVEY, ROWS, cleaning)
    assert caught.value.row == row


@pytest.mark.parametrize(
    ("cleaning", "parameter"),
    [
        (Cleaning(missing="skip"), "missing"),
        (Cleaning(unknown="skip"), "unknown"),
        (Cleaning(na="NA"), "na"),
        (Cleaning(na=["tea"]), "na"),
    ],
)
def test_what_does_not_go_with_the_survey(cleaning, parameter):
    with refused_argument(parameter, value=getattr(cleaning, parameter)):
        check_cleaning("randomize", cleaning, SURVEY)


def test_case_matters_where_categories_differ_in_nothing_else():
    survey = Survey("?", ["US", "us"], 1.0)
    with refused_argument("ignore_case", value=True):
        check_cleaning("randomize", Cleaning(ignore_case=True), survey)
    check_cleaning("randomize", Cleaning(), survey)


@pytest.mark.parametrize(
    ("answer", "remedy"),
    [
        (" tea", "strip"),
        ("TEA", "ignore_case"),
        (" TEA", "ignore_case"),
        ("", "missing"),
        (None, "missing"),
        ("NaN", "na"),
        ("mate", None),
        (b"\xff", None),
    ],
)
def test_the_option_that_would_help(answer, remedy):
    assert Cleaning().remedy(SURVEY.answers.names, answer) == remedy
