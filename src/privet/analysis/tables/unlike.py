"""Pages whose pairs of cells are not alike: how much that changes the errors of a table's cells.

In a block design, how often three cells meet in a block differs, and so does the noise that a
person's report adds to a sum of cells. All blocks are gone through at once: with P(B) the chance
that the page's people report block B, and u_t(B) the sum of the weights for cell t of the cells
that B holds, the variance of one report is (Σ_B P(B) u_t(B)² − (Σ_B P(B) u_t(B))²)/(g − h)².
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ...device.mechanisms.subsets.design import Design
from ..arrays import Floats
from ..incidence import blocks_of
from .interactions import Questions, over
from .page_counts import PageCounts

if TYPE_CHECKING:
    from .combining import Combined

__all__ = ["excess"]

# Beyond so many products of weights, or sums of other mechanisms, that is not gone into.
_MOST_PRODUCTS, _MOST_SUMS = 1 << 25, 64


def excess(combined: Combined, page: PageCounts, questions: Questions) -> Floats | float:
    """Return how much larger the page's exact variances are than those of pairs that are alike.

    For each cell of the questions, or 1 where it would take long. The people of the page have the
    page's own shares.
    """
    shared = combined.shared(page, questions)
    some, cells = (prod(combined.sizes[q] for q in each) for each in (shared, questions))
    design = page.mechanism if isinstance(page.mechanism, Design) else None
    if some * cells * design.blocks > _MOST_PRODUCTS if design else cells > _MOST_SUMS:
        return 1.0
    places = np.arange(float(some)).reshape([combined.sizes[q] for q in shared])
    each = np.broadcast_to(over(places, shared, page.questions), page.sizes)
    each = each.ravel().astype(np.int64)
    theta = np.bincount(each, page.crowd, minlength=some)
    weights = combined.carried(page, np.eye(some).reshape(*places.shape, -1), shared, questions)
    rows = weights.reshape(cells, some)
    fixed, own = page.spreads
    alike = (fixed * len(each) / some + (own + 1) * theta) @ rows.T**2 - (rows @ theta) ** 2
    if design:
        exact = _of_blocks(page, design, np.eye(some)[each], rows)
    else:
        exact = np.array([row[each] @ page.covariance(row[each]) for row in rows])
    return (exact / alike).reshape(weights.shape[:-1])


def _of_blocks(page: PageCounts, design: Design, members: Floats, rows: Floats) -> Floats:
    """Return the variance of each row of weights, from how many of each kind a block holds."""
    blocks, (g, h) = blocks_of(design), design.hit_rates
    odds = 1 + float(design.likelihood_ratio - 1) * blocks.forward(page.crowd)
    held = rows @ blocks.forward(members).T
    chances = odds / odds.sum()
    variance: Floats = (held**2 @ chances - (held @ chances) ** 2) / float(g - h) ** 2
    return variance
