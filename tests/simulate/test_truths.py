"""Truths are distributions, those that their names and numbers say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.simulate import truth
from privet.simulate.truths import FORMS
from refusing import refused_argument

NAMED = ["paper", "flat", "dirichlet", "dirichlet:0.01", "zipf", "zipf:0", "zipf:900", "geometric"]
NAMED += ["geometric:1", "geometric:1e-9", "spikes:1", "spikes:2", "two-level", "two-level:.9,0"]


def name_of(given):
    return "function" if callable(given) else str(given)


def drawn(form, d, seed=1):
    return truth(form)(d, np.random.default_rng(seed))


@pytest.mark.parametrize("d", [2, 3, 100, 4097])
@pytest.mark.parametrize("form", NAMED)
def test_named_truths_are_distributions(form, d):
    theta = drawn(form, d)
    assert theta.shape == (d,)
    assert theta.dtype == np.float64
    assert (theta >= 0).all()
    assert theta.sum() == pytest.approx(1, abs=1e-12)
    # A truth is drawn anew only where it is random.
    fixed = np.array_equal(theta, drawn(form, d, seed=2))
    assert fixed == (not form.startswith(("paper", "dirichlet")))


def test_every_name_is_tried_above():
    assert {form.partition(":")[0] for form in FORMS} == {n.partition(":")[0] for n in NAMED}


@pytest.mark.parametrize(
    ("form", "weights"),
    [
        ("flat", [1, 1, 1, 1, 1]),
        ("zipf", [j**-1.1 for j in range(1, 6)]),
        ("zipf:2", [1, 1 / 4, 1 / 9, 1 / 16, 1 / 25]),
        ("geometric", [16, 8, 4, 2, 1]),
        ("geometric:0.1", [1, 0.1, 0.01, 0.001, 0.0001]),
        ("spikes:2", [1, 1, 0, 0, 0]),
        ("spikes:5", [1, 1, 1, 1, 1]),
        ("two-level", [90, 2.5, 2.5, 2.5, 2.5]),
        ("two-level:0.4", [45, 45, 10 / 3, 10 / 3, 10 / 3]),
        ("two-level:0.4,0.5", [3, 3, 2, 2, 2]),
        ("two-level:0.999,0.2", [5, 5, 5, 5, 80]),
        ([5, 0, 1, 2, 2], [5, 0, 1, 2, 2]),
        (lambda d, rng: range(d), [0, 1, 2, 3, 4]),
    ],
    ids=name_of,
)
def test_fixed_truths_follow_their_formulas(form, weights):
    np.testing.assert_allclose(drawn(form, 5), np.array(weights) / sum(weights), rtol=1e-12)


def test_the_papers_truth_is_uniform_numbers_made_to_sum_to_one():
    uniform = np.random.default_rng(3).random(50)
    np.testing.assert_allclose(drawn("paper", 50, seed=3), uniform / uniform.sum(), rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.05, 1, 20])
def test_dirichlet_has_its_concentration(alpha):
    d, rng = 10, np.random.default_rng(4)
    draw = truth(f"dirichlet:{alpha}")
    squares = np.array([np.square(draw(d, rng)).sum() for _ in range(4000)])

    def off(alpha):
        """Standard errors away from E Σθ² = (α + 1)/(dα + 1)."""
        return abs(squares.mean() - (alpha + 1) / (d * alpha + 1)) / (squares.std() / 4000**0.5)

    assert off(alpha) < 5
    assert off(1.2 * alpha) > 5  # the control


@given(st.lists(st.floats(0, 1e308) | st.integers(0, 2**60), min_size=2, max_size=9))
def test_any_shares_or_people_are_a_truth(weights):
    if not any(weights):
        weights[0] = 1
    theta = drawn(weights, len(weights))
    assert theta.sum() == pytest.approx(1, abs=1e-12)
    largest = max(weights)
    np.testing.assert_allclose(
        theta / theta.max(), [w / largest for w in weights], rtol=1e-9, atol=1e-300
    )


def test_ones_own_truth_is_copied():
    mine = np.array([1.0, 3.0])
    draw = truth(mine)
    mine[:] = 0
    assert draw(2, None).tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("form", "parameter", "owner", "shown"),
    [
        *((form, "form", "truth", form) for form in (
            "", "nope", "Zipf", "flat:1", "zipf:", "zipf:a", "zipf:1,2", "two-level:.1,.2,.3", ":1",
        )),
        ("zipf:-1", "s", "zipf", "-1.0"),
        ("zipf:nan", "s", "zipf", "nan"),
        ("dirichlet:0", "alpha", "dirichlet", "0.0"),
        ("dirichlet:inf", "alpha", "dirichlet", "inf"),
        ("geometric:0", "ratio", "geometric", "0.0"),
        ("geometric:2", "ratio", "geometric", "2"),
        ("spikes:0", "m", "spikes", "0.0"),
        ("spikes:4", "m", "spikes", "4"),
        ("spikes:1.5", "m", "spikes", "1.5"),
        ("two-level:1", "part", "two-level", "1.0"),
        ("two-level:.1,2", "share", "two-level", "2.0"),
        ([1, 2], "form", "truth", "(2,)"),
        (lambda d, rng: np.ones(2), "form", "truth", "(2,)"),
        ([[1, 2, 3]], "form", "truth", "(1, 3)"),
        ([], "form", "truth", "(0,)"),
        (7, "form", "truth", "()"),
        (["1", "2", "3"], "form", "truth", "U1"),
        ([0, 0, 0], "form", "truth", "zeros"),
        ([1, -2, 3], "form[1]", "truth", "-2"),
        ([1, 2, float("nan")], "form[2]", "truth", "nan"),
        (lambda d, rng: [1, 2, np.inf], "form[2]", "truth", "inf"),
    ],
    ids=name_of,
)  # fmt: skip
def test_other_truths_are_refused(form, parameter, owner, shown):
    with refused_argument(parameter, owner) as caught:
        drawn(form, 3)
    assert shown in str(caught.value.value)
