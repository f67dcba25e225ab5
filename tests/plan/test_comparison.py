"""Which mechanism a survey takes, and why."""

import numpy as np
import pytest

from privet import theory
from privet.errors import InvalidArgument
from privet.mechanisms import choose, compare, for_one
from refusing import refused_argument


@pytest.mark.parametrize("d", [2, 3, 5, 10, 16, 30, 64, 100, 333, 500, 4096])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 6.0])
def test_the_choice_is_the_shortest_report_within_one_percent_of_the_least_error(d, epsilon):
    rows = compare(d, epsilon, 1000)
    best = theory.total_variance(d, epsilon, theory.l2_optimal_k(d, epsilon), 1000)
    errors = {row.mechanism.name: row.squared_error for row in rows}
    assert min(errors.values()) == pytest.approx(best, rel=1e-9)
    chosen = choose(d, epsilon)
    assert errors[chosen.name] <= 1.01 * best * (1 + 1e-9)
    near = [row for row in rows if row.squared_error <= 1.01 * best]
    surveyed = ("k-subset", "cyclotomic", "projective", "hadamard")
    lengths = [row.report_bytes for row in near if row.mechanism.name in surveyed]
    assert chosen.report_bytes == min(lengths)


def test_every_row_says_what_its_mechanism_says():
    for row in compare(50, 1.0, 300):
        flat = np.full(50, 1 / 50)
        expected = row.mechanism.variance(flat, 300, "sample").sum()
        assert row.squared_error == pytest.approx(expected)
        assert row.report_bytes == row.mechanism.report_bytes
        assert (row.counting_steps, row.decoding_steps) == row.mechanism.server_steps


def can_be_had(name, d, epsilon):
    try:
        for_one[name](d, epsilon)
    except InvalidArgument:
        return False
    return True


def test_mechanisms_that_cannot_be_had_are_left_out():
    """At ε = 35 only odds of few values fit 64-bit integers."""
    names = {row.mechanism.name for row in compare(10, 35.0, 10)}
    refused = {name for name in for_one if not can_be_had(name, 10, 35.0)}
    assert "local-hash" in refused
    assert "k-subset" not in refused
    assert names == set(for_one) - refused


@pytest.mark.parametrize("n", [0, -1, 1.5, True])
def test_bad_numbers_of_people(n):
    with refused_argument("n", "compare"):
        compare(10, 1.0, n)


def test_a_billion_values_take_no_memory():
    assert choose(10**9, 1.0).d == 10**9
