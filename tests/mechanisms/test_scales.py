"""The interval design, person's side."""

from fractions import Fraction

import pytest

from privet.errors import InvalidSurvey
from privet.mechanisms import Interval
from refusing import refused_argument

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
    slope = mechanism.slope
    assert slope == window * (odds - 1) / (window * odds + cells - 1)
    for value in range(cells):
        mean = sum(
            mechanism.probability(bytes([z]), value) * (z - Fraction(window - 1, 2))
            for z in range(mechanism.numbers)
        )
        assert mean == slope * value + (1 - slope) * Fraction(cells - 1, 2)


@pytest.mark.parametrize(
    ("cells", "epsilon", "window"),
    [
        (5, 0.5, 4),
        (5, 2.0, 1),
        (10, 0.5, 7),
        (10, 2.0, 3),
        (64, 1e-9, 64),
        (64, 20.0, 1),
        (2048, 5e-4, 2047),
    ],
)
def test_the_window_that_is_taken_by_default(cells, epsilon, window):
    assert Interval(cells, epsilon).window == window


@pytest.mark.parametrize("cells", [2, 3, 5, 10, 32])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0, 20.0])
def test_the_window_for_means_is_the_best_of_all(cells, epsilon):
    """By the variance of the centres over ρ², enumerated from the mechanism's own fractions."""

    def error(window, truth):
        mechanism = Interval(cells, epsilon, window)
        centres = [z - Fraction(cells + window, 2) + 1 for z in range(mechanism.numbers)]
        size = mechanism.report_bytes
        square = sum(
            share * mechanism.probability(z.to_bytes(size, "little"), value) * centres[z] ** 2
            for value, share in truth.items()
            for z in range(mechanism.numbers)
        )
        return float(square) ** 0.5 / float(mechanism.slope)  # as the mean is 0

    flat = dict.fromkeys(range(cells), Fraction(1, cells))
    apart = {0: Fraction(1, 2), cells - 1: Fraction(1, 2)}
    best = Interval(cells, epsilon, "mean").window
    nearby = range(max(1, best - 2), min(cells, best + 2) + 1)
    assert error(best, flat) == pytest.approx(min(error(w, flat) for w in nearby), rel=1e-9)
    assert error(best, apart) < 1.02 * min(error(w, apart) for w in range(1, cells + 1))


def test_a_survey_carries_the_window_itself():
    mechanism = Interval(64, 1.0, "mean")
    assert mechanism.parameters["window"] == mechanism.window == 44
    assert Interval.from_parameters(64, 1.0, mechanism.parameters) == mechanism


def test_windows_that_cannot_be():
    for window in (0, 6, 1.5, True, "median", []):
        with refused_argument("window", "Interval", value=window):
            Interval(5, 1.0, window)
    with refused_argument("cells", "Interval", value=2049):
        Interval(2049, 1.0)
    parameters = Interval(5, 1.0).parameters
    with pytest.raises(InvalidSurvey, match="window of interval"):
        Interval.from_parameters(5, 1.0, {**parameters, "window": 6})
    with pytest.raises(InvalidSurvey, match="private"):
        Interval.from_parameters(5, 0.5, parameters)
