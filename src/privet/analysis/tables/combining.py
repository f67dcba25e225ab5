"""Combining pages: every table from all pages that say something of it.

A table over the questions T is a sum of interactions S ⊆ T: margins over S less what smaller
margins say of them, spread evenly over the other questions. Every page that asks all of S
estimates the interaction S. For complete k-subsets and a flat population, the errors of contrasts
have one variance, so that generalized least squares weights the pages for each S by themselves,
in proportion to `PageCounts.precision`. Whatever the weights are, tables are unbiased, and all of
them agree on the margins that they share. What all cells add up to is known to be 1.

For a cell t, the weight u_v(x) that page v gives to its cell x depends only on which questions of
T the two agree in: 2^|T| patterns, and no matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod

import numpy as np

from ...errors import InvalidArgument, NoReports
from ...errors.arguments import whole
from ..arrays import Floats
from ..sums.covariance import Operator
from .interactions import Questions, interactions, over
from .page_counts import PageCounts
from .table import Margin, Table

__all__ = ["Combined"]


class Combined:
    """All pages of a questionnaire, from which questions and tables are estimated.

    Parameters
    ----------
    pages : sequence of PageCounts
        Each from the reports of other people. Pages without reports are allowed where others say
        what they would.
    sizes : sequence of int
        How many categories each question has.
    names : sequence of str, optional
        What the questions are called.
    categories : sequence of sequences of str, optional
        The categories of each question.
    people : int, optional
        How many people took part in all, also on pages that are not here; by default those of the
        pages. The people of each page are a random part of them.

    >>> from privet.mechanisms import KSubset
    >>> from privet.tables import PageCounts
    >>> tea = PageCounts((0,), (2,), KSubset(2, 2.0), 500, np.array([300, 200]))
    >>> both = PageCounts((0, 1), (2, 2), KSubset(4, 2.0), 900, np.array([360, 200, 190, 150]))
    >>> combined = Combined([tea, both], [2, 2], names=["tea", "milk"])
    >>> combined.table(0, 1).frequencies.round(3)
    array([[0.478, 0.189],
           [0.202, 0.13 ]])
    >>> combined.question(0).frequencies.round(3)
    array([0.668, 0.332])

    """

    def __init__(
        self,
        pages: Sequence[PageCounts],
        sizes: Sequence[int],
        *,
        names: Sequence[str] | None = None,
        categories: Sequence[Sequence[str]] | None = None,
        people: int | None = None,
    ) -> None:
        self.sizes = tuple(whole("Combined", f"sizes[{q}]", d, 2) for q, d in enumerate(sizes))
        named = [f"question {q}" for q in range(len(sizes))] if names is None else names
        self.names = tuple(named)
        listed = [[str(i) for i in range(d)] for d in sizes] if categories is None else categories
        self.categories = tuple(map(tuple, listed))
        if len(self.names) != len(self.sizes):
            raise InvalidArgument("Combined", "names", f"{len(self.sizes)} names", self.names)
        if tuple(map(len, self.categories)) != self.sizes:
            rule = f"as many as the sizes say, {self.sizes}"
            given = tuple(map(len, self.categories))
            raise InvalidArgument("Combined", "categories", rule, given)
        for i, page in enumerate(pages):
            fits = all(q in range(len(self.sizes)) for q in page.questions)
            if not fits or page.sizes != tuple(self.sizes[q] for q in page.questions):
                rule = f"a page of questions with the sizes {self.sizes}"
                asked = f"questions {page.questions} with the sizes {page.sizes}"
                raise InvalidArgument("Combined", f"pages[{i}]", rule, asked)
        self.pages = tuple(page for page in pages if page.n)
        self.n = sum(page.n for page in self.pages)
        self.people = self.n if people is None else whole("Combined", "people", people, self.n)
        self.precision = cache(self._summed_precision)

    def __repr__(self) -> str:
        what = f"{len(self.sizes)} questions, {len(self.pages)} pages, {self.n:,} reports"
        return f"<Combined: {what}>"

    def table(self, first: int, second: int, *others: int) -> Table:
        """Return the table of two questions or more, in this order."""
        return Table(self, self._checked("Combined.table", (first, second, *others)))

    def question(self, question: int) -> Margin:
        """Return the shares of one question, from all pages that ask it."""
        return Margin(self, self._checked("Combined.question", (question,)))

    def frequencies(self, questions: Questions) -> Floats:
        """Return the unbiased share of each cell of these questions, with an axis for each."""
        sizes = self._sizes(questions)
        table = np.full(sizes, 1 / prod(sizes))
        for page in self._saying(questions):
            shared = self.shared(page, questions)
            margin = _margin(page.frequencies, page.questions, shared)
            table += self.carried(page, margin, shared, questions)
        return table

    def weights(self, page: PageCounts, questions: Questions, weights: Floats) -> Floats:
        """Return what each of the page's cells counts in Σ weights · frequencies(questions).

        The sum is these times the pages' own frequencies, plus the mean of the weights. They have
        axes for the page's questions and add up to 0.
        """
        shared = self.shared(page, questions)
        back = self.carried(page, weights, questions, shared)
        return np.broadcast_to(over(back, shared, page.questions), page.sizes)

    def variance(self, questions: Questions, weights: Floats) -> float:
        """Return the variance of Σ weights · frequencies(questions), for a population without end.

        It is exact for people who have the pages' own shares, whatever the mechanisms are.
        """
        variance = 0.0
        for page in self._saying(questions):
            back = self.weights(page, questions, weights).ravel()
            variance += float(back @ page.covariance(back)) / page.n
        return variance

    def covariance(self, questions: Questions, theta: Floats) -> Operator:
        """Return u ↦ Cu, C being the covariance of the frequencies if theta are the true shares.

        As if all pairs of a page's cells were alike (`pages`). Axes of u after those of the
        questions are for several at once.
        """

        def apply(u: Floats) -> Floats:
            product = np.zeros(u.shape)
            for page in self._saying(questions):
                (fixed, own), shared = page.spreads, self.shared(page, questions)
                back = self.carried(page, u, questions, shared)
                shares, axes = _margin(theta, questions, shared), len(shared)
                each = fixed * page.mechanism.d / shares.size + (own + 1) * shares
                mean = np.tensordot(shares, back, axes)
                spread = _widened(each, back) * back - _widened(shares, back) * mean
                product += self.carried(page, spread, shared, questions) / page.n
            return product

        return apply

    def shared(self, page: PageCounts, questions: Questions) -> Questions:
        """Return which of the questions a page asks."""
        return tuple(q for q in questions if q in page.questions)

    def carried(self, page: PageCounts, cells: Floats, there: Questions, here: Questions) -> Floats:
        """Return the part that a page has in a table: from its margins to it, or from weights back.

        Of each interaction that both have, and by as much as the page counts in it.
        """
        sizes = self._sizes(max(here, there, key=len))
        carried = np.zeros(self._sizes(here) + cells.shape[len(there) :])
        for some in interactions(tuple(q for q in here if q in there)):
            part = _centred(_margin(cells, there, some), len(some))
            spread = self._weight(page, some) * prod(self._sizes(some)) / prod(sizes)
            carried += spread * over(part, some, here)
        return carried

    def kernel(self, page: PageCounts, questions: Questions) -> Floats:
        """Return the weight of a page's cell in that of a cell of the table, by where they agree.

        There is an axis for each question: 1 where the two cells agree in it, and 0 where not.
        """
        kernel = np.zeros((2,) * len(questions))
        cells = prod(self._sizes(questions))
        for some in interactions(self.shared(page, questions)):
            term = np.array(self._weight(page, some) / cells)
            for q in questions:
                term = np.multiply.outer(term, [-1, self.sizes[q] - 1] if q in some else [1, 1])
            kernel += term
        return kernel

    def _saying(self, questions: Questions) -> list[PageCounts]:
        """Return the pages that ask some of the questions, or raise if they do not say enough."""
        for some in interactions(questions):
            self.precision(tuple(sorted(some)))
        return [page for page in self.pages if {*questions} & {*page.questions}]

    def _weight(self, page: PageCounts, some: Questions) -> float:
        return page.precision / self.precision(tuple(sorted(some)))

    def _summed_precision(self, some: Questions) -> float:
        """Return how much all pages say of the interaction of these questions."""
        precisions = [page.precision for page in self.pages if {*some} <= {*page.questions}]
        if not precisions:
            asked = " and ".join(repr(self.names[q]) for q in some)
            together = " together" if len(some) > 1 else ""
            raise NoReports(f"Nobody answered {asked}{together}.")
        return sum(precisions)

    def _sizes(self, questions: Questions) -> tuple[int, ...]:
        return tuple(self.sizes[q] for q in questions)

    def _checked(self, owner: str, questions: Questions) -> Questions:
        for q in questions:
            whole(owner, "question", q, 0, len(self.sizes) - 1)
        if len({*questions}) < len(questions):
            raise InvalidArgument(owner, "questions", "different from each other", questions)
        self._saying(questions)
        return questions


def _margin(cells: Floats, questions: Questions, some: Questions) -> Floats:
    """Return the sums over all other questions, with the axes in the order of `some`."""
    away = tuple(axis for axis, q in enumerate(questions) if q not in some)
    left = [q for q in questions if q in some]
    margin: Floats = cells.sum(axis=away)
    return margin.transpose([*map(left.index, some), *range(len(some), margin.ndim)])


def _centred(cells: Floats, axes: int) -> Floats:
    """Return what is left when the means along each of the first axes are taken away."""
    for axis in range(axes):
        cells = cells - cells.mean(axis=axis, keepdims=True)
    return cells


def _widened(few: Floats, many: Floats) -> Floats:
    """Return the first with as many axes as the second."""
    return few.reshape(few.shape + (1,) * (many.ndim - few.ndim))
