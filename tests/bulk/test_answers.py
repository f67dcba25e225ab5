"""Answers from CSV files: which are read, in which order, and what is said of bad ones."""

import gzip
import unicodedata

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from privet import Survey
from privet.bulk import Cleaning, count_answers, read_answers
from privet.bulk.groups import Groups
from privet.errors import InvalidArgument, InvalidFile
from refusing import assert_names, in_row, refused

SURVEY = Survey("What do you drink?", ["tea", "café", "crème", "water, still"], 1.0)
MORE_THAN_A_BLOCK = 800_000


def read(path, column=None, survey=SURVEY):
    return [value for chunk in read_answers(path, survey, column) for value in chunk.values]


def csv(tmp_path, text, encoding="utf-8", name="answers.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return path


def message(path, column=None):
    with pytest.raises(InvalidFile) as caught:
        read(path, column)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text.removeprefix(str(path))


# --- what is read ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "answer\ntea\ncafé\ntea\n",
        "answer\ntea\ncafé\ntea",
        "answer\r\ntea\r\ncafé\r\ntea\r\n",
        "\ufeffanswer\ntea\ncafé\ntea\n",
        '"answer"\n"tea"\n"café"\n"tea"\n',
        "drink\ntea\ncafé\ntea\n",
        "\ufeffdrink\ntea\ncafé\ntea\n",
        "id,answer\n1,tea\n2,café\n3,tea\n",
        "answer,answers\ntea,x\ncafé,y\ntea,z\n",
        'note,answer\n"two\nlines",tea\n"a, b",café\n,tea\n',
        "1,answer\nx,tea\n2,café\n\\N,tea\n",
    ],
)
def test_common_ways_to_write_a_column(tmp_path, text):
    assert read(csv(tmp_path, text)) == [0, 1, 0]


def test_a_quoted_answer_may_hold_a_comma(tmp_path):
    assert read(csv(tmp_path, 'id,answer\n1,"water, still"\n')) == [3]


def test_a_column_can_be_chosen(tmp_path):
    path = csv(tmp_path, "answer,evening\ntea,café\ntea,crème\n")
    assert read(path) == [0, 0]
    assert read(path, "evening") == [1, 2]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("other", ["NFC", "NFD"])
def test_unicode_forms_match(tmp_path, form, other):
    categories = [unicodedata.normalize(form, text) for text in ("café", "crème", "thé")]
    survey = Survey("?", categories, 1.0)
    text = unicodedata.normalize(other, "answer\nthé\ncafé\ncrème\n")
    assert read(csv(tmp_path, text), survey=survey) == [2, 0, 1]


def test_words_that_elsewhere_mean_missing_are_answers_like_any_other(tmp_path):
    words = ["NULL", "NA", "nan", "N/A", "true", "007", "1e3"]
    text = "answer\n" + "".join(f"{word}\n" for word in words)
    assert read(csv(tmp_path, text), survey=Survey("?", words, 1.0)) == list(range(len(words)))


def test_a_header_alone_has_no_answers(tmp_path):
    for text in ("answer\n", "answer", "id,answer\n", "id,answer", "id,answer\r\n"):
        assert read(csv(tmp_path, text)) == []


def test_all_rows_come_in_order_from_a_file_of_many_blocks(tmp_path):
    expected = np.random.default_rng(1).integers(0, 4, MORE_THAN_A_BLOCK).tolist()
    quoted = [f'"{text}"' for text in SURVEY.categories]
    rows = "".join(f"{i},{quoted[value]}\n" for i, value in enumerate(expected))
    path = csv(tmp_path, "id,answer\n" + rows)
    chunks = list(read_answers(path, SURVEY))
    assert len(chunks) > 3
    assert {chunk.values.dtype for chunk in chunks} == {np.dtype(np.int64)}
    assert np.concatenate([chunk.values for chunk in chunks]).tolist() == expected


