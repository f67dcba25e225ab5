"""Smooth distributions over cells: at the top of what they climb, and as smooth as need be."""

import numpy as np
import pytest

from privet.analysis.refine.smooth import _Fit, _softmax, _splines, smooth
from privet.mechanisms import Interval
from privet.refine import maximum_likelihood


def windows_of(mechanism, theta, n, seed):
    chances = mechanism.analyst.estimator.chances @ theta
    return np.random.default_rng(seed).multinomial(n, chances / chances.sum())


def bell(cells):
    weights = np.exp(-(((np.arange(cells) + 0.5) / cells - 0.6) ** 2) / 0.03)
    return weights / weights.sum()


def distance(one, other):
    """Return by how much of the scale the numbers of one have to move to be the other's."""
    return np.abs(np.cumsum(one - other)).mean()


@pytest.mark.parametrize("cells", [2, 3, 5, 16, 200])
def test_it_is_a_distribution(cells):
    mechanism = Interval(cells, 1.0)
    for windows in (windows_of(mechanism, bell(cells), 500, 1), np.eye(mechanism.numbers)[0]):
        found = smooth(mechanism, windows.astype(np.int64))
        assert found.shape == (cells,)
        assert (found >= 0).all()
        assert found.sum() == pytest.approx(1)


def test_it_has_no_side():
    mechanism = Interval(20, 2.0)
    windows = windows_of(mechanism, bell(20), 5000, 1)
    assert smooth(mechanism, windows[::-1]) == pytest.approx(smooth(mechanism, windows)[::-1])


def test_the_climb_ends_at_the_top():
    """The likelihood of the exact probabilities, penalised, falls in every direction from there."""
    mechanism, basis = Interval(12, 1.0), _splines(12)
    windows = windows_of(mechanism, bell(12), 5000, 1)
    chances, bend = mechanism.analyst.estimator.chances, 0.3 * np.eye(basis.shape[1])
    fit = _Fit(mechanism, windows, basis)
    beta, height, information = fit.climb(bend, np.zeros(basis.shape[1]))

    def penalised(beta):
        logs = np.log(chances @ _softmax(basis @ beta))
        return windows @ logs - beta @ bend @ beta / 2

    total = mechanism.window * float(mechanism.likelihood_ratio - 1) + mechanism.numbers
    assert height == pytest.approx(penalised(beta) + 5000 * np.log(total))
    for step in 0.05 * np.eye(len(beta)):
        assert penalised(beta) > max(penalised(beta + step), penalised(beta - step))
    theta = _softmax(basis @ beta)
    slopes = chances @ (theta[:, None] * (basis - theta @ basis))
    fisher = 5000 * slopes.T @ (slopes / (chances @ theta)[:, None])
    assert information == pytest.approx(fisher, rel=0.01, abs=0.01)


def test_rows_of_logarithms_become_shares_however_far_they_are_apart():
    far = np.array([[2000.0], [-2000.0]])
    shares = _softmax(far + np.log([[1.0, 3.0], [2.0, 2.0]]))
    assert shares == pytest.approx(np.array([[0.25, 0.75], [0.5, 0.5]]))


def test_a_smooth_truth_is_found_more_closely_than_by_the_likeliest_distribution():
    mechanism, truth = Interval(128, 1.0), bell(128)
    errors = []
    for seed in range(10):
        windows = windows_of(mechanism, truth, 10_000, seed)
        likeliest = maximum_likelihood(mechanism, windows, tolerance=1e-6).frequencies
        errors.append((distance(smooth(mechanism, windows), truth), distance(likeliest, truth)))
    ours, theirs = np.mean(errors, axis=0)
    assert ours < 0.8 * theirs


def test_spikes_stay_where_reports_show_them():
    mechanism, truth = Interval(32, 4.0), np.zeros(32)
    truth[[4, 20]] = 0.3, 0.7
    found = smooth(mechanism, windows_of(mechanism, truth, 100_000, 1))
    assert np.abs(found - truth).max() < 0.02


@pytest.mark.parametrize("modes", [1, 2])
def test_numbers_are_found_within_a_hundredth_of_the_scale(modes):
    mechanism, truth = Interval(1024, 1.0), bell(1024)
    truth = truth if modes == 1 else (truth + np.roll(truth, -400)) / 2
    windows = [windows_of(mechanism, truth, 100_000, seed) for seed in range(5)]
    assert np.mean([distance(smooth(mechanism, one), truth) for one in windows]) < 0.01
