"""The information curves, and from where on randomized response is optimal."""

import json
from math import log

import numpy as np
import pytest

from privet import paper, theory
from refusing import refused_argument


def test_the_curves_are_those_of_the_theory():
    curves = paper.information([2, 16, 1000], [0.01, 1, 7.5])
    assert [(p.d, p.epsilon) for p in curves.points] == [
        (d, epsilon) for d in (2, 16, 1000) for epsilon in (0.01, 1, 7.5)
    ]
    for p in curves.points:
        assert p.k_subset == theory.mutual_information(p.d, p.epsilon, p.k_star)
        assert p.k_sharp == theory.l2_optimal_k(p.d, p.epsilon)
        assert p.mrr == theory.mutual_information(p.d, p.epsilon, 1)
        assert p.brr == theory.binary_mutual_information(p.d, p.epsilon)
        assert max(p.brr, p.mrr) <= p.k_subset <= p.any_d * (1 + 1e-12) <= p.quadratic * (1 + 1e-9)


def test_by_default_several_domains_are_covered_closely():
    curves = paper.information()
    assert [threshold.d for threshold in curves.thresholds] == [4, 16, 64, 256]
    for d in (4, 16, 64, 256):
        epsilon = np.array([point.epsilon for point in curves.points if point.d == d])
        assert (epsilon[0], epsilon[-1]) == pytest.approx((0.05, 10))
        assert (np.diff(np.log(epsilon)) < 0.1).all()
    assert json.loads(json.dumps(curves.to_dict()))["points"][0]["k_star"] == 2


@pytest.mark.parametrize("d", [4, 5, 16, 100, 10**6])
def test_the_thresholds_are_where_one_value_begins_to_be_the_best_report(d):
    (threshold,) = paper.information([d], [1.0]).thresholds
    for factor, below in ((1 - 1e-9, True), (1 + 1e-9, False)):
        assert theory.mrr_is_suboptimal(d, factor * threshold.information) == below
    assert threshold.l2 == pytest.approx(log((d - 1) * (d - 2) / 2) / 2, rel=1e-9)
    # The paper's condition is sufficient, and no more than that.
    assert threshold.sufficient < threshold.information
    if threshold.sufficient:
        assert theory.information_beta(d, threshold.sufficient) == pytest.approx(2, rel=1e-9)


@pytest.mark.parametrize("d", [2, 3])
def test_of_two_or_three_values_one_is_always_the_best_report(d):
    (threshold,) = paper.information([d], [1.0]).thresholds
    assert (threshold.information, threshold.sufficient, threshold.l2) == (0, 0, 0)


@pytest.mark.parametrize(
    ("arguments", "parameter", "value"),
    [
        ({"d": []}, "d", []),
        ({"epsilon": []}, "epsilon", []),
        ({"d": [1]}, "d", 1),
        ({"d": [2.5]}, "d", 2.5),
        ({"epsilon": [1.0, 0.0]}, "epsilon", 0.0),
    ],
)
def test_bad_arguments_are_named(arguments, parameter, value):
    with refused_argument(parameter, value=value):
        paper.information(**arguments)
