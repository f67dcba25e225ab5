"""Groups that help each other: small ones are shrunk towards what all groups have in common.

Each group is first shrunk by itself, to s_g (`shrinkage`). If μ are the shrunk shares of all groups
pooled, the group's own share θ_gj is taken for a draw with mean μ_j and variance τ μ_j(1 − μ_j), as
those of a Dirichlet law are. The estimate θ̂_gj then has the variance V_gj + τ μ_j(1 − μ_j), which
says how likely each τ is: 0 if all groups are alike, 1 if each has but one value. As much of the
variance as is not noise is kept, B_gj on average over τ, and the group moves to

    s_gj + w (1 − B_gj)(μ_j − s_gj).

Whether that helps, Stein's unbiased estimate of the squared error says, in which a posterior
variance v is the noise's times how fast the posterior mean follows the estimate; it is least at

    w = Σ (1 − B)(v − (s − θ̂)(μ − s)) / Σ (1 − B)²(μ − s)²,

cut to [0, 1], and taken less one part in the number of groups, as each is in the pool itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...device.mechanisms.symmetric import Shrinkable
from ...errors import InvalidArgument
from ..arrays import Floats
from .shrinkage import shrink
from .simplex import project_simplex

__all__ = ["shrink_groups"]

_SPREADS = np.append(0.0, np.geomspace(1e-6, 1, 41))  # τ, all as likely beforehand


def shrink_groups(mechanism: Shrinkable, counts: ArrayLike, n: ArrayLike) -> Floats:
    """Return distributions to show, one for each group: the means of a posterior, nearly.

    Where groups are alike, the squared error is a fraction of that of shrinking each by itself, and
    where they have nothing in common about the same. Like all shrinking it is a bias: for sums,
    comparisons and tests of groups use the unbiased frequencies.

    Parameters
    ----------
    mechanism : Shrinkable
        What the reports of all groups were made with.
    counts : array of integers, one row a group
        How many of a group's reports support each value.
    n : array of int >= 1
        How many reports each group has.

    >>> from privet.mechanisms import KSubset
    >>> counts = np.array([[430, 320, 250], [42, 33, 25], [24, 17, 19]])
    >>> shrink_groups(KSubset(3, 1.0), counts, [1000, 100, 60]).round(2)
    array([[0.59, 0.3 , 0.11],
           [0.58, 0.31, 0.11],
           [0.57, 0.26, 0.17]])

    """
    rows, sizes = np.asarray(counts), np.asarray(n)
    if rows.ndim != 2 or sizes.shape != rows.shape[:1] or not len(rows):
        got = f"shapes {rows.shape} and {sizes.shape}"
        raise InvalidArgument("shrink_groups", "counts", "a row for each of n's groups", got)
    alone = [shrink(mechanism, *one) for one in zip(rows, sizes.tolist(), strict=True)]
    own = np.array([one.frequencies for one in alone])
    variances = np.array([one.standard_deviations for one in alone]) ** 2
    pooled = shrink(mechanism, rows.sum(axis=0), int(sizes.sum())).frequencies
    estimates = np.array([mechanism.frequencies(f, m) for f, m in zip(rows, sizes, strict=True)])
    noise = mechanism.variance(pooled, 1) / sizes[:, None]
    lost = 1 - _kept(estimates - pooled, noise, pooled * (1 - pooled))
    moves = lost * (pooled - own)
    gain = float((lost * variances - (own - estimates) * moves).sum())
    part = float(np.clip(gain / max(float(np.square(moves).sum()), 1e-300), 0, 1))
    moved = own + (1 - 1 / len(rows)) * part * moves
    return np.array([project_simplex(shares) for shares in moved])


def _kept(gaps: Floats, noise: Floats, widest: Floats) -> Floats:
    """Return how much of each gap from the pooled shares is not noise, on average over τ."""
    # The gaps of a group add up to 0, so that one of them says nothing.
    free = 1 - 1 / len(widest)
    logs = np.zeros(len(_SPREADS))
    for at, spread in enumerate(_SPREADS):
        variance = noise + spread * widest
        logs[at] = -free / 2 * (np.log(variance) + gaps**2 / variance).sum()
    chances = np.exp(logs - logs.max())
    kept = np.zeros_like(gaps)
    for chance, spread in zip(chances / chances.sum(), _SPREADS, strict=True):
        kept += chance * spread * widest / (noise + spread * widest)
    return kept
