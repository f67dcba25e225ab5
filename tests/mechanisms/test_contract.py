"""What `mechanisms/base.py` promises, of every mechanism."""

import json
import pickle
from functools import cache

import numpy as np
import pytest

from exact import assert_private, laws
from exact import values_of as every_value
from privet import Survey, simulate
from privet.analysis import batch, counter
from privet.analysis.tally import Tally
from privet.entropy import Stream, seeded
from privet.errors import InvalidArgument, InvalidReport, InvalidSurvey, InvalidTally
from privet.mechanisms import (
    BinaryRR,
    Cyclotomic,
    GeometricNoise,
    Hadamard,
    HashedRR,
    Interval,
    KSubset,
    LocalHash,
    MultivariateRR,
    OneBit,
    OptimizedUnary,
    Projective,
    Rappor,
    SetSubset,
    by_name,
)

# A mechanism is one line: how to make one so small that all its reports can be enumerated.
SMALL = {
    KSubset: lambda epsilon: KSubset(5, epsilon, k=2),
    Cyclotomic: lambda epsilon: Cyclotomic(5, epsilon, p=7, m=3, u=1),
    Projective: lambda epsilon: Projective(6, epsilon, q=2),
    Hadamard: lambda epsilon: Hadamard(5, epsilon),
    MultivariateRR: lambda epsilon: MultivariateRR(9, epsilon),
    BinaryRR: lambda epsilon: BinaryRR(4, epsilon),
    OptimizedUnary: lambda epsilon: OptimizedUnary(4, epsilon),
    LocalHash: lambda epsilon: LocalHash(4, epsilon),
    OneBit: lambda epsilon: OneBit(5, epsilon),
    HashedRR: lambda epsilon: HashedRR(4, epsilon, cohorts=5, buckets=3),
    Rappor: lambda epsilon: Rappor(3, epsilon, cohorts=3, bits=5, hashes=2),
    Interval: lambda epsilon: Interval(5, epsilon, window=2),
    GeometricNoise: lambda epsilon: GeometricNoise(3, epsilon, limit=1),
}

# Every mechanism that a survey may name is held to the contract.
assert {cls.name for cls in SMALL} == set(by_name)

# One that no survey names yet, as a person holds several values: to as much as does not need one.
SEVERAL = {SetSubset: lambda epsilon: SetSubset(4, epsilon, most=2, k=2)}

every_mechanism = pytest.mark.parametrize("cls", [*SMALL, *SEVERAL], ids=lambda cls: cls.name)
one_value_each = pytest.mark.parametrize("cls", SMALL, ids=lambda cls: cls.name)


@cache
def small(cls, epsilon=1.0):
    return SEVERAL[cls](epsilon) if cls in SEVERAL else SMALL[cls](epsilon)


def made(cls, d, epsilon):
    return cls(d, epsilon, **({"most": 2} if cls in SEVERAL else {}))


@cache
def usual(cls, d=37):
    return made(cls, d, 1.0)


@cache
def tables(cls, epsilon=1.0):
    return laws(small(cls, epsilon))


def values_of(mechanism, n, seed=1):
    values = np.random.default_rng(seed).integers(0, mechanism.d, n)
    return values if mechanism.shares_add_up else values[:, None]


# --- a value ------------------------------------------------------------------------------------


@every_mechanism
def test_it_is_an_immutable_value(cls):
    mechanism = usual(cls)
    assert mechanism == made(cls, 37, 1.0)
    assert hash(mechanism) == hash(made(cls, 37, 1.0))
    others = [made(cls, 36, 1.0), made(cls, 37, 1.1), small(cls)]
    others += [usual(other) for other in (*SMALL, *SEVERAL) if other is not cls]
    assert all(mechanism != other for other in others)
    assert repr(mechanism).startswith(f"{cls.__name__}(d=37, epsilon=1.0")
    for name in ("d", "epsilon", "anything"):
        with pytest.raises(AttributeError, match=f"{cls.__name__} is immutable: '{name}'"):
            setattr(mechanism, name, 2)


