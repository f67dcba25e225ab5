"""Numbers on a scale, from the answer to the report: the law by enumeration, and contracts."""

import json
import warnings
from decimal import Decimal
from fractions import Fraction
from time import process_time

import numpy as np
import pyarrow as pa
import pytest

from exact import assert_private, largest_ratio, law
from privet import Scale, Survey
from privet.analysis.lookup import values_of
from privet.device.answers.scale import FRACTION_BITS
from privet.entropy import seeded
from privet.errors import Clamped, InvalidAnswer, InvalidSurvey
from refusing import refused_argument

ONE = 1 << FRACTION_BITS
SECRET = b"sixteen bytes ok"


def survey_of(scale, epsilon=1.0):
    return Survey("How many?", scale, epsilon)


# --- the law of a report, enumerated --------------------------------------------------------------

SCALES = [Scale(0, 1, 2), Scale(-3, 5.5, 5), Scale(18, 21, 8), Scale(10, 13, whole=True)]


def law_of(survey, number, monkeypatch):
    """Return the exact law of `Survey.randomize`, over all outcomes of its draws."""

    def sample(walk):
        monkeypatch.setattr("privet.device.contract.Stream", lambda read, expected: walk)
        return survey.randomize(number)

    return {report: chance for report, chance in law(sample).items() if chance}


def numbers_of(scale):
    """Return centres and numbers around and between them, and the ends."""
    if scale.whole:
        return [*range(int(scale.low), int(scale.high) + 1)]
    fine = np.linspace(scale.low, scale.high, 6 * scale.cells + 2)
    return [*fine.tolist(), np.nextafter(scale.low, scale.high), np.nextafter(scale.high, 0)]


def worth(survey, report):
    """Return what a report says of the mean, in cells from the first centre, as a fraction."""
    mechanism = survey.mechanism
    centre = int.from_bytes(report, "little") - Fraction(mechanism.window - 1, 2)
    middle = Fraction(mechanism.d - 1, 2)
    return middle + (centre - middle) / mechanism.slope


@pytest.mark.parametrize("scale", SCALES, ids=repr)
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_a_report_is_a_coin_and_then_a_window(scale, epsilon, monkeypatch):
    survey = survey_of(scale, epsilon)
    window, odds = survey.mechanism.window, survey.mechanism.likelihood_ratio
    tables = []
    for number in numbers_of(scale):
        cell, rest = divmod(scale.value(number), ONE)
        part, found = Fraction(rest, ONE), law_of(survey, number, monkeypatch)
        for z in range(scale.cells + window - 1):
            weights = [odds if 0 <= z - x < window else 1 for x in (cell, cell + 1)]
            mixed = (1 - part) * weights[0] + part * weights[1]
            assert found[bytes([z])] == mixed / (window * odds + scale.cells - 1)
        tables.append(found)
    assert_private(tables, epsilon)
    assert largest_ratio(tables) == odds  # no two numbers are told apart more easily than two cells


@pytest.mark.parametrize("scale", SCALES, ids=repr)
def test_the_mean_of_any_number_is_unbiased(scale, monkeypatch):
    survey = survey_of(scale)
    for number in numbers_of(scale):
        found = law_of(survey, number, monkeypatch)
        mean = sum(chance * worth(survey, report) for report, chance in found.items())
        assert mean == Fraction(scale.value(number), ONE)
        assert scale.low + scale.step * float(mean) == pytest.approx(number, abs=1e-14, rel=1e-14)
        estimates = 0.0
        for report, chance in found.items():
            tally = survey.tally()
            tally.update(report)
            estimates += float(chance) * tally.estimate().mean().value
        assert estimates == pytest.approx(number, abs=1e-11)


def test_numbers_outside_are_as_the_ends(monkeypatch):
    scale = SCALES[1]
    survey = survey_of(scale)
    for number, end in ((-1e300, -3), (-3.1, -3), (5.6, 5.5), (10**30, 5.5)):
        with pytest.warns(Clamped, match=rf"-3 to 5\.5\b.* {end:g}\b"):
            assert law_of(survey, number, monkeypatch) == law_of(survey, end, monkeypatch)


