"""Maximum likelihood: as far up as a generic solver gets, with a certificate that holds."""

from fractions import Fraction
from math import log

import numpy as np
import pytest
from scipy.optimize import minimize

from privet import Survey
from privet.analysis import incidence
from privet.analysis.refine import likelihood
from privet.device.mechanisms.subsets.cyclotomic import Cyclotomic
from privet.device.mechanisms.subsets.hadamard import Hadamard
from privet.entropy import seeded
from privet.errors import InvalidReport, NoReports
from privet.mechanisms import BinaryRR, Interval, KSubset
from privet.refine import maximum_likelihood
from refusing import refused_argument

MECHANISMS = [
    KSubset(6, 1.0, k=2),
    KSubset(6, 3.0, k=1),
    KSubset(9, 0.5, k=4),
    KSubset(40, 2.0, k=3),  # reports of packed indices
    KSubset(7, 6.0, k=6),
    Cyclotomic(11, 1.0, p=13, m=4, u=1),
    Hadamard(7, 0.5),
    Interval(8, 1.5),
    Interval(6, 0.5, window=6),
]


def zipf(d):
    weights = 1 / np.arange(1, d + 1)
    return weights / weights.sum()


def reports_of(mechanism, n, seed=1, theta=None):
    theta = zipf(mechanism.d) if theta is None else theta
    values = np.random.default_rng(seed).choice(mechanism.d, size=n, p=theta)
    return mechanism.randomize(values, entropy=seeded(seed))


def members_of(mechanism, reports):
    rows = np.zeros((len(reports), mechanism.d))
    for row, report in zip(rows, reports, strict=True):
        row[mechanism.members(report.tobytes())] = 1
    return rows


def by_a_generic_solver(mechanism, rows):
    """Maximise the mean of log(1 + (E − 1) θ(z)) by sequential quadratic programming."""
    excess = float(mechanism.likelihood_ratio - 1)
    scale = len(rows)

    def loss(theta):
        return -np.log1p(excess * (rows @ theta)).sum() / scale

    def gradient(theta):
        return -excess * (rows.T @ (1 / (1 + excess * (rows @ theta)))) / scale

    d = mechanism.d
    one = {"type": "eq", "fun": lambda theta: theta.sum() - 1, "jac": lambda _: np.ones(d)}
    found = minimize(
        loss, np.full(d, 1 / d), jac=gradient, method="SLSQP", bounds=[(0, 1)] * d,
        constraints=one, options={"ftol": 1e-16, "maxiter": 2000},
    )  # fmt: skip
    return found.x, -found.fun


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_it_is_the_maximum_of_a_generic_solver(mechanism):
    reports = reports_of(mechanism, 400)
    found = maximum_likelihood(mechanism, reports)
    rows = members_of(mechanism, reports)
    theirs, height = by_a_generic_solver(mechanism, rows)
    ours = np.log1p(float(mechanism.likelihood_ratio - 1) * (rows @ found.frequencies)).mean()
    assert found.gap <= 1e-10
    assert ours == pytest.approx(height, abs=1e-8)
    assert ours >= height - 1e-10
    assert found.frequencies == pytest.approx(theirs, abs=1e-5)
    assert found.frequencies.min() >= 0
    assert found.frequencies.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_the_log_likelihood_is_that_of_the_exact_probabilities(mechanism):
    reports = reports_of(mechanism, 30)
    found = maximum_likelihood(mechanism, reports)
    theta = [Fraction(share) for share in found.frequencies]
    total = 0.0
    for report in reports:
        chances = [mechanism.probability(report.tobytes(), x) for x in range(mechanism.d)]
        total += log(sum(share * chance for share, chance in zip(theta, chances, strict=True)))
    assert found.log_likelihood == pytest.approx(total, rel=1e-11)


def test_the_gap_bounds_what_is_missing_at_every_step():
    mechanism = KSubset(30, 3.0, k=4)
    reports = reports_of(mechanism, 2000)
    best = maximum_likelihood(mechanism, reports, tolerance=1e-13)
    rows, excess = members_of(mechanism, reports), float(mechanism.likelihood_ratio - 1)
    for steps in range(6):
        on_the_way = maximum_likelihood(mechanism, reports, max_iterations=steps)
        missing = (best.log_likelihood - on_the_way.log_likelihood) / len(reports)
        assert on_the_way.iterations <= steps
        assert -1e-12 <= missing <= on_the_way.gap + 1e-13
        odds = 1 + excess * (rows @ on_the_way.frequencies)
        rises = ((1 + excess * rows) / odds[:, None]).mean(axis=0)
        assert on_the_way.gap == pytest.approx(rises.max() - 1, abs=1e-12)
    # At a vertex the bound is far from nothing: the certificate does tell.
    assert maximum_likelihood(mechanism, reports, max_iterations=0).gap > 1e-6


