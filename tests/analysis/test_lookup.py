"""Many numbers on a scale are taken and rounded as single ones are."""

import warnings
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from privet import Questionnaire, Scale, Survey, bulk
from privet.analysis.kinds.scale import OneNumber, places
from privet.analysis.lookup import look_up, values_of
from privet.analysis.questions import randomize
from privet.device.answers.scale import FRACTION_BITS
from privet.entropy import Stream, seeded
from privet.errors import Clamped

ONE = 1 << FRACTION_BITS


def survey_of(scale, epsilon=1.0):
    return Survey("How many?", scale, epsilon)


RANGES = [
    (0, 1, 2), (0, 120, 61), (-1, 1, 2048), (1e-300, 3e-300, 7), (-1e300, 1e300, 64),
    (5e15, 5e15 + 4096, 33), (-0.3, 0.1, 1000), (0, 2**53, 2048),
]  # fmt: skip


@pytest.mark.parametrize("ends", RANGES, ids=repr)
def test_many_numbers_are_at_the_places_of_single_ones(ends):
    scale, rng = Scale(*ends), np.random.default_rng(1)
    low, high, width = scale.low, scale.high, scale.high - scale.low
    inside = low + width * rng.random(3000)
    near = low + width * (rng.integers(0, scale.cells, 500) / (scale.cells - 1))
    tiny = low + width * 2.0 ** rng.uniform(-60, 0, 500)
    beyond = np.array([low - width, high + width, np.nextafter(low, -np.inf), -1e308, 1e308])
    around = np.concatenate([near, [low, high, 0.0, -0.0]])
    numbers = np.concatenate(
        [inside, around, np.nextafter(around, np.inf), np.nextafter(around, -np.inf), tiny, beyond]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Clamped)
        singles = [scale.value(number) for number in numbers.tolist()]
        together = values_of(survey_of(scale), numbers)
    found, outside = places(scale, numbers)
    assert found.tolist() == together.tolist() == singles
    assert outside == np.count_nonzero((numbers < low) | (numbers > high))
    assert min(singles) == 0
    assert max(singles) == (scale.cells - 1) * ONE


def test_columns_and_lists_of_any_type_have_the_same_places():
    survey = survey_of(Scale(-5, 40, 10))
    numbers = [0.0, 7.25, 40.0, -5.0, 3.0] * 5000  # more than are done at a time
    expected = [survey.answers.value(number) for number in numbers]
    words = [str(number) for number in numbers]
    pieces = pa.chunked_array([numbers[:7], numbers[7:]])
    singles = pa.array(numbers, pa.float32())  # of which each of these numbers is one
    for answers in (numbers, np.array(numbers), np.array(numbers, np.float32), words, pieces,
                    singles, pa.array(words), [Decimal(word) for word in words]):  # fmt: skip
        assert values_of(survey, answers).tolist() == expected
    assert look_up(survey, pa.array(words)).values.tolist() == expected
    large = [2**60 + 1, 2**60 + 129]
    wide = survey_of(Scale(0, 2**61))
    expected = [wide.answers.value(number) for number in large]
    for answers in (large, np.array(large), pa.array(large)):
        assert values_of(wide, answers).tolist() == expected


@pytest.mark.parametrize("size", [1, 5, 1 << 14, (1 << 15) + 3])
def test_coins_of_many_are_those_of_single_numbers_from_the_same_words(size):
    """Cell by cell, with words at and next to where a coin turns."""
    scale, rng = Scale(0, 1, 9), np.random.default_rng(size)
    values, _ = places(scale, rng.random(size))
    cells = OneNumber(scale).settled(values, seeded(3))
    stream = Stream(seeded(3).keystream().read, 8)
    assert cells.tolist() == [scale.settled(value, stream) for value in values.tolist()]
    words = np.frombuffer(seeded(3).keystream().read(8 * size), dtype="<u8")
    for offset in (-1, 0, 1):  # a fraction that is below its word, the same, and above
        fractions = (words >> np.uint64(12)).astype(np.int64) + offset
        values = (3 * ONE + fractions.clip(0, ONE - 1)).astype(np.int64)
        stream = Stream(seeded(3).keystream().read, 8)
        singles = [scale.settled(value, stream) for value in values.tolist()]
        assert OneNumber(scale).settled(values, seeded(3)).tolist() == singles
        assert set(singles) == {4 if offset > 0 else 3}


def test_a_seed_gives_the_same_reports_with_any_number_of_workers():
    survey = survey_of(Scale(0, 1, 300))
    values = values_of(survey, np.random.default_rng(1).random(300_000))
    one, two = (randomize(survey, values, seeded(1), workers=workers) for workers in (1, 2))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, randomize(survey, values, seeded(2)))


def test_files_of_numbers(tmp_path):
    survey, path = survey_of(Scale(0, 10, 11), 4.0), tmp_path / "answers.csv"
    path.write_text("answer\n" + "2.5\n" * 4000 + "12\n" * 1000)
    done = bulk.randomize_files(path, survey, tmp_path / "reports.parquet")
    assert (done.n, done.outside) == (5000, 1000)
    mean = bulk.tally_files(tmp_path / "reports.parquet", survey).estimate().mean()
    assert abs(mean.value - 4.0) < 5 * mean.standard_error


@pytest.mark.parametrize("column", [list, pa.array], ids=["list", "arrow"])
def test_questionnaires_say_what_lies_outside(column):
    asked = Questionnaire(
        "Work", [survey_of(Scale(0, 10)), Survey("Tea?", ["yes", "no"], 1.0)], 1.0
    )
    numbers, teas = column([1.0, 11.0, 12.0] * 100), column(["yes", "no", "no"] * 100)
    with pytest.warns(Clamped, match=r"\b0 to 10\b") as said:
        asked.randomize_batch({"how-many": numbers, "tea": teas})
    assert len(said) == 1
