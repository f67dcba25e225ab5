"""What `mechanisms/base.py` promises, of every mechanism: the value, the law, the survey."""

import json
import pickle
from itertools import product

import numpy as np
import pytest

from exact import assert_private, law
from exact import values_of as every_value
from kinds import (
    SEVERAL,
    SMALL,
    averaging,
    every_mechanism,
    made,
    one_value_each,
    small,
    tables,
    usual,
    values_of,
)
from privet import Survey
from privet.analysis.tally import Tally
from privet.entropy import Stream, seeded
from privet.errors import InvalidSurvey, InvalidTally
from refusing import refused_argument

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
        with pytest.raises(AttributeError, match=f"{cls.__name__}.*'{name}'"):
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
        assert cls.from_parameters(mechanism.d, mechanism.epsilon, parameters) == mechanism


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
    with pytest.raises(InvalidSurvey, match="private"):
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
    with refused_argument(parameter, cls.__name__):
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


@every_mechanism
def test_what_is_drawn_does_not_tell_the_value(cls):
    """How many draws there are, of which kind and of how many, has one law for all values."""
    mechanism = small(cls)

    def draws(value):
        return law(lambda walk: (mechanism.sample(value, walk), tuple(walk.draws))[1])

    first, *others = map(draws, every_value(mechanism))
    assert all(other == first for other in others)


@every_mechanism
def test_every_report_has_one_encoding(cls):
    """Of all byte strings, just those are reports that the sampler returns."""
    mechanism = small(cls)
    digits = range(256) if mechanism.report_bytes <= 2 else (*range(8), 255)
    everything = map(bytes, product(digits, repeat=mechanism.report_bytes))
    assert {z for z in everything if mechanism.problem(z) is None} == set().union(*tables(cls))


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


@averaging
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


# --- the rest of the library --------------------------------------------------------------------


@one_value_each
def test_surveys_and_tallies_are_written_against_it(cls):
    mechanism = usual(cls)
    names = [f"value {i}" for i in range(mechanism.d)]
    survey = Survey("Which?", names, 1.0, mechanism=mechanism)
    assert Survey.from_json(survey.to_json()) == survey
    first, second = survey.tally(), survey.tally()
    first.update(survey.randomize_batch(names * 20, entropy=seeded(8)))
    secret = bytes(16)
    for name in names:
        second.update(survey.randomize(name, secret=secret if mechanism.needs_secret else None))
    repeats = {survey.randomize("value 1", secret=secret) for _ in range(5)}
    assert len(repeats) == (5 if mechanism.needs_secret else 1)
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
    with pytest.raises(InvalidTally, match="counts"):
        Tally.from_bytes(both.to_bytes(), survey)
