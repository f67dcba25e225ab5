"""The projection onto the simplex."""

import subprocess
import sys
from fractions import Fraction
from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from privet.analysis.refine.simplex import _COMPILED_FROM, _by_passes, _by_sort
from privet.refine import project_simplex
from refusing import refused_argument

vectors = arrays(np.float64, st.integers(1, 30), elements=st.floats(-5, 5))
# Every finite float, and enough of them within 1 of each other to be kept.
wild = st.lists(
    st.floats(-1, 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(-5e-308, 5e-308),
    min_size=1,
    max_size=12,
)
either = pytest.mark.parametrize("project", [_by_sort, _by_passes])


def exact(v):
    """Project onto the simplex in rational numbers."""
    v = [Fraction(x) for x in v]
    total = Fraction(0)
    for kept, x in enumerate(sorted(v, reverse=True), 1):
        total += x
        if kept * x > total - 1:
            tau = (total - 1) / kept
    return [max(x - tau, Fraction(0)) for x in v]


def shapes(d):
    """Yield vectors of size d of every kind that may be easy or hard."""
    rng = np.random.default_rng(d)
    theta = rng.random(d)
    theta /= theta.sum()
    noise = rng.standard_normal(d)
    for sigma in (0.01, 1, 100):
        yield theta + sigma / d * noise
    zipf = 1 / np.arange(1, d + 1)
    zipf /= zipf.sum()
    spike = np.zeros(d)
    spike[d // 3] = 1
    yield zipf
    yield zipf[::-1] + noise / d
    yield rng.permutation(zipf) + 10 / d * noise
    yield spike
    yield spike * 1e300
    yield spike * -1e300
    yield 0.1 * spike + 0.9 * theta
    yield spike / 2 + (0.5 + noise) / d
    yield np.zeros(d)
    yield np.full(d, 3.25)
    yield np.full(d, 1e300)
    yield np.full(d, -1.7e308)
    yield np.where(noise > 0, 1.7e308, -1.7e308)
    yield np.where(noise > 0, 2 / d, 0.0)
    yield np.round(noise, 1)
    yield np.round(noise) / d
    yield np.sort(noise) / d
    yield np.sort(noise)[::-1] / d
    yield np.arange(d, dtype=np.float64)
    yield noise * 5e-320
    yield noise + 1e6
    yield theta + 1e17
    cauchy = rng.standard_cauchy(d)
    yield cauchy
    yield cauchy / d
    yield cauchy * 1e290
    yield -np.exp2(-rng.uniform(0, 60, d))
    # What the start is guessed from is nothing like the whole.
    for height in (1, -1, 1 / d, -1 / d, 30 / d):
        misleading = theta + noise / d
        misleading[32::64] += height
        yield misleading


def check(projected, v):
    assert projected.dtype == np.float64
    assert projected.shape == v.shape
    assert projected.min() >= 0
    assert fsum(projected) == pytest.approx(1, abs=1e-12)


@either
@given(v=vectors)
def test_projection_is_the_naive_one_and_a_distribution(project, v):
    projected = project(v)
    check(projected, v)
    assert projected == pytest.approx(naive.project(v.tolist()), abs=1e-12)


@either
@given(v=wild)
def test_projection_is_exact_up_to_rounding(project, v):
    projected = project(np.array(v))
    check(projected, np.array(v))
    assert projected == pytest.approx([float(p) for p in exact(v)], abs=1e-14)


@either
@given(v=vectors, shift=st.floats(-1e6, 1e6))
def test_a_shift_changes_nothing(project, v, shift):
    assert project(v + shift) == pytest.approx(project(v), abs=1e-8)


@either
@given(v=vectors)
def test_a_distribution_stays(project, v):
    projected = project(v)
    assert project(projected) == pytest.approx(projected, abs=1e-12)


# Around the widths of the loops, the least size with a guessed start and the switch.
@pytest.mark.parametrize(
    "d",
    [1, 2, 3, 64, 255, 256, 257, 1000, 4095, 4096, 4097, _COMPILED_FROM - 1, _COMPILED_FROM, 65537],
)
def test_both_ways_agree(d):
    for v in shapes(d):
        before = v.copy()
        by_sort, by_passes, projected = _by_sort(v), _by_passes(v), project_simplex(v)
        check(by_passes, v)
        check(by_sort, v)
        np.testing.assert_allclose(by_passes, by_sort, rtol=0, atol=1e-14)
        assert np.array_equal(projected, by_sort if d < _COMPILED_FROM else by_passes)
        assert np.array_equal(_by_passes(v), by_passes)
        assert np.array_equal(v, before)


@pytest.mark.parametrize("d", [257, 5000])
def test_larger_projections_are_the_naive_and_the_exact_ones(d):
    for v in list(shapes(d))[:3]:
        for project in (_by_sort, _by_passes):
            assert project(v) == pytest.approx([float(p) for p in exact(v)], rel=1e-12, abs=1e-18)
            if d < 1000:
                assert project(v) == pytest.approx(naive.project(v.tolist()), abs=1e-14)


@either
def test_the_roundings_of_many_entries_do_not_add_up(project):
    d = 49_999
    v = (0.5 + np.random.default_rng(5).standard_normal(d)) / d
    v[0] = 0.5
    assert fsum(project(v)) == pytest.approx(1, abs=1e-14)


def test_any_kind_of_array_will_do():
    v = np.random.default_rng(6).standard_normal(_COMPILED_FROM) / 1000
    expected = project_simplex(v)
    wide = np.stack([v, v], axis=1)
    frozen = v.copy()
    frozen.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + v.tobytes(), np.float64, offset=1)
    for same in (wide[:, 0], frozen, unaligned, v.astype(">f8"), v[::-1].copy()[::-1], v.tolist()):
        assert np.array_equal(project_simplex(same), expected)
    assert project_simplex(frozen).flags.writeable
    single = v.astype(np.float32)
    assert np.array_equal(project_simplex(single), project_simplex(single.astype(np.float64)))
    assert project_simplex(np.arange(_COMPILED_FROM))[-1] == 1


def test_a_short_vector_compiles_nothing():
    code = (
        "import sys; from privet.analysis.refine.simplex import project_simplex, _COMPILED_FROM; "
        "project_simplex([0.5] * (_COMPILED_FROM - 1)); sys.exit('numba' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@either
def test_far_from_the_simplex(project):
    assert project(np.array([1e300, 0.0])).tolist() == [1.0, 0.0]
    assert project(np.array([-1e9, -1e9])).tolist() == [0.5, 0.5]
    assert project(np.array([1.7e308, -1.7e308])).tolist() == [1.0, 0.0]
    assert project(np.array([5e-324, 0.0])).tolist() == [0.5, 0.5]
    assert project(np.array([-1.7e308])).tolist() == [1.0]


@pytest.mark.parametrize(
    ("v", "parameter"),
    [
        ([], "v"),
        ([[1.0]], "v"),
        ([0.0, float("nan")], "v[1]"),
        ([0.0] * _COMPILED_FROM + [float("inf")], f"v[{_COMPILED_FROM}]"),
    ],
)
def test_bad_vectors_are_refused(v, parameter):
    with refused_argument(parameter, "project_simplex"):
        project_simplex(v)
