"""The k-subset mechanism for sets, for analysts: batches, counts, shares and simulated crowds."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import naive
import naive_sets
from exact import values_of
from privet import Estimate, refine, simulate, sums
from privet.analysis import batch
from privet.device.entropy import fractions
from privet.entropy import seeded
from privet.errors import InvalidReport
from privet.mechanisms import Exclusive, SetSubset
from refusing import refused_argument

# Sets of two words in registers and of many in memory; bitmaps and indices; words of 2 bytes.
SHAPES = [
    (2, 1, 1), (5, 2, 1), (10, 3, 1), (10, 3, 4), (30, 3, 29), (60, 5, 3), (100, 5, 5),
    (100, 12, 9), (100, 14, 2), (129, 2, 3), (190, 1, 4), (200, 40, 60), (300, 10, 11),
    (1000, 3, 86), (1000, 300, 2),
]  # fmt: skip


def some_sets(mechanism, n, seed=1):
    """Rows of options in any order, with -1 anywhere."""
    rng = np.random.default_rng(seed)
    order = np.argsort(rng.random((n, mechanism.d)), axis=1)[:, : mechanism.most]
    return np.where(rng.random(order.shape) < rng.random((n, 1)), order, -1)


class Wired:
    """The draws of one report of a batch: those that the sampler does not use are not there."""

    def __init__(self, mechanism, toss, word, more, tail):
        self.mechanism, self.toss, self.word, self.more = mechanism, toss, word, more
        self.tail, self.asked = tail, 0

    def coin(self, heads, total):
        self.meets = self.toss < heads
        return self.meets

    def pick(self, leads, rests, total):
        m = self.mechanism
        self.overlap = naive_sets.overlap(self.word, self.more, m.d, m.most, m.k) if leads else 1
        return self.overlap - 1

    def distinct(self, n, count):
        self.asked += 1
        used = self.overlap if self.meets else 0
        size = 1 if self.mechanism.d <= 256 else 2
        drawn = []
        while len(drawn) < (count - used if self.asked == 1 else used):
            position = self.tail.take(size) % 2 ** (n - 1).bit_length()
            if position < n and position not in drawn:
                drawn.append(position)
        unused = [0] * (count - len(drawn))
        return unused + drawn if self.asked == 1 else drawn + unused


def wired(mechanism, values, entropy, limit=1 << 21):
    """The reports of one chunk by the sampler, on the words of a batch."""
    fixed, tail = (naive.Bytes(entropy.keystream().read(limit)) for _ in range(2))
    reports, rows = [], mechanism.analyst.batches.rows
    for at in range(0, len(values), rows):
        part = values[at : at + rows]
        tosses = [fixed.take(8) for _ in part]
        several = min(mechanism.k, mechanism.most) > 1
        words = [fixed.take(8) if several else None for _ in part]
        for row, toss, word in zip(part.tolist(), tosses, words, strict=True):
            stream = Wired(mechanism, toss, word, lambda: fixed.take(8), tail)
            reports.append(mechanism.sample([x for x in row if x >= 0], stream))
    return reports


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_batch_makes_the_decisions_of_the_sampler_on_its_words(shape, monkeypatch):
    mechanism = SetSubset(shape[0], 1.0, *shape[1:])
    values = some_sets(mechanism, 300)
    expected = wired(mechanism, values, seeded(3))
    made = mechanism.analyst.batches.side_by_side(values, seeded(3))
    assert [row.tobytes() for row in made] == expected
    monkeypatch.setattr(batch, "TAIL_BYTES", 1)
    again = mechanism.analyst.batches.side_by_side(values, seeded(3))
    assert np.array_equal(made, again)


def test_a_word_that_is_a_threshold_takes_another():
    """As good as never, so such words are made here; the plain twin reads on, too."""
    prepared = fractions([1, 2, 5], 9)
    leads = prepared[0]
    words = batch.Words(batch.Buffers(), *(seeded(4).keystream() for _ in range(2)))
    given = [0, leads[0], leads[0] + 1, leads[1], leads[2], 2**64 - 1, leads[2] - 1]
    piece = np.array(given, "<u8").view(np.uint8)
    more = naive.Bytes(seeded(4).keystream().read(64))
    above = [more.take(8) > 2**128 * numerator // 9 % 2**64 for numerator in (1, 2, 5)]
    assert len({*above}) == 2
    found = words.pick(piece, prepared).tolist()
    assert found == [0, above[0], 1, 1 + above[1], 2 + above[2], 3, 2]


def test_values_come_as_rows_and_as_lists():
    mechanism = SetSubset(10, 1.0, 3)
    lists = [[0, 2], [], [9], [1, 2, 3]]
    array = np.array([[0, 2, -1], [-1, -1, -1], [9, -1, -1], [1, 2, 3]])
    made = [mechanism.randomize(values, entropy=seeded(1)) for values in (lists, array)]
    assert np.array_equal(*made)
    wide = np.full((4, 20), -1, np.int16)
    wide[:, :3] = array
    assert np.array_equal(mechanism.randomize(wide, entropy=seeded(1)), made[0])
    for none in ([], np.empty((0, 3), np.int64)):
        assert mechanism.randomize(none).shape == (0, 1)


WRONG = [
    ([[0], [1, 1]], "values[1]", "[1, 1]"),
    ([[0], [10]], "values[1]", "[10]"),
    ([[0], [], [0, 1, 2, 3]], "values[2]", "[0, 1, 2, 3]"),
    ([[0], [-1]], "values[1]", "[-1]"),
    ([0, 1], "values[0]", "0"),
    (7, "values", "7"),
    ("abc", "values", "abc"),
    (np.array([[0, -1], [2, 2]]), "values[1]", "[2, 2]"),
    (np.array([[0, -1], [2, 10]]), "values[1]", "[2, 10]"),
    (np.array([[0, -1], [2, -2]]), "values[1]", "[2, -2]"),
    (np.array([[0, 1, 2, 3]]), "values[0]", "[0, 1, 2, 3]"),
    (np.array([[0, 2**64 - 1]], np.uint64), "values[0]", "["),
    (np.array([0, 1]), "values", "(2,)"),
    (np.array([[0.5]]), "values", "float64"),
    (np.ma.masked_array([[1, 2]], [[True, False]]), "values", "masked"),
]


@pytest.mark.parametrize(
    ("values", "parameter", "shown"), WRONG, ids=[f"{row}-{shown}" for _, row, shown in WRONG]
)
def test_wrong_values_are_named_with_their_row(values, parameter, shown):
    mechanism = SetSubset(10, 1.0, 3)
    with refused_argument(parameter) as caught:
        mechanism.randomize(values)
    assert shown in str(caught.value.value)
    if type(values) is np.ndarray and values.dtype == np.int64 and values.ndim == 2:
        many = np.concatenate([np.tile([[4, -1, -1, -1]], (300_000, 1)), np.full((2, 4), -1)])
        bad = len(many) - len(values)
        many[bad:, : values.shape[1]] = values
        with refused_argument(f"values[{bad + len(values) - 1}]"):
            mechanism.randomize(many, workers=2)


def test_few_wrong_values_are_found_without_numba():
    code = (
        "import sys, numpy as np\nfrom privet.mechanisms import SetSubset\n"
        "mechanism = SetSubset(10, 1.0, 3)\n"
        "mechanism.tally(mechanism.randomize(np.array([[0, 1, -1], [2, -1, -1]])))\n"
        "for bad in ([0, 0, -1, -1], [10, -1, -1, -1], [-2, 1, 2, -1], [0, 1, 2, 3]):\n"
        "    try: mechanism.randomize(np.array([[-1] * 4, bad]))\n"
        "    except ValueError as error: assert 'values[1]' in str(error), error\n"
        "    else: raise AssertionError(bad)\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_counts_are_of_the_options_and_blanks_say_how_many_were_chosen(shape):
    mechanism = SetSubset(shape[0], 1.0, *shape[1:])
    d, points = mechanism.d, mechanism.points
    reports = mechanism.randomize(some_sets(mechanism, 500), entropy=seeded(2))
    expected = naive.tally(reports, points, mechanism.k)
    n, aggregate = mechanism.aggregate(reports)
    assert (n, aggregate.tolist()) == (500, expected)
    assert mechanism.tally(reports).tolist() == expected[:d]
    assert mechanism.aggregate_size == points
    assert mechanism.check_aggregate(aggregate, n) is None
    assert mechanism.check_aggregate(aggregate + 1, n)
    wrong = reports.copy()
    wrong[77] = 255
    with pytest.raises(InvalidReport) as caught:
        mechanism.check(wrong)
    assert caught.value.row == 77


def test_shares_of_blanks_are_of_people_with_fewer_choices():
    mechanism = SetSubset(6, 3.0, 3, 2)
    values, n = [[], [0], [1], [2, 3], [0, 1, 2]], 200_000
    reports = mechanism.randomize(values * (n // 5), entropy=seeded(6))
    _, aggregate = mechanism.aggregate(reports)
    shares = mechanism.frequencies(aggregate, n)
    truth = np.array([2, 2, 2, 1, 0, 0, 4, 3, 1]) / 5  # blank i: fewer than 3 − i choices
    assert (np.abs(shares - truth) < 5 * np.sqrt(mechanism.variance(truth, n, "sample"))).all()


def test_simulated_counts_have_the_mean_and_variance_that_are_claimed():
    mechanism, draws = SetSubset(6, 1.0, 2, 2), 400
    truth = {(): 100, (0,): 200, (0, 3): 150, (2, 3): 50}
    shares = np.array([350, 0, 50, 200, 0, 0]) / 500
    rng = np.random.default_rng(7)
    drawn = [simulate.counts(mechanism, truth, rng) for _ in range(draws)]
    estimates = np.array([mechanism.frequencies(counts, 500) for counts in drawn])
    variance = mechanism.variance(shares, 500, "sample")
    error = np.sqrt(variance / draws)
    assert (np.abs(estimates.mean(axis=0) - shares) < 5 * error).all()
    assert not (np.abs(estimates.mean(axis=0) - np.roll(shares, 1)) < 5 * error).all()
    assert estimates.var(axis=0) / variance == pytest.approx(1, abs=6 * np.sqrt(2 / draws))


@pytest.mark.parametrize("target", ["population", "sample"])
def test_intervals_cover_at_least_at_their_level(target):
    """A binomial share of 2,000 crowds; an interval of half the level does not cover."""
    mechanism, n, repeats = SetSubset(10, 1.0, 3), 400, 2000
    g, h = mechanism.hit_rates
    rng = np.random.default_rng(8)
    theta = 0.3
    held = rng.binomial(n, theta, repeats) if target == "population" else np.full(repeats, 120)
    counts = rng.binomial(held, float(g)) + rng.binomial(n - held, float(h))
    low, high = mechanism.interval(counts, n, 0.05, target)
    covered = ((low <= theta) & (theta <= high)).mean()
    assert covered > 0.95 - 5 * np.sqrt(0.95 * 0.05 / repeats)
    low, high = mechanism.interval(counts, n, 0.5, target)
    assert ((low <= theta) & (theta <= high)).mean() < 0.9


@pytest.mark.parametrize(
    ("truth", "parameter", "value"),
    [
        ([1] * 6, "truth", [1] * 6),
        ({(0, 0): 5}, "truth", (0, 0)),
        ({(0, 1, 2): 5}, "truth", (0, 1, 2)),
        ({(0,): -1}, "truth", -1),
        ({(): 0}, "truth", 0),
    ],
)
def test_a_simulated_truth_is_of_sets(truth, parameter, value):
    with refused_argument(parameter, value=value):
        simulate.counts(SetSubset(6, 1.0, 2), truth)


def test_what_needs_shares_that_add_up_to_1_refuses_sets():
    mechanism = SetSubset(4, 1.0, 2)
    assert not isinstance(mechanism, Exclusive)
    counts = np.array([200, 300, 400, 100])
    with refused_argument("mechanism", value=mechanism):
        refine.shrink(mechanism, counts, 1000)
    survey = SimpleNamespace(mechanism=mechanism, categories=("a", "b", "c", "d"), id="q")
    estimate, other = (Estimate(survey, 1000, counts) for _ in range(2))
    assert not estimate.can_shrink
    columns = estimate.columns()
    assert not {"projected", "shrunk"} & set(columns)
    assert columns["frequency"].tolist() == mechanism.frequencies(counts, 1000).tolist()
    assert estimate.p_values.shape == estimate.found().shape == (4,)
    for asked in (
        estimate.project,
        estimate.shrink,
        lambda: estimate.total(["a", "b"]),
        lambda: estimate.difference("a", "b"),
        lambda: sums.homogeneity(estimate, other),
    ):
        with refused_argument("mechanism", value=mechanism):
            asked()


def test_reports_depend_on_the_entropy_alone(monkeypatch):
    monkeypatch.setattr(batch, "PLAIN_WORK", -1)
    monkeypatch.setattr(batch, "CHUNK_ROWS", 300)
    mechanism = SetSubset(37, 1.0, 3)
    values = some_sets(mechanism, 700)
    expected = mechanism.randomize(values, entropy=seeded(4), workers=1)
    assert np.array_equal(mechanism.randomize(values, entropy=seeded(4), workers=3), expected)
    assert not np.array_equal(mechanism.randomize(values, entropy=seeded(5)), expected)
    assert not np.array_equal(mechanism.randomize(values), mechanism.randomize(values))


def test_all_sets_of_a_small_mechanism_are_values():
    mechanism = SetSubset(4, 1.0, 2, 2)
    assert mechanism.randomize(values_of(mechanism)).shape == (11, 1)
