"""Sharing: how many people should draw each page.

The shares s of the pages are those with the least sum of *mean* variances of the wanted questions
and tables: each one's total variance over its number of cells, so that a table of a thousand cells
does not starve a question of two. With the precisions of `variances`, that sum is

    Σ_S k_S / Σ_{v⊇S} b_v s_v,    b_v = 1/(V_v D_v + 1),

over the interactions S, which is convex in s. Where −∂/∂s_v of it is largest, and the same for all
pages that are drawn at all, no other shares are better. They are found by Newton's method with a
logarithmic barrier that is lowered step by step. Pages that do not help get no people.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ...device.mechanisms.base import Mechanism
from ...device.survey import Survey
from ...errors import InvalidArgument
from ...errors.arguments import positive
from ..arrays import Floats
from ..kinds import kind_of
from .interactions import Questions, interactions
from .variances import Privacy, costs_of

Ids = tuple[str, ...]

__all__ = ["best_shares", "measured", "page_shares", "spread_alone", "tabled"]

# Relative to the sum at equal shares.
_BARRIERS = 10.0 ** -np.arange(11)
_ROUNDS, _CLOSE = 100, 1e-3
# As good as infinitely many people, for variances that depend on their number.
_MANY = 10**9
# A page that adds less than this to every precision is not drawn.
_SMALL = 1e-3


def best_shares(
    surveys: Sequence[Survey], asked: Sequence[Ids], mechanisms: Sequence[Mechanism]
) -> dict[Ids, float]:
    """Return the share of people for each page that gives the least summed mean variance.

    Shares of answers count with the mean of their variances (`page_shares`), numbers
    on a scale with the variance of their mean on [-1, 1], which is about as large.
    """
    by_id = {one.id: one for one in surveys}
    made = dict(zip(asked, mechanisms, strict=True))
    apart = [ids for ids in asked if measured([by_id[name] for name in ids]) != "share"]
    together = [ids for ids in asked if ids not in apart]
    sizes, places = tabled(surveys, together)
    alone = [spread_alone(by_id[ids[0]], made[ids]) for ids in apart]
    shares = page_shares(places, sizes, [made[ids] for ids in together], places, alone=alone)
    found = dict(zip([*together, *apart], shares.tolist(), strict=True))
    return {ids: found[ids] for ids in asked}


def tabled(
    surveys: Sequence[Survey], pages: Sequence[Ids]
) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return how many answers each question has that tables may join, and each page's questions.

    These are numbered as the first say.
    """
    ids = {one.id: len(one.answers.table_names) for one in surveys if one.answers.in_tables}
    return [*ids.values()], [tuple(map([*ids].index, page)) for page in pages]


def spread_alone(survey: Survey, mechanism: Mechanism) -> float:
    """Return n times the variance that a page counts with which joins no table."""
    return kind_of(survey.answers).spread(mechanism)


def measured(asked: Sequence[Survey]) -> str:
    """Return what the errors of a question, or of a table of several, are of."""
    return "share" if len(asked) > 1 else kind_of(asked[0].answers).measured


def page_shares(
    pages: Sequence[Questions],
    sizes: Sequence[int],
    epsilon: Privacy,
    wanted: Sequence[Questions],
    *,
    alone: Sequence[float] = (),
) -> Floats:
    """Return the share of the people who should draw each page, 1 in all.

    Parameters
    ----------
    pages : sequence of tuples of int
        The questions that each page asks.
    sizes : sequence of int
        How many categories each question has.
    epsilon : float or sequence of Mechanism
        Of all pages, which take complete k-subsets of the best size; or the pages' mechanisms.
    wanted : sequence of tuples of int
        The questions and tables that are to be estimated well: (0,), or (0, 3).
    alone : sequence of float
        Pages that join no table, such as numbers on a scale: of each, n times the mean variance of
        what n people's answers estimate. Their shares come after those of the other pages.

    >>> page_shares([(0,), (1,), (0, 1)], (2, 2), 1.0, [(0,), (1,)]).round(3)
    array([0.5, 0.5, 0. ])
    >>> page_shares([(0,), (1,), (0, 1)], (2, 2), 1.0, [(0,), (1,), (0, 1)]).round(3)
    array([0.114, 0.114, 0.771])

    """
    weights, asked = _objective(pages, sizes, epsilon, wanted, alone)
    if not len(weights) or not asked.any(axis=1).all():
        rule = "questions and tables that some page asks for"
        raise InvalidArgument("page_shares", "wanted", rule, wanted)
    return _least(weights, asked)


def _objective(
    pages: Sequence[Questions],
    sizes: Sequence[int],
    epsilon: Privacy,
    wanted: Sequence[Questions],
    alone: Sequence[float],
) -> tuple[Floats, Floats]:
    """Return k_S of each interaction, and what a person on each page adds to its precision."""
    costs = costs_of(sizes, pages, epsilon, sampling=True)
    weights: dict[Questions, float] = {}
    for table in wanted:
        cells = prod(sizes[q] for q in table)
        for some in interactions(tuple(sorted(table))):
            weight = prod(sizes[q] - 1 for q in some) / cells**2
            weights[some] = weights.get(some, 0.0) + weight
    rows = [
        [({*some} <= {*page}) / cost for page, cost in zip(pages, costs, strict=True)]
        + [0.0] * len(alone)
        for some in weights
    ]
    rows += [[0.0] * len(pages) + list(row) for row in np.eye(len(alone))]
    numbers = [positive("page_shares", f"alone[{i}]", number) for i, number in enumerate(alone)]
    return np.array([*weights.values(), *numbers]), np.array(rows)


def _least(weights: Floats, asked: Floats) -> Floats:
    """Return the shares with the least Σ weights/(asked @ shares).

    1/x is compatible with the barrier −log x, so that Newton steps, damped by their own length,
    stay within it and need no search (Nesterov and Nemirovskii 1994).
    """
    many = asked.shape[1]
    shares = np.full(many, 1 / many)
    weights = weights / (weights / (asked @ shares)).sum()
    for barrier in _BARRIERS:
        for _ in range(_ROUNDS):
            each = asked * shares / (asked @ shares)[:, None]  # a page's part in each precision
            values = weights / (asked @ shares)
            down = values @ each + barrier
            curved = 2 * (each.T * values) @ each + barrier * np.eye(many)
            # Relative steps, such that the shares still add up to 1.
            free, tied = np.linalg.solve(curved, np.stack((down, shares), axis=1)).T
            step = free - (shares @ free) / (shares @ tied) * tied
            length = float(np.sqrt(step @ curved @ step / barrier))
            shares = shares * (1 + step / (1 + length))
            if length < _CLOSE:
                break
    needed = (asked * shares > _SMALL * (asked @ shares)[:, None]).any(axis=0)
    shares[~needed] = 0
    return np.asarray(shares / shares.sum())
