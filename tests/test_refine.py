"""The projection onto the simplex."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from privet.errors import InvalidArgument
from privet.refine import project_simplex

vectors = arrays(np.float64, st.integers(1, 30), elements=st.floats(-5, 5))


@given(vectors)
def test_projection_is_the_naive_one_and_a_distribution(v):
    projected = project_simplex(v)
    assert projected.min() >= 0
    assert projected.sum() == pytest.approx(1, abs=1e-12)
    assert projected == pytest.approx(naive.project(v.tolist()), abs=1e-9)


@given(vectors, st.floats(-1e6, 1e6))
def test_a_shift_changes_nothing(v, shift):
    assert project_simplex(v + shift) == pytest.approx(project_simplex(v), abs=1e-8)


@given(vectors)
def test_a_distribution_stays(v):
    projected = project_simplex(v)
    assert project_simplex(projected) == pytest.approx(projected, abs=1e-12)


def test_far_from_the_simplex():
    assert project_simplex([1e300, 0.0]).tolist() == [1.0, 0.0]
    assert project_simplex([-1e9, -1e9]).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("v", "message"),
    [
        ([], r"'v' parameter of project_simplex must be a non-empty vector"),
        ([[1.0]], "a non-empty vector"),
        ([0.0, float("nan")], r"'v\[1\]' parameter of project_simplex must be finite. Got nan"),
    ],
)
def test_bad_vectors_are_refused(v, message):
    with pytest.raises(InvalidArgument, match=message):
        project_simplex(v)
