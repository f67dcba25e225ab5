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

from functools import cache
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import whole
from ..errors import InvalidArgument, NoReports

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .pages import Floats, PageCounts
    from .table import Margin, Table

__all__ = ["Combined", "interactions"]

Questions = tuple[int, ...]


def interactions(questions: Questions) -> list[Questions]:
    """Return all subsets but the empty one, the smaller first.

    >>> interactions((0, 3))
    [(0,), (3,), (0, 3)]
    """
    sizes = range(1, len(questions) + 1)
    return [some for many in sizes for some in combinations(questions, many)]


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
        self._precision = cache(self._summed_precision)

    def __repr__(self) -> str:
        return (
            f"<Combined: {len(self.sizes)} questions, {len(self.pages)} pages, {self.n:,} reports>"
        )

    def table(self, first: int, second: int, *others: int) -> Table:
        """Return the table of two questions or more, in this order."""
        from .table import Table

        return Table(self, self._checked("Combined.table", (first, second, *others)))

    def question(self, question: int) -> Margin:
        """Return the shares of one question, from all pages that ask it."""
        from .table import Margin

        return Margin(self, self._checked("Combined.question", (question,)))

    def frequencies(self, questions: Questions) -> Floats:
        """Return the unbiased share of each cell of these questions, with an axis for each."""
        sizes = self._sizes(questions)
        table = np.full(sizes, 1 / prod(sizes))
        for page in self._saying(questions):
            shared = tuple(q for q in questions if q in page.questions)
            margin = _margin(page.frequencies, page.questions, shared)
            for some in interactions(shared):
                part = _centred(_margin(margin, shared, some))
                spread = self._weight(page, some) * prod(self._sizes(some)) / prod(sizes)
                table += spread * _over(part, some, questions)
        return table

    def weights(self, page: PageCounts, questions: Questions, weights: Floats) -> Floats:
        """Return what each of the page's cells counts in Σ weights · frequencies(questions).

        The sum is these times the pages' own frequencies, plus the mean of the weights. They have
        axes for the page's questions and add up to 0.
        """
        shared = tuple(q for q in questions if q in page.questions)
        cells = prod(self._sizes(questions))
        back = np.zeros((1,) * len(page.questions))
        for some in interactions(shared):
            part = _centred(_margin(weights, questions, some)) * prod(self._sizes(some)) / cells
            back = back + self._weight(page, some) * _over(part, some, page.questions)
        return np.broadcast_to(back, page.sizes)

    def variance(self, questions: Questions, weights: Floats) -> float:
        """Return the variance of Σ weights · frequencies(questions), for a population without end.

        It is exact for people who have the pages' own shares, whatever the mechanisms are.
        """
        variance = 0.0
        for page in self._saying(questions):
            back = self.weights(page, questions, weights).ravel()
            variance += float(back @ page.covariance(back)) / page.n
        return variance

    def kernel(self, page: PageCounts, questions: Questions) -> Floats:
        """Return the weight of a page's cell in that of a cell of the table, by where they agree.

        There is an axis for each question: 1 where the two cells agree in it, and 0 where not.
        """
        at = np.zeros((2,) * len(questions))
        cells = prod(self._sizes(questions))
        for some in interactions(tuple(q for q in questions if q in page.questions)):
            term = np.full((1,) * len(questions), self._weight(page, some) / cells)
            for q in some:
                d = self.sizes[q]
                term = term * _along(np.array([-1.0, d - 1.0]), questions.index(q), len(questions))
            at = at + term
        return at

    def _saying(self, questions: Questions) -> list[PageCounts]:
        """Return the pages that ask some of the questions, or raise if they do not say enough."""
        for some in interactions(questions):
            self._precision(tuple(sorted(some)))
        return [page for page in self.pages if {*questions} & {*page.questions}]

    def _weight(self, page: PageCounts, some: Questions) -> float:
        return page.precision / self._precision(tuple(sorted(some)))

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
    """Return the sums over all other questions; what is left stays in the order of `questions`."""
    away = tuple(axis for axis, q in enumerate(questions) if q not in some)
    left = [q for q in questions if q in some]
    margin: Floats = cells.sum(axis=away)
    return margin.transpose([left.index(q) for q in some])


def _centred(cells: Floats) -> Floats:
    """Return what is left when the means along every axis are taken away."""
    for axis in range(cells.ndim):
        cells = cells - cells.mean(axis=axis, keepdims=True)
    return cells


def _over(part: Floats, some: Questions, questions: Questions) -> Floats:
    """Return the same numbers with an axis for each question, those that are not in some short."""
    order = sorted(range(len(some)), key=lambda i: questions.index(some[i]))
    sizes = dict(zip(some, part.shape, strict=True))
    return part.transpose(order).reshape([sizes.get(q, 1) for q in questions])


def _along(values: Floats, axis: int, axes: int) -> Floats:
    return values.reshape([-1 if i == axis else 1 for i in range(axes)])