def test_a_packed_file_is_read(tmp_path):
    path = csv(tmp_path, gzip.compress(b"answer\ntea\n"), name="answers.csv.gz")
    assert read(path) == [0]


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("answer\ntea\ntae\n", [*in_row(2), "'tae'", "'tea'"]),
        ("answer\nTEA\n", [*in_row(1), "'TEA'", "'tea'"]),
        ("answer\n tea\n", [*in_row(1), "' tea'", "'tea'"]),
        ("answer\nxyz\n", [*in_row(1), "'xyz'"]),
        ("id,answer\n1,tea\n2,\n", [*in_row(2), "empty"]),
        ('id,answer\n1,""\n', [*in_row(1), "empty"]),
        ("answer\ntea\n\ntea\n", [*in_row(2), "empty"]),
        ("id,answer\n1,tea\n\n2,tea\n", [*in_row(2), "empty"]),
        ('note,answer\n"a\nb",tea\n"c",tee\n', [*in_row(2), "'tee'", "'tea'"]),
        ('answer\ntea\n"tea\ntea\n', [*in_row(2), r"'tea\ntea\n'", "'tea'"]),
        ("id,answer\n1,tea\n2,tea,3\n", [*in_row(2), "fields", "3", "2"]),
        ("id,answer\n1,tea\n2\n", [*in_row(2), "fields", "1", "2"]),
        ("a,b\n1,tea\n", ["column 'answer'", "'a', 'b'"]),
        ("\ntea\n", ["column 'answer'", "''"]),
        ("answer,answer\ntea,tea\n", ["more than one", "'answer'"]),
        ("tea\ncafé\n", ["header 'tea'"]),
        ("", ["empty"]),
        ("a;answer\n1;tea\n", ["header 'a;answer'", "';'"]),
        ("a\tb\n1\ttea\n", [r"header 'a\tb'", r"'\t'"]),
    ],
)
def test_a_bad_file_is_named_with_the_row(tmp_path, text, names):
    found = message(csv(tmp_path, text))
    assert_names(found, *names)
    assert ("row" in found) is names[0].startswith("row")
    assert ("'tea'" in found) is ("'tea'" in " ".join(names))  # as what may have been meant


def test_a_missing_column_that_was_asked_for(tmp_path):
    path = csv(tmp_path, "a,answer\n1,tea\n")
    assert_names(message(path, "b"), "column 'b'", "'a', 'answer'")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "mac-roman"])
def test_another_encoding_is_named_with_the_row(tmp_path, encoding):
    path = csv(tmp_path, "answer\ntea\ncafé\n", encoding)
    assert_names(message(path), *in_row(2), "UTF-8")


@pytest.mark.parametrize(
    "data",
    [
        "café,answer\n1,tea\n".encode("latin-1"),
        "answer\ntea\n".encode("utf-16"),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 20,
        bytes(10_000),
        b'answer\n"' + b"tea\n" * MORE_THAN_A_BLOCK,
    ],
    ids=["Latin-1 in the header", "UTF-16", "a picture", "zeros", "an endless quote"],
)
def test_what_is_no_csv_file_is_refused(tmp_path, data):
    assert message(csv(tmp_path, data))


def test_of_many_columns_some_are_named(tmp_path):
    names = ",".join(f"c{i}" for i in range(2000))
    said = message(csv(tmp_path, f"{names}\n"))
    assert_names(said, "column 'answer'", "'c0', 'c1'", "'c19'", "1,980")
    assert "'c20'" not in said


def test_a_damaged_packed_file_is_refused(tmp_path):
    data = bytearray(gzip.compress(b"answer\n" + b"tea\n" * 1000))
    data[20:] = bytes(len(data) - 20)
    path = csv(tmp_path, bytes(data), name="answers.csv.gz")
    assert_names(message(path), "table")


def test_rows_are_counted_across_blocks(tmp_path):
    good = "id,answer\n" + "1,tea\n" * MORE_THAN_A_BLOCK
    row = in_row(MORE_THAN_A_BLOCK + 1)
    assert_names(message(csv(tmp_path, good + "2,\n")), *row, "empty")
    assert_names(message(csv(tmp_path, good + "2\n")), *row, "fields")
    latin = (good + "2,café\n").encode("latin-1")
    assert_names(message(csv(tmp_path, latin)), *row, "UTF-8")


