"""The compiled counters against lists and Python's integers."""

import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from privet.analysis.kernels.report_counts import count_bitmaps, count_indices

# Reports of every kind that the check and the adder treat differently, and their neighbours.
WIDTHS = [1, 2, 7, 8, 9, 13, 16, 17, 31, 32, 33, 63, 64, 65, 128, 129, 256, 257, 640, 641, 1100]
SETS = [(9, 1), (200, 1), (256, 1), (257, 1), (70_000, 1), (40, 3), (100, 5), (1000, 10)]
SETS += [(4096, 30), (65_536, 3), (2**20, 7)]


def rows_of(size):
    """Enough for several groups of super-rows, and some more."""
    return 12_000 // size + 45


def number_of(report):
    return int.from_bytes(bytes(report), "little")


def plain_counts(reports, d):
    counts = [0] * d
    for report in reports:
        for i, bit in enumerate(f"{number_of(report):b}"[::-1]):
            counts[i] += bit == "1"
    return counts


def plain_bad(reports, is_report):
    return next((row for row, report in enumerate(reports) if not is_report(report)), -1)


def bitmaps_of(d, n, seed=0):
    reports = np.random.default_rng(seed).integers(0, 256, (n, (d + 7) // 8), dtype=np.uint8)
    reports[:, -1] &= 255 >> (-d % 8)
    return reports


def bitmaps_of_size(d, k, n):
    bits = np.zeros((n, d), np.uint8)
    bits[:, :k] = 1
    bits = np.random.default_rng(d).permuted(bits, axis=1)
    return np.packbits(bits, axis=1, bitorder="little")


def counted(reports, d, k=-1):
    counts = np.zeros(d, np.int64)
    assert count_bitmaps(reports, d, counts, k) == -1
    return counts.tolist()


def first_bad(reports, d, k=-1):
    return count_bitmaps(reports, d, np.zeros(d, np.int64), k)


# --- bitmaps ----------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [*range(1, 131), 1000, 1024, 4097])
def test_every_bit_is_counted(d):
    reports = bitmaps_of(d, 1000)
    for n in (0, 1, 2, 15, 16, 17, 1000):
        assert counted(reports[:n], d) == plain_counts(reports[:n], d)


@pytest.mark.parametrize("size", WIDTHS)
def test_counts_are_added_to_what_is_there(size):
    d = 8 * size - 3
    reports = bitmaps_of(d, rows_of(size), size)
    counts = np.arange(d)
    assert count_bitmaps(reports, d, counts) == count_bitmaps(reports, d, counts) == -1
    assert (counts - np.arange(d)).tolist() == [2 * f for f in plain_counts(reports, d)]


@pytest.mark.parametrize("offset", [1, 8, 33])
@pytest.mark.parametrize("size", WIDTHS)
def test_reports_may_start_anywhere_and_need_not_be_writable(size, offset):
    d, n = 8 * size, rows_of(size)
    reports = bitmaps_of(d, n, offset)
    moved = np.frombuffer(b"\xff" * offset + reports.tobytes() + b"\xff" * 64, np.uint8)
    moved = moved[offset : offset + n * size].reshape(n, size)
    assert not moved.flags.writeable
    assert counted(moved, d) == plain_counts(reports, d)
    assert counted(np.repeat(reports, 2, axis=0)[::2], d) == plain_counts(reports, d)


@pytest.mark.parametrize(
    ("d", "n"), [(3, 70_000), (8, 16_800_000), (2048, 65_300), (2048, 130_600), (2056, 65_300)]
)
def test_planes_do_not_overflow(d, n):
    reports = np.full((n, (d + 7) // 8), 255, np.uint8)
    reports[:, -1] >>= -d % 8
    assert set(counted(reports, d, k=d)) == {n}


def test_many_random_rows():
    d, n = 2056, 33_000
    reports = bitmaps_of(d, n)
    bits = np.unpackbits(reports, axis=1, bitorder="little")
    assert counted(reports, d) == bits.sum(axis=0, dtype=np.int64).tolist()


@pytest.mark.parametrize("size", WIDTHS)
@pytest.mark.parametrize("few", [1, 7, None])
def test_the_first_bad_bitmap_is_found(size, few):
    d, n = 8 * size - 5, few or rows_of(size)
    k = d // 2
    good = bitmaps_of_size(d, k, n)
    assert counted(good, d, k) == plain_counts(good, d)
    for row in {0, 1 % n, n // 2, n - 2, n - 1}:
        for byte, flip in ((0, 1), (size // 2, 1), (size - 1, 4), (size - 1, 8), (size - 1, 128)):
            reports = good.copy()
            reports[row, byte] ^= flip
            reports[row + 1 :: 3, byte] ^= flip
            assert first_bad(reports, d, k) == row
            assert first_bad(reports, d) == (row if flip >= 8 else -1)


def test_bad_bitmaps_among_many_wide_ones():
    d, n = 8 * 1100, 900  # what is checked ahead of the adder is 232 rows
    reports = np.zeros((n, d // 8), np.uint8)
    reports[:, 7] = 1
    assert counted(reports, d, 1)[56] == n
    for row in (899, 700, 232, 231, 7):
        reports[row, -1] = 1
        assert first_bad(reports, d, 1) == row


def test_a_padding_bit_does_not_stand_in_for_a_member():
    reports = np.array([[0b0001_1011], [0b0010_0111]], np.uint8)
    assert first_bad(reports, 5, 4) == 1


@given(st.data())
def test_any_bytes(data):
    d = data.draw(st.integers(1, 600))
    n = data.draw(st.integers(0, 40))
    k = data.draw(st.sampled_from([-1, -1, d // 2, d]))
    full = data.draw(st.booleans())
    size = (d + 7) // 8
    raw = data.draw(st.binary(min_size=n * size, max_size=n * size))
    reports = np.frombuffer(raw, np.uint8).reshape(n, size)
    if full:
        reports = reports | np.uint8(255)
        reports[:, -1] >>= -d % 8
    bad = plain_bad(
        reports, lambda r: not number_of(r) >> d and k in (-1, number_of(r).bit_count())
    )
    assert first_bad(reports, d, k) == bad
    if bad < 0:
        assert counted(reports, d, k) == plain_counts(reports, d)


def test_little_memory_is_taken():
    for d, most in ((1000, 100_000), (65_536, 1_000_000)):
        reports = np.zeros((16_000_000 // d * 8, d // 8), np.uint8)
        counted(reports[:1], d)
        tracemalloc.start()
        counted(reports, d)
        taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert taken < most + 60 * d


# --- indices ----------------------------------------------------------------------------------


def width_of(d):
    return (d - 1).bit_length()


def packed_sets(d, k, n):
    rng = random.Random(d)
    reports = [naive.pack(sorted(rng.sample(range(d), k)), d, k) for _ in range(n)]
    return np.frombuffer(b"".join(reports), np.uint8).reshape(n, -1)


def is_packed_set(report, d, k):
    members = [number_of(report) >> width_of(d) * i & 2 ** width_of(d) - 1 for i in range(k)]
    spare = number_of(report) >> width_of(d) * k
    return not spare and members[-1] < d and members == sorted(set(members))


def first_bad_set(reports, d, k):
    return count_indices(reports, d, k, width_of(d), np.zeros(d, np.int64))


@pytest.mark.parametrize(("d", "k"), SETS)
def test_every_index_is_counted(d, k):
    reports = packed_sets(d, k, 300)
    assert reports.shape[1] == (k * width_of(d) + 7) // 8
    for n in (0, 1, 2, 17, 300):
        counts = np.ones(d, np.int64)
        assert count_indices(reports[:n], d, k, width_of(d), counts) == -1
        assert (counts - 1).tolist() == naive.tally(reports[:n], d, k)


@pytest.mark.parametrize(("d", "k"), SETS)
def test_the_first_bad_set_is_found(d, k):
    n, width = 100, width_of(d)
    good = packed_sets(d, k, n)
    size = good.shape[1]
    low = list(range(k))
    wrong = [[*low[:-1], value] for value in (d, 2**width - 1) if d <= value < 2**width]
    wrong += [[*low[:-2], k - 1, k - 2], [*low[:-2], k - 1, k - 1]] if k > 1 else []
    codes = [sum(value << width * i for i, value in enumerate(members)) for members in wrong]
    codes += [1 << bit for bit in range(k * width, 8 * size)]
    for code in codes:
        for row in (0, 1, n // 2, n - 2, n - 1):
            reports = good.copy()
            reports[row::7] = list(code.to_bytes(size, "little"))
            assert first_bad_set(reports, d, k) == row


@given(st.data())
def test_any_bytes_as_sets(data):
    d, k = data.draw(st.sampled_from([(9, 1), (256, 1), (300, 1), (20, 2), (40, 3), (1000, 4)]))
    n = data.draw(st.integers(0, 20))
    size = (k * width_of(d) + 7) // 8
    raw = data.draw(st.binary(min_size=n * size, max_size=n * size))
    reports = np.frombuffer(raw, np.uint8).reshape(n, size)
    assert first_bad_set(reports, d, k) == plain_bad(reports, lambda r: is_packed_set(r, d, k))