@every_mechanism
def test_after_use_it_still_goes_to_other_processes(cls):
    mechanism = made(cls, 37, 1.0)
    values = values_of(mechanism, 1000)
    reports = mechanism.randomize(values, entropy=seeded(1))
    counts = mechanism.tally(reports)
    there = pickle.loads(pickle.dumps(mechanism))
    assert np.array_equal(there.randomize(values, entropy=seeded(1)), reports)
    assert np.array_equal(there.tally(reports), counts)


@every_mechanism
def test_parameters_rebuild_it_through_json(cls):
    for mechanism in (small(cls), usual(cls)):
        parameters = json.loads(json.dumps(mechanism.parameters))
        assert cls.from_parameters(mechanism.d, 1.0, parameters) == mechanism


@every_mechanism
def test_parameters_that_are_not_its_own_are_refused(cls):
    d, parameters = usual(cls).d, usual(cls).parameters
    wrong = [{}, {**parameters, "extra": 1}]
    for name, value in parameters.items():
        wrong.append({other: parameters[other] for other in parameters if other != name})
        wrong += [{**parameters, name: bad} for bad in (None, -1, 10**30, True, 1.5, "x", [1])]
        wrong.append({**parameters, name: int(value) if isinstance(value, str) else str(value)})
    for bad in wrong:
        with pytest.raises(InvalidSurvey):
            cls.from_parameters(d, 1.0, bad)


@every_mechanism
def test_a_survey_that_is_less_private_than_it_says_is_refused(cls):
    """The integers are the closest to e^ε that are allowed: one step more breaks the promise."""
    mechanism = usual(cls)
    steps = {"odds": 1, "meet": 1, "flip": -1}
    name, step = next((n, step) for n, step in steps.items() if n in mechanism.parameters)
    integer = int(mechanism.parameters[name])
    bolder = {**mechanism.parameters, name: str(integer + step)}
    with pytest.raises(InvalidSurvey, match="not as private as it says"):
        cls.from_parameters(37, 1.0, bolder)
    shyer = {**mechanism.parameters, name: str(integer - step)}
    assert cls.from_parameters(37, 1.0, shyer).likelihood_ratio < mechanism.likelihood_ratio


@every_mechanism
@pytest.mark.parametrize(
    ("d", "epsilon", "parameter"),
    [
        (1, 1.0, "d"), (2.5, 1.0, "d"), (True, 1.0, "d"), ("3", 1.0, "d"), (2**32 + 1, 1.0, "d"),
        (10, 0, "epsilon"), (10, -1.0, "epsilon"), (10, float("nan"), "epsilon"),
        (10, float("inf"), "epsilon"), (10, "1", "epsilon"), (10, 1e-30, "epsilon"),
        (10, 999.0, "epsilon"),
    ],
)  # fmt: skip
def test_a_bad_domain_is_refused(cls, d, epsilon, parameter):
    message = rf"The '{parameter}' parameter of {cls.__name__} must be .* Got "
    with pytest.raises(InvalidArgument, match=message):
        made(cls, d, epsilon)


# --- the law of a report ------------------------------------------------------------------------


@every_mechanism
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0])
def test_the_sampler_has_exactly_the_law_it_claims(cls, epsilon):
    mechanism = small(cls, epsilon)
    ratio = assert_private(tables(cls, epsilon), epsilon)
    assert ratio == mechanism.likelihood_ratio
    assert mechanism.realized_epsilon <= epsilon
    assert mechanism.realized_epsilon == pytest.approx(epsilon, rel=1e-9)
    for value, table in zip(every_value(mechanism), tables(cls, epsilon), strict=True):
        assert table == {report: mechanism.probability(report, value) for report in table}


@every_mechanism
def test_control_the_law_of_a_larger_epsilon_is_not_private_enough(cls):
    with pytest.raises(AssertionError, match="ratio"):
        assert_private(tables(cls, 1.001), 1.0)


