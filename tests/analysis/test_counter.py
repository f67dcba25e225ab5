"""Counters: reports are checked and added chunk by chunk, and rows counted over all of them."""

import numpy as np
import pyarrow as pa
import pytest

from privet.analysis import counter
from privet.entropy import seeded
from privet.errors import InvalidReport
from privet.mechanisms import GeometricNoise, KSubset, OneBit
from refusing import refused_argument


@pytest.mark.parametrize("mechanism", [KSubset(20, 1.0), OneBit(20, 1.0)], ids=lambda m: m.name)
@pytest.mark.parametrize("few", [True, False])
def test_chunks_make_no_difference(mechanism, few, monkeypatch):
    reports = mechanism.randomize(np.arange(40) % 20, entropy=seeded(1))
    _, expected = mechanism.aggregate(reports)
    rows = 7
    monkeypatch.setattr(counter.Counter, "_are_few", lambda self, reports: few)
    size = mechanism.analyst.counter.entries, mechanism.report_bytes
    monkeypatch.setattr(counter, "_ENTRIES_AT_ONCE", rows * max(size))
    monkeypatch.setattr(counter, "_CHUNK_BYTES", rows * mechanism.report_bytes)
    n, aggregate = mechanism.aggregate(reports)
    assert n == 40
    assert np.array_equal(aggregate, expected)
    reports[39] = 255
    for row in (16, 14, 0):  # inside a chunk, and the first of one
        reports[row] = 255
        with pytest.raises(InvalidReport) as caught:
            mechanism.aggregate(reports)
        problem = mechanism.problem(reports[row].tobytes())
        assert (caught.value.row, caught.value.reason) == (row, problem)


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("n", [3, 500])
def test_numbers_are_counted_and_the_first_that_is_too_large_is_refused(few, n, monkeypatch):
    mechanism = OneBit(20, 1.0)
    monkeypatch.setattr(counter.Counter, "_are_few", lambda self, reports: few)
    numbers = np.arange(n, dtype=np.uint64) % mechanism.numbers
    reports = np.empty((n, mechanism.report_bytes), dtype=np.uint8)
    counter.write_numbers(numbers, reports)
    before = np.arange(mechanism.numbers)
    total = before.copy()
    assert mechanism.fold(reports, total) == n
    assert np.array_equal(total - before, np.bincount(numbers, minlength=mechanism.numbers))
    numbers[1] = mechanism.numbers
    counter.write_numbers(numbers, reports)
    with pytest.raises(InvalidReport) as caught:
        mechanism.fold(reports, total)
    assert caught.value.row == 1


def test_what_no_compiled_code_counts_is_counted_as_few_are(monkeypatch):
    mechanism = GeometricNoise(5, 1.0)
    reports = mechanism.randomize(np.arange(40) % 5, entropy=seeded(1))
    _, expected = mechanism.aggregate(reports)
    monkeypatch.setattr(counter.Counter, "_are_few", lambda self, reports: False)
    assert np.array_equal(mechanism.aggregate(reports)[1], expected)
    monkeypatch.setattr(counter.Counter, "first_invalid", lambda self, reports: 0)
    counted = mechanism.analyst.counter
    assert counted.add_many(reports, total := np.zeros(counted.size, dtype=np.int64)) == 0
    assert not total.any()


