"""Batches and counts of block designs against their plain twins, and the published vectors."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

import naive
import naive_designs
from exact import MadeOfOthers
from privet.analysis import batch, counter
from privet.analysis.designs import Classes
from privet.device.mechanisms.subsets.cyclotomic import Cyclotomic
from privet.device.mechanisms.subsets.hadamard import Hadamard
from privet.device.mechanisms.subsets.projective import Projective
from privet.entropy import Entropy, Stream, seeded
from privet.errors import InvalidReport

pytestmark = pytest.mark.usefixtures("compiled")

MAKERS = [Cyclotomic, Projective, Hadamard]
BY_NAME = {make.name: make for make in MAKERS}
VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "designs.json").read_text())


def mechanisms():
    for d, epsilon in [(2, 1.0), (7, 0.5), (100, 1.0), (100, 4.0), (1000, 3.0), (70_000, 1.0)]:
        yield from (make(d, epsilon) for make in MAKERS)
    yield Projective(300, 1.0, q=9)
    yield Cyclotomic(12, 1.0, p=13, m=12, u=11)


def held(mechanism, block):
    return np.array([mechanism._holds(block, x) for x in range(mechanism.d)], dtype=np.int64)


def rows(reports):
    return [row.tobytes() for row in reports]


class Given(MadeOfOthers):
    """The draws of one report of a batch: its two words, and a tail for those that do not do."""

    def __init__(self, toss, word, tail):
        self.toss, self.word, self.tail = toss, word, tail

    def coin(self, heads, total):
        assert self.toss < total
        return self.toss < heads

    def below(self, n):
        word = self.word
        while word >= 2**64 // n * n:
            word = self.tail.take(8)
        return word % n


def chunk(mechanism, values, entropy, limit=1 << 17):
    """The reports of one chunk, one by one, by the sampler."""
    blocks, tail = (naive.Bytes(entropy.keystream().read(limit)) for _ in range(2))
    n = len(values)
    tosses, spare, words = ([blocks.take(8) for _ in range(size)] for size in (n, n // 64 + 16, n))
    reports = []
    for value, toss, word in zip(values, tosses, words, strict=True):
        while toss >= mechanism.coin[1]:
            toss = spare.pop(0) if spare else blocks.take(8)
        reports.append(mechanism.sample(int(value), Given(toss, word, tail)))
    return reports


class Rough(Entropy):
    """A stream in which every fourth word is too large for any draw."""

    def keystream(self):
        return RoughStream(super().keystream())


class RoughStream:
    def __init__(self, smooth):
        self.smooth = smooth

    def read(self, size):
        words = np.frombuffer(self.smooth.read(size), "<u8").copy()
        words[words % 4 == 0] = 2**64 - 1
        return words.tobytes()

    def fill(self, buffer, size):
        buffer[:size] = np.frombuffer(self.read(size), np.uint8)
        return buffer[:size]


@pytest.mark.parametrize("mechanism", [*mechanisms()], ids=repr)
def test_the_same_words_give_the_same_reports_as_the_sampler(mechanism):
    values = np.random.default_rng(1).integers(0, mechanism.d, 500)
    for entropy in (seeded, lambda seed: Rough(bytes([seed] * 32))):
        made = mechanism.randomize(values, entropy=entropy(5))
        assert made.shape == (500, mechanism.report_bytes)
        assert rows(made) == chunk(mechanism, values, entropy(5))


def test_reports_do_not_depend_on_how_the_tail_comes(monkeypatch):
    """Also where words that are drawn again, by the thousand, run out in the middle of a report."""
    for mechanism in (Cyclotomic(100, 1.0), Projective(100, 1.0), Hadamard(100, 1.0)):
        values = np.random.default_rng(2).integers(0, 100, 3000)
        expected = mechanism.randomize(values, entropy=Rough(bytes(32)))
        for size in (8, 24, 4096):
            monkeypatch.setattr(batch, "TAIL_BYTES", size)
            assert np.array_equal(mechanism.randomize(values, entropy=Rough(bytes(32))), expected)
        monkeypatch.undo()


def test_reports_do_not_depend_on_the_number_of_workers():
    values = np.arange(300_000) % 1000
    for mechanism in (Cyclotomic(1000, 1.0), Projective(1000, 1.0), Hadamard(1000, 1.0)):
        one, three = (mechanism.randomize(values, entropy=seeded(3), workers=w) for w in (1, 3))
        assert np.array_equal(one, three)


@pytest.mark.parametrize(
    "mechanism",
    [Cyclotomic(6, 1.0, p=7, m=3, u=1), Projective(13, 1.0, q=3), Hadamard(10, 1.0)],
    ids=repr,
)
def test_compiled_reports_follow_the_exact_law(mechanism):
    """Every block a cell; and the law of another value, or of another ε, is rejected."""
    n, value = 400_000, mechanism.d - 2
    observed = Counter(rows(mechanism.randomize(np.full(n, value), entropy=seeded(9))))
    possible = [bytes([block]) for block in range(mechanism.blocks)]
    assert set(observed) <= set(possible)
    limit = chi2.isf(1e-6, mechanism.blocks - 1)

    def statistic(like, x):
        expected = {z: n * float(like.probability(z, x)) for z in possible}
        return sum((observed[z] - e) ** 2 / e for z, e in expected.items())

    assert statistic(mechanism, value) < limit
    assert statistic(mechanism, 0) > limit
    louder = type(mechanism)(13, 1.2).parameters
    wrong = {**mechanism.parameters, "odds": louder["odds"], "scale": louder["scale"]}
    assert statistic(type(mechanism).from_parameters(mechanism.d, 1.2, wrong), value) > limit


# --- counting -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", [*mechanisms()], ids=repr)
def test_counts_are_the_naive_counts(mechanism):
    values = np.random.default_rng(3).integers(0, mechanism.d, 60)
    reports = mechanism.randomize(values, entropy=seeded(1))
    counts = mechanism.tally(reports)
    assert counts.dtype == np.int64
    assert counts.shape == (mechanism.d,)
    some = range(mechanism.d) if mechanism.d <= 100 else [0, 1, mechanism.d // 2, mechanism.d - 1]
    numbers = [int.from_bytes(report, "little") for report in rows(reports)]
    shape = mechanism.name, mechanism.parameters
    for x in some:
        assert counts[x] == sum(naive_designs.holds(*shape, block, x) for block in numbers)
    expected = np.sum([held(mechanism, block) for block in numbers], axis=0)
    assert np.array_equal(counts, expected)
    assert mechanism.tally(reports[:0]).tolist() == [0] * mechanism.d


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(("d", "epsilon"), [(5, 1.0), (1000, 1.0), (1000, 4.0), (40_000, 2.0)])
def test_counts_are_exact_however_many_reports_there_are(make, d, epsilon):
    """All in a few blocks, at the edge of one pass of floats and far beyond it."""
    mechanism = make(d, epsilon)
    rng = np.random.default_rng(7)
    for n in (1, 10**6, 10**10, 2**40, 2**47, 2**48 - 1):
        blocks = rng.integers(0, mechanism.blocks, 5)
        shares = rng.multinomial(n, [0.9, 0.05, 0.03, 0.02, 0.0])
        aggregate = np.zeros(mechanism.blocks, dtype=np.int64)
        np.add.at(aggregate, blocks, shares)
        expected = sum(
            int(share) * held(mechanism, int(block))
            for block, share in zip(blocks, shares, strict=True)
        )
        assert np.array_equal(mechanism.counts(aggregate), expected)


def test_counts_of_many_different_reports_are_exact():
    """A histogram without zeros, large enough to be split into digits."""
    for mechanism in (Cyclotomic(50, 1.0), Projective(50, 1.0), Hadamard(50, 1.0)):
        aggregate = np.random.default_rng(5).integers(
            0, 2**48 // mechanism.blocks, mechanism.blocks
        )
        incidence = np.array([held(mechanism, block) for block in range(mechanism.blocks)])
        assert np.array_equal(mechanism.counts(aggregate), aggregate @ incidence)


@pytest.mark.parametrize("mechanism", [m for m in mechanisms() if m.d <= 100], ids=repr)
def test_sums_over_blocks_and_over_values_are_those_of_the_incidence(mechanism):
    incidence = np.array([held(mechanism, block) for block in range(mechanism.blocks)])
    rng = np.random.default_rng(6)
    theta, weights = rng.random(mechanism.d), rng.random(mechanism.blocks)
    np.testing.assert_allclose(
        mechanism.analyst.counter.forward(theta), incidence @ theta, atol=1e-12
    )
    adjoint = mechanism.analyst.counter.adjoint(weights)
    np.testing.assert_allclose(adjoint, weights @ incidence, atol=1e-11)


def test_powers_of_a_large_prime():
    powers = Classes(Cyclotomic.from_parameters(10**6, 1.0, Cyclotomic(10**6, 1.0).parameters))
    p, root = powers._design.p, powers._design.root
    assert len(set(powers.elements.tolist())) == p - 1
    assert all(powers.elements[j] == pow(root, j, p) for j in (0, 1, 65_536, 777_777, p - 2))


@pytest.mark.parametrize("mechanism", [m for m in mechanisms() if m.name != "hadamard"], ids=repr)
def test_elements_and_base_blocks_are_those_of_the_person(mechanism):
    counter = mechanism.analyst.counter
    places = np.random.default_rng(8).integers(0, mechanism.period, 50).tolist()
    assert [int(counter._circle.elements[j]) for j in places] == [
        mechanism._element(j) for j in places
    ]
    for c in range(0, mechanism.base_blocks, max(1, mechanism.base_blocks // 3)):
        held = counter._circle.base_block(c)
        assert [bool(held[x]) for x in range(0, mechanism.points, 7)] == [
            mechanism._in_base(x, c) for x in range(0, mechanism.points, 7)
        ]


@pytest.mark.parametrize("make", MAKERS)
def test_many_reports_count_as_few_at_a_time(make):
    for d, epsilon in [(20, 1.0), (1000, 5.0), (70_000, 1.0)]:
        mechanism = make(d, epsilon)
        n = counter.PLAIN_BYTES // mechanism.report_bytes + 1000
        reports = mechanism.randomize(np.arange(n) % d, entropy=seeded(4))
        numbers = [int.from_bytes(report, "little") for report in rows(reports)]
        expected = np.bincount(numbers, minlength=mechanism.blocks)
        few, many = (mechanism.aggregate(part) for part in (reports[:100], reports))
        assert (few[0], many[0]) == (100, n)
        assert np.array_equal(many[1], expected)
        assert np.array_equal(few[1], np.bincount(numbers[:100], minlength=mechanism.blocks))
        assert np.array_equal(mechanism.aggregate(np.asfortranarray(reports))[1], expected)
        reports[n // 2] = reports[-1] = 255
        for part, row in ((reports, n // 2), (reports[n // 2 - 9 : n // 2 + 9], 9)):
            with pytest.raises(InvalidReport) as caught:
                mechanism.check(part)
            assert caught.value.row == row


# --- vectors ------------------------------------------------------------------------------------


def mechanism_of(entry):
    parameters = dict(entry["mechanism"])
    make = BY_NAME[parameters.pop("name")]
    return make.from_parameters(entry["d"], entry["epsilon"], parameters)


@pytest.mark.parametrize(
    "entry", VECTORS["designs"], ids=lambda e: f"{e['mechanism']['name']}-{e['d']}"
)
def test_bytes_in_report_out_and_reports_in_counts_out(entry):
    mechanism = mechanism_of(entry)
    for case in entry["cases"]:
        data, report = bytes.fromhex(case["bytes"]), bytes.fromhex(case["report"])
        pieces = [data]
        stream = Stream(lambda size, pieces=pieces: pieces.pop(), len(data))
        assert mechanism.sample(case["value"], stream) == report
        assert stream._at == len(data)
        integers = mechanism.parameters, mechanism.odds, mechanism.scale
        twin = naive_designs.sample(naive.Bytes(data), case["value"], mechanism.name, *integers)
        assert twin == report
    reports = [bytes.fromhex(case["report"]) for case in entry["cases"]]
    assert mechanism.tally(reports).tolist() == entry["counts"]


@pytest.mark.parametrize("entry", VECTORS["refused"], ids=lambda e: e["why"].replace(" ", "-"))
def test_refused_reports(entry):
    mechanism, report = mechanism_of(entry), bytes.fromhex(entry["report"])
    for refuse in (mechanism.check, mechanism.tally, mechanism.members):
        with pytest.raises(InvalidReport):
            refuse(report)


def test_the_worked_example():
    worked = VECTORS["worked"]
    shape = {name: worked["mechanism"][name] for name in "pmu"}
    mechanism = Cyclotomic(13, 1.0, **shape)
    assert mechanism.root == worked["mechanism"]["root"]
    residues = [pow(mechanism.root, j, 13) for j in range(12)]
    assert [residues.index(x) % 4 for x in range(1, 13)] == worked["classes"][1:]
    for c, members in enumerate(worked["base_blocks"]):
        assert mechanism.members(bytes([13 * c])) == members
    reports = [bytes([13 * c + b]) for c, b in worked["reports"]]
    assert mechanism.tally(reports).tolist() == worked["counts"]
    variance = mechanism.variance(np.full(13, 1 / 13), 1, "sample").sum()
    assert variance == pytest.approx(worked["n_mse_epsilon_1"], rel=1e-12)


def test_the_vectors_cover_what_they_should():
    entries = VECTORS["designs"]
    assert {entry["mechanism"]["name"] for entry in entries} == set(BY_NAME)
    assert {2, 3, 4, 5, 7, 8, 9} <= {e["mechanism"].get("q") for e in entries}
    assert {len(case["report"]) for e in entries for case in e["cases"]} == {2, 4}
    assert any(len(case["bytes"]) > 32 for e in entries for case in e["cases"])