def moments(mechanism, table, estimator):
    """The mean and the mean square of the estimate from one report of this law."""
    chances = np.array([float(p) for p in table.values()])
    estimates = [estimator.frequencies(mechanism.tally(report), 1) for report in table]
    return chances @ estimates, chances @ np.square(estimates)


@one_value_each
def test_the_estimate_is_unbiased_with_the_variance_it_claims(cls):
    mechanism = small(cls)
    d, truths = mechanism.d, np.eye(mechanism.d)
    squares = np.empty((d, d))
    for value, table in enumerate(tables(cls)):
        mean, squares[value] = moments(mechanism, table, mechanism)
        assert mean == pytest.approx(truths[value], abs=1e-12)
        claimed = mechanism.variance(truths[value], 1, "sample")
        assert squares[value] - mean**2 == pytest.approx(claimed, rel=1e-9)
    theta = np.random.default_rng(d).dirichlet(np.ones(d))
    sample = theta @ (squares - truths)
    for n in (1, 7):
        assert mechanism.variance(theta, n, "sample") * n == pytest.approx(sample, rel=1e-9)
        claimed = mechanism.variance(theta, n, "population")
        assert claimed * n == pytest.approx(theta @ squares - theta**2, rel=1e-9)
        assert np.array_equal(mechanism.variance(theta, n), claimed)


@one_value_each
def test_control_the_estimate_of_another_epsilon_is_biased(cls):
    mean, _ = moments(small(cls), tables(cls)[0], small(cls, 1.3))
    assert np.abs(mean - np.eye(len(mean))[0]).max() > 0.01


@every_mechanism
def test_the_estimate_of_many_is_the_mean_of_the_estimates_of_each(cls):
    mechanism = usual(cls)
    reports = mechanism.randomize(values_of(mechanism, 40), entropy=seeded(1))
    each = [mechanism.frequencies(mechanism.tally(row.tobytes()), 1) for row in reports]
    together = mechanism.frequencies(mechanism.tally(reports), 40)
    assert together == pytest.approx(np.mean(each, axis=0), abs=1e-9)


@every_mechanism
def test_a_report_rarely_needs_more_random_bytes_than_it_says(cls):
    mechanism = usual(cls)
    source, reads = seeded(5).keystream(), []

    def read(size):
        reads.append(size)
        return source.read(size)

    for value in values_of(mechanism, 200).tolist():
        mechanism.check(mechanism.sample(value, Stream(read, mechanism.stream_bytes)))
    assert len(reads) <= 220


# --- arrays -------------------------------------------------------------------------------------


@every_mechanism
def test_aggregates_add(cls):
    mechanism = usual(cls)
    reports = mechanism.randomize(values_of(mechanism, 50), entropy=seeded(2))
    n, total = mechanism.aggregate(reports)
    assert (n, total.dtype, total.shape) == (50, np.int64, (mechanism.aggregate_size,))
    each = [mechanism.aggregate(row.tobytes()) for row in reports]
    assert np.array_equal(total, sum(aggregate for _, aggregate in each))
    parts = [mechanism.aggregate(part)[1] for part in (reports[:20], reports[20:])]
    assert np.array_equal(total, parts[0] + parts[1])
    counts = [mechanism.counts(part) for part in parts]
    assert np.array_equal(mechanism.counts(total), counts[0] + counts[1])
    assert np.array_equal(mechanism.tally(reports), counts[0] + counts[1])
    assert mechanism.check_aggregate(total, n) is None
    impossible = total.copy()
    impossible[0] += 10**9
    assert mechanism.check_aggregate(impossible, n)


@every_mechanism
@pytest.mark.parametrize("d", [2, 37, 64, 300])
def test_many_reports_are_counted_as_few_are(cls, d):
    mechanism = usual(cls, d)
    n = counter.PLAIN_BYTES // mechanism.report_bytes + 77
    reports = mechanism.randomize(values_of(mechanism, n), entropy=seeded(3))
    total = np.zeros(mechanism.aggregate_size, dtype=np.int64)
    assert mechanism.analyst.counter.add_many(reports, total) == -1
    plainly = np.zeros(mechanism.aggregate_size, dtype=np.int64)
    mechanism.analyst.counter.add_few(reports, plainly)
    assert np.array_equal(total, plainly)
    assert np.array_equal(total, mechanism.aggregate(np.asfortranarray(reports))[1])


