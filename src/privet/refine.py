"""From unbiased frequencies to a distribution. Post-processing costs no privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["project_simplex"]


def project_simplex(v: ArrayLike) -> NDArray[np.float64]:
    """Return the distribution nearest to v in Euclidean distance.

    It is max(v − τ, 0) with the one τ that makes it sum to 1 (Duchi, Shalev-Shwartz, Singer,
    Chandra 2008; Wang, Carreira-Perpiñán 2013): the paper's post-processing, also known as
    Norm-Sub. O(d log d).

    >>> project_simplex([0.5, 0.7, -0.2])
    array([0.4, 0.6, 0. ])
    """
    array = np.asarray(v, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise InvalidArgument("project_simplex", "v", "a non-empty vector", array.shape)
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array)))
        raise InvalidArgument("project_simplex", f"v[{row}]", "finite", float(array[row]))
    # Shifting v does not move its projection, and keeps the sums below small.
    array = array - array.max()
    descending = np.sort(array)[::-1]
    surplus = np.cumsum(descending) - 1
    kept = np.count_nonzero(descending * np.arange(1, array.size + 1) > surplus)
    projected: NDArray[np.float64] = np.maximum(array - surplus[kept - 1] / kept, 0)
    return projected
