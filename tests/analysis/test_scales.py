"""The interval design for analysts: batches, counts and shares."""

import numpy as np
import pytest

from privet import simulate
from privet.analysis.counter import read_numbers
from privet.entropy import seeded
from privet.mechanisms import Interval


@pytest.mark.parametrize(("cells", "window"), [(5, 2), (300, 7)])
def test_batches_have_the_law_of_the_sampler(cells, window):
    mechanism, value, n = Interval(cells, 2.0, window), cells // 3, 400_000
    reports = mechanism.randomize(np.full(n, value), entropy=seeded(1))
    found = np.bincount(read_numbers(reports), minlength=mechanism.numbers)
    size = mechanism.report_bytes
    numbers = range(mechanism.numbers)
    chances = [float(mechanism.probability(z.to_bytes(size, "little"), value)) for z in numbers]
    expected = n * np.array(chances)
    chi = float(((found - expected) ** 2 / expected).sum())
    assert abs(chi - (mechanism.numbers - 1)) < 5 * np.sqrt(2 * mechanism.numbers)


def test_counts_are_of_the_windows_that_cover_a_cell():
    mechanism = Interval(9, 1.0, window=4)
    reports = mechanism.randomize(np.arange(1000) % 9, entropy=seeded(1))
    rows = [mechanism.members(report.tobytes()) for report in reports]
    expected = np.bincount([cell for row in rows for cell in row], minlength=9)
    assert np.array_equal(mechanism.tally(reports), expected)


def test_simulated_counts_have_the_mean_and_variance_of_reports():
    mechanism, people = Interval(16, 1.0), 50 * np.arange(1, 17)
    theta, n = people / people.sum(), int(people.sum())
    drawn = [mechanism.frequencies(simulate.counts(mechanism, people, s), n) for s in range(3000)]
    deviation = np.sqrt(mechanism.variance(theta, n, "sample"))
    assert (np.abs(np.mean(drawn, axis=0) - theta) < 5 * deviation / np.sqrt(3000)).all()
    assert np.std(drawn, axis=0) / deviation == pytest.approx(np.ones(16), abs=0.07)