@every_mechanism
def test_reports_depend_on_the_entropy_alone(cls, monkeypatch):
    """Neither on the number of threads, nor on how the random bytes come."""
    monkeypatch.setattr(batch, "PLAIN_WORK", -1)
    mechanism, values = usual(cls), values_of(usual(cls), 700)
    monkeypatch.setattr(batch, "CHUNK_ROWS", 300)
    expected = mechanism.randomize(values, entropy=seeded(4), workers=1)
    assert expected.shape == (700, mechanism.report_bytes)
    assert np.array_equal(mechanism.randomize(values, entropy=seeded(4), workers=3), expected)
    for size in (1, 64):
        monkeypatch.setattr(batch, "TAIL_BYTES", size)
        assert np.array_equal(mechanism.randomize(values, entropy=seeded(4)), expected)
    assert not np.array_equal(mechanism.randomize(values, entropy=seeded(5)), expected)
    assert not np.array_equal(expected[:300], expected[300:600])
    assert not np.array_equal(mechanism.randomize(values), mechanism.randomize(values))


@every_mechanism
def test_only_what_the_sampler_can_return_is_a_report(cls):
    """Any other bytes are refused, wherever they stand, in few reports and in many."""
    mechanism = small(cls)
    size, rng = mechanism.report_bytes, np.random.default_rng(6)
    good = sorted(set().union(*tables(cls)))
    mechanism.check(good)
    changed = [bytes(rng.integers(0, 256, size, np.uint8)) for _ in range(200)]
    last = max(int.from_bytes(report, "little") for report in good)
    changed.append((last + 1).to_bytes(size, "little"))
    for report in good[:50]:
        for place in range(8 * size):
            number = int.from_bytes(report, "little") ^ 1 << place
            changed.append(number.to_bytes(size, "little"))
    bad = sorted(set(changed) - set(good))
    assert bad
    many = np.frombuffer(
        b"".join(good * (1 + 2 * counter.PLAIN_BYTES // (size * len(good)))), np.uint8
    )
    many = many.reshape(-1, size).copy()
    mechanism.check(many)
    for report in bad[:100]:
        with pytest.raises(InvalidReport) as caught:
            mechanism.check([good[0], good[-1], report, good[0]])
        assert caught.value.row == 2
        with pytest.raises(InvalidReport):
            mechanism.probability(report, 0)
    for report in bad[:100]:
        many[len(many) // 2] = many[-1] = np.frombuffer(report, np.uint8)
        total = np.zeros(mechanism.aggregate_size, dtype=np.int64)
        assert mechanism.analyst.counter.add_many(many, total) == len(many) // 2
    with pytest.raises(InvalidReport) as caught:
        mechanism.tally(many)
    assert caught.value.row == len(many) // 2


@every_mechanism
def test_reports_of_another_size_are_refused(cls):
    mechanism = usual(cls)
    size, good = mechanism.report_bytes, mechanism.randomize(values_of(mechanism, 3))
    for wrong, message in [
        (good[:, 1:], rf"uint8 of shape \(n, {size}\)"),
        (good.astype(np.int64), "Got int64"),
        (bytes(size + 1), f"^A report of this survey has {size} bytes. Got {size + 1}."),
        ([good[0].tobytes(), b""], r"^reports\[1\]: .* Got 0."),
        (None, "Got NoneType"),
        (["a"], "Got str"),
    ]:
        with pytest.raises(InvalidReport, match=message):
            mechanism.check(wrong)


@every_mechanism
def test_a_view_of_wider_items_is_as_many_bytes_as_it_has(cls):
    """Not as many as it has items, which would be a report of another size."""
    mechanism = usual(cls)
    good = mechanism.randomize(values_of(mechanism, 1))[0].tobytes()
    wide = memoryview(np.frombuffer(good * 8, np.uint8).view("<u8"))
    assert len(wide) == len(good)
    with pytest.raises(InvalidReport, match=f"has {len(good)} bytes. Got {8 * len(good)}."):
        mechanism.check(wide)
    with pytest.raises(InvalidReport, match=f"Got {8 * len(good)}."):
        mechanism.check([good, wide])
    mechanism.check(memoryview(good))


@every_mechanism
def test_no_answers_give_no_reports(cls):
    mechanism = usual(cls)
    none = mechanism.randomize([])
    assert none.shape == (0, mechanism.report_bytes)
    n, aggregate = mechanism.aggregate(none)
    assert (n, aggregate.any()) == (0, False)
    assert mechanism.tally([]).tolist() == [0] * mechanism.d


@one_value_each
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0, 37], r"'values\[1\]' parameter of \w+ must be in \[0, 36\]. Got 37 instead."),
        ([-1], r"values\[0\]"),
        (np.array([1, 2**64 - 1], np.uint64), rf"values\[1\].*Got {2**64 - 1}"),
        ([0.0], "an array of integers"),
        ([[0]], "one-dimensional"),
    ],
)
def test_bad_values_are_named(cls, values, message):
    with pytest.raises(InvalidArgument, match=message):
        usual(cls).randomize(values)