def test_it_is_a_fixed_point_of_expectation_maximisation():
    mechanism = KSubset(12, 1.0, k=4)
    reports = reports_of(mechanism, 500)
    theta = maximum_likelihood(mechanism, reports, tolerance=1e-13).frequencies
    rows, ratio = members_of(mechanism, reports), float(mechanism.likelihood_ratio)
    weights = (1 + (ratio - 1) * rows) / (1 + (ratio - 1) * (rows @ theta))[:, None]
    assert theta * weights.mean(axis=0) == pytest.approx(theta, abs=1e-11)


def test_at_k_1_water_is_filled():
    mechanism = KSubset(5, 1.0, k=1)
    counts = np.array([50, 30, 12, 8, 0])
    found = maximum_likelihood(mechanism, counts)
    assert found.iterations == 0
    assert found.gap < 1e-14
    positive = found.frequencies > 0
    level = counts / (found.frequencies + 1 / float(mechanism.likelihood_ratio - 1))
    assert level[positive] == pytest.approx(level[0])
    assert (level[~positive] <= level[0]).all()
    assert 0 < positive.sum() < 5


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 30.0])
@pytest.mark.parametrize("k", [1, 2])
def test_extreme_levels(epsilon, k):
    mechanism = KSubset(6, epsilon, k=k)
    found = maximum_likelihood(mechanism, reports_of(mechanism, 3000))
    assert found.gap <= 1e-10
    assert found.frequencies.sum() == pytest.approx(1, abs=1e-12)


def test_more_reports_come_closer():
    mechanism = KSubset(20, 2.0)
    errors = []
    for n in (1000, 100_000):
        theta = maximum_likelihood(mechanism, reports_of(mechanism, n)).frequencies
        errors.append(np.sum((theta - zipf(20)) ** 2))
    # A hundred times the people: a hundredth of the squared error, give or take.
    assert errors[1] < errors[0] / 20


def test_one_report_says_one_of_its_members_and_not_which():
    mechanism = KSubset(8, 1.0, k=3)
    report = mechanism.randomize(np.array([5]), entropy=seeded(3))[0].tobytes()
    found = maximum_likelihood(mechanism, report)
    expected = np.zeros(8)
    expected[mechanism.members(report)] = 1 / 3
    assert found.frequencies == pytest.approx(expected)
    assert found.gap == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("n", [2, 5, 20, 80])
def test_fewer_reports_than_values(n):
    mechanism = KSubset(100, 1.0)
    assert maximum_likelihood(mechanism, reports_of(mechanism, n)).gap <= 1e-10


def test_compiled_sums_are_the_plain_ones(monkeypatch):
    theta = zipf(203)
    for mechanism in (KSubset(203, 1.0), KSubset(203, 4.0)):
        reports = reports_of(mechanism, 300)
        rows = members_of(mechanism, reports)
        weights = np.random.default_rng(4).random(300)
        for limit in (1 << 20, 0):
            monkeypatch.setattr(incidence, "_DENSE_ENTRIES", limit)
            sets = incidence.of_reports(mechanism, reports)
            assert sets.forward(theta) == pytest.approx(rows @ theta, rel=1e-13)
            assert sets.adjoint(weights) == pytest.approx(weights @ rows, rel=1e-13)


def test_equal_reports_are_folded_without_a_difference(monkeypatch):
    mechanism = KSubset(6, 1.0, k=3)
    reports = reports_of(mechanism, 5000)
    folded = maximum_likelihood(mechanism, reports)
    monkeypatch.setattr(likelihood, "_log_subsets", lambda d, k: 99.0)
    one_by_one = maximum_likelihood(mechanism, reports)
    assert folded.frequencies == pytest.approx(one_by_one.frequencies, abs=1e-9)


