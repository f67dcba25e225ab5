"""Mechanisms for several choices: compared by the theory, and the best one chosen."""

from itertools import product

import pytest

from privet import theory
from privet.errors import InvalidArgument
from privet.mechanisms import ListedSets, OneOption, SetSubset
from privet.plan import choose_for_sets, compare_for_sets
from refusing import refused_argument

SHAPES = [
    (options, epsilon, most)
    for options, epsilon, part in product([2, 5, 12, 40, 300], [0.1, 1.0, 4.0], [0.1, 0.5, 1.0])
    for most in [max(1, int(part * options))]
]


def claimed(mechanism, share):
    """n times the variance of an option, by the theory."""
    d, epsilon, most = mechanism.d, mechanism.epsilon, mechanism.most
    if isinstance(mechanism, OneOption):
        return theory.asked_item_variance(d, epsilon, share, 1)
    listed = isinstance(mechanism, ListedSets)
    theorem = theory.listed_item_variance if listed else theory.set_item_variance
    return theorem(d, epsilon, most, mechanism.k, share, 1)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rows_are_what_the_theory_says_and_the_best_is_chosen(shape):
    options, _, most = shape
    rows = compare_for_sets(*shape)
    for row in rows:
        variance = claimed(row.mechanism, most / (2 * options))
        assert row.deviation**2 == pytest.approx(variance, rel=1e-6)
        assert row.report_bytes == row.mechanism.report_bytes
        assert (row.mechanism.d, row.mechanism.epsilon, row.mechanism.most) == shape
    assert [row.deviation for row in rows] == sorted(row.deviation for row in rows)
    chosen = choose_for_sets(*shape)
    least = rows[0].deviation ** 2
    near = {r.mechanism: r.report_bytes for r in rows if r.deviation**2 <= 1.01 * least}
    assert chosen in near
    assert chosen.report_bytes == min(near.values())


def test_each_mechanism_is_best_somewhere():
    assert choose_for_sets(20, 1.0, 5) == SetSubset(20, 1.0, 5)
    assert choose_for_sets(20, 0.5, 10) == OneOption(20, 0.5, 10)
    assert choose_for_sets(5, 4.0, 2) == ListedSets(5, 4.0, 2)
    assert {row.mechanism.name for row in compare_for_sets(100, 1.0, 5)} == {
        "set-subset", "one-option",
    }  # fmt: skip


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape[2] > 1], ids=str)
def test_pairs_take_the_mechanism_that_tells_most_about_pairs(shape):
    options, epsilon, most = shape
    k = theory.set_pair_optimal_k(*shape)
    variances = {"set-subset": theory.set_pair_variance(options, epsilon, most, k)}
    try:
        listed = ListedSets(*shape)
        claimed = theory.listed_pair_variance(options, epsilon, most, listed.k)
        variances["listed-sets"] = claimed
    except InvalidArgument:
        assert options >= 40
    chosen = choose_for_sets(*shape, pairs=True)
    assert variances[chosen.name] <= 1.01 * min(variances.values())
    if chosen.name == "set-subset":
        assert chosen.k == k >= 2


def test_bad_arguments_are_named():
    for arguments, parameter in [
        ((1, 1.0, 1), "options"), ((4097, 1.0, 1), "options"), ((5, 0, 1), "epsilon"),
        ((5, 99.0, 1), "epsilon"), ((5, 1.0, 0), "most"), ((5, 1.0, 6), "most"),
    ]:  # fmt: skip
        for function in (choose_for_sets, compare_for_sets):
            with refused_argument(parameter, function.__name__):
                function(*arguments)
    with refused_argument("most"):
        choose_for_sets(5, 1.0, 1, pairs=True)