@one_value_each
def test_a_bad_value_has_no_probability(cls):
    with pytest.raises(InvalidArgument, match=r"'value' .* in \[0, 36\]. Got 37"):
        usual(cls).probability(usual(cls).randomize([0])[0].tobytes(), 37)


@one_value_each
def test_simulated_counts_have_the_claimed_mean_and_variance(cls):
    """Within six standard errors; with a tenth of the people moved elsewhere, no more."""
    mechanism, draws = usual(cls, 6), 400
    people = np.array([0, 300, 100, 50, 50, 0])
    rng = np.random.default_rng(7)
    hits = [simulate.counts(mechanism, people, rng) for _ in range(draws)]
    estimates = np.array([mechanism.frequencies(counts, 500) for counts in hits])
    variance = mechanism.variance(people / 500, 500, "sample")

    def distance(truth):
        return np.abs((estimates.mean(axis=0) - truth) / np.sqrt(variance / draws)).max()

    assert distance(people / 500) < 6
    assert distance((people + np.array([50, -50, 0, 0, 0, 0])) / 500) > 6
    assert estimates.var(axis=0) / variance == pytest.approx(1, abs=6 * np.sqrt(2 / draws))


# --- the rest of the library --------------------------------------------------------------------


@one_value_each
def test_surveys_and_tallies_are_written_against_it(cls):
    mechanism = usual(cls)
    names = [f"value {i}" for i in range(mechanism.d)]
    survey = Survey("Which?", names, 1.0, mechanism=mechanism)
    assert Survey.from_json(survey.to_json()) == survey
    first, second = survey.tally(), survey.tally()
    first.update(survey.randomize_batch(names * 20, entropy=seeded(8)))
    for name in names:
        second.update(survey.randomize(name))
    secret = bytes(16)
    assert survey.randomize("value 1", secret=secret) == survey.randomize("value 1", secret=secret)
    both = first + second
    assert both.n == 21 * mechanism.d
    assert Tally.from_bytes(both.to_bytes(), survey) == both
    estimate = both.estimate()
    assert np.array_equal(estimate.counts, first.counts + second.counts)
    assert estimate.frequencies.shape == estimate.standard_errors.shape == (mechanism.d,)
    for target in ("population", "sample"):
        low, high = estimate.interval(0.99, target=target)
        assert (low <= high).all()
        inside = (low <= np.clip(estimate.frequencies, 0, 1)) & (estimate.frequencies <= high)
        assert inside[(estimate.frequencies >= 0) & (estimate.frequencies <= 1)].all()
    both._aggregate[0] += 10**9
    with pytest.raises(InvalidTally, match="No reports give these counts"):
        Tally.from_bytes(both.to_bytes(), survey)
