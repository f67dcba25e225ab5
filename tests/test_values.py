"""One value has one text, in whatever it is held, and is the category that is spelled so."""

import json
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet import Survey
from privet.bulk import read_answers
from privet.device.values import plain, text_of
from privet.entropy import seeded

DAY, HOUR = datetime(2024, 12, 31), datetime(2024, 12, 31, 9, 30)


class Code(IntEnum):
    YES = 1
    NO = 2


class Word(str, Enum):  # noqa: UP042, as its hash is not the text's
    YES = "yes"
    NO = "no"


class Name(StrEnum):
    YES = "yes"
    NO = "no"


# Two values, held in every way that there is, and their texts.
HELD = {
    "whole numbers": (
        ("1", "2"),
        [
            [1, 2],
            [1.0, 2.0],
            ["1.0", "2.0"],
            [Decimal(1), Decimal("2.00")],
            [Code.YES, Code.NO],
            np.array([1, 2], np.int8),
            np.array([1, 2], np.float32),
            np.array([1, 2], object),
            pd.Series([1, 2]),
            pd.Series([1, 2, None])[:2],
            pd.Series([1, 2, None], dtype="Int64")[:2],
            pd.Series([1.0, "2"], dtype=object),
            pd.Series(pd.Categorical([1.0, 2.0])),
            pl.Series([1, 2]),
            pa.array([1.0, 2.0], pa.float16()),
            pa.array([Decimal("1.0"), Decimal("2.0")]),
            pa.array(["1.0", "2.0"]),
        ],
    ),
    "fractions": (
        ("0.1", "2.5"),
        [
            [0.1, 2.5],
            [Decimal("0.10"), Decimal("2.50")],
            np.array([0.1, 2.5], np.float32),
            pa.array([0.1, 2.5], pa.float32()),
            pa.array([Decimal("0.10"), Decimal("2.50")]),
        ],
    ),
    "truth values": (
        ("true", "false"),
        [
            [True, False],
            ["True", "FALSE"],
            np.array([True, False]),
            pd.Series([True, False]),
            pd.Series([True, False, None])[:2],
            pl.Series([True, False]),
        ],
    ),
    "dates": (
        ("2024-12-31", "2024-12-31 09:30:00"),
        [
            [date(2024, 12, 31), HOUR],
            [DAY, HOUR],
            ["2024-12-31T00:00:00", "2024-12-31T09:30"],
            [pd.Timestamp(DAY), pd.Timestamp(HOUR)],
            np.array([DAY, HOUR], "datetime64[ns]"),
            np.array([DAY, HOUR], "datetime64[m]"),
            pd.Series([DAY, HOUR]),
            pd.Series([DAY, HOUR]).astype("datetime64[ns]"),
            pl.Series([DAY, HOUR]),
            pa.array([DAY, HOUR], pa.timestamp("s")),
        ],
    ),
    "times": (
        ("09:30:00", "10:00:00.5"),
        [
            [time(9, 30), time(10, 0, 0, 500_000)],
            ["09:30:00.000", "10:00:00.500"],
            pa.array([time(9, 30), time(10, 0, 0, 500_000)]),
        ],
    ),
    "moments": (
        ("2024-12-31 00:00:00+00:00", "2024-12-31 09:30:00+00:00"),
        [
            [DAY.replace(tzinfo=UTC), HOUR.replace(tzinfo=UTC)],
            ["2024-12-31T00:00:00Z", "2024-12-31T09:30:00.000+0000"],
            pd.Series([DAY, HOUR]).dt.tz_localize("UTC"),
            pa.array([DAY, HOUR], pa.timestamp("us", "UTC")),
        ],
    ),
    "enums": (
        ("yes", "no"),
        [
            [Word.YES, Word.NO],
            [Name.YES, Name.NO],
            np.array(["yes", "no"]),
            np.array([b"yes", b"no"]),
            pd.Series([Word.YES, Word.NO]),
            pl.Series(["yes", "no"], dtype=pl.Enum(["no", "yes"])),
        ],
    ),
}
ALIKE = [(texts, answers) for texts, held in HELD.values() for answers in held]


@pytest.mark.parametrize(("texts", "answers"), ALIKE, ids=lambda value: str(type(value).__name__))
def test_a_value_is_the_category_with_its_text(texts, answers):
    survey = Survey("?", ["another", *reversed(texts)], 1.0)
    expected = survey.mechanism.randomize([2, 1], entropy=seeded(1))
    assert np.array_equal(survey.randomize_batch(answers, entropy=seeded(1)), expected)
    if isinstance(answers, list):
        assert [survey.index(answer) for answer in answers] == [2, 1]


FRAMES = {
    "whole numbers": [1, 2, None],
    "truth values": [True, False, None],
    "dates": [DAY, HOUR, None],
    "enums": ["yes", "no", None],
}


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "json"])
@pytest.mark.parametrize("what", FRAMES)
def test_what_pandas_writes_is_read_alike(tmp_path, what, ending):
    frame = pd.DataFrame({"answer": FRAMES[what], "row": range(3)})[:2]
    path = tmp_path / f"a.{ending}"
    if ending == "json":
        frame.to_json(path, orient="records", lines=True, date_format="iso")
    elif ending == "csv":
        frame.to_csv(path, index=False)
    else:
        getattr(frame, f"to_{ending}")(path)
    (found,) = read_answers(path, Survey("?", [*HELD[what][0], "another"], 1.0), "answer")
    assert found.values.tolist() == [0, 1]


def test_decimals_in_parquet(tmp_path):
    column = pa.array([Decimal("1.50"), Decimal("2.00")])
    parquet.write_table(pa.table({"answer": column}), tmp_path / "a.parquet")
    (found,) = read_answers(tmp_path / "a.parquet", Survey("?", ["2", "1.5"], 1.0))
    assert found.values.tolist() == [1, 0]


def test_numbers_in_json_may_be_whole_at_first(tmp_path):
    rows = "".join(json.dumps({"answer": number}) + "\n" for number in (1, None, 2.0, 1))
    (tmp_path / "a.json").write_text(rows.replace("null", "1"))
    (found,) = read_answers(tmp_path / "a.json", Survey("?", ["1", "2"], 1.0))
    assert found.values.tolist() == [0, 0, 1, 0]


def test_a_category_that_is_spelled_just_so_comes_first():
    survey = Survey("Which version?", ["1", "1.0", "1.1"], 1.0)
    assert [survey.place(text) for text in ("1", "1.0", "1.00", 1.0, "1.10")] == [0, 1, 0, 0, -1]
    assert Survey("?", ["1.0", "2.0"], 1.0).place(2) == 1


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.nan, pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("nan")]
)
def test_what_is_missing_has_no_text(value):
    assert text_of(value) is None


@pytest.mark.parametrize(
    "text",
    [
        "tea",
        "1e3",
        "007",
        "1.",
        "v1.0",
        "12:30",
        "12:300",
        "2024-12-31",
        "2024-12-31 09:300",
        "truely",
    ],
)
def test_other_text_is_left_as_it_is(text):
    assert plain(text) == text


def test_numbers_beyond_what_a_float_tells_apart():
    assert text_of(float(2**53 - 1)) == str(2**53 - 1)
    assert text_of(1e20) == "1e+20"
    assert text_of(Decimal("12345678901234567890123456789012345678.50")).endswith("678.5")
    assert text_of(10**20) == "100000000000000000000"
