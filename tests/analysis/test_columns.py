"""Answers and reports in whatever people hold them: lists, numpy, pandas, polars, Arrow, DuckDB."""

import re
import subprocess
import sys
from datetime import timedelta

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet import Survey
from privet.analysis import columns
from privet.entropy import seeded
from privet.errors import InvalidAnswer, InvalidReport
from refusing import refused_argument

SURVEY = Survey("?", ["tea", "coffee", "café", "7", "true", "false"], 1.0)
ANSWERS = ["tea", "café", "7", "tea", "coffee", "cafe\u0301"]
EXPECTED = SURVEY.mechanism.randomize([0, 2, 3, 0, 1, 2], entropy=seeded(1))


class Foreign:
    """Something of which only the interface is known."""

    def __init__(self, array):
        self._array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self._array.__arrow_c_array__(requested_schema)


@pytest.mark.parametrize(
    "answers",
    [
        ANSWERS,
        tuple(ANSWERS),
        iter(ANSWERS),
        np.array(ANSWERS),
        np.array(ANSWERS, dtype=object),
        pd.Series(ANSWERS),
        pd.Series(ANSWERS, dtype=object),
        pd.Series(ANSWERS).astype("category"),
        pd.DataFrame({"answer": ANSWERS}),
        pl.Series(ANSWERS),
        pl.Series(ANSWERS, dtype=pl.Categorical),
        pl.DataFrame({"answer": ANSWERS}),
        pa.array(ANSWERS),
        pa.array(ANSWERS, pa.large_string()),
        pa.array(ANSWERS, pa.string_view()),
        pa.array(ANSWERS).dictionary_encode(),
        pa.array([answer.encode() for answer in ANSWERS]),
        pa.array(["not seen", *ANSWERS])[1:],
        pa.array(["not seen", *ANSWERS]).dictionary_encode()[1:],
        pa.chunked_array([ANSWERS[:2], [], ANSWERS[2:]]),
        pa.table({"answer": ANSWERS}),
        pa.record_batch({"answer": ANSWERS}),
        Foreign(pa.array(ANSWERS)),
    ],
    ids=lambda value: type(value).__module__.split(".")[0] + " " + type(value).__name__,
)
def test_a_column_of_answers_however_it_is_held(answers):
    assert np.array_equal(SURVEY.randomize_batch(answers, entropy=seeded(1)), EXPECTED)


def test_answers_of_a_query():
    people = pa.table({"answer": ANSWERS})
    query = duckdb.sql("select answer from people")
    assert np.array_equal(SURVEY.randomize_batch(query, entropy=seeded(1)), EXPECTED)
    assert people.num_rows == len(ANSWERS)


@pytest.mark.parametrize(
    "answers", [pa.array([7, 7]), pa.array([7, 7], pa.uint8()), pd.Series([7, 7])]
)
def test_whole_numbers_are_answers_if_a_category_is_written_so(answers):
    expected = SURVEY.randomize_batch(["7", "7"], entropy=seeded(2))
    assert np.array_equal(SURVEY.randomize_batch(answers, entropy=seeded(2)), expected)


def test_truth_values_are_answers_if_categories_are_written_so():
    expected = SURVEY.randomize_batch(["true", "false"], entropy=seeded(2))
    found = SURVEY.randomize_batch(pa.array([True, False]), entropy=seeded(2))
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("answers", "row", "answer"),
    [
        (pa.array(["tea", "tee"]), 1, "tee"),
        (pa.chunked_array([["tea"], ["tea", "x"]]), 2, "x"),
        (pl.Series(["tea", None]), 1, None),
        (pd.Series(["tea", ""]), 1, ""),
        (pa.array([b"tea", b"caf\xe9"]), 1, b"caf\xe9"),
        (pa.array([7, 8]), 1, "8"),
        (pa.array([7.0, 7.5]), 1, "7.5"),
        (pl.Series([7.0, float("nan")]), 1, None),
        ([7.0, float("nan")], 1, None),
        ([7, ["tea"]], 1, ["tea"]),
        (np.array([1], "timedelta64[D]"), 0, np.timedelta64(1, "D")),
        ([np.timedelta64(7, "ns")], 0, np.timedelta64(7, "ns")),
    ],
)
def test_an_answer_that_is_no_category_is_named_by_its_row(answers, row, answer):
    with pytest.raises(InvalidAnswer) as caught:
        SURVEY.randomize_batch(answers)
    assert (caught.value.row, caught.value.answer) == (row, answer)
    assert caught.value.nearest == ("tea" if answer == "tee" else None)


@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        (pa.array([timedelta(1)]), "duration"),
        (pa.array([["tea"]]), "list"),
        (pa.table({"a": ["tea"], "b": ["tea"]}), "'a', 'b'"),
        (pl.DataFrame({"a": ["tea"], "b": ["tea"]}), "'a', 'b'"),
    ],
)
def test_what_cannot_be_answers(answers, shown):
    with refused_argument("answers") as caught:
        SURVEY.randomize_batch(answers)
    assert shown in caught.value.value


REPORTS = [row.tobytes() for row in EXPECTED]
SIZE = SURVEY.mechanism.report_bytes


