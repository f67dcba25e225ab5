"""The mechanisms for comparison: published variances, hashes, regression, and what is refused."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from exact import law
from privet import Survey, simulate
from privet.analysis.cohorts import Cells
from privet.analysis.hadamard import walsh_hadamard
from privet.device.mechanisms.bits.optimized_unary import OptimizedUnary
from privet.device.mechanisms.hashes.hashed_rr import HashedRR
from privet.device.mechanisms.hashes.local_hash import LocalHash
from privet.device.mechanisms.hashes.one_bit import OneBit
from privet.device.mechanisms.hashes.rappor import Rappor
from privet.device.mechanisms.noise.geometric import GeometricNoise
from privet.device.mechanisms.noise.laplace import LaplaceNoise
from privet.errors import InvalidReport, InvalidSurvey
from privet.mechanisms import BinaryRR, KSubset, Mechanism, MultivariateRR
from refusing import refused_argument

EPSILONS = [0.1, 0.5, 1.0, 2.0, 4.0]


def rare(mechanism):
    """n times the variance of a share of 0, where all others are the same."""
    theta = np.full(mechanism.d, 1 / (mechanism.d - 1))
    theta[0] = 0
    return mechanism.variance(theta, 1, "sample")[0]


def total(mechanism):
    return mechanism.variance(np.full(mechanism.d, 1 / mechanism.d), 1, "sample").sum()


# --- published variances ------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("d", [2, 10, 1000])
def test_variances_are_the_published_ones(d, epsilon):
    E, root = exp(epsilon), exp(epsilon / 2)
    optimized = 4 * E / (E - 1) ** 2  # Wang et al. 2017, Table 1, for OUE and OLH
    published = {
        OptimizedUnary: optimized,
        BinaryRR: root / (root - 1) ** 2,
        MultivariateRR: (d - 2 + E) / (E - 1) ** 2,
        OneBit: ((E + 1) / (E - 1)) ** 2,
        GeometricNoise: 2 / root / (1 - 1 / root) ** 2,
        LaplaceNoise: 8 / epsilon**2,
    }
    for cls, expected in published.items():
        assert rare(cls(d, epsilon)) == pytest.approx(expected, rel=1e-7), cls
    # Local hashing takes a whole number of buckets, and its residues are not spread quite evenly.
    if d > 2:
        assert rare(LocalHash(1000, epsilon)) == pytest.approx(optimized, rel=0.03)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_none_is_better_than_the_k_subset_mechanism(epsilon):
    """And noise is worse than its binary version, as the paper says."""
    best = total(KSubset(100, epsilon))
    for cls in (MultivariateRR, OptimizedUnary, LocalHash, OneBit, HashedRR, Rappor):
        assert total(cls(100, epsilon)) > best
    binary, geometric = total(BinaryRR(100, epsilon)), total(GeometricNoise(100, epsilon))
    assert best < binary < geometric < total(LaplaceNoise(100, epsilon))


def test_one_bit_is_the_half_subset_mechanism_in_expectation():
    """Of d = 2^t values with k = d/2, but for d in place of d − 1."""
    d, one_bit = 64, OneBit(64, 1.0)
    g, h = KSubset(d, 1.0, k=d // 2).hit_rates
    assert float(g) == pytest.approx(one_bit.g, rel=1e-12)
    assert float(h) == pytest.approx(one_bit.h, abs=1 / d)


# --- local hashing ------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "epsilon"), [(2, 1.0), (4, 1.0), (5, 0.5), (7, 2.0), (3, 2.5)])
def test_any_two_values_collide_equally_often(d, epsilon):
    mechanism = LocalHash(d, epsilon)
    functions, buckets, prime = mechanism.functions, mechanism.buckets, mechanism.prime
    sizes = np.bincount(np.arange(prime) % buckets)
    expected = Fraction(int((sizes * (sizes - 1)).sum()), prime * (prime - 1))
    for x in range(d):
        for y in range(x):
            same = sum(mechanism.bucket(f, x) == mechanism.bucket(f, y) for f in range(functions))
            assert Fraction(same, functions) == expected
    own, other = mechanism.response_rates
    assert mechanism.hit_rates == (own, other + (own - other) * expected)


@pytest.mark.parametrize(("d", "epsilon"), [(10, 0.1), (100, 1.0), (1000, 2.0), (64, 3.0)])
def test_the_buckets_of_local_hashing_are_the_best_near_e_to_the_epsilon_plus_1(d, epsilon):
    mechanism = LocalHash(d, epsilon)
    assert abs(mechanism.buckets - exp(epsilon) - 1) < 1
    for buckets in {int(exp(epsilon)) + 1, int(exp(epsilon)) + 2}:
        other = object.__new__(LocalHash)
        prime = next(p for p in range(max(d, buckets), 2000) if all(p % q for q in range(2, p)))
        other._settle(d, epsilon, (buckets, prime))
        assert total(mechanism) <= total(other)


def test_the_walsh_hadamard_transform_is_the_matrix_product():
    rng = np.random.default_rng(1)
    for t in range(8):
        rows = np.arange(2**t)
        matrix = 1 - 2 * (np.bitwise_count(rows[:, None] & rows).astype(np.int64) & 1)
        vector = rng.integers(-(2**48), 2**48, 2**t)
        assert np.array_equal(walsh_hadamard(vector), matrix @ vector)


# --- regression ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mechanism",
    [
        HashedRR(40, 1.0), HashedRR(40, 3.0, cohorts=20, buckets=8), HashedRR(2, 1.0),
        Rappor(40, 1.0), Rappor(40, 2.0, cohorts=8, bits=16, hashes=1), Rappor(300, 1.0, bits=20),
    ],
    ids=repr,
)  # fmt: skip
def test_regression_recovers_the_truth(mechanism):
    """From the expected aggregate, up to its rounding to whole reports."""
    n, d = 2**40, mechanism.d
    theta = np.random.default_rng(2).dirichlet(np.full(d, 0.3))
    p, q = map(float, mechanism.telling_rates)
    held = np.concatenate([(rows @ theta).reshape(-1) for rows in Cells(mechanism).rows()])
    aggregate = np.rint(n / mechanism.cohorts * (q + (p - q) * held)).astype(np.int64)
    estimate = mechanism.frequencies(mechanism.counts(aggregate), n)
    assert estimate == pytest.approx(theta, abs=1e-7)
    # With the cells of one cohort exchanged, it is another truth.
    first = aggregate[: mechanism.cells]
    first[:] = np.roll(first, 1)
    wrong = mechanism.frequencies(mechanism.counts(aggregate), n)
    assert np.abs(wrong - theta).max() > 1e-4


def test_a_value_counts_once_for_each_of_its_cells():
    mechanism = Rappor(5, 1.0, cohorts=3, bits=7, hashes=3)
    for cohort in range(3):
        for value in range(5):
            cells = {int(mechanism.cell(3 * cohort + i, value)) for i in range(3)}
            report = bytes([cohort, sum(1 << cell for cell in cells)])
            assert mechanism.tally(report)[value] == len(cells)
            assert mechanism._filter(cohort, value) == report[1]


def test_with_many_cohorts_hashed_rr_becomes_local_hashing():
    many = total(HashedRR(50, 1.0, cohorts=4000, buckets=4))
    assert many == pytest.approx(total(LocalHash(50, 1.0)), rel=0.03)
    assert total(HashedRR(50, 1.0, cohorts=50, buckets=4)) > 1.3 * many


def test_hash_functions_are_the_documented_ones():
    """A client in another language must find the same: ((a·x + b) mod (2^31 − 1)) mod cells."""
    from hashlib import sha256

    mechanism = HashedRR(10, 1.0, cohorts=9, buckets=5)
    for cohort in range(9):
        digest = sha256(f"privet cohort {cohort}".encode()).digest()
        a = int.from_bytes(digest[:8], "little") % (2**31 - 2) + 1
        b = int.from_bytes(digest[8:16], "little") % (2**31 - 1)
        for value in range(10):
            assert mechanism.bucket(cohort, value) == (a * value + b) % (2**31 - 1) % 5


def test_members_are_the_values_of_the_bucket():
    mechanism = LocalHash(30, 1.0)
    for number in range(0, mechanism.numbers, 97):
        function, bucket = divmod(number, mechanism.buckets)
        report = number.to_bytes(mechanism.report_bytes, "little")
        supported = [v for v in range(30) if mechanism.bucket(function, v) == bucket]
        assert mechanism.members(report) == supported


@pytest.mark.parametrize(
    ("d", "epsilon", "buckets"), [(100, 1.0, 4), (100, 2.0, 8), (100, 0.1, 2), (5, 3.0, 5)]
)
def test_there_is_about_one_bucket_more_than_the_odds(d, epsilon, buckets):
    assert HashedRR(d, epsilon).buckets == buckets


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: HashedRR(20, 1.0, cohorts=2, buckets=3), "cohorts"),
        (lambda: HashedRR(9, 1.0, cohorts=10, buckets=2), "cohorts"),
        (lambda: Rappor(30, 1.0, cohorts=2, bits=8), "cohorts"),
        (lambda: HashedRR(20, 1.0, cohorts=0), "cohorts"),
        (lambda: HashedRR(20, 1.0, buckets=1), "buckets"),
        (lambda: HashedRR(20, 1.0, buckets="3"), "buckets"),
        (lambda: HashedRR(3000, 1.0), "d"),
        (lambda: Rappor(20, 1.0, bits=1), "bits"),
        (lambda: Rappor(20, 1.0, hashes=0), "hashes"),
        (lambda: Rappor(20, 1.0, cohorts=1.5), "cohorts"),
        (lambda: Rappor(3000, 1.0), "d"),
        (lambda: GeometricNoise(20, 1.0, limit=-1), "limit"),
        (lambda: GeometricNoise(20, 1.0, limit=True), "limit"),
        (lambda: LocalHash(2**31, 1.0), "d"),
        (lambda: LocalHash(20, 14.5), "epsilon"),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(make, parameter):
    with refused_argument(parameter):
        make()


@pytest.mark.parametrize(
    ("mechanism", "change", "named"),
    [
        (LocalHash(20, 1.0), {"prime": 29}, r"prime of .*\b23\b"),
        (LocalHash(20, 1.0), {"buckets": 1}, r"buckets of .*\b2\b"),
        (LocalHash(20, 1.0), {"buckets": 10**18}, "buckets of local-hash"),
        (HashedRR(20, 1.0), {"cohorts": 3}, "cohorts of hashed-rr"),
        (HashedRR(20, 1.0), {"buckets": 5000}, "buckets of hashed-rr"),
        (Rappor(20, 1.0), {"hashes": 3}, "private"),
        (Rappor(20, 1.0), {"bits": 1}, "bits of rappor"),
        (GeometricNoise(20, 1.0), {"limit": 2**15}, "limit of geometric-noise"),
        (OptimizedUnary(20, 1.0), {"flip": str(2**63)}, "private"),
        (OptimizedUnary(20, 1.0), {"q": 1}, "optimized-unary.*flip"),
    ],
)
def test_tampered_parameters_are_refused(mechanism, change, named):
    with pytest.raises(InvalidSurvey, match=named):
        type(mechanism).from_parameters(20, 1.0, {**mechanism.parameters, **change})


@pytest.mark.parametrize(
    ("mechanism", "report", "numbers"),
    [
        (OptimizedUnary(10, 1.0), b"\x00\x04", r"\b10\b"),
        (OneBit(10, 1.0), b"\x20", r"\b32\b.*\b31\b"),
        (
            LocalHash(20, 1.0),
            (23 * 22 * 4).to_bytes(2, "little"),
            r"\b2024\b.*\b2023\b",
        ),
        (Rappor(9, 1.0, cohorts=3, bits=9), b"\x03\x00\x00", r"\b3\b.*\b3\b"),
        (Rappor(9, 1.0, cohorts=3, bits=9), b"\x02\x00\x02", r"\b9\b"),
        (GeometricNoise(2, 1.0, limit=3), b"\x07\x08", r"\b4\b"),
    ],
)
def test_what_is_no_report_is_refused(mechanism, report, numbers):
    with pytest.raises(InvalidReport, match=numbers):
        mechanism.check(report)


# --- noise --------------------------------------------------------------------------------------


def test_clamped_to_a_bit_geometric_noise_is_binary_randomized_response():
    noise, binary = GeometricNoise(3, 1.0, limit=0), BinaryRR(3, 1.0)
    for value in range(3):
        bits = {
            bytes([sum(bit << i for i, bit in enumerate(report))]): chance
            for report, chance in law(lambda walk, x=value: noise.sample(x, walk)).items()
        }
        assert bits == law(lambda walk, x=value: binary.sample(x, walk))
    assert total(noise) == pytest.approx(total(binary), rel=1e-12)


@pytest.mark.parametrize(("epsilon", "entry_bytes"), [(0.01, 2), (0.3, 2), (0.4, 1), (5.0, 1)])
def test_entries_have_room_for_all_but_rare_noise(epsilon, entry_bytes):
    mechanism = GeometricNoise(10, epsilon)
    assert mechanism.report_bytes == 10 * entry_bytes
    assert mechanism.analyst.estimator._h < 2**-32


def test_laplace_noise_is_for_simulation_only():
    """It makes no reports, so it has none of the names that a report needs."""
    channel = LaplaceNoise(3, 1.0)
    with refused_argument("mechanism", "Survey", value=channel):
        Survey("Which?", ["a", "b", "c"], 1.0, mechanism=channel)
    assert not isinstance(channel, Mechanism)
    of_reports = "sample", "randomize", "probability", "check", "likelihood_ratio", "parameters"
    assert not [name for name in of_reports if hasattr(channel, name)]
    assert hasattr(channel, "frequencies")


def test_simulated_laplace_noise_has_the_claimed_mean_and_variance():
    mechanism, people = LaplaceNoise(3, 0.5), np.array([70, 30, 0])
    rng = np.random.default_rng(3)
    sums = np.array([simulate.counts(mechanism, people, rng) for _ in range(4000)])
    estimates = mechanism.frequencies(sums, 100)
    variance = mechanism.variance(people / 100, 100, "sample")
    assert (np.abs(estimates.mean(axis=0) - people / 100) < 6 * np.sqrt(variance / 4000)).all()
    assert estimates.var(axis=0) / variance == pytest.approx(1, abs=6 * np.sqrt(5 / 4000))
    one = simulate.run(d=4, epsilon=1.0, n=50, mechanisms={"laplace": LaplaceNoise}, repeats=4)
    assert {row.mechanism for row in one.rows} == {"laplace"}


def test_a_number_takes_as_few_bytes_as_the_largest_one():
    assert OneBit(128, 1.0).numbers == 2**8
    assert [OneBit(d, 1.0).report_bytes for d in (128, 129)] == [1, 2]


def test_a_survey_whose_buckets_cannot_tell_its_values_apart_is_refused():
    """One bucket of each cohort but the first follows from the others."""
    parameters = {**HashedRR(4, 1.0, cohorts=5, buckets=3).parameters, "cohorts": 2}
    assert HashedRR.from_parameters(5, 1.0, parameters).numbers == 6
    with pytest.raises(InvalidSurvey, match=r"cohorts.*\b6\b"):
        HashedRR.from_parameters(6, 1.0, parameters)


def test_noise_is_refused_where_it_takes_too_many_coins():
    """An entry takes 1 + 1/(1 − α) of them, nearly, at most 2^15 in all where it is above 32."""
    flip = GeometricNoise(2, 0.01).flip
    coins = 1 + (2**64 - flip) // (2**64 - 2 * flip)
    most = 2**15 // coins
    assert GeometricNoise(most, 0.01).d == most
    with refused_argument("epsilon", "GeometricNoise", value=0.01, naming=rf"\b{most + 1}\b"):
        GeometricNoise(most + 1, 0.01)


def test_an_epsilon_whose_flip_is_no_64_bit_integer_is_refused():
    assert OptimizedUnary(3, 43.0).flip > 1
    with refused_argument("epsilon", "OptimizedUnary", value=44.4):
        OptimizedUnary(3, 44.4)  # for which it would be 1
    with refused_argument("epsilon", "Rappor", value=1e-12):
        Rappor(3, 1e-12, hashes=16)  # for which it would be 1/2, nearly
