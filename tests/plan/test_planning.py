"""Plans keep what they promise, by simulation."""

import numpy as np
import pytest

from privet import simulate
from privet.errors import InvalidArgument
from privet.plan import plan


@pytest.mark.parametrize(("d", "epsilon", "n"), [(30, 1.0, 5000), (200, 2.0, 3000), (5, 0.5, 800)])
def test_margins_and_errors_are_those_of_simulated_surveys(d, epsilon, n):
    made, repeats = plan(d, epsilon=epsilon, n=n), 1500
    mechanism, rng = made.mechanism, np.random.default_rng(d)
    shares = np.full(d, 0.5 / (d - 2))
    shares[:2] = 0.5, 0.0
    people = rng.multinomial(n, shares, size=repeats)
    counts = np.array([simulate.counts(mechanism, crowd, rng) for crowd in people])
    estimates = mechanism.frequencies(counts, n)
    # Standard deviations of 1,500 normal numbers are within 10 % (alpha 1e-6: 4.9 / √3000 = 9 %).
    rare, common = 1.96 * estimates[:, 1].std(), 1.96 * estimates[:, 0].std()
    assert rare == pytest.approx(made.margin, rel=0.1)
    assert common == pytest.approx(made.common_margin, rel=0.1)
    assert rare != pytest.approx(plan(d, epsilon=1.3 * epsilon, n=n).margin, rel=0.1)
    squared = np.square(estimates - people / n).sum(axis=1).mean()
    assert squared == pytest.approx(made.squared_error, rel=0.1)


def test_a_detectable_share_is_told_from_zero():
    made, rng = plan(50, epsilon=2.0, n=20_000), np.random.default_rng(1)
    shares = np.zeros(50)
    shares[:2] = 1 - made.detectable, made.detectable
    tops, found = [], []
    for _ in range(600):
        counts = simulate.counts(made.mechanism, rng.multinomial(20_000, shares), rng)
        estimate = made.mechanism.frequencies(counts, 20_000)
        tops.append(estimate[2:].max())
        found.append(estimate[1])
    limit = np.quantile(tops, 0.95)
    assert 0.9 < np.mean(np.array(found) > limit) <= 1


@pytest.mark.parametrize("d", [2, 30, 1000])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_any_two_give_the_third(d, epsilon):
    made = plan(d, epsilon=epsilon, n=40_000)
    people = plan(d, epsilon=epsilon, margin=made.margin)
    assert people.n == pytest.approx(40_000, abs=2)
    assert people.margin <= made.margin * (1 + 1e-12)
    level = plan(d, n=40_000, margin=made.margin)
    assert level.epsilon == pytest.approx(epsilon, rel=0.02)
    assert level.margin <= made.margin


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"epsilon": 1.0}, "must be two of the three. Got 'epsilon' instead"),
        ({}, "two of the three. Got 'none'"),
        ({"epsilon": 1.0, "n": 5, "margin": 0.1}, "two of the three"),
        ({"epsilon": 1.0, "n": 0}, "'n' parameter of plan must be an int >= 1. Got 0"),
        ({"epsilon": 1.0, "margin": 1.0}, r"'margin' .* a float in \(0, 1\)"),
        ({"epsilon": -1.0, "n": 5}, "'epsilon' parameter of KSubset"),
        ({"epsilon": 1.0, "n": 5, "level": 2.0}, "'level'"),
    ],
)
def test_bad_plans_are_refused(arguments, said):
    with pytest.raises(InvalidArgument, match=said):
        plan(10, **arguments)