def test_rounding_to_the_nearest_centre_would_be_biased(monkeypatch):
    """The negative control: the check above has the power to see it."""
    scale = SCALES[1]
    survey = survey_of(scale)
    monkeypatch.setattr(Scale, "settled", lambda self, value, stream: (value + ONE // 2) // ONE)
    number = scale.low + 0.75 * scale.step
    found = law_of(survey, number, monkeypatch)
    mean = sum(chance * worth(survey, report) for report, chance in found.items())
    assert abs(float(mean) - 0.75) == pytest.approx(0.25)


def test_batches_have_the_law_that_was_enumerated(monkeypatch):
    """A chi-square test, which sees another number, and another epsilon."""
    survey, n = survey_of(Scale(0, 7, 8), 2.0), 400_000
    numbers = np.full(n, 2.3)
    reports = survey.randomize_batch(numbers, entropy=seeded(1))
    counts = np.bincount(reports[:, 0], minlength=survey.mechanism.numbers)

    def excess(other, number):
        found = law_of(other, number, monkeypatch)
        expected = n * np.array([float(found[bytes([z])]) for z in range(len(counts))])
        degrees = len(counts) - 1
        chi = float(((counts - expected) ** 2 / expected).sum())
        return (chi - degrees) / np.sqrt(2 * degrees)

    assert abs(excess(survey, 2.3)) < 5
    assert excess(survey, 2.2) > 10
    other = Survey("How many?", survey.answers, 2.1)
    assert other.mechanism.window == survey.mechanism.window
    assert excess(other, 2.3) > 10


# --- whole numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize("ends", [(0, 120), (-3, 4), (1, 2), (10**9, 10**9 + 2047)])
def test_whole_numbers_are_centres(ends):
    scale = Scale(*ends, cells=2048, whole=True)
    assert scale.cells == ends[1] - ends[0] + 1
    assert not scale.rounded
    everyone = np.arange(ends[0], ends[1] + 1)
    expected = [cell * ONE for cell in range(scale.cells)]
    assert [scale.value(number) for number in everyone.tolist()] == expected
    assert values_of(survey_of(scale), everyone).tolist() == expected
    assert [*scale.names] == [f"{number:.10g}" for number in everyone]


def test_fractions_are_refused_where_numbers_are_whole():
    scale = Scale(0, 120, whole=True)
    survey = survey_of(scale)
    assert not scale.rounded  # as there is a cell for each
    assert scale.value("35") == scale.value(35.0) == scale.value(Decimal(35))
    for wrong in (35.5, "35.5", Decimal("35.5"), 1e-300):
        with pytest.raises(InvalidAnswer) as caught:
            survey.randomize(wrong)
        assert caught.value.answer == wrong
        assert "whole" in caught.value.rule
    for answers in ([1, 2.5], np.array([1, 2.5]), pa.array([1, 2.5]), pa.array(["1", "2.5"])):
        with pytest.raises(InvalidAnswer) as caught:
            survey.randomize_batch(answers)
        assert (caught.value.row, str(caught.value.answer)) == (1, "2.5")
        assert "whole" in caught.value.rule


# --- what is no number, and what lies outside -----------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "shown", "infinite"),
    [
        (float("nan"), "nan", True),
        (float("inf"), "inf", True),
        (-np.inf, "-inf", True),
        (10**400, str(10**400), True),
        ("many", "'many'", False),
        ("", "''", False),
        (None, "None", False),
        (True, "True", False),
        (1j, "1j", False),
        ([1], "[1]", False),
        ("inf", "'inf'", False),
        ("1e999", "inf", True),
        (Decimal("NaN"), "nan", True),
        (Decimal("sNaN"), "nan", True),
    ],
    ids=str,
)
def test_what_is_not_a_number_is_refused(answer, shown, infinite):
    """Numbers that are not finite break another rule than what is not a number at all."""
    survey = survey_of(Scale(0, 10))
    for row, randomize in (
        (None, lambda: survey.randomize(answer)),
        (1, lambda: survey.randomize_batch([3, answer])),
    ):
        with pytest.raises(InvalidAnswer) as caught:
            randomize()
        assert (caught.value.row, repr(caught.value.answer)) == (row, shown)
        assert ("finite" in caught.value.rule) is infinite


def test_columns_say_where_there_is_not_a_number():
    survey = survey_of(Scale(0, 10))
    for column, shown in [
        (pa.array([1.0, None]), "None"),
        (pa.array([1.0, float("inf")]), "inf"),
        (pa.array(["1", "many"]), "'many'"),
        (np.array([1.0, np.nan]), "nan"),
    ]:
        with pytest.raises(InvalidAnswer) as caught:
            survey.randomize_batch(column)
        assert (caught.value.row, repr(caught.value.answer)) == (1, shown)
        assert ("finite" in caught.value.rule) is (shown in ("inf", "nan"))


def test_numbers_outside_are_said_once():
    survey, scale = survey_of(Scale(0, 10)), Scale(0, 10)
    with pytest.warns(Clamped, match=r"\b0 to 10\b.* 10\b") as said:
        assert scale.value(11) == scale.value(10)
    assert len(said) == 1
    for answers in (np.array([-1, 5, 11.5]), pa.chunked_array([[-1.0, 5.0], [11.5]])):
        with pytest.warns(Clamped, match=r"\b2\b.*\b0 to 10\b") as said:
            survey.randomize_batch(answers)
        assert len(said) == 1
    with pytest.warns(Clamped, match=r"\b1\b.*\b0 to 10\b"):
        survey.randomize_batch([3, 11])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        survey.randomize_batch([0, 10, 0.0, 10.0])


# --- keyed reports --------------------------------------------------------------------------------


def test_a_number_has_one_report_with_a_secret():
    """Other numbers, however near, have draws of their own."""
    survey = survey_of(Scale(0, 1, 2048), 0.1)
    scale = survey.answers
    for number in (0.25, 1 / 3, 1.0):
        reports = {survey.randomize(number, secret=SECRET) for _ in range(20)}
        reports.add(survey.randomize(repr(number), secret=SECRET))
        assert len(reports) == 1
    near = [0.25, np.nextafter(0.25, 1), 0.250001]
    contexts = [scale.context(scale.value(number)) for number in near]
    assert len({*contexts}) == 3
    assert {len(context) for context in contexts} == {8}
    assert len({survey.randomize(number, secret=SECRET) for number in near}) > 1


# --- the contract ---------------------------------------------------------------------------------


def test_scales_come_back_from_json():
    for scale in (
        Scale(0, 120, 61, "years", bands=[18, 65]),
        Scale(-1.5, 1e-3, 2048, aim="mean"),
        Scale(1, 5, whole=True, bands=2),
        Scale(0, 1e300),
    ):
        survey = survey_of(scale)
        again = Survey.from_json(survey.to_json())
        assert again == survey
        assert again.answers == scale
        assert again.answers.bands == scale.bands
        assert again.mechanism == survey.mechanism


def test_names_of_cells_and_bands():
    scale = Scale(0, 120, 61, "years", bands=[18, 65])
    assert scale.names[:3] == ("0", "2", "4")
    assert scale.band_names == ("0 to 18", "18 to 65", "65 to 120")
    assert [scale.band(number) for number in (0, 17.99, 18, 64, 65, 120)] == [0, 0, 1, 1, 2, 2]
    whole = Scale(0, 120, cells=121, whole=True, bands=[18, 64.5])
    assert whole.band_names == ("0 to 17", "18 to 64", "65 to 120")
    assert [whole.band(number) for number in (17, 18, 64, 65)] == [0, 1, 1, 2]
    assert Scale(0, 1).band_names == ("0 to 0.25", "0.25 to 0.5", "0.5 to 0.75", "0.75 to 1")
    assert repr(scale) == "Scale(0 to 120 years, 61 cells)"


HOSTILE = [
    {"cells": 10**9}, {"cells": 1}, {"cells": -4}, {"cells": 10**400}, {"cells": 2.5},
    {"cells": "4"}, {"low": 10}, {"low": 11}, {"low": "0"}, {"low": None}, {"low": True},
    {"low": 10**400}, {"high": 10**400}, {"low": -1e308, "high": 1e308, "bands": [0]},
    {"high": 1e-322, "bands": [5e-324]}, {"low": 1e16, "high": 1e16 + 4, "bands": [1e16 + 2]},
    {"whole": 1}, {"whole": True, "low": 0.5}, {"whole": True},
    {"bands": [5, 3]}, {"bands": [5, 5]}, {"bands": [0]}, {"bands": [10]}, {"bands": []},
    {"bands": 4}, {"bands": ["5"]}, {"bands": [True]}, {"bands": [[1]]}, {"bands": [10**400]},
    {"bands": [None]}, {"bands": list(range(1, 10)) * 10**5},
    {"bands": [i * 1e-6 for i in range(1, 10**6)]},
    {"unit": 3}, {"unit": "\x00"}, {"unit": " "}, {"kind": "scales"},
    {"kind": []}, {"extra": 1},
]  # fmt: skip


@pytest.mark.parametrize("change", HOSTILE, ids=lambda change: str(change)[:40])
def test_hostile_scales_are_refused_quickly(change):
    document = json.loads(survey_of(Scale(0, 10, 64, "pieces")).to_json())
    text = json.dumps(document | {"answers": document["answers"] | change})
    begin = process_time()
    with pytest.raises(InvalidSurvey):
        Survey.from_json(text)
    assert process_time() - begin < 1 + len(text) / 1e6


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_are_refused(constant):
    text = survey_of(Scale(0, 10)).to_json()
    for number in ('"high":10.0', '"low":0.0', "2.5"):
        assert number in text
        replaced = number.partition(":")[0] + ":" + constant if ":" in number else constant
        with pytest.raises(InvalidSurvey, match=rf"{constant}\b"):
            Survey.from_json(text.replace(number, replaced))


def test_scales_that_cannot_be():
    for arguments, named in [
        ((0, 0), "high"), ((1, 0), "high"), ((0, float("inf")), "high"), (("a", 1), "low"),
        ((float("nan"), 1), "low"), ((10**400, 1), "low"), ((-1e308, 1e308), "high"),
        ((0, 1, 1), "cells"), ((0, 1, 2049), "cells"), ((0, 1, 2.5), "cells"),
        ((0, 1, 64, "\n"), "unit"), ((0, 1, 64, "", "median"), "aim"),
        ((0, 1, 64, "", "shape", 1), "whole"), ((0.5, 9, 64, "", "shape", True), "low"),
    ]:  # fmt: skip
        with refused_argument(named, "Scale"):
            Scale(*arguments)
    for bands in (1, 101, [], [0.5, 0.5], [1], "3", None, [float("nan")], 2.5):
        with refused_argument("bands", "Scale"):
            Scale(0, 1, bands=bands)
