"""Privacy and unbiasedness of the samplers as implemented, proven by exact enumeration."""

from fractions import Fraction
from math import isclose

import pytest

import naive
from exact import assert_hit_rates, assert_private, law, laws, walks
from privet import theory
from privet.device.mechanisms.odds import floor_exp
from privet.mechanisms import BinaryRR, KSubset, MultivariateRR

EPSILONS = [0.01, 0.6931471805599453, 1.0, 3.0, 12.0]
SUBSETS = [(d, k) for d in range(2, 9) for k in range(1, d)]


def with_start(mechanism, start):
    """The same mechanism, beginning from other coins."""
    parameters = {**mechanism.parameters, "start": list(start)}
    return KSubset.from_parameters(mechanism.d, mechanism.epsilon, parameters)


def check_subset_mechanism(mechanism, tables):
    """All that is claimed of a k-subset mechanism, of these exact laws of its reports."""
    d, k, E = mechanism.d, mechanism.k, mechanism.likelihood_ratio
    ratio = assert_private(tables, mechanism.epsilon)
    assert ratio == E == Fraction(mechanism.odds, 2**mechanism.scale)
    g, h = mechanism.hit_rates
    assert_hit_rates(tables, lambda report: naive.unpack(report, d, k), g, h)
    # The whole law is the paper's Definition 2.1.
    for table, expected in zip(tables, naive.subset_law(d, k, E), strict=True):
        assert table == {naive.pack(z, d, k): p for z, p in expected.items()}


@pytest.mark.parametrize(("d", "k"), SUBSETS)
def test_k_subset_is_exactly_the_papers_mechanism(d, k):
    for epsilon in EPSILONS:
        mechanism = KSubset(d, epsilon, k)
        tables = laws(mechanism)
        check_subset_mechanism(mechanism, tables)
        for value, table in enumerate(tables):
            for report, probability in table.items():
                assert mechanism.probability(report, value) == probability


@pytest.mark.parametrize(("d", "k"), SUBSETS)
@pytest.mark.parametrize("start", [(1, 1), (1, 2), (5, 3)])
def test_any_start_gives_the_same_law(d, k, start):
    mechanism = KSubset(d, 1.0, k)
    check_subset_mechanism(mechanism, laws(with_start(mechanism, start)))


def test_sparse_reports_have_the_same_law():
    # From d = 9 a single index is shorter than a bitmap, from d = 17 so are two.
    for d, k in [(9, 1), (16, 1), (17, 2)]:
        mechanism = KSubset(d, 1.0, k)
        assert mechanism.index_bits
        check_subset_mechanism(mechanism, laws(mechanism))


@pytest.mark.parametrize("d", range(2, 9))
def test_variance_and_unbiasedness_match_the_theory(d):
    for k in range(1, d):
        mechanism = KSubset(d, 1.0, k)
        g, h = mechanism.hit_rates
        table = law(lambda walk, m=mechanism: m.sample(0, walk))
        total = Fraction(0)
        for j in range(d):
            supports = [(j in naive.unpack(z, d, k), p) for z, p in table.items()]
            # The estimate from this one report, and its exact mean and variance.
            estimates = [((int(hit) - h) / (g - h), p) for hit, p in supports]
            mean = sum(e * p for e, p in estimates)
            assert mean == (j == 0)
            total += sum((e - mean) ** 2 * p for e, p in estimates)
        assert isclose(total, theory.total_variance(d, 1.0, k, 1), rel_tol=1e-9)
        assert isclose(mechanism.g, theory.hit_rates(d, 1.0, k)[0], rel_tol=1e-12)
        assert isclose(mechanism.h, theory.hit_rates(d, 1.0, k)[1], rel_tol=1e-12)


@pytest.mark.parametrize("d", range(2, 9))
def test_hit_and_miss_make_the_same_draws(d):
    for k in range(1, d):
        sequences = set()
        for value in range(d):
            mechanism = with_start(KSubset(d, 1.0, k), (0, 0))
            for _, walk in walks(lambda walk, m=mechanism, x=value: m.sample(x, walk)):
                sequences.add(tuple(walk.draws))
        assert len(sequences) == 1


