"""Covariances where hit rates do not say all: hashes, cohorts and noise on every entry."""

import numpy as np
import pytest
from scipy.stats import norm

from crowds import zipf
from privet.analysis.sums.covariance import covariance, noise
from privet.mechanisms import GeometricNoise, HashedRR, Interval, LocalHash, OneBit, Rappor
from privet.simulate import counts
from refusing import refused_argument

TINY = [
    HashedRR(4, 1.0),
    HashedRR(5, 2.0, cohorts=6, buckets=3),
    Rappor(3, 1.0, cohorts=3, bits=5, hashes=2),
    Rappor(4, 2.0, cohorts=4, bits=6, hashes=1),
    Interval(5, 1.0),
    Interval(4, 2.0, window=3),
    GeometricNoise(2, 2.0, limit=3),
]
MODERATE = [
    LocalHash(40, 1.0),
    LocalHash(37, 3.0),
    OneBit(40, 1.0),
    HashedRR(40, 1.0),
    Rappor(40, 3.0, cohorts=16, bits=32),
    Interval(40, 2.0),
    GeometricNoise(40, 1.0),
]


def weights_of(d):
    return np.array([(3 * j) % 7 - 2 for j in range(d)], dtype=np.float64)


def enumerate_reports(mechanism):
    """Return what each report adds to the estimate, and its probability for each value."""
    numbers = range(256**mechanism.report_bytes)
    reports = [number.to_bytes(mechanism.report_bytes, "little") for number in numbers]
    reports = [report for report in reports if mechanism.problem(report) is None]
    added = [mechanism.frequencies(mechanism.tally(report), 1) for report in reports]
    chances = [[float(mechanism.probability(z, x)) for x in range(mechanism.d)] for z in reports]
    return np.array(added), np.array(chances)


@pytest.mark.parametrize("mechanism", TINY, ids=repr)
def test_noise_and_covariance_are_those_of_all_reports(mechanism):
    d = mechanism.d
    added, chances = enumerate_reports(mechanism)
    assert chances.T @ added == pytest.approx(np.eye(d), abs=1e-12)
    for weights in (weights_of(d), np.eye(d)[0], np.ones(d)):
        sums = added @ weights
        expected = chances.T @ sums**2 - (chances.T @ sums) ** 2
        assert noise(mechanism, weights) == pytest.approx(expected, rel=1e-11)
    theta = zipf(d)
    second = (added * (chances @ theta)[:, None]).T @ added
    found = np.array([covariance(mechanism, theta)(unit) for unit in np.eye(d)])
    assert found == pytest.approx(second - np.outer(theta, theta), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("mechanism", MODERATE, ids=repr)
def test_noise_is_what_simulated_sums_vary_by(mechanism):
    """People who stay the same, so that nothing but noise varies, and people drawn anew."""
    d, n, repeats, rng = mechanism.d, 1000, 1000, np.random.default_rng(5)
    theta, weights = zipf(d), np.where(np.arange(d) < d // 2, 1.0, 0.0)
    people = rng.multinomial(n, theta)
    fixed = [mechanism.frequencies(counts(mechanism, people, rng), n) for _ in range(repeats)]
    drawn = [
        mechanism.frequencies(counts(mechanism, rng.multinomial(n, theta), rng), n)
        for _ in range(repeats)
    ]
    # A variance estimated from so many normal numbers has this relative error.
    near = norm.isf(5e-7) * (2 / repeats) ** 0.5
    expected = people / n @ noise(mechanism, weights)
    assert n * np.var(fixed @ weights) == pytest.approx(expected, rel=near)
    expected = weights @ covariance(mechanism, theta)(weights)
    assert n * np.var(drawn @ weights) == pytest.approx(expected, rel=near)


@pytest.mark.parametrize(
    "mechanism", [*MODERATE, LocalHash(500, 1.0), HashedRR(100, 2.0)], ids=repr
)
def test_noise_covariance_and_variance_agree(mechanism):
    d = mechanism.d
    theta, weights = zipf(d), weights_of(d)
    drawn = theta @ weights**2 - (theta @ weights) ** 2
    apply = covariance(mechanism, theta)
    expected = theta @ noise(mechanism, weights) + drawn
    assert weights @ apply(weights) == pytest.approx(expected, rel=1e-9)
    diagonal = [apply(unit)[j] for j, unit in enumerate(np.eye(d)[:9])]
    assert diagonal == pytest.approx(mechanism.variance(theta, 1)[:9], rel=1e-9)


def test_values_that_are_hashed_alike_are_not_taken_for_independent():
    """Negative control: with random sets of values instead, neighbours would vary differently."""
    mechanism = LocalHash(101, 1.0)
    first, anywhere = np.zeros(101), np.zeros(101)
    first[:20], anywhere[np.random.default_rng(6).choice(101, 20, replace=False)] = 1, 1
    one, other = (noise(mechanism, weights) @ weights for weights in (first, anywhere))
    assert one > 1.1 * other


def test_a_mechanism_of_another_kind_says_so():
    for function in (noise, covariance):
        with refused_argument("mechanism", value="rot13"):
            function("rot13", np.ones(3))
