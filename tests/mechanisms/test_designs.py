"""Block designs: that they are designs, and that their samplers have exactly the promised law."""

from fractions import Fraction
from math import isclose, log

import mpmath
import numpy as np
import pytest

import naive_designs
from exact import assert_hit_rates, assert_private, law, laws, walks
from privet import theory
from privet.device.mechanisms.subsets.cyclotomic import Cyclotomic
from privet.device.mechanisms.subsets.design import fewest_blocks
from privet.device.mechanisms.subsets.hadamard import Hadamard
from privet.device.mechanisms.subsets.projective import Projective
from privet.mechanisms import KSubset

CLASSES = [
    (p, m, u) for p in (3, 5, 7, 11, 13) for m in range(2, p) if p % m == 1 for u in range(1, m)
]
SPACES = [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2), (4, 3), (5, 3), (7, 3), (8, 3), (9, 3)]


def cyclotomic(d, epsilon, p, m, u):
    return Cyclotomic(d, epsilon, p=p, m=m, u=u)


def projective(d, epsilon, q, t):
    """The mechanism on all of a space, even where a smaller one would do for d."""
    whole = Projective(sum(q**i for i in range(t)), epsilon, q=q)
    assert whole.t == t
    return Projective.from_parameters(d, epsilon, whole.parameters)


def hadamard(d, epsilon, t):
    parameters = {**Hadamard(2**t - 1, epsilon).parameters}
    return Hadamard.from_parameters(d, epsilon, parameters)


SMALL = [
    *((cyclotomic, shape, shape[0]) for shape in CLASSES),
    *((projective, (q, t), sum(q**i for i in range(t))) for q, t in SPACES),
    *((hadamard, (t,), 2**t - 1) for t in (2, 3, 4, 5)),
]


