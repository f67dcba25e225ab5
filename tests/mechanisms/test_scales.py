"""The interval design, person's side."""

from fractions import Fraction

import pytest

from privet.errors import InvalidArgument, InvalidSurvey
from privet.mechanisms import Interval

SHAPES = [(2, 1), (5, 1), (5, 2), (5, 5), (8, 3)]


@pytest.mark.parametrize(("cells", "window"), SHAPES)
def test_each_value_has_its_windows_first_and_then_the_others(cells, window):
    mechanism = Interval(cells, 1.0, window)
    for value in range(cells):
        order = [mechanism._number_at(value, place) for place in range(mechanism.numbers)]
        assert sorted(order) == list(range(cells + window - 1))
        reports = [number.to_bytes(1, "little") for number in order]
        assert all(value in mechanism.members(report) for report in reports[:window])
        assert not any(value in mechanism.members(report) for report in reports[window:])


@pytest.mark.parametrize(("cells", "window"), SHAPES)
def test_the_centre_of_a_window_moves_with_the_value(cells, window):
    """Its mean is ρx + (1 − ρ)(B − 1)/2 exactly, so that means are estimated without bias."""
    mechanism = Interval(cells, 1.0, window)
    odds = mechanism.likelihood_ratio
    slope = window * (odds - 1) / (window * odds + cells - 1)
    for value in range(cells):
        mean = sum(
            mechanism.probability(bytes([z]), value) * (z - Fraction(window - 1, 2))
            for z in range(mechanism.numbers)
        )
        assert mean == slope * value + (1 - slope) * Fraction(cells - 1, 2)


@pytest.mark.parametrize(
    ("cells", "epsilon", "window"),
    [(5, 0.5, 4), (5, 2.0, 1), (10, 0.5, 7), (10, 2.0, 3), (64, 1e-9, 64), (64, 20.0, 1)],
)
def test_the_window_that_is_taken_by_default(cells, epsilon, window):
    assert Interval(cells, epsilon).window == window


def test_windows_that_cannot_be():
    for window in (0, 6, 1.5, True):
        with pytest.raises(InvalidArgument, match=r"'window' .* an int in \[1, 5\]"):
            Interval(5, 1.0, window)
    with pytest.raises(InvalidArgument, match="at most 2048"):
        Interval(2049, 1.0)
    parameters = Interval(5, 1.0).parameters
    with pytest.raises(InvalidSurvey, match="The window of interval must be an int in"):
        Interval.from_parameters(5, 1.0, {**parameters, "window": 6})
    with pytest.raises(InvalidSurvey, match="not as private as it says"):
        Interval.from_parameters(5, 0.5, parameters)
