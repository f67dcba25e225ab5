"""Sums and comparisons where nearly everything is noise, or nearly nothing."""

import numpy as np
import pytest

from privet import Survey
from privet.analysis.sums import calibration
from privet.sums import changes, fit, lead

CASES = [
    (d, epsilon, name, people)
    for d in (2, 5)
    for epsilon in (0.01, 1.0, 20.0)
    for name in ("k-subset", "multivariate-rr", "binary-rr", "optimized-unary", "cyclotomic")
    for people in (1, 5, 100)
]
CASES += [
    (3, epsilon, name, people)
    for epsilon in (0.1, 1.0, 10.0)
    for name in ("local-hash", "one-bit", "hashed-rr", "rappor", "geometric-noise")
    for people in (1, 30)
]


@pytest.mark.parametrize(("d", "epsilon", "name", "people"), CASES)
def test_intervals_are_in_order_and_p_values_are_probabilities(
    d, epsilon, name, people, monkeypatch
):
    monkeypatch.setattr(calibration, "_MOST_DRAWS", 99)
    survey = Survey("Q", [str(i) for i in range(d)], epsilon, mechanism=name)
    rng = np.random.default_rng(people)
    for _ in range(3):
        estimates = []
        for values in (rng.integers(0, d, people), np.zeros(people, np.int64)):
            tally = survey.tally()
            tally.update(survey.mechanism.randomize(values))
            estimates.append(tally.estimate())
        first, second = estimates
        for compared in (first.difference("0", "1"), second.change(first, "0")):
            low, high = compared.interval()
            assert -1 <= low <= high <= 1
        assert 0 <= first.homogeneity(second).p_value <= 1
        assert 0 <= first.homogeneity(first).p_value <= 1
        for shares in (np.full(d, 1 / d), np.eye(d)[0]):
            test = fit(first, shares)
            assert 0 <= test.p_value <= 1
            assert all(0 <= p <= 1 for p in test.by_category.values())
            for compared in (changes(shares, first), changes(second, first)):
                assert (compared.low <= compared.high).all()
        for estimate in estimates:
            low, high = estimate.ranks()
            assert ((low >= 1) & (low <= high) & (high <= d)).all()
            found = lead(estimate)
            assert found.contenders == len(found.possible) >= 1
            assert found.margin > 0
            for k in range(1, d):
                top = estimate.top(k)
                assert len(top.certain) <= k <= len(top.possible)
                assert {*top.certain} <= {*top.possible}