@pytest.mark.parametrize(("make", "shape", "points"), SMALL)
def test_every_pair_of_points_lies_in_equally_many_blocks(make, shape, points):
    mechanism = make(points, 1.0, *shape)
    v, k, blocks = mechanism.points, mechanism.k, mechanism.blocks
    assert (v, k, blocks) == naive_designs.sizes(mechanism.name, mechanism.parameters)
    held = np.array([[mechanism._holds(b, x) for x in range(v)] for b in range(blocks)], dtype=int)
    for block in range(0, blocks, max(1, blocks // 50)):
        definition = [
            naive_designs.holds(mechanism.name, mechanism.parameters, block, x) for x in range(v)
        ]
        assert held[block].tolist() == definition
    assert (held.sum(axis=1) == k).all()
    together = held.T @ held
    pairs = blocks * k * (k - 1) // (v * (v - 1))
    assert (together == pairs + (blocks * k // v - pairs) * np.eye(v, dtype=np.int64)).all()


@pytest.mark.parametrize(("make", "shape", "points"), SMALL)
def test_the_sampler_has_exactly_the_promised_law(make, shape, points):
    """With all points in use, and with some of them left over."""
    for d, epsilon in [(points, 1.0), (max(2, points - 2), 0.1), (max(2, points // 2), 3.0)]:
        mechanism = make(d, epsilon, *shape)
        tables = laws(mechanism)
        assert assert_private(tables, epsilon) == mechanism.likelihood_ratio
        assert mechanism.likelihood_ratio == Fraction(mechanism.odds, 2**mechanism.scale)
        g, h = mechanism.hit_rates
        E, v, k = mechanism.likelihood_ratio, mechanism.points, mechanism.k
        assert g == k * E / (k * E + v - k)
        assert h == (k - g) / (v - 1)
        sets = {block: mechanism.members(block) for block in tables[0]}
        assert_hit_rates(tables, sets.get, g, h)
        for value, table in enumerate(tables):
            assert len(table) == mechanism.blocks
            for report in list(table)[:: 1 + len(table) // 30]:
                assert mechanism.probability(report, value) == table[report]


@pytest.mark.parametrize(("make", "shape", "points"), SMALL)
def test_the_blocks_that_hold_a_value_come_first(make, shape, points):
    mechanism = make(points, 1.0, *shape)
    parameters = mechanism.name, mechanism.parameters
    for value in {0, 1, points // 2, points - 1}:
        order = [mechanism._number_at(value, place) for place in range(mechanism.blocks)]
        assert sorted(order) == list(range(mechanism.blocks))
        held = [naive_designs.holds(*parameters, block, value) for block in order]
        assert held == sorted(held, reverse=True)
        places = range(0, mechanism.blocks, max(1, mechanism.blocks // 40))
        twin = [naive_designs.block_at(*parameters, value, place) for place in places]
        assert [order[place] for place in places] == twin


def errors(mechanism):
    """The exact mean and variance of each estimated frequency, from one report of value 0."""
    g, h = mechanism.hit_rates
    table = law(lambda walk: mechanism.sample(0, walk))
    sets = [(mechanism.members(report), p) for report, p in table.items()]
    for j in range(mechanism.d):
        estimates = [((int(j in members) - h) / (g - h), p) for members, p in sets]
        mean = sum(e * p for e, p in estimates)
        yield mean, sum((e - mean) ** 2 * p for e, p in estimates)


@pytest.mark.parametrize(
    "mechanism",
    [
        Cyclotomic(7, 1.0, p=7, m=3, u=1), Cyclotomic(13, 1.0, p=13, m=4, u=1),
        Cyclotomic(6, 2.0, p=11, m=5, u=2), Projective(13, 1.0, q=3), Projective(21, 1.0, q=4),
        Projective(6, 0.5, q=2), Hadamard(7, 1.0), Hadamard(5, 0.5),
    ],
    ids=repr,
)  # fmt: skip
def test_error_and_information_are_those_of_all_subsets(mechanism):
    d, epsilon, v, k = mechanism.d, mechanism.epsilon, mechanism.points, mechanism.k
    complete = KSubset(v, epsilon, k)
    assert mechanism.likelihood_ratio == complete.likelihood_ratio
    assert mechanism.hit_rates == complete.hit_rates
    means, variances = zip(*errors(mechanism), strict=True)
    assert means == (1, *[0] * (d - 1))
    assert sum(variances) == naive_designs.padded_error(d, mechanism.likelihood_ratio, v, k)
    if d < v:
        return
    assert isclose(sum(variances), theory.total_variance(v, epsilon, k, 1), rel_tol=1e-9)
    tables = laws(mechanism)
    information = 0.0
    for report in tables[0]:
        chances = [float(table[report]) for table in tables]
        mean = sum(chances) / d
        information += sum(chance * log(chance / mean) for chance in chances) / d
    assert isclose(information, theory.mutual_information(v, epsilon, k), rel_tol=1e-9)


def test_covariances_are_not_those_of_all_subsets():
    """Three values in one block: what a design leaves open, and why sums need care."""
    design = Hadamard(7, 1.0)
    complete = KSubset(7, 1.0, 3)

    def triples(mechanism):
        table = law(lambda walk: mechanism.sample(0, walk))
        pairs = [(1, 2), (1, 3), (2, 3), (4, 5)]
        return {
            pair: sum(p for z, p in table.items() if set(pair) <= set(mechanism.members(z)))
            for pair in pairs
        }

    assert len(set(triples(complete).values())) == 1
    assert len(set(triples(design).values())) == 2


def test_hit_and_miss_make_as_many_draws():
    for mechanism in (Cyclotomic(10, 1.0), Projective(10, 1.0), Hadamard(10, 1.0)):
        for value in (0, 9):
            paths = walks(lambda walk, m=mechanism, x=value: m.sample(x, walk))
            assert {len(walk.draws) for _, walk in paths} == {2}


class OneTooFew(Cyclotomic):
    """Leaves 0 out of the blocks' misses, as if it were a power of the root."""

    def _number_at(self, value, place):
        return super()._number_at(value, min(place, self.m * (self.p - 1) - 1))


def test_a_sampler_that_forgets_a_point_is_caught():
    tables = laws(OneTooFew(7, 1.0, p=7, m=3, u=1))
    with pytest.raises(AssertionError):
        assert_private(tables, 1.0)


# --- which design is taken --------------------------------------------------------------------


def excess(mechanism):
    """How much the error is above the least of all subsets of d values."""
    d, epsilon = mechanism.d, mechanism.epsilon
    E = mpmath.exp(mpmath.mpf(epsilon))
    best = theory.total_variance(d, epsilon, theory.l2_optimal_k(d, epsilon), 1)
    return float(naive_designs.padded_error(d, E, mechanism.points, mechanism.k) / best - 1)


@pytest.mark.parametrize("d", [500, 1000, 4096, 10_000, 65_536, 10**6])
def test_the_cyclotomic_design_is_near_the_optimum_of_large_domains(d):
    for epsilon in (0.01, 0.1, 0.5, 1.0, 2.0, 3.0):
        mechanism = Cyclotomic(d, epsilon)
        assert excess(mechanism) < 0.001
        assert mechanism.report_bytes <= {500: 2, 1000: 2, 4096: 3, 10_000: 3, 65_536: 3}.get(d, 4)


def test_the_cyclotomic_design_of_smaller_domains():
    for d in (100, 101, 150, 200, 300):
        for epsilon in (0.1, 0.5, 1.0, 2.0):
            assert excess(Cyclotomic(d, epsilon)) < 0.0015
    for d in (3, 5, 7, 11, 13, 101):  # no point is left over
        assert abs(excess(Cyclotomic(d, 1.0))) < 0.0007
    assert 0.07 < excess(Cyclotomic(10, 2.0)) < 0.08


@pytest.mark.parametrize("d", [2, 9, 14, 30, 60])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 6.0])
def test_no_cyclotomic_design_is_noticeably_better(d, epsilon):
    E = mpmath.exp(mpmath.mpf(epsilon))
    chosen = Cyclotomic(d, epsilon)

    def error(p, k):
        return naive_designs.padded_error(d, E, p, k)

    primes = [p for p in range(max(d, 3), 3 * d + 10) if all(p % i for i in range(2, p))]
    least = min(error(p, k) for p in primes for k in range(1, p - 1))
    assert error(chosen.p, chosen.k) <= 1.0005 * least
    for p in primes:
        for m in (m for m in range(2, p) if p % m == 1 and p * m < chosen.blocks):
            assert all(error(p, u * (p - 1) // m) > 1.0005 * least for u in range(1, m))


def test_the_projective_design_takes_the_best_field():
    assert [Projective(10_000, epsilon).q for epsilon in (0.1, 0.5, 1, 2, 3)] == [2, 3, 4, 8, 23]
    assert Projective(10**6, 1.0).report_bytes == 3
    assert excess(Projective(10**6, 1.0)) < 0.003
    assert excess(Projective(10**6, 5.0)) < 0.001
    assert Projective(10, 3.0).q == 9  # a line: every block is one point
    assert Projective(10, 3.0).k == 1


def test_complements_of_hyperplanes_are_never_better():
    """So that a Hadamard design has no other side to choose."""
    for d, t in [(2, 2), (3, 2), (4, 3), (7, 3), (100, 7), (1000, 10)]:
        for epsilon in (1e-4, 0.1, 1.0, 5.0):
            E, v = mpmath.exp(mpmath.mpf(epsilon)), 2**t - 1
            half = 2 ** (t - 1)
            sides = [naive_designs.padded_error(d, E, v, k) for k in (half - 1, half)]
            assert sides[0] < sides[1]
            assert Hadamard(d, epsilon).t == t


def test_equal_errors_are_decided_by_the_blocks():
    assert fewest_blocks(7, 1.0, [(7, 2, 42), (7, 2, 21), (7, 2, 84)]) == 1
    assert fewest_blocks(7, 1.0, [(7, 2, 42), (11, 3, 21)]) == 0


def test_theory_and_design_agree_at_scale():
    for make in (Cyclotomic, Projective, Hadamard):
        mechanism = make(100_000, 1.0)
        rates = theory.hit_rates(mechanism.points, 1.0, mechanism.k)
        assert (mechanism.g, mechanism.h) == pytest.approx(rates, rel=1e-10)
