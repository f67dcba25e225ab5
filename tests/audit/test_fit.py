"""Reports held against their law: just right they are not odd at all, else each mistake is seen."""

import numpy as np
import pytest

from exact import values_of
from kinds import every_mechanism, small, tables, usual
from privet.audit.fit import fit_of
from privet.audit.fit.base import Outcomes
from privet.audit.fit.statistics import binomial, cells, exchangeable, spread
from privet.audit.subjects import Direct, probes
from privet.device.mechanisms.paged import Paged
from privet.entropy import seeded
from privet.mechanisms import BinaryRR, Interval, KSubset, MultivariateRR, SetSubset


def exactly(law, n):
    """Reports in the proportions of a law."""
    reports = np.array([list(report) for report in law], dtype=np.uint8)
    return np.repeat(reports, [round(n * chance) for chance in law.values()], axis=0)


def least_p(fit):
    return min(check.p for check in fit.checks())


@every_mechanism
def test_reports_in_their_exact_proportions_are_not_odd_at_all(cls):
    mechanism = small(cls)
    for value, law in zip(values_of(mechanism), tables(cls), strict=True):
        for fit in (fit_of(mechanism, value), Outcomes(mechanism, value)):
            fit.add(exactly(law, 50_000))
            assert least_p(fit) > 0.9, fit.checks()


@every_mechanism
def test_reports_of_another_value_are_odd(cls):
    mechanism = small(cls)
    values, laws = values_of(mechanism), tables(cls)
    for fit in (fit_of(mechanism, values[0]), Outcomes(mechanism, values[0])):
        fit.add(exactly(laws[-1], 50_000))
        assert least_p(fit) < 1e-12


@every_mechanism
def test_reports_as_they_are_made_are_not_odd(cls):
    mechanism = usual(cls)
    rng = np.random.default_rng(1)
    for place, probe in enumerate(probes(mechanism, 3, rng)):
        fit, client = fit_of(mechanism, probe.value), Direct(mechanism, seeded(place))
        for _ in range(2):  # in parts
            fit.add(client.reports([probe.answer] * 5000))
        assert least_p(fit) > 1e-6, fit.checks()


def test_pages_are_held_against_their_weights_and_their_mechanisms():
    mechanism = Paged([KSubset(5, 1.0), Interval(8, 1.0)], [3, 1])
    fit = fit_of(mechanism, (2, 3))
    fit.add(Direct(mechanism, seeded(1)).reports([(2, 3)] * 20_000))
    assert least_p(fit) > 1e-6
    assert fit.checks()[0].what == "pages"
    fit.add(Direct(Paged(mechanism.parts, [1, 1]), seeded(2)).reports([(2, 3)] * 20_000))
    assert fit.checks()[0].p < 1e-12


@pytest.mark.parametrize(
    ("mechanism", "what"),
    [
        (KSubset(40, 1.0), "members together"),
        (KSubset(300, 4.0), "members of misses"),  # listed by their indices
        (SetSubset(20, 1.0, most=4, k=5), "members together"),
        (BinaryRR(40, 1.0), "bits together"),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_neighbours_that_go_together_are_seen(mechanism, what):
    """Reports come in pairs of the same one: all chances are right, but not how they spread."""
    value = (1, 2) if isinstance(mechanism, SetSubset) else 1
    fit = fit_of(mechanism, value)
    reports = Direct(mechanism, seeded(3)).reports([value] * 3000)
    fit.add(np.repeat(reports, 12, axis=0))
    assert least_p(fit) < 1e-6
    assert what in [check.what for check in fit.checks()]


def test_more_different_reports_than_can_be_counted():
    mechanism = KSubset(100, 1.0)
    fit = Outcomes(mechanism, 0)
    fit.add(Direct(mechanism, seeded(1)).reports([0] * 3000))
    assert fit.checks() == []


def test_p_values_are_uniform_or_larger():
    rng = np.random.default_rng(5)
    chances = rng.dirichlet(np.ones(300))
    mechanism = MultivariateRR(30, 1.0)
    found = {"cells": [], "exchangeable": [], "spread": [], "binomial": []}
    for _ in range(2000):
        found["cells"].append(cells(rng.multinomial(5000, chances), chances))
        found["spread"].append(spread(rng.binomial(4000, 0.1, 50), 4000, 0.1))
        found["binomial"].append(binomial(rng.binomial(500, 0.3), 500, 0.3))
        drawn = rng.multinomial(5000, np.full(mechanism.d, 1 / mechanism.d))
        found["exchangeable"].append(exchangeable(drawn, 5000, 1 / mechanism.d, 0.0))
    for name, p in found.items():
        for level in (0.2, 0.05, 0.01):  # five standard deviations, and a little for χ²
            most = 2000 * level * 1.1 + 5 * np.sqrt(2000 * level)
            assert (np.array(p) < level).sum() < most, (name, level)


def test_what_cannot_be_is_seen_at_once():
    assert cells(np.array([1, 99_999]), [0.0, 1.0]) == 0
    assert binomial(1, 10, 0.0) == 0
    assert binomial(0, 10, 0.0) == 1
    assert cells(np.array([3]), [1.0]) == 1