@pytest.mark.parametrize("few", [True, False])
def test_numbers_that_nobody_sent_are_counted_as_none(few, monkeypatch):
    mechanism = OneBit(20, 1.0)
    monkeypatch.setattr(counter.Counter, "_are_few", lambda self, reports: few)
    numbers = np.arange(500, dtype=np.uint64) % (mechanism.numbers // 2)
    reports = np.empty((500, mechanism.report_bytes), dtype=np.uint8)
    counter.write_numbers(numbers, reports)
    _, aggregate = mechanism.aggregate(reports)
    assert np.array_equal(aggregate, np.bincount(numbers, minlength=mechanism.numbers))


def test_every_report_has_one_number():
    mechanism = OneBit(20, 1.0)
    aggregate = np.zeros(mechanism.numbers, dtype=np.int64)
    aggregate[[0, 3]] = 2, 1
    assert mechanism.check_aggregate(aggregate, 3) is None
    for n in (2, 4):
        assert mechanism.check_aggregate(aggregate, n) is not None
    aggregate[1] = -1
    assert mechanism.check_aggregate(aggregate, 2) is not None


@pytest.mark.parametrize("size", range(1, 9))
def test_numbers_are_written_with_the_lowest_byte_first(size):
    numbers = np.array([0, 1, 255, 256**size - 1, 0x0807060504030201 % 256**size], dtype=np.uint64)
    columns = np.empty((len(numbers), size), dtype=np.uint8)
    counter.write_numbers(numbers, columns)
    assert [row.tobytes() for row in columns] == [int(i).to_bytes(size, "little") for i in numbers]
    assert np.array_equal(counter.read_numbers(columns), numbers)


@pytest.mark.parametrize("d", [7, 8, 9, 16, 17])
def test_bits_beyond_the_last_are_padding(d):
    size = -(-d // 8)
    rows = np.array([list((1 << i).to_bytes(size, "little")) for i in range(8 * size)], np.uint8)
    assert np.array_equal(rows[counter.padded(rows, d)], rows[d:])
    assert counter.count_bits(rows, d).tolist() == [1] * d


def test_what_is_not_a_report_is_named_with_its_row():
    masked = np.ma.masked_array(np.zeros((1, 3), np.uint8), mask=True)
    for reports, row, named in (
        (np.zeros((2, 4), np.uint8), None, r"\(2, 4\)"),
        (np.zeros(3, np.uint8), None, r"\(3,\)"),
        (np.zeros((2, 3)), None, "float64"),
        (masked, None, "masked"),
        (7, None, r"\bint\b"),
        (b"four", None, r"\b3 bytes.* 4\b"),
        ([bytes(3), "abc"], 1, r"\bstr\b"),
        ([bytes(3), memoryview(np.zeros(3, "u2"))], 1, r"\b3 bytes.* 6\b"),
    ):
        with pytest.raises(InvalidReport, match=named) as caught:
            KSubset(20, 1.0).aggregate(reports)
        assert caught.value.row == row


def test_reports_of_every_form_are_the_same():
    mechanism = KSubset(20, 1.0)
    reports = mechanism.randomize([1, 2, 3], entropy=seeded(1))
    _, expected = mechanism.aggregate(reports)
    pieces = [row.tobytes() for row in reports]
    columns = pa.array(pieces), pa.table({"report": pieces})
    bytes_ = pieces, iter(pieces), [bytearray(p) for p in pieces], map(memoryview, pieces)
    for form in (*bytes_, *columns):
        n, aggregate = mechanism.aggregate(form)
        assert (n, aggregate.tolist()) == (3, expected.tolist())
    assert mechanism.aggregate(bytearray(pieces[0]))[0] == 1
    assert mechanism.aggregate([])[0] == 0


def test_a_table_of_reports_has_one_column():
    with refused_argument("reports", "Tally.update", naming="'a', 'b'"):
        KSubset(20, 1.0).aggregate(pa.table({"a": [bytes(3)], "b": [bytes(3)]}))


def test_small_pieces_add_up_to_much_work(monkeypatch):
    """Numpy counts short arrays, and others up to a number of entries in all."""
    monkeypatch.setattr(counter, "PLAIN_ENTRIES", 100)
    monkeypatch.setattr(counter, "PLAIN_BYTES", 5)
    mechanism = KSubset(20, 1.0)
    mine = type(mechanism.analyst.counter)(mechanism)
    rows = [np.zeros((n, 3), np.uint8) for n in range(7)]
    assert [mine._are_few(rows[n]) for n in (1, 2, 1, 3, 2, 1)] == [True] * 4 + [False, True]
    assert not type(mine)(mechanism)._are_few(rows[6])
