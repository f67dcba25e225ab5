"""The k-subset mechanism for sets, person's side: its law by exact enumeration, its integers."""

from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, isclose

import pytest

import naive
import naive_sets
from exact import assert_private, law, laws, values_of, walks
from privet import theory
from privet.device.mechanisms.odds import floor_exp
from privet.entropy import Stream, seeded
from privet.errors import InvalidSurvey
from privet.mechanisms import SetSubset
from refusing import refused_argument

# (options, most, k), small enough for every path of the sampler.
SHAPES = [
    (2, 1, 1), (2, 1, 2), (2, 2, 1), (2, 2, 2), (3, 1, 2), (3, 2, 1), (3, 2, 2), (3, 2, 3),
    (3, 3, 2), (3, 3, 3), (4, 2, 3), (4, 3, 2), (5, 2, 2), (5, 1, 4),
]  # fmt: skip
EPSILONS = [0.01, 1.0, 3.0, 12.0]
every_shape = pytest.mark.parametrize(("d", "most", "k"), SHAPES)


def check(mechanism, tables):
    """All that is claimed of the mechanism, of these exact laws of its reports."""
    d, most, k = mechanism.d, mechanism.most, mechanism.k
    assert assert_private(tables, mechanism.epsilon) == mechanism.likelihood_ratio
    defined = naive_sets.law(d, most, k, mechanism.meet)
    assert list(defined) == values_of(mechanism)
    g, h = mechanism.hit_rates
    u, w = mechanism.pair_rates
    for (value, expected), table in zip(defined.items(), tables, strict=True):
        assert table == {naive.pack(z, d + most, k): p for z, p in expected.items()}
        own = naive_sets.padded(value, d, most)
        for point in range(d + most):  # blanks too, which tell how many options people chose
            rate = sum(p for z, p in expected.items() if point in z)
            assert rate == (g if point in own else h)
        for pair in combinations(range(d), 2):
            rate = sum(p for z, p in expected.items() if {*pair} <= {*z})
            assert rate == (u if {*pair} & {*value} else w)


@every_shape
def test_the_sampler_has_exactly_the_law_of_the_definition(d, most, k):
    for epsilon in EPSILONS:
        mechanism = SetSubset(d, epsilon, most, k)
        tables = laws(mechanism)
        check(mechanism, tables)
        for value, table in zip(values_of(mechanism), tables, strict=True):
            assert table == {z: mechanism.probability(z, value) for z in table}


def test_sparse_reports_have_the_same_law():
    mechanism = SetSubset(8, 1.0, most=1, k=1)
    assert mechanism.index_bits
    check(mechanism, laws(mechanism))


@every_shape
def test_the_estimate_is_unbiased_with_the_variance_of_the_theory(d, most, k):
    mechanism = SetSubset(d, 1.0, most, k)
    g, h = mechanism.hit_rates
    for value, table in zip(values_of(mechanism), laws(mechanism), strict=True):
        for j in range(d):
            hits = [(int(j in naive.unpack(z, d + most, k)), p) for z, p in table.items()]
            estimates = [((hit - h) / (g - h), p) for hit, p in hits]
            mean = sum(e * p for e, p in estimates)
            assert mean == (j in value)
            variance = sum((e - mean) ** 2 * p for e, p in estimates)
            claimed = theory.set_item_variance(d, 1.0, most, k, float(mean), 1)
            assert isclose(variance, claimed, rel_tol=1e-9)


@every_shape
def test_draws_do_not_tell_whether_the_report_meets_the_set(d, most, k):
    mechanism = SetSubset(d, 1.0, most, k)
    draws = {
        tuple(walk.draws)
        for value in values_of(mechanism)
        for _, walk in walks(lambda walk, x=value: mechanism.sample(x, walk))
    }
    assert len(draws) == 1


@pytest.mark.parametrize("shape", [*product([2, 5, 37, 300], [1, 2], ["l2", 1, 2])], ids=str)
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 8.0])
def test_the_chance_to_meet_is_the_largest_that_keeps_the_promise(shape, epsilon):
    d, most, k = shape
    mechanism = SetSubset(d, epsilon, most, k)
    meeting = comb(d + most, mechanism.k) - comb(d, mechanism.k)
    limit = Fraction(floor_exp(epsilon, 64), 2**64)
    for meet, fits in ((mechanism.meet, True), (mechanism.meet + 1, False)):
        ratio = Fraction(meet * comb(d, mechanism.k), (2**64 - meet) * meeting)
        assert (ratio <= limit) == fits
    assert mechanism.likelihood_ratio <= limit
    assert mechanism.realized_epsilon == pytest.approx(epsilon, rel=1e-9)
    g, h = theory.set_hit_rates(d, epsilon, most, mechanism.k)
    assert (mechanism.g, mechanism.h) == pytest.approx((g, h), rel=1e-12)


