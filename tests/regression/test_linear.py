"""Numbers on a scale: stand-ins without bias, and errors that allow for what they are."""

from fractions import Fraction

import numpy as np
import pytest

from privet.analysis.regression.linear import least_squares, stand_ins
from privet.entropy import seeded
from privet.mechanisms import Interval


@pytest.mark.parametrize("window", [1, 2, 5])
def test_stand_ins_have_the_mean_of_the_number_exactly(window):
    mechanism = Interval(5, 1.0, window=window)
    reports = np.arange(mechanism.numbers, dtype=np.uint8)[:, None]
    values = stand_ins(mechanism, reports, 10, 35)
    for cell in range(5):
        chances = [mechanism.probability(bytes(report), cell) for report in reports]
        mean = sum(p * Fraction(float(u)) for p, u in zip(chances, values, strict=True))
        assert float(mean) == pytest.approx(12.5 + 5 * cell, rel=1e-12)


def test_least_squares_are_numpy_s_and_errors_those_of_hc3():
    rng = np.random.default_rng(1)
    columns = np.hstack([np.ones((40, 1)), rng.normal(size=(40, 2))])
    y = columns @ [1, 2, 3] + rng.normal(size=40) * (1 + columns[:, 1] ** 2)
    coefficients, covariance, _ = least_squares(columns, y)
    expected = np.linalg.lstsq(columns, y, rcond=None)[0]
    assert np.allclose(coefficients, expected, rtol=1e-12)
    inverse = np.linalg.inv(columns.T @ columns)
    left_out = np.array(
        [
            np.linalg.lstsq(np.delete(columns, i, 0), np.delete(y, i), rcond=None)[0]
            for i in range(40)
        ]
    )  # e/(1 − h) is the residual of a row from the fit without it
    residuals = y - (columns * left_out).sum(axis=1)
    middle = (columns * residuals[:, None] ** 2).T @ columns
    assert np.allclose(covariance, inverse @ middle @ inverse, rtol=1e-9)


def test_intervals_cover_and_those_of_equal_noise_do_not():
    """1,000 crowds of 400: numbers at the middle of the scale have less noise than at its ends."""
    mechanism, n, repeats = Interval(16, 4.0), 400, 1000
    x = np.linspace(-1, 1, n) ** 3
    columns = np.stack([np.ones(n), x], axis=1)
    cells = np.where(np.abs(x) > 0.5, np.where(x > 0, 15, 0), 7 + (np.arange(n) % 2))
    truth = np.linalg.lstsq(columns, (cells + 0.5) / 16, rcond=None)[0]
    reports = mechanism.randomize(np.tile(cells, repeats), entropy=seeded(1)).reshape(repeats, n, 1)
    drawn = [least_squares(columns, stand_ins(mechanism, r, 0.0, 1.0)) for r in reports]
    found = np.array([coefficients for coefficients, _, _ in drawn])
    errors = np.sqrt([np.diagonal(covariance) for _, covariance, _ in drawn])
    assert (np.abs(found.mean(axis=0) - truth) < 5 * found.std(axis=0) / repeats**0.5).all()
    covered = (np.abs(found - truth) < 1.966 * errors).mean(axis=0)  # Student's, 398
    assert (covered > 0.95 - 4 * (0.95 * 0.05 / repeats) ** 0.5).all()
    equal = np.linalg.inv(columns.T @ columns)
    noise = np.array([stand_ins(mechanism, r, 0.0, 1.0) for r in reports]) - found @ columns.T
    same = np.sqrt(np.outer(np.square(noise).sum(axis=1) / (n - 2), np.diagonal(equal)))
    assert (np.abs(found - truth) < 1.966 * same).mean(axis=0).min() < covered.min() - 0.01


def test_a_small_group_without_anyone_at_the_end_of_the_scale_is_covered():
    """One person in thirty is at the end: of 15 people in a group, often none is.

    At ε = 8 the noise does not hide it, and intervals from residuals alone miss the mean.
    """
    mechanism, n, repeats = Interval(16, 8.0), 300, 400
    rng = np.random.default_rng(1)
    columns = np.stack([np.ones(n), np.arange(n) < 15], axis=1).astype(float)
    hits, naive = 0, 0
    for _ in range(repeats):
        cells = np.where(rng.random(n) < 1 / 30, 15, 0)
        y = stand_ins(
            mechanism, mechanism.randomize(cells, entropy=seeded(int(rng.integers(1e9)))), 0.0, 1.0
        )
        truth = np.array([(0.5 + 15 / 30) / 16, 0])
        found = least_squares(columns, y, ends=(1 / 32, 31 / 32))
        reach = 1.97 * np.sqrt(np.diagonal(found.covariance))
        hits += np.abs(found.coefficients - truth) < reach
        plain = least_squares(columns, y)
        naive += np.abs(plain.coefficients - truth) < 1.97 * np.sqrt(np.diagonal(plain.covariance))
    assert (hits / repeats).min() > 0.94
    assert (naive / repeats).min() < 0.85


def test_only_a_small_group_s_people_count_as_degrees_of_freedom():
    columns = np.stack([np.ones(300), np.arange(300) < 15], axis=1).astype(float)
    found = least_squares(columns, np.random.default_rng(1).normal(size=300))
    intercept, group = found.freedom(np.eye(2))
    assert 250 < intercept < 300
    assert 10 < group < 16


def test_weights_are_copies_of_people():
    rng = np.random.default_rng(1)
    columns, y = np.stack([np.ones(20), rng.normal(size=20)], axis=1), rng.normal(size=20)
    weights = np.r_[np.ones(10), np.full(10, 2.0)]
    doubled = np.r_[np.arange(20), np.arange(10, 20)]
    found = least_squares(columns, y, weights)
    assert np.allclose(found.coefficients, least_squares(columns[doubled], y[doubled]).coefficients)