def test_rows_have_the_same_number_in_every_format(tmp_path):
    table = pa.table({"answer": ["tea", "crème", "toe"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    feather.write_feather(table, tmp_path / "a.feather")
    (tmp_path / "a.json").write_text('{"answer":"tea"}\n{"answer":"tea"}\n{"answer":"toe"}\n')
    csv(tmp_path, "answer\ntea\ncrème\ntoe\n", name="a.csv")
    for name in ("a.parquet", "a.feather", "a.json", "a.csv"):
        assert message(tmp_path / name).startswith(", row 3")


def test_a_file_that_is_not_there_is_the_systems_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "missing.csv")


# --- what is no category --------------------------------------------------------------------


def test_unknown_answers_can_be_dropped_or_counted_as_a_category(tmp_path):
    path = csv(tmp_path, b"answer,who\ntea,a\nmilk,b\n,c\ncaf\xe9,d\ntea,e\n")
    (dropped,) = read_answers(
        path, SURVEY, "answer", by=["who"], cleaning=Cleaning(unknown="drop", missing="drop")
    )
    assert dropped.values.tolist() == [0, 0]
    assert dropped.by.column("who").to_pylist() == [b"a", b"e"]
    assert (dropped.unknown, dropped.missing, dropped.seen) == (2, 1, {0})
    (folded,) = read_answers(
        path, SURVEY, "answer", by=["who"], cleaning=Cleaning(unknown="crème", missing="crème")
    )
    assert folded.values.tolist() == [0, 2, 2, 2, 0]
    assert folded.by.num_rows == 5
    assert (folded.unknown, folded.missing) == (2, 1)


def test_unknown_answers_are_counted_as_nothing_that_does_not_exist(tmp_path):
    path = csv(tmp_path, "answer\ntea\n")
    with refused(InvalidArgument, parameter="unknown", value="other"):
        next(read_answers(path, SURVEY, cleaning=Cleaning(unknown="other")))


def test_the_answers_are_no_group(tmp_path):
    path = csv(tmp_path, "answer,who\ntea,a\n")
    with refused(InvalidArgument, parameter="by", value=["who", "answer"]):
        next(read_answers(path, SURVEY, by=["who", "answer"]))


def test_the_different_answers_are_counted(tmp_path):
    one = csv(tmp_path, "answer\ntea\ncafé\n\ntea\n", name="one.csv")
    two = csv(tmp_path, '{"answer": "tea"}\n{"answer": null}\n{}\n', name="two.json")
    column, counts, missing, _ = count_answers([one, two])
    assert counts == {"tea": 3, "café": 1}
    assert (column, missing) == ("answer", 3)


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.binary_view()], ids=str)
def test_rows_are_dropped_from_columns_of_any_kind(tmp_path, kind):
    table = pa.table({"answer": ["tea", "milk", "tea"], "who": pa.array(["a", "b", "c"], kind)})
    feather.write_feather(table, tmp_path / "a.arrow", compression="uncompressed")
    (found,) = read_answers(
        tmp_path / "a.arrow", SURVEY, by=["who"], cleaning=Cleaning(unknown="drop", missing="drop")
    )
    groups = Groups(["who"])
    assert groups.number(found.by, "a").tolist() == [0, 1]
    assert list(groups.seen) == [("a",), ("c",)]


# --- which answers there are ----------------------------------------------------------------


def counted(tmp_path, text, **options):
    return count_answers(csv(tmp_path, text), cleaning=Cleaning(**options))


def test_numbers_are_in_the_order_of_numbers(tmp_path):
    found = counted(tmp_path, "answer\n10\n9\n2\nrefused\n-1\n")
    assert [*found.counts] == ["-1", "2", "9", "10", "refused"]


def test_whole_numbers_that_pandas_wrote_as_fractions_are_whole(tmp_path):
    assert [*counted(tmp_path, "id,answer\n1,1.0\n2,\n3,10.0\n4,2.0\n").counts] == ["1", "2", "10"]
    assert [*counted(tmp_path, "answer\n1.0\n1.1\n").counts] == ["1.0", "1.1"]


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_the_order_of_ordered_categories_is_kept(tmp_path, ordered, ending):
    levels = ["never", "sometimes", "daily", "nobody's"]
    answers = pd.Categorical(["daily", None, "never", "sometimes"], levels, ordered=ordered)
    path = tmp_path / f"a.{ending}"
    getattr(pd.DataFrame({"answer": answers}), f"to_{ending}")(path)
    order = ["never", "sometimes", "daily"] if ordered else ["daily", "never", "sometimes"]
    assert [*count_answers(path).counts] == order
    assert [*count_answers([path, csv(tmp_path, "answer\ndaily\n")]).counts] == sorted(order)


def test_answers_are_cleaned_before_they_are_counted(tmp_path):
    text = 'answer\ntea\n" tea"\nTea\nTEA\ntea\nNA\n"  "\n'
    assert counted(tmp_path, text).counts == {
        " tea": 1,
        "  ": 1,
        "NA": 1,
        "TEA": 1,
        "Tea": 1,
        "tea": 2,
    }
    found = counted(tmp_path, text, strip=True, ignore_case=True, na=["NA"])
    assert (found.counts, found.missing) == ({"tea": 5}, 2)
