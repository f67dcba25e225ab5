"""The interval design for analysts: batches, counts and shares."""

import csv
from pathlib import Path

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


VECTORS = Path(__file__).parents[1] / "vectors" / "scales.csv"


@pytest.mark.parametrize(
    "row", list(csv.DictReader(VECTORS.read_text().splitlines())), ids=lambda row: row["cells"]
)
def test_errors_of_means_and_of_the_best_linear_estimates(row):
    """√n times the standard deviation on [0, 1], for people drawn from flat and rising truths."""
    cells = int(row["cells"])
    mechanism = Interval(cells, float(row["epsilon"]))
    assert mechanism.window == int(row["window"])
    assert float(mechanism.slope) == pytest.approx(float(row["slope"]), rel=1e-12)
    regression = mechanism.analyst.estimator

    def deviation(worth, theta):
        chances = regression.chances @ theta
        return np.sqrt(chances @ worth**2 - (chances @ worth) ** 2)

    flat, rising = np.full(cells, 1 / cells), np.arange(1, cells + 1) * 2 / (cells * (cells + 1))
    centres = np.arange(mechanism.numbers) - (cells + mechanism.window) / 2 + 1
    means, best = centres / float(mechanism.slope) / cells, regression.best_worth(flat)
    found = {
        "sqrtn_sd_mean_flat": deviation(means, flat),
        "sqrtn_sd_mean_ramp": deviation(means, rising),
        "sqrtn_sd_best_mean_flat": deviation(best @ ((np.arange(cells) + 0.5) / cells), flat),
        "sqrtn_sd_best_half_flat": deviation(best @ (np.arange(cells) < cells // 2), flat),
    }
    for name, value in found.items():
        assert value == pytest.approx(float(row[name]), rel=1e-12), name


def test_the_best_linear_estimate_is_unbiased_and_no_worse_than_least_squares():
    mechanism, theta = Interval(12, 1.5, window=5), np.arange(1, 13) / 78
    regression = mechanism.analyst.estimator
    best = regression.best_worth(theta)
    assert regression.chances.T @ best == pytest.approx(np.eye(12), abs=1e-12)
    variances = np.square(best).T @ (regression.chances @ theta) - theta**2
    assert (variances < (theta @ regression.spread(np.eye(12)) + theta * (1 - theta))).all()
