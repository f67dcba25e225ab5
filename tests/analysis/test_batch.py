"""Whole batches: the compiled loops against their plain twins and against the exact law."""

import threading
import time
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2

import naive
import privet
import wired
from privet.analysis import batch, counter
from privet.entropy import seeded
from privet.errors import InvalidReport
from privet.mechanisms import BinaryRR, KSubset, MultivariateRR
from refusing import refused_argument

pytestmark = pytest.mark.usefixtures("compiled")

SMALL_DOMAINS = [2, 3, 4, 5, 7, 8, 9, 16, 17, 63, 64, 65, 100, 128, 129, 192, 193, 255, 256]
DOMAINS = [*SMALL_DOMAINS, 257, 258, 1000, 2048, 4097]


def mechanisms(d):
    yield from (KSubset(d, 1.0), MultivariateRR(d, 1.0), BinaryRR(d, 1.0), KSubset(d, 0.01))
    if d > 2:
        yield from (KSubset(d, 5.0, k) for k in {1, 2, d // 3 or 1, d // 2, d - 2, d - 1})


def rows(reports):
    return [row.tobytes() for row in reports]


@pytest.mark.parametrize("d", DOMAINS)
def test_the_same_words_give_the_same_reports_as_the_sampler(d):
    values = np.random.default_rng(d).integers(0, d, 300 if d <= 64 else 70 if d <= 256 else 9)
    for seed, mechanism in enumerate(mechanisms(d)):
        made = mechanism.randomize(values, entropy=seeded(seed))
        assert rows(made) == wired.chunk(mechanism, values, seeded(seed))


@pytest.mark.parametrize("epsilon", [1.0, 5.0])
def test_positions_beyond_two_bytes(epsilon):
    values = np.array([0, 69_999])
    for mechanism in (KSubset(70_000, epsilon), MultivariateRR(70_000, epsilon)):
        made = mechanism.randomize(values, entropy=seeded(1))
        assert rows(made) == wired.chunk(mechanism, values, seeded(1))


@pytest.mark.parametrize("d", [3, 20, 64, 65, 100, 150, 256, 300, 1000])
def test_reports_do_not_depend_on_how_the_tail_comes(d, monkeypatch):
    """Running out of words anywhere in a report loses nothing and biases nothing."""
    values = np.random.default_rng(d).integers(0, d, 700)
    for mechanism in mechanisms(d):
        expected = mechanism.randomize(values, entropy=seeded(2))
        for size in (1, 7, 64):
            monkeypatch.setattr(batch, "TAIL_BYTES", size)
            assert np.array_equal(mechanism.randomize(values, entropy=seeded(2)), expected)
        monkeypatch.undo()


@pytest.mark.parametrize("total", [2**56, 2**61, 2**63, 2**64 - 1])
def test_coins_whose_spare_words_run_out_read_on(total):
    """With a small total nearly every word is drawn again, far more often than there are spares."""
    heads, count, spare = total // 3, 40, 5
    streams = [seeded(8).keystream() for _ in range(2)]
    words = batch.Words(batch.Buffers(), *streams)
    (piece,) = words.take(8 * (count + spare))
    tossed = words.toss(piece, count, (heads, total))
    plain = naive.Bytes(seeded(8).keystream().read(200_000))
    first, spares = ([plain.take(8) for _ in range(size)] for size in (count, spare))
    for i in range(count):
        while first[i] >= total:
            first[i] = spares.pop(0) if spares else plain.take(8)
    assert tossed.tolist() == [word < heads for word in first]


class Words64:
    """A keystream of given words."""

    def __init__(self, *words):
        self._data = b"".join(word.to_bytes(8, "little") for word in words)

    def read(self, size):
        data, self._data = self._data[:size], self._data[size:]
        return data

    def fill(self, buffer, size):
        buffer[:size] = np.frombuffer(self.read(size), np.uint8)
        return buffer[:size]


@pytest.mark.parametrize(("heads", "total"), [(1, 2), (2**40, 2**63), (2**64 - 3, 2**64 - 2)])
def test_words_at_the_bounds_of_coins_and_of_remainders(heads, total):
    least_of_tails, rejected = heads, 2**64 - 1
    drawn = [rejected, rejected, heads - 1, total - 1]
    more = [rejected, total, least_of_tails, heads - 1]  # read on, as there are no spares
    words = batch.Words(batch.Buffers(), Words64(*drawn, *more), None)
    (piece,) = words.take(8 * len(drawn))
    tossed = words.toss(piece, len(drawn), (heads, total))
    assert tossed.tolist() == [False, True, True, False]
    n = 10  # the last 6 of all words are one too many
    words = batch.Words(batch.Buffers(), Words64(2**64 - 6, 2**64 - 7, 2**64 - 6, 4), None)
    (piece,) = words.take(16)
    assert words.below(piece, n).tolist() == [4, 9]


def chi_square(observed, law, n):
    """Pearson's statistic over every report that can occur, and its degrees of freedom."""
    assert set(observed) <= set(law)
    expected = {report: n * float(p) for report, p in law.items()}
    return sum((observed[z] - e) ** 2 / e for z, e in expected.items()), len(law) - 1


@pytest.mark.parametrize(
    "mechanism",
    [
        KSubset(4, 1.0, 2), KSubset(8, 1.0, 3), KSubset(8, 0.5, 6), KSubset(10, 1.0, 3),
        KSubset(10, 2.0, 1), MultivariateRR(9, 1.0), BinaryRR(6, 1.0),
    ],
    ids=repr,
)  # fmt: skip
def test_compiled_reports_follow_the_exact_law(mechanism):
    """Every report a cell; and the law of another value, or of another ε, is rejected."""
    n, value = 400_000, mechanism.d - 2
    reports = mechanism.randomize(np.full(n, value), entropy=seeded(9))
    observed = Counter(rows(reports))
    if mechanism.name == "binary-rr":
        everything = range(2**mechanism.d)
        possible = [z.to_bytes(mechanism.report_bytes, "little") for z in everything]
    else:
        sets = combinations(range(mechanism.d), mechanism.k)
        possible = [naive.pack(z, mechanism.d, mechanism.k) for z in sets]

    def statistic(like, x):
        return chi_square(observed, {z: like.probability(z, x) for z in possible}, n)

    value_of_chi, freedom = statistic(mechanism, value)
    limit = chi2.isf(1e-6, freedom)
    assert value_of_chi < limit
    assert statistic(mechanism, 0)[0] > limit
    parameters = (mechanism.d, mechanism.epsilon * 1.2)
    wrong = type(mechanism)(*parameters, *([mechanism.k] if type(mechanism) is KSubset else []))
    assert statistic(wrong, value)[0] > limit


@pytest.mark.parametrize("d", [d for d in DOMAINS if d <= 1000])
def test_counts_are_the_naive_counts(d):
    values = np.random.default_rng(d).integers(0, d, 40)
    for mechanism in mechanisms(d):
        reports = mechanism.randomize(values, entropy=seeded(1))
        counts = mechanism.tally(reports)
        assert counts.dtype == np.int64
        assert counts.tolist() == naive.tally(reports, d, getattr(mechanism, "k", None))
        assert mechanism.tally([row.tobytes() for row in reports]).tolist() == counts.tolist()
        assert mechanism.tally(reports[:0]).tolist() == [0] * d


@pytest.mark.parametrize("d", [4, 64, 100, 1000])
def test_many_reports_count_as_few_at_a_time(d):
    """Compiled code counts all but short arrays."""
    for mechanism in (KSubset(d, 1.0), KSubset(d, 6.0), BinaryRR(d, 1.0)):
        n = counter.PLAIN_BYTES // mechanism.report_bytes + 1000
        reports = mechanism.randomize(np.arange(n) % d, entropy=seeded(4))
        pieces = [reports[at : at + 1] for at in range(n)]
        assert pieces[0].nbytes < counter.PLAIN_BYTES <= reports.nbytes
        expected = sum(mechanism.tally(piece) for piece in pieces)
        assert np.array_equal(mechanism.tally(reports), expected)
        assert np.array_equal(mechanism.tally(np.asfortranarray(reports)), expected)
        if mechanism.name == "k-subset":
            reports[n // 2] = reports[-1] = 255
            with pytest.raises(InvalidReport) as caught:
                mechanism.check(reports)
            assert caught.value.row == n // 2


def test_reports_do_not_depend_on_the_number_of_workers():
    values = np.arange(700_000) % 64
    mechanism = KSubset(64, 1.0)
    one, two, five = (
        mechanism.randomize(values, entropy=seeded(3), workers=workers) for workers in (1, 2, 5)
    )
    assert np.array_equal(one, two)
    assert np.array_equal(one, five)


@pytest.mark.parametrize("fails_in_main", [True, False])
def test_an_error_in_any_thread_ends_the_batch(fails_in_main, monkeypatch):
    monkeypatch.setattr(batch, "CHUNK_ROWS", 10)
    done, main, both = [], threading.get_ident(), threading.Barrier(2)

    def chunk(batches, values, out, words):
        if not done:
            both.wait(10)
        done.append(len(values))
        time.sleep(0.001)
        if (threading.get_ident() == main) == fails_in_main:
            raise KeyboardInterrupt

    monkeypatch.setattr(batch.Batches, "_fill_chunk", chunk)
    with pytest.raises(KeyboardInterrupt):
        KSubset(64, 1.0).randomize(np.zeros(100_000, np.int64), workers=2)
    assert len(done) < 10_000


def test_where_no_thread_is_to_be_had_one_does_the_work(monkeypatch):
    def none_left(*args):
        raise RuntimeError("can't start new thread")

    mechanism, values = KSubset(64, 1.0), np.arange(300_000) % 64
    expected = mechanism.randomize(values, entropy=seeded(3), workers=4)
    monkeypatch.setattr(privet.analysis.threads, "start_new_thread", none_left)
    assert np.array_equal(mechanism.randomize(values, entropy=seeded(3), workers=4), expected)


def test_an_entropy_never_repeats_itself():
    mechanism, source = KSubset(64, 1.0), seeded(3)
    values = np.zeros(100, dtype=np.int64)
    first, second = (mechanism.randomize(values, entropy=source) for _ in range(2))
    assert not (first == second).all(axis=1).any()
    assert not np.array_equal(mechanism.randomize(values), mechanism.randomize(values))


def test_chunks_have_streams_of_their_own():
    mechanism = KSubset(1000, 1.0)
    reports = mechanism.randomize(np.zeros(20_000, dtype=np.int64), entropy=seeded(3))
    assert len(np.unique(reports, axis=0)) == len(reports)


@pytest.mark.parametrize(
    ("values", "parameter", "shown"),
    [
        ([0, 4], "values[1]", "4"),
        ([-1], "values[0]", "-1"),
        (np.array([1, 2**64 - 1], np.uint64), "values[1]", str(2**64 - 1)),
        (np.array([1, 2**64 - 1], ">u8"), "values[1]", str(2**64 - 1)),
        (np.ma.array([0, 1], mask=[0, 1]), "values", "masked"),
        ([0.0], "values", "float64"),
        (["a"], "values", "U1"),
        ([[0]], "values", "2"),
        (0, "values", "0"),
    ],
)
def test_bad_values_are_named(values, parameter, shown):
    with refused_argument(parameter, "KSubset") as caught:
        KSubset(4, 1.0).randomize(values)
    assert shown in str(caught.value.value)


def test_the_first_bad_value_of_all_chunks_is_named(monkeypatch):
    monkeypatch.setattr(batch, "CHUNK_ROWS", 1000)
    values = np.zeros(1_000_000, np.int64)
    values[77_777:] = 9
    with refused_argument("values[77777]", value=9):
        KSubset(9, 1.0).randomize(values, workers=4)


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_bad_workers_are_named(workers):
    with refused_argument("workers", "KSubset", value=workers):
        KSubset(4, 1.0).randomize([0], workers=workers)


def test_a_seed_is_no_entropy():
    with refused_argument("entropy", "KSubset", value=42):
        KSubset(4, 1.0).randomize([0], entropy=42)


def test_no_answers_give_no_reports():
    assert KSubset(100, 1.0).randomize([]).shape == (0, 13)


def test_reports_of_the_wrong_shape_are_refused():
    mechanism = KSubset(20, 1.0, k=6)
    good = mechanism.randomize([1, 2, 3])
    for bad, row, named in [
        (good[:, :2], None, r"\(3, 2\)"),
        (good.astype(np.int64), None, "int64"),
        (good[0], None, r"\(3,\)"),
        (b"\x01\x02", None, r"\b3 bytes.* 2\b"),
        ([good[0].tobytes(), b""], 1, r"\b3 bytes.* 0\b"),
        (None, None, "NoneType"),
        (["abc"], 0, r"\bstr\b"),
        (np.ma.array(good, mask=good > 1), None, "masked"),
    ]:
        with pytest.raises(InvalidReport, match=named) as caught:
            mechanism.tally(bad)
        assert caught.value.row == row


@pytest.mark.parametrize("n", [5, 300_000])
@pytest.mark.parametrize("mechanism", [KSubset(20, 1.0), MultivariateRR(300, 1.0)])
def test_reports_in_arrays_of_any_layout_and_class(mechanism, n, tmp_path):
    reports = mechanism.randomize(np.arange(n) % mechanism.d)
    expected = mechanism.tally(reports)
    mapped = np.memmap(tmp_path / "reports", np.uint8, "w+", shape=reports.shape)
    mapped[:] = reports
    frozen = reports.copy()
    frozen.flags.writeable = False
    layouts = np.asfortranarray(reports), reports[::-1], np.repeat(reports, 2, axis=1)[:, ::2]
    for same in (mapped, frozen, *layouts, reports.view(np.matrix), np.ma.array(reports)):
        assert np.array_equal(mechanism.tally(same), expected)


def test_the_first_bad_row_of_a_long_batch_is_named():
    mechanism = KSubset(64, 1.0)
    reports = mechanism.randomize(np.zeros(300_000, dtype=np.int64))
    reports[271_828] = 255
    with pytest.raises(InvalidReport, match=r"\b17\b.*\b64\b") as caught:
        mechanism.check(reports)
    assert caught.value.row == 271_828
