"""Sums and comparisons where nearly everything is noise, or nearly nothing."""

from importlib import import_module

import numpy as np
import pytest

from privet import Survey

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
    # The package has a function of the module's name.
    monkeypatch.setattr(import_module("privet.sums.homogeneity"), "_MOST_DRAWS", 99)
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
