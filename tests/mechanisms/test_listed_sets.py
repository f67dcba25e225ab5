"""The k-subset mechanism over sets of options, person's side: its law by exact enumeration."""

from itertools import combinations
from math import comb

import pytest

import naive
import naive_sets
from exact import assert_private, laws, values_of
from privet.device.mechanisms.subsets.listed_sets import MOST_SETS
from privet.errors import InvalidSurvey
from privet.mechanisms import KSubset, ListedSets
from privet.theory.set_formulas import sets_holding
from refusing import refused_argument

# (options, most, k), small enough for every path of the sampler.
SHAPES = [
    (2, 1, 1), (2, 1, 2), (2, 2, 1), (2, 2, 3), (3, 1, 2), (3, 2, 1), (3, 2, 3), (3, 3, 2),
    (4, 1, 2), (4, 2, 1), (4, 2, 2), (4, 3, 1), (5, 2, 1),
]  # fmt: skip
EPSILONS = [0.01, 1.0, 5.0]
every_shape = pytest.mark.parametrize(("d", "most", "k"), SHAPES)


def check(mechanism, tables):
    """All that is claimed of the mechanism, of these exact laws of its reports."""
    d, k, sets = mechanism.d, mechanism.k, naive_sets.listed(mechanism.d, mechanism.most)
    assert assert_private(tables, mechanism.epsilon) == mechanism.likelihood_ratio
    defined = naive.subset_law(len(sets), k, mechanism.likelihood_ratio)
    own, other = mechanism.hit_rates
    for value, table in zip(values_of(mechanism), tables, strict=True):
        expected = defined[sets.index(value)]
        assert table == {naive.pack(z, len(sets), k): p for z, p in expected.items()}
        for option in range(d):
            mean = sum(p * sum(option in sets[i] for i in z) for z, p in expected.items())
            assert mean == (own if option in value else other)


@every_shape
def test_the_sampler_has_exactly_the_law_of_the_definition(d, most, k):
    for epsilon in EPSILONS:
        mechanism = ListedSets(d, epsilon, most, k)
        tables = laws(mechanism)
        check(mechanism, tables)
        for value, table in zip(values_of(mechanism), tables, strict=True):
            assert table == {z: mechanism.probability(z, value) for z in table}


@pytest.mark.parametrize(
    ("d", "most"), [(2, 1), (5, 1), (5, 3), (12, 12), (20, 3), (90, 2), (4095, 1)]
)
def test_the_number_of_a_set_is_its_place_among_bitmaps(d, most):
    mechanism = ListedSets(d, 1.0, most)
    assert list(mechanism.sets) == naive_sets.listed(d, most)
    assert [mechanism.number(options) for options in mechanism.sets] == [*range(mechanism.points)]
    assert mechanism.number(mechanism.sets[-1][::-1]) == mechanism.points - 1


@pytest.mark.parametrize("held", [0, 1, 2, 3])
def test_sets_that_hold_options_are_counted(held):
    for d, most in [(3, 1), (5, 2), (6, 6), (8, 3)]:
        sets = [s for size in range(most + 1) for s in combinations(range(d), size)]
        assert sets_holding(d, most, held) == sum({*range(held)} <= {*s} for s in sets)
    assert sets_holding(1000, 500) == sum(comb(1000, j) for j in range(501))


# --- negative controls: wrong samplers fail the same checks -------------------------------------


class NumbersAlike(ListedSets):
    """Numbers a set by its options alone, so that several have one number."""

    def number(self, value):
        return sum(value) % self.points


class LeavesOutNone(ListedSets):
    """Numbers the empty set as the first that is not."""

    def number(self, value):
        return max(super().number(value), 1)


@pytest.mark.parametrize("wrong", [NumbersAlike, LeavesOutNone])
def test_control_sets_that_share_a_number_are_caught(wrong):
    mechanism = wrong(4, 1.0, 2, 2)
    with pytest.raises(AssertionError):
        check(mechanism, laws(mechanism))


# --- parameters and values ----------------------------------------------------------------------


def test_the_arguments_are_checked():
    for arguments, parameter in [
        ((1, 1.0, 1), "d"), ((4097, 1.0, 1), "options"), ((4096, 1.0, 1), "most"),
        ((13, 1.0, 13), "most"), ((91, 1.0, 2), "most"), ((5, 0, 1), "epsilon"),
        ((5, 1.0, 0), "most"), ((5, 1.0, 6), "most"), ((5, 1.0, True), "most"),
        ((5, 1.0, 2, 0), "k"), ((5, 1.0, 2, 16), "k"), ((5, 1.0, 2, "information"), "k"),
        ((4096, 1.0, 4096), "most"),
    ]:  # fmt: skip
        with refused_argument(parameter, "ListedSets"):
            ListedSets(*arguments)
    assert ListedSets(12, 1.0, 12).points == ListedSets(4095, 1.0, 1).points == MOST_SETS


def test_the_size_of_a_report_is_that_of_least_error():
    for shape in [(5, 0.5, 2), (5, 3.0, 2), (10, 1.0, 3)]:
        mechanism = ListedSets(*shape)
        assert mechanism.listed == KSubset(mechanism.points, shape[1])


def test_integers_that_break_the_promise_are_refused():
    good = ListedSets(6, 1.0, 2).parameters
    with pytest.raises(InvalidSurvey, match="private"):
        ListedSets.from_parameters(6, 0.999, good)
    for change, named in [
        ({"most": 0}, "most of listed-sets"),
        ({"most": 7}, "most of listed-sets"),
        ({"k": 22}, "k of k-subset"),
    ]:
        with pytest.raises(InvalidSurvey, match=named):
            ListedSets.from_parameters(6, 1.0, {**good, **change})
    with pytest.raises(InvalidSurvey, match=r"\b4096\b.*\b91\b"):
        ListedSets.from_parameters(91, 1.0, good)


@pytest.mark.parametrize("value", [[0, 0], [0, 1, 2], [6], [-1], [0.0], [True], 3, "ab"])
def test_a_value_is_a_few_different_options(value):
    mechanism = ListedSets(6, 1.0, 2, 1)
    with refused_argument("value", value=value):
        mechanism.probability(b"\x00", value)