@pytest.mark.parametrize(("d", "k"), [(3, 1), (4, 2), (5, 2), (5, 4), (6, 3)])
def test_from_any_start_the_draws_do_not_tell_a_hit(d, k):
    """How many there are depends on the starting coins, and has one law for hits and misses."""
    for start in [(1, 1), (1, 2), (5, 3)]:
        mechanism = with_start(KSubset(d, 1.0, k), start)

        def hit_and_draws(walk, m=mechanism):
            m.sample(0, walk)
            return walk.taken[0][0] == 0, tuple(walk.draws)

        together = law(hit_and_draws)
        g, _ = mechanism.hit_rates
        for draws in {draws for _, draws in together}:
            assert together[True, draws] * (1 - g) == together[False, draws] * g


def test_the_ratios_of_several_reports_multiply():
    """Two answers of one person, together: the levels add, and nothing less will do."""
    first, second = KSubset(3, 1.0, 1), BinaryRR(2, 0.5)
    people = [(x, y) for x in range(3) for y in range(2)]
    tables = [
        law(lambda walk, x=x, y=y: first.sample(x, walk) + second.sample(y, walk))
        for x, y in people
    ]
    ratio = assert_private(tables, 1.5)
    assert ratio == first.likelihood_ratio * second.likelihood_ratio


@pytest.mark.parametrize("d", range(2, 9))
def test_multivariate_rr_is_the_1_subset_mechanism(d):
    for epsilon in EPSILONS:
        mechanism = MultivariateRR(d, epsilon)
        check_subset_mechanism(mechanism, laws(mechanism))
        assert laws(mechanism) == laws(KSubset(d, epsilon, k=1))


@pytest.mark.parametrize("d", range(2, 8))
def test_binary_rr_flips_every_bit_independently(d):
    for epsilon in EPSILONS:
        mechanism = BinaryRR(d, epsilon)
        tables = laws(mechanism)
        ratio = assert_private(tables, epsilon)
        assert ratio == mechanism.likelihood_ratio
        g, h = mechanism.hit_rates
        assert g + h == 1
        assert_hit_rates(tables, lambda report: naive.unpack(report, d), g, h)
        for value, table in enumerate(tables):
            for report, probability in table.items():
                assert mechanism.probability(report, value) == probability
        assert isclose(mechanism.g, theory.binary_hit_rates(epsilon)[0], rel_tol=1e-12)


# --- negative controls: wrong samplers fail the same checks -------------------------------------


class MissMayIncludeOwn(KSubset):
    """On a miss, draws from all d values, the own one included."""

    def sample(self, value, stream):
        if stream.coin(self.k * self.odds, self.total):
            return super().sample(value, Forced(stream, True))
        return naive.pack(sorted(stream.distinct(self.d, self.k)), self.d, self.k)


class Forced:
    """A stream whose coin is decided already."""

    def __init__(self, stream, coin):
        self._stream, self._coin = stream, coin

    def coin(self, heads, total):
        return self._coin

    def __getattr__(self, name):
        return getattr(self._stream, name)


class KeepsDrawOrder(KSubset):
    """Algorithm 1 as a list: the person's value first."""

    def sample(self, value, stream):
        others = [x for x in range(self.d) if x != value]
        if stream.coin(self.k * self.odds, self.total):
            rest = [others[i] for i in stream.distinct(self.d - 1, self.k - 1)]
            return bytes([value, *rest])
        return bytes(others[i] for i in stream.distinct(self.d - 1, self.k))


def rounded_up(d, epsilon, k):
    """A threshold one step too high."""
    mechanism = KSubset(d, epsilon, k)
    object.__setattr__(mechanism, "odds", floor_exp(epsilon, mechanism.scale) + 1)
    return mechanism


def test_a_miss_that_can_include_the_own_value_is_caught():
    mechanism = MissMayIncludeOwn(6, 1.0, 2)
    tables = laws(mechanism)
    with pytest.raises(AssertionError):
        assert_private(tables, 1.0)
    with pytest.raises(AssertionError):
        assert_hit_rates(tables, lambda z: naive.unpack(z, 6, 2), *mechanism.hit_rates)


def test_kept_draw_order_is_caught():
    mechanism = KeepsDrawOrder(6, 1.0, 3)
    tables = laws(mechanism)
    # As sets the reports are right; as lists they leak.
    assert_hit_rates(tables, list, *mechanism.hit_rates)
    with pytest.raises(AssertionError, match="identifies"):
        assert_private(tables, 1.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_threshold_rounded_up_is_caught(epsilon):
    with pytest.raises(AssertionError, match="ratio"):
        assert_private(laws(rounded_up(5, epsilon, 2)), epsilon)
