"""Variances of tables before anybody has answered, for pages and for other ways to ask.

Pages, from the precisions that all of them together have of each interaction S:

    total variance of table T = Σ_{∅≠S⊆T} Π_{q∈S}(d_q − 1) / (precision_S · Π_{q∈T} d_q),

where precision_S = Σ n_v/(V_v D_v) over the pages v that ask all of S (`pages.contrast_noise`). It
is exact for complete k-subsets and a flat population, n_v/(V_v D_v + 1) with its sampling.

Splitting ε: everybody answers all m questions at ε/m, and the product of a person's contributions
to several questions is that to their table, without bias.

One question each: a person answers one question at ε, and nothing is known of tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...device.mechanisms.base import Mechanism
from ...device.mechanisms.subsets.k_subset import KSubset
from ...errors import InvalidArgument
from ...errors.arguments import positive, whole
from .interactions import Questions, interactions
from .page_counts import contrast_noise

Privacy = float | Sequence[Mechanism]

__all__ = ["Variances", "compare", "total_variance"]


def total_variance(
    sizes: Sequence[int],
    pages: Sequence[Questions],
    people: Sequence[float] | NDArray[np.float64],
    epsilon: Privacy,
    table: Questions,
    *,
    sampling: bool = False,
) -> float:
    """Return the variance of a table's cells, summed over all of them.

    Parameters
    ----------
    sizes : sequence of int
        How many categories each question has.
    pages : sequence of tuples of int
        The questions that each page asks.
    people : sequence of numbers
        How many people answer each page.
    epsilon : float or sequence of Mechanism
        Of all pages, which take complete k-subsets of the best size; or the pages' mechanisms.
    table : tuple of int
        One question or several. If no page asks some of them together, the variance is infinite.
    sampling : bool
        Whether to add the variance of drawing the people from a flat population.

    >>> f"{total_variance((3, 4), [(0, 1), (0,)], [1000, 500], 1.0, (0, 1)):.4f}"
    '0.0313'

    """
    costs = costs_of(sizes, pages, epsilon, sampling=sampling)
    cells = prod(sizes[q] for q in table)
    total = 0.0
    for some in interactions(table):
        asked = zip(pages, people, costs, strict=True)
        precision = sum(n / cost for page, n, cost in asked if {*some} <= {*page})
        total += prod(sizes[q] - 1 for q in some) / precision / cells if precision else inf
    return total


def costs_of(
    sizes: Sequence[int], pages: Sequence[Questions], epsilon: Privacy, *, sampling: bool
) -> list[float]:
    """Return the people per unit of precision of each page: V·D, plus 1 with their sampling."""
    for q, d in enumerate(sizes):
        whole("pages", f"sizes[{q}]", d, 2)
    for page in pages:
        if not page or len({*page}) < len(page) or not {*page} <= {*range(len(sizes))}:
            rule = f"different questions in [0, {len(sizes) - 1}], one at least"
            raise InvalidArgument("pages", "page", rule, page)
    cells = [prod(sizes[q] for q in page) for page in pages]
    if isinstance(epsilon, Sequence):
        mechanisms = list(epsilon)
        if [mechanism.d for mechanism in mechanisms] != cells:
            rule = f"mechanisms of {cells} values, one a page"
            raise InvalidArgument("pages", "epsilon", rule, mechanisms)
    else:
        mechanisms = [KSubset(d, positive("pages", "epsilon", epsilon)) for d in cells]
    return [m.d * contrast_noise(m) + sampling for m in mechanisms]


def split_variance(sizes: Sequence[int], epsilon: float) -> float:
    """Return n times a table's total variance if n people answer each of its questions at ε.

    Sampling is included. What one report adds to a question's shares has the expected squared
    length (d − 1)V + 1, and the product of a person's reports that of the lengths.
    """
    squares = [(d - 1) * contrast_noise(KSubset(d, epsilon)) + 1 for d in sizes]
    return prod(squares) - 1 / prod(sizes)


class Variances(NamedTuple):
    """The total variance of one table by three ways to ask, sampling included."""

    pages: float
    split: float
    one_each: float


def compare(
    sizes: Sequence[int],
    pages: Sequence[Questions],
    people: Sequence[float] | NDArray[np.float64],
    epsilon: float,
    wanted: Sequence[Questions],
) -> list[Variances]:
    """Return the total variances of the wanted tables, and what as many people say otherwise.

    The difference between a question's variance by pages and by one question each is what the
    tables cost the questions; it may be below 0, as a page of several questions counts for each of
    them. Splitting ε is better for single questions where there are few and ε is large: for two
    questions of four answers from ε = 4.5 on, for ten of two from ε = 6.5 on.

    >>> one, both = compare((3, 3), [(0, 1)], [1000], 1.0, [(0,), (0, 1)])
    >>> print("pages {:.4f}, split {:.4f}, one each {:.4f}".format(*one))
    pages 0.0200, split 0.0211, one each 0.0101
    >>> print("pages {:.4f}, split {:.4f}, one each {:.4f}".format(*both))
    pages 0.0266, split 0.4588, one each inf

    """
    n, many = sum(people), len(sizes)
    alone = [(q,) for q in range(many)]
    compared = []
    for table in wanted:
        split = split_variance([sizes[q] for q in table], epsilon / many)
        each = total_variance(sizes, alone, [n / many] * many, epsilon, table, sampling=True)
        paged = total_variance(sizes, pages, people, epsilon, table, sampling=True)
        compared.append(Variances(paged, split / n, each))
    return compared