def test_a_tally_is_enough_where_it_tells_all():
    for mechanism in (KSubset(7, 1.0, k=1), Cyclotomic(11, 1.0, p=13, m=4, u=1), Hadamard(7, 0.5)):
        categories = [f"c{i}" for i in range(mechanism.d)]
        survey = Survey("Q", categories, mechanism.epsilon, mechanism=mechanism)
        reports = reports_of(mechanism, 1000)
        tally = survey.tally()
        tally.update(reports)
        expected = maximum_likelihood(mechanism, reports).frequencies
        for same in (tally, mechanism.aggregate(reports)[1]):
            assert (maximum_likelihood(mechanism, same).frequencies == expected).all()
        with refused_argument("reports"):
            maximum_likelihood(KSubset(mechanism.d, 2.0), tally)


@pytest.mark.parametrize(
    "mechanism", [KSubset(6, 1.0, k=2), KSubset(5, 2.0, k=1), Hadamard(7, 1.0)]
)
def test_standard_errors_are_calibrated(mechanism):
    theta, surveys = np.arange(3, mechanism.d + 3) / np.arange(3, mechanism.d + 3).sum(), 150
    scores = []
    for seed in range(surveys):
        found = maximum_likelihood(mechanism, reports_of(mechanism, 4000, seed, theta))
        scores.append((found.frequencies - theta) / found.standard_errors)
    spread = np.square(scores).mean(axis=1)  # of a survey, 1 on average
    near = 5 * spread.std(ddof=1) / np.sqrt(surveys)
    assert abs(spread.mean() - 1) < near
    # The test has power: errors too large by a fifth would not pass.
    assert abs(spread.mean() / 1.2**2 - 1) > near / 1.2**2


def test_standard_errors_of_one_value_a_report_are_those_of_the_counts():
    mechanism, counts = KSubset(4, 2.0, k=1), np.array([450, 280, 160, 110])
    found = maximum_likelihood(mechanism, counts)
    assert found.frequencies.min() > 0
    expected = np.sqrt(mechanism.variance(found.frequencies, 1000))
    assert found.standard_errors == pytest.approx(expected, rel=1e-9)


def test_where_reports_do_not_tell_the_errors_are_infinite():
    mechanism = KSubset(8, 1.0, k=3)
    report = mechanism.randomize(np.array([5]), entropy=seeded(3))[0].tobytes()
    assert np.isinf(maximum_likelihood(mechanism, report).standard_errors).all()


def test_progress_is_told():
    mechanism = KSubset(12, 1.0, k=4)
    told = []
    found = maximum_likelihood(
        mechanism, reports_of(mechanism, 500), progress=lambda *news: told.append(news)
    )
    assert [steps for steps, _ in told] == list(range(found.iterations + 1))
    assert max(told[-1][1], 0) == found.gap


def test_without_reports_there_is_nothing_to_maximise():
    for none in ([], np.empty((0, 1), dtype=np.uint8)):
        with pytest.raises(NoReports):
            maximum_likelihood(KSubset(8, 1.0, k=3), none)
    for nobody in (KSubset(8, 1.0, k=1), Hadamard(7, 0.5)):
        with pytest.raises(NoReports):
            maximum_likelihood(nobody, np.zeros(nobody.aggregate_size, dtype=np.int64))


def test_what_it_refuses():
    mechanism = KSubset(8, 1.0, k=3)

    def refuses(parameter, value, *args, **options):
        with refused_argument(parameter, "maximum_likelihood", value=value):
            maximum_likelihood(*args, **options)

    for nobody in (KSubset(8, 1.0, k=1), Hadamard(7, 0.5)):
        for wrong in (np.ones(3, dtype=np.int64), np.ones(nobody.aggregate_size)):
            refuses("reports", wrong, nobody, wrong)
        negative = np.arange(-1, nobody.aggregate_size - 1)
        refuses("reports", negative, nobody, negative)
    refuses("reports", np.full(8, 3), mechanism, np.full(8, 3))
    tally = Survey("Q", list("abcdefgh"), 1.0, mechanism=mechanism).tally()
    other = KSubset(8, 2.0)
    refuses("reports", tally, other, tally)
    others = BinaryRR(8, 1.0)
    refuses("mechanism", others, others, [b"\x01"])
    with pytest.raises(InvalidReport, match="3 members"):
        maximum_likelihood(mechanism, b"\xff")
    for tolerance in (0.0, -1.0, float("nan"), "small"):
        refuses("tolerance", tolerance, mechanism, b"\x07", tolerance=tolerance)
