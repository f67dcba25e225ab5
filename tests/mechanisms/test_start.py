"""Starts: how many positions are drawn after one, by its exact law."""

from math import comb

import pytest

from privet.device.mechanisms.subsets.start import expected_draws, usual_start


def exact_draws(others, size, numerator, bits):
    """A position is one of a power of two; it adds if it is no member yet, and removes if it is."""
    span, p = 1 << (others - 1).bit_length(), numerator / 2**bits
    adding = removing = 0.0
    for members in range(others + 1):
        chance = comb(others, members) * p**members * (1 - p) ** (others - members)
        adding += chance * sum(span / (others - i) for i in range(members, size))
        removing += chance * sum(span / i for i in range(size + 1, members + 1))
    return adding, removing


@pytest.mark.parametrize(
    ("others", "size"), [(63, 16), (63, 20), (63, 30), (99, 11), (255, 60), (999, 268), (999, 0)]
)
def test_about_as_many_positions_are_drawn_as_are_expected(others, size):
    start = usual_start(others, size)
    exact = exact_draws(others, size, *start)
    assert expected_draws(others, size, *start) == pytest.approx(exact, rel=0.2)