def test_every_overlap_is_possible_however_rare():
    """All 20 points have a chance below 2^-123: a rounded threshold would make that impossible."""
    mechanism = SetSubset(2000, 0.5, most=20, k=36)
    leads, rests, total = mechanism.overlaps
    ends = [0, *((a * total + b) // 2**64 for a, b in zip(leads, rests, strict=True)), total]
    weights = [comb(20, j) * comb(2000, 36 - j) for j in range(1, 21)]
    assert [b - a for a, b in pairwise(ends)] == weights
    assert weights[-1] * 2**123 < total
    assert total == comb(2020, 36) - comb(2000, 36)


# --- negative controls: wrong samplers fail the same checks -------------------------------------


class ForgetsPadding(SetSubset):
    """A person with few options has few points to meet."""

    def _own(self, value):
        return [*value, *[value[0] if value else 0] * (self.most - len(value))]


class TellsWhetherItMet(SetSubset):
    """Draws the points of the person's set only where they are used."""

    def sample(self, value, stream):
        meets = stream.coin(self.meet, 2**64)
        overlap = 1 + stream.pick(*self.overlaps) if meets else 0
        own = self._own(value)
        outside = [point for point in range(self.points) if point not in own]
        met = [own[i] for i in stream.distinct(self.most, overlap)]
        others = [outside[i] for i in stream.distinct(self.d, self.k - overlap)]
        return self.packed(met + others)


class RoundsThresholds(SetSubset):
    """Compares one short word with thresholds that are rounded up."""

    @property
    def overlaps(self):
        leads, rests, total = super().overlaps
        ends = [(a * total + b) // 2**64 for a, b in zip(leads, rests, strict=True)]
        rounded = [-(-end * 4 // total) for end in ends]
        return [end << 62 for end in rounded], [0] * len(ends), 4


def test_control_forgotten_padding_is_caught():
    mechanism = ForgetsPadding(4, 1.0, 2, 2)
    tables = laws(mechanism)
    with pytest.raises(AssertionError):
        assert_private(tables, 1.0)
    with pytest.raises(AssertionError):
        check(mechanism, tables)


def test_control_draws_that_tell_are_caught():
    mechanism = TellsWhetherItMet(4, 1.0, 2, 2)
    check(mechanism, laws(mechanism))  # the law is right, and yet
    sample = lambda walk: mechanism.sample((1,), walk)  # noqa: E731
    assert len({tuple(walk.draws) for _, walk in walks(sample)}) > 1


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_control_a_chance_rounded_up_is_caught(epsilon):
    mechanism = SetSubset(4, epsilon, 2, 2)
    object.__setattr__(mechanism, "meet", mechanism.meet + 2**9)
    with pytest.raises(AssertionError, match="ratio"):
        assert_private(laws(mechanism), epsilon)


def test_control_an_overlap_that_is_impossible_is_caught():
    mechanism = RoundsThresholds(4, 1.0, 3, 3)
    tables = [law(lambda walk, x=x: mechanism.sample(x, walk)) for x in values_of(mechanism)]
    possible = [{z for z, p in table.items() if p} for table in tables]
    assert any(possible[0] ^ other for other in possible)  # ε is infinite


# --- parameters, values and reports -------------------------------------------------------------


def test_the_arguments_are_checked():
    for arguments, parameter in [
        ((1, 1.0, 1), "d"), ((4097, 1.0, 1), "options"), ((5, 0, 1), "epsilon"),
        ((5, 1.0, 0), "most"), ((5, 1.0, 6), "most"), ((5, 1.0, True), "most"),
        ((5, 1.0, 2, 0), "k"), ((5, 1.0, 2, 6), "k"), ((5, 1.0, 2, "information"), "k"),
        ((5, 99.0, 2), "epsilon"), ((4096, 1e-12, 2000, 4096), "epsilon"),
    ]:  # fmt: skip
        with refused_argument(parameter, "SetSubset"):
            SetSubset(*arguments)


def test_integers_that_break_the_promise_are_refused():
    mechanism = SetSubset(10, 1.0, 3)
    good = mechanism.parameters
    assert SetSubset.from_parameters(10, 1.0, good) == mechanism
    never = (2**64 * 3) // 13  # of any one of 13 points
    wrong = [{"meet": str(meet)} for meet in (mechanism.meet + 1, 2**64, 2**64 - 1, 0, never)]
    for change in wrong:
        with pytest.raises(InvalidSurvey, match="private"):
            SetSubset.from_parameters(10, 1.0, {**good, **change})
    SetSubset.from_parameters(10, 1.0, {**good, "meet": str(never + 1)})
    with pytest.raises(InvalidSurvey, match="private"):
        SetSubset.from_parameters(10, 0.999, good)
    for name, bad in [("most", 0), ("most", 11), ("k", 0), ("k", 11), ("k", 10**30)]:
        with pytest.raises(InvalidSurvey, match=rf"\b{name} of .* {bad}\b"):
            SetSubset.from_parameters(10, 1.0, {**good, name: bad})
    with pytest.raises(InvalidSurvey, match="4096"):
        SetSubset.from_parameters(4097, 1.0, good)


@pytest.mark.parametrize("value", [[0, 0], [0, 1, 2, 3], [10], [-1], [0.0], [True], ["a"], 3, "ab"])
def test_a_value_is_a_few_different_options(value):
    mechanism = SetSubset(10, 1.0, 3)
    with refused_argument("value", value=value):
        mechanism.probability(b"\x00", value)
    assert mechanism.probability(b"\x05", [3, 5]) == mechanism.probability(b"\x05", {5, 3})


def test_a_report_is_the_same_for_options_in_any_order_by_law_alone():
    """Clients that key their reports sort the options; the law does not depend on their order."""
    mechanism = SetSubset(4, 1.0, 2, 2)
    one, other = (law(lambda walk, x=x: mechanism.sample(x, walk)) for x in [(0, 3), (3, 0)])
    assert one == other


@pytest.mark.parametrize("shape", [(10, 3), (100, 5), (1000, 3), (4096, 2)])
def test_a_report_rarely_needs_more_random_bytes_than_it_says(shape):
    mechanism = SetSubset(shape[0], 1.0, shape[1])
    source, reads = seeded(5).keystream(), []

    def read(size):
        reads.append(size)
        return source.read(size)

    for value in range(200):
        mechanism.check(mechanism.sample((value % 10,), Stream(read, mechanism.stream_bytes)))
    assert len(reads) <= 220
