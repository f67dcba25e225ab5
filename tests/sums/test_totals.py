"""Totals and differences: exact variances, and intervals that cover."""

import doctest
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from crowds import survey_of, zipf
from privet import Estimate, simulate
from privet.analysis.sums.covariance import covariance, noise
from privet.errors import InvalidAnswer, InvalidReport, NoReports, SurveyMismatch
from privet.mechanisms import (
    BinaryRR,
    Cyclotomic,
    GeometricNoise,
    Hadamard,
    HashedRR,
    KSubset,
    LocalHash,
    OneBit,
    OptimizedUnary,
    Rappor,
)
from privet.sums import change, difference, homogeneity, total
from refusing import refused_argument

SMALL = [
    KSubset(2, 1.0),
    KSubset(3, 1.0, k=2),
    KSubset(7, 1.0, k=3),
    KSubset(7, 0.5, k=6),
    KSubset(8, 2.0, k=1),
    BinaryRR(5, 1.0),
    OptimizedUnary(5, 2.0),
    Cyclotomic(7, 1.0, p=7, m=3, u=1),
    Cyclotomic(8, 1.0, p=13, m=4, u=1),
    Hadamard(6, 0.5),
    LocalHash(2, 0.5),
    LocalHash(6, 1.0),
    LocalHash(7, 0.5),
    LocalHash(5, 2.0),
    OneBit(5, 1.0),
    OneBit(8, 2.0),
]


def names(positions):
    return [f"c{i}" for i in positions]


def draw(survey, theta, n, rng):
    """Return n people drawn from theta, and the estimate from their reports."""
    people = rng.multinomial(n, theta)
    return people, Estimate(survey, n, simulate.counts(survey.mechanism, people, rng))


def within(share, expected, repeats, alpha=1e-6):
    return (
        abs(share - expected) < norm.isf(alpha / 2) * (expected * (1 - expected) / repeats) ** 0.5
    )


# --- exact, by enumeration of all reports ---------------------------------------------------------


@cache
def enumerate_reports(mechanism):
    """Return which values each report supports, and its probability for each own value."""
    reports = []
    for number in range(256**mechanism.report_bytes):
        report = number.to_bytes(mechanism.report_bytes, "little")
        try:
            supported = mechanism.tally(report)
        except InvalidReport:
            continue
        reports.append((report, supported.tolist()))
    chances = [[mechanism.probability(z, x) for z, _ in reports] for x in range(mechanism.d)]
    assert all(sum(row) == 1 for row in chances)
    return [supported for _, supported in reports], chances