@pytest.mark.parametrize(
    "reports",
    [
        REPORTS,
        pd.Series(REPORTS),
        pl.Series(REPORTS),
        pl.DataFrame({"report": REPORTS}),
        pa.array(REPORTS),
        pa.array(REPORTS, pa.large_binary()),
        pa.array(REPORTS, pa.binary_view()),
        pa.array(REPORTS, pa.binary(SIZE)),
        pa.array([b"", *REPORTS])[1:],
        pa.array([bytes(SIZE), *REPORTS], pa.binary(SIZE))[1:],
        pa.chunked_array([REPORTS[:1], [], REPORTS[1:]]),
        pa.table({"report": REPORTS}),
    ],
    ids=lambda value: type(value).__module__.split(".")[0] + " " + type(value).__name__,
)
def test_a_column_of_reports_however_it_is_held(reports):
    expected, tally = SURVEY.tally(), SURVEY.tally()
    expected.update(EXPECTED)
    tally.update(reports)
    assert tally == expected


@pytest.mark.parametrize(
    ("reports", "row", "named"),
    [
        (pa.array([REPORTS[0], None]), 1, "null"),
        (pa.array([None], pa.binary(SIZE)), 0, "null"),
        (pa.chunked_array([REPORTS, [b"12345"]]), 6, rf"\b{SIZE} byte.* 5\b"),
        (pa.array([bytes(SIZE + 1)], pa.binary(SIZE + 1)), None, rf"\b{SIZE} byte.* {SIZE + 1}\b"),
        (pa.array(["tea"]), None, "string"),
        (pa.array([bytes([255] * SIZE)]), 0, None),
    ],
)
def test_an_invalid_report_is_named_by_its_row_and_none_is_added(reports, row, named):
    tally = SURVEY.tally()
    with pytest.raises(InvalidReport, match=named) as caught:
        tally.update(reports)
    assert caught.value.row == row
    assert tally.n == 0


def test_estimates_go_out_as_they_came():
    tally = SURVEY.tally()
    tally.update(SURVEY.randomize_batch(["tea"] * 500))
    estimate = tally.estimate()
    table = estimate.to_arrow()
    assert estimate.to_frame().columns.tolist() == table.column_names
    assert pl.from_arrow(table)["category"].to_list() == list(SURVEY.categories)


def test_text_that_is_not_utf8_is_named_with_its_row():
    """Arrow does not look whether what a file says is text is UTF-8."""
    offsets = np.array([0, 3, 6], np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"teat\xe9a")]
    column = pa.Array.from_buffers(pa.string(), 2, buffers)
    for answers in (column, column.dictionary_encode(), pa.chunked_array([column])):
        with pytest.raises(InvalidAnswer) as caught:
            SURVEY.randomize_batch(answers)
        assert (caught.value.row, caught.value.answer) == (1, b"t\xe9a")
    assert columns.number_values(column)[1] == ["tea", b"t\xe9a", None]


# Arrow's validation, which must be asked for, does not look at missing views, and its casts do.
HOSTILE = """\
import struct
import pyarrow as pa
from privet import Survey
from privet.bulk.groups import Groups
from privet.errors import PrivetError

WILD = struct.pack("<i4sii", 100, b"xxxx", 7, 1 << 30)

def hostile(kind):
    views = struct.pack("<i12s", 3, b"tea") + struct.pack("<i4sii", -5, b"xxxx", 7, 1 << 30)
    column = pa.Array.from_buffers(kind, 2, [pa.py_buffer(b"\\1"), pa.py_buffer(views)])
    column.validate(full=True)
    assert column.to_pylist() in (["tea", None], [b"tea", None])
    return column

survey = Survey("?", ["tea", "coffee"], 1.0)
for kind in (pa.binary_view(), pa.string_view()):
    plain = hostile(kind)
    encoded = pa.DictionaryArray.from_arrays(pa.array([0, 1]), plain)
    for column in (plain, encoded):
        for use in (survey.tally().update, survey.randomize_batch):
            try:
                use(column)
            except PrivetError as error:
                print(type(error).__name__, error.row, str(error))
        groups = Groups(["a"])
        print(groups.number(pa.record_batch([column], ["a"]), "file").tolist(), list(groups.seen))
try:
    survey.tally().update(pa.Array.from_buffers(pa.binary_view(), 1, [None, pa.py_buffer(WILD)]))
except PrivetError as error:
    print(type(error).__name__, error.row, str(error))
"""
GROUPED = "[0, 1] [('tea',), (None,)]"


def test_views_that_lead_anywhere_are_not_followed():
    done = subprocess.run([sys.executable, "-c", HOSTILE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    expected = [
        "InvalidReport 1 .*null",
        "InvalidReport None .*dictionary.*binary_view",
        "InvalidReport None .*string_view",
        "InvalidReport None .*dictionary.*string_view",
        "InvalidReport None .*buffer",  # that is not there
    ]
    refusals = [line for line in said if line.startswith("InvalidReport")]
    assert all(map(re.match, expected, refusals))
    assert len(refusals) == len(expected)
    assert sum(line.startswith("InvalidAnswer 1 ") for line in said) == said.count(GROUPED) == 4
    assert len(said) == len(refusals) + 8


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.binary_view()], ids=str)
def test_only_values_that_occur_are_looked_at(kind):
    encoded = pa.DictionaryArray.from_arrays([1, 3, 1], pa.array(["x", "tea", "y", "7"], kind))
    rows, texts = columns.number_values(encoded)
    assert (rows.tolist(), texts) == ([0, 1, 0], ["tea", "7", None])


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.int64(), pa.null()], ids=str)
def test_a_column_of_no_chunks(kind):
    assert len(SURVEY.randomize_batch(pa.chunked_array([], kind))) == 0
