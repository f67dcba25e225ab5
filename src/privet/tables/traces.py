"""Traces: the mean and variance of a squared length whose errors are normal.

If e has the covariance C, then |R e|² has the mean tr(RCRᵀ) and the variance 2 tr((RCRᵀ)²), and is
nearly a multiple of a chi-squared number with the same two moments (Satterthwaite 1946).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..sums.covariance import Operator

# Up to so many cells traces are exact; beyond, they are estimated from as many random signs.
_MOST_PROBES = 256
_SEED = 7


def traces(
    covariance: Operator, root: Operator, adjoint: Operator, shape: tuple[int, ...]
) -> tuple[float, float]:
    """Return tr(RCRᵀ) and tr((RCRᵀ)²), of R = root, which takes arrays of the shape.

    The axis after those of the shape is for several at once.
    """
    cells = int(np.prod(shape))
    if cells <= _MOST_PROBES:
        probes = np.eye(cells)
    else:
        signs = np.random.default_rng(_SEED).choice([-1.0, 1.0], (cells, _MOST_PROBES))
        probes = signs / np.sqrt(_MOST_PROBES)
    back = adjoint(probes.reshape(*shape, -1))
    image = covariance(back)
    return float((back * image).sum()), float(np.square(root(image)).sum())
