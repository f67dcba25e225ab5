"""The projection onto the simplex: the distribution nearest to the unbiased frequencies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidArgument
from .. import kernels

__all__ = ["project_simplex"]

# From this size on the compiled loop is worth importing (numba takes half a second, once).
_COMPILED_FROM = 50_000


def project_simplex(v: ArrayLike) -> NDArray[np.float64]:
    """Return the distribution nearest to v in Euclidean distance.

    It is max(v − τ, 0) with the one τ that makes it sum to 1 (Duchi, Shalev-Shwartz, Singer,
    Chandra 2008; Wang, Carreira-Perpiñán 2013): the paper's post-processing, also known as
    Norm-Sub. A short v is sorted for τ, O(d log d). From 50,000 entries on, a few compiled passes
    find it (Michelot 1986; Condat 2016), O(d) unless contrived and O(d log d) at worst.

    >>> project_simplex([0.5, 0.7, -0.2])
    array([0.4, 0.6, 0. ])
    """
    array = np.asarray(v, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise InvalidArgument("project_simplex", "v", "a non-empty vector", array.shape)
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array)))
        raise InvalidArgument("project_simplex", f"v[{row}]", "finite", float(array[row]))
    return _by_sort(array) if array.size < _COMPILED_FROM else _by_passes(array)


def _by_sort(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return max(v − τ, 0), τ = (the sum of the k largest − 1) / k. O(d log d).

    k is the largest for which k times the k-th largest exceeds the sum of the k largest − 1.
    """
    with np.errstate(over="ignore"):  # −inf is as far below τ as any
        # Shifting v does not move its projection, and keeps the sums below small.
        top = array.max()
        descending = np.sort(np.maximum(array - top, -2))[::-1]
        surplus = np.cumsum(descending) - 1
        kept = np.count_nonzero(descending * np.arange(1, array.size + 1) > surplus)
        # That τ carries the rounding of the sums: shift by it, and take the rest from there.
        shift = surplus[kept - 1] / kept
        tau = top + shift
        above = array - tau
        rest = (top - tau) + shift
        rest += (np.maximum(above - rest, 0).sum() - 1) / kept
        projected: NDArray[np.float64] = np.maximum(above - rest, 0)
    return projected


def _by_passes(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the same by Newton's steps for τ, compiled; see kernels/simplex_newton.py."""
    # One kind of array, so one compilation: a view that cannot be written, contiguous, aligned.
    view = np.require(array, requirements=("C", "A")).view()
    view.flags.writeable = False
    projected = np.empty(view.size)
    kernels.simplex_newton.project(view, view.max(), projected)
    return projected