def exact_noise(mechanism, weights):
    supported, chances = enumerate_reports(mechanism)
    sums = [sum(w * s for w, s in zip(weights, row, strict=True)) for row in supported]
    g, h = mechanism.hit_rates
    for row in chances:
        mean = sum(chance * value for chance, value in zip(row, sums, strict=True))
        square = sum(chance * value**2 for chance, value in zip(row, sums, strict=True))
        yield float((square - mean**2) / (g - h) ** 2)


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_the_noise_of_every_sum_is_exact(mechanism):
    d = mechanism.d
    sets = [set(chosen) for a in range(1, d + 1) for chosen in combinations(range(d), a)]
    every = [[int(j in chosen) for j in range(d)] for chosen in sets[:: max(1, len(sets) // 24)]]
    mixed = [[1, -1, *[0] * (d - 2)], [(3 * j) % 7 - 2 for j in range(d)]]
    for weights in every + mixed:
        expected = list(exact_noise(mechanism, weights))
        found = noise(mechanism, np.array(weights, dtype=np.float64))
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12 * max(*expected, 1))


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_the_covariance_is_exact(mechanism):
    d = mechanism.d
    theta = [Fraction(j + 1, d * (d + 1) // 2) for j in range(d)]
    supported, chances = enumerate_reports(mechanism)
    mixed = [
        sum(t * row[z] for t, row in zip(theta, chances, strict=True))
        for z in range(len(supported))
    ]
    g, h = mechanism.hit_rates
    rows = np.array(supported, dtype=object)
    second = (rows * np.array(mixed, dtype=object)[:, None]).T @ rows
    mean = np.array(mixed, dtype=object) @ rows
    expected = ((second - np.outer(mean, mean)) / (g - h) ** 2).astype(np.float64)
    apply = covariance(mechanism, np.array(theta, dtype=np.float64))
    found = np.array([apply(unit) for unit in np.eye(d)])
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12 * expected.max())


@pytest.mark.parametrize(
    "mechanism",
    [KSubset(500, 1.0), OptimizedUnary(500, 1.0), Cyclotomic(500, 1.0), Hadamard(500, 0.5)],
    ids=repr,
)
def test_noise_and_covariance_agree_for_many_values(mechanism):
    rng = np.random.default_rng(2)
    theta, weights = zipf(mechanism.d), rng.integers(-3, 4, mechanism.d).astype(np.float64)
    drawn = theta @ weights**2 - (theta @ weights) ** 2
    expected = theta @ noise(mechanism, weights) + drawn
    assert weights @ covariance(mechanism, theta)(weights) == pytest.approx(expected, rel=1e-9)


def test_one_category_has_the_variance_and_interval_of_the_estimate():
    rng = np.random.default_rng(3)
    for mechanism in (KSubset(16, 1.0), BinaryRR(16, 1.0), Cyclotomic(16, 1.0), OneBit(16, 1.0)):
        estimate = draw(survey_of(mechanism), zipf(16), 20_000, rng)[1]
        for target in ("population", "sample"):
            one = total(estimate, "c2", target=target)
            low, high = estimate.interval(0.9, target=target)
            variance = mechanism.variance(np.clip(estimate.frequencies, 0, 1), estimate.n, target)
            assert one.value == pytest.approx(estimate.frequencies[2])
            assert one.standard_error == pytest.approx(variance[2] ** 0.5, rel=1e-9)
            assert one.interval(0.9) == pytest.approx((low[2], high[2]), abs=1e-12)


def test_a_set_and_its_complement_say_the_same():
    estimate = draw(survey_of(KSubset(16, 2.0)), zipf(16), 5000, np.random.default_rng(4))[1]
    for target in ("population", "sample"):
        some = total(estimate, names(range(5)), target=target)
        others = total(estimate, names(range(5, 16)), target=target)
        assert some.value == pytest.approx(1 - others.value)
        assert some.standard_error == pytest.approx(others.standard_error)
        low, high = others.interval()
        assert some.interval() == pytest.approx((1 - high, 1 - low))
    everything = total(estimate, estimate.survey.categories)
    assert (everything.value, everything.standard_error) == (1, 0)
    assert everything.interval() == (1, 1)


EVERY_KIND = [
    KSubset(7, 1.0),
    KSubset(4, 3.0, k=1),
    Cyclotomic(7, 1.0, p=7, m=3, u=1),
    Cyclotomic(8, 1.0, p=13, m=4, u=1),
    BinaryRR(7, 1.0),
    LocalHash(7, 1.0),
    OneBit(7, 1.0),
    HashedRR(7, 1.0),
    Rappor(7, 1.0),
    GeometricNoise(7, 1.0),
]


@pytest.mark.parametrize("mechanism", EVERY_KIND, ids=repr)
def test_all_categories_but_some_are_the_mirror_of_these(mechanism):
    d, rng = mechanism.d, np.random.default_rng(5)
    for n in (1, 30, 1000):
        estimate = draw(survey_of(mechanism), zipf(d), n, rng)[1]
        for some in range(1, (d + 1) // 2):
            for target in ("population", "sample"):
                few = total(estimate, names(range(some)), target=target)
                many = total(estimate, names(range(some, d)), target=target)
                assert (many.value, many.standard_error) == (1 - few.value, few.standard_error)
                low, high = few.interval(0.9)
                assert many.interval(0.9) == (1 - high, 1 - low)
                least, most = difference(
                    estimate, names(range(some, d)), names(range(some)), target=target
                ).interval(0.9)
                assert (least, most) == pytest.approx(
                    np.clip((1 - 2 * high, 1 - 2 * low), -1, 1), abs=1e-9
                )


def test_frequencies_that_add_up_to_1_give_the_same_total_either_way():
    """Where they do not, as with independent bits, what the others leave has less noise."""
    rng, many = np.random.default_rng(6), names(range(1, 16))
    for mechanism, adds_up in ((KSubset(16, 1.0), True), (BinaryRR(16, 1.0), False)):
        estimate = draw(survey_of(mechanism), zipf(16), 2000, rng)[1]
        added = estimate.frequencies[1:].sum()
        found = total(estimate, many)
        assert (found.value == pytest.approx(added)) == adds_up
        variance = (zipf(16) @ noise(mechanism, np.array([0.0, *[1] * 15]))) / estimate.n
        assert (found.standard_error == pytest.approx(variance**0.5, rel=0.2)) == adds_up


# --- coverage -------------------------------------------------------------------------------------

COVERED = [
    (KSubset(16, 1.0), 2000, 600),
    (KSubset(100, 4.0), 1000, 600),
    (BinaryRR(16, 1.0), 2000, 600),
    (Cyclotomic(31, 2.0, p=31, m=5, u=1), 1000, 400),
    (Cyclotomic(25, 1.0, p=31, m=3, u=1), 1000, 400),
    (LocalHash(20, 2.0), 1000, 400),
    (OneBit(20, 2.0), 1000, 400),
    (HashedRR(20, 2.0), 1000, 400),
    (Rappor(20, 4.0, cohorts=16, bits=16), 1000, 400),
    (GeometricNoise(20, 4.0), 1000, 400),
]


@pytest.mark.parametrize(("mechanism", "n", "repeats"), COVERED, ids=repr)
def test_totals_and_differences_cover(mechanism, n, repeats):
    """Both targets, one survey and two; the spread is as wide as the standard error says."""
    d, theta, rng = mechanism.d, zipf(mechanism.d), np.random.default_rng(21)
    survey = survey_of(mechanism)
    some, others = list(range(1, d // 2)), [0, *range(3 * d // 4, d)]
    earlier = draw(survey, theta, n, rng)
    hits, errors = {}, []
    for _ in range(repeats):
        people, estimate = draw(survey, theta, n, rng)
        for target, truth in (("population", theta), ("sample", people / n)):
            share, other = truth[some].sum(), truth[others].sum()
            one = total(estimate, names(some), target=target)
            two = difference(estimate, names(some), names(others), target=target)
            before = earlier[0][some].sum() / n if target == "sample" else share
            wave = change(earlier[1], estimate, names(some), target=target)
            results = {
                "total": (one, share),
                "difference": (two, share - other),
                "change": (wave, share - before),
            }
            for kind, (result, value) in results.items():
                low, high = result.interval()
                hits.setdefault((kind, target), []).append(low <= value <= high)
            if target == "population":
                errors.append([(one.value - share) / one.standard_error,
                               (two.value - share + other) / two.standard_error])  # fmt: skip
        earlier = people, estimate
    for kind, covered in hits.items():
        assert within(np.mean(covered), 0.95, repeats), (kind, np.mean(covered))
    spread = np.std(errors, axis=0)
    assert spread == pytest.approx([1, 1], abs=norm.isf(5e-7) / (2 * repeats) ** 0.5)


def test_ignoring_covariances_does_not_cover():
    """Negative control: errors are opposed, so that sums vary less and differences more."""
    theta, n, repeats = np.array([0.4, 0.4, 0.2, 0]), 1000, 1000
    survey, rng = survey_of(KSubset(4, 6.0)), np.random.default_rng(22)
    z, hits = norm.isf(0.025), np.zeros(4)
    for _ in range(repeats):
        estimate = draw(survey, theta, n, rng)[1]
        apart, together = difference(estimate, "c0", "c1"), total(estimate, ["c0", "c1"])
        variances = estimate.standard_errors**2
        intervals = (
            apart.interval(),
            together.interval(),
            apart.value + z * np.sqrt(variances[0] + variances[1]) * np.array([-1, 1]),
            together.value + z * np.sqrt(variances[0] + variances[1]) * np.array([-1, 1]),
        )
        truths = (0, 0.8, 0, 0.8)
        hits += [low <= truth <= high for (low, high), truth in zip(intervals, truths, strict=True)]
    right, also_right, too_narrow, too_wide = hits / repeats
    assert within(right, 0.95, repeats)
    assert within(also_right, 0.95, repeats)
    assert too_narrow < 0.91
    assert too_wide > 0.98


def test_the_sample_interval_does_not_cover_the_population():
    survey, theta, rng = survey_of(KSubset(8, 6.0)), zipf(8), np.random.default_rng(23)
    covered = 0
    for _ in range(200):
        estimate = draw(survey, theta, 1000, rng)[1]
        low, high = total(estimate, names(range(1, 4)), target="sample").interval()
        covered += low <= theta[1:4].sum() <= high
    assert covered / 200 < 0.7


def test_surveys_of_other_mechanisms_compare():
    rng, theta = np.random.default_rng(24), zipf(16)
    before = draw(survey_of(KSubset(16, 1.0)), theta, 4000, rng)[1]
    after = draw(survey_of(BinaryRR(16, 2.0)), theta, 8000, rng)[1]
    grown = change(before, after, names(range(4)))
    errors = [total(x, names(range(4))).standard_error for x in (before, after)]
    assert grown.standard_error == pytest.approx(np.hypot(*errors))
    assert abs(grown.value) < 5 * grown.standard_error
    shrunk = change(after, before, names(range(4)))
    low, high = grown.interval()
    assert shrunk.interval() == pytest.approx((-high, -low))


def test_a_tally_is_as_good_as_its_estimate():
    survey = survey_of(KSubset(6, 1.0))
    tallies = [survey.tally(), survey.tally()]
    for tally in tallies:
        tally.update(survey.randomize_batch(names(np.arange(600) % 6)))
    one, two = (tally.estimate() for tally in tallies)
    assert homogeneity(*tallies) == homogeneity(one, two)
    assert total(tallies[0], "c1").value == total(one, "c1").value


# --- errors ---------------------------------------------------------------------------------------


def test_what_is_refused():
    survey = survey_of(KSubset(6, 1.0))
    estimate = Estimate(survey, 60, np.full(6, 20))
    with pytest.raises(InvalidAnswer) as caught:
        total(estimate, ["c1", "c9"])
    assert caught.value.answer == "c9"
    with refused_argument("categories", "total", value=[]):
        total(estimate, [])
    with refused_argument("categories[2]", value="c1"):
        total(estimate, ["c1", "c2", "c1"])
    with refused_argument("second", value="c2"):
        difference(estimate, ["c1", "c2"], ["c2", "c3"])
    with refused_argument("target", "change", value="people"):
        change(estimate, Estimate(survey, 60, np.full(6, 20)), "c1", target="people")
    with refused_argument("after", "change", value="q"):
        change(estimate, estimate, "c1")
    with refused_argument("estimate", "total", value=7):
        total(7, "c1")
    with refused_argument("second", value=survey):
        homogeneity(estimate, survey)
    with refused_argument("others[1]", value=survey):
        homogeneity(estimate, estimate, estimate, survey)
    with pytest.raises(SurveyMismatch, match="categories"):
        homogeneity(estimate, Estimate(survey_of(KSubset(7, 1.0)), 7, np.ones(7, dtype=int)))
    for nothing in (survey.tally(), Estimate(survey, 0, np.zeros(6, dtype=int))):
        for function in (total, homogeneity):
            with pytest.raises(NoReports):
                function(nothing, "c1" if function is total else estimate)
    for result in (total(estimate, ["c1", "c2"]), difference(estimate, "c1", "c2")):
        for level in (0.0, 1.0, 95, "0.95"):
            with refused_argument("level", value=level):
                result.interval(level)


def test_the_page_for_analysts_runs():
    page = Path(__file__).parents[2] / "docs" / "sums.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert failed == 0
    assert tried > 20


@pytest.mark.parametrize("target", ["population", "sample"])
def test_totals_and_differences_cover_without_much_noise(target):
    """300 people, ε = 8, and rare categories, where a count is not normal."""
    mechanism, n, repeats = KSubset(12, 8.0), 300, 300
    survey, rng = survey_of(mechanism), np.random.default_rng(4)
    truth = np.array([0.9] + [0.1 / 11] * 11)
    held = np.zeros(4)
    for _ in range(repeats):
        people = rng.multinomial(n, truth)
        shares = truth if target == "population" else people / n
        estimate = Estimate(survey, n, simulate.counts(mechanism, people, rng))
        found = [
            (estimate.total("c0", target=target), shares[0]),
            (estimate.total(["c1", "c2", "c3"], target=target), shares[1:4].sum()),
            (estimate.difference("c0", "c1", target=target), shares[0] - shares[1]),
            (estimate.difference("c2", ["c3", "c4"], target=target),
             shares[2] - shares[3:5].sum()),
        ]  # fmt: skip
        ends = np.array([one.interval() for one, _ in found]).T
        true = np.array([true for _, true in found])
        held += (ends[0] <= true + 1e-12) & (true <= ends[1] + 1e-12)
    assert (held / repeats >= 0.95 - 3 * (0.95 * 0.05 / repeats) ** 0.5).all()


def test_a_difference_that_cannot_be_has_an_interval_that_can():
    survey = survey_of(KSubset(4, 0.2))
    for counts in ([0, 300, 0, 0], [300, 0, 0, 0], [0, 0, 300, 0]):
        estimate = Estimate(survey, 300, np.array(counts))
        for target in ("population", "sample", 500):
            low, high = estimate.difference("c0", "c1", target=target).interval()
            assert -1 <= low < high <= 1
            low, high = estimate.total(["c0", "c3"], target=target).interval()
            assert 0 <= low < high <= 1
