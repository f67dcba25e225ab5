"""Tables: the shares of cells, estimated from all pages, with errors and intervals that cover.

Seen from one cell t, all people fall into 2^|T| patterns, by the questions in which their answers
agree with the cell's. The variance of the cell's share is Σ_v Var_v/n_v with

    Var_v = κ0 Σ_x u_v(x)² + κ1 Σ_A p_A u_v(A)² + Σ_A p_A u_v(A)² − (Σ_A p_A u_v(A))²,

where p_A is the share of the people with pattern A: the noise of a page's reports (`pages`), and
the sampling of its people. If the cell's share is τ, and the other patterns keep their proportions,
that is a polynomial of degree 2 in τ, and there is a binomial count with the same variance at every
τ. Intervals and p-values are that count's (`likeness`).

For n of M people, those who took part included, sampling without replacement multiplies the last
two terms by M/(M − 1), and τ(1 − τ)/(M − 1) is taken away from the sum over pages. The ends are
nearer to the estimate by the root of that variance over the other, and rounded outwards to whole
numbers of the M people.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from math import inf, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ...device.mechanisms.forwards import Target
from ...errors import InvalidArgument
from ...errors.arguments import alpha_of, check_target
from ..arrays import Floats
from ..columns import frame
from ..measured import Measured
from .association import association
from .independence import Distance, Independence, distance, independence
from .interactions import Questions
from .likeness import Likeness
from .page_counts import PageCounts
from .ratios import ConditionalShares, cell_columns
from .unlike import excess

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from .combining import Combined

__all__ = ["Margin", "Shares", "Table"]

_TINY, _ROUNDING = 1e-300, 1e-6  # the second of a person


class Shares:
    """The shares of the cells of one question or several.

    Attributes
    ----------
    questions : tuple of int
        The questions, one an axis.
    frequencies : array
        The unbiased share of each cell, with an axis for each question.

    """

    def __init__(self, combined: Combined, questions: Questions) -> None:
        self.combined = combined
        self.questions = questions
        self.frequencies = combined.frequencies(questions)
        self.frequencies.flags.writeable = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the questions."""
        return tuple(self.combined.names[q] for q in self.questions)

    @property
    def categories(self) -> tuple[tuple[str, ...], ...]:
        """The categories of each question."""
        return tuple(self.combined.categories[q] for q in self.questions)

    @cached_property
    def standard_errors(self) -> Floats:
        """The standard error of each frequency, for a population without end."""
        tau = self.patterns[(1,) * len(self.questions)]
        errors: Floats = np.sqrt(np.maximum(_at(self._polynomials(inf), tau), 0))
        return errors

    def interval(
        self, level: float = 0.95, *, target: Target = "population", simultaneous: bool = False
    ) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of a confidence interval for each cell.

        The target is a population without end, the sample of all who took part on any page, or a
        number of people whom they were drawn from; simultaneous=True widens all intervals
        (Bonferroni) so that they hold together.
        """
        alpha = alpha_of(f"{type(self).__name__}.interval", level)
        alpha /= self.frequencies.size if simultaneous else 1
        people = self._people(target)
        low, high = self.likeness.ends(self.frequencies, alpha)
        if people < inf:
            # As much nearer to the estimate as its error is smaller, and whole numbers of people.
            share = np.clip(self.frequencies, 0, 1)
            variances = (_at(self._polynomials(some), share) for some in (people, inf))
            part = np.sqrt(np.divide(*(np.maximum(one, _TINY) for one in variances)))
            below, above = np.minimum(self.frequencies, 1), np.maximum(self.frequencies, 0)
            low, high = below - part * (below - low), above + part * (high - above)
            low = np.floor(low * people + _ROUNDING) / people
            high = np.ceil(high * people - _ROUNDING) / people
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    @cached_property
    def p_values(self) -> Floats:
        """How likely so large an estimate or a larger one is, of a cell that nobody is in.

        It is at most alpha/2 exactly where the interval at the level 1 - alpha is above 0.
        """
        return self.likeness.p_values(self.frequencies)

    @cached_property
    def likeness(self) -> Likeness:
        """The law of each cell's estimate, for a population without end."""
        return Likeness.of(self._polynomials(inf))

    def columns(
        self, level: float = 0.95, *, target: Target = "population", simultaneous: bool = False
    ) -> dict[str, Any]:
        """Return the cells as columns, a row each; the last question varies fastest."""
        low, high = self.interval(level, target=target, simultaneous=simultaneous)
        return self.answers() | cell_columns(self.frequencies, self.standard_errors, low, high)

    def answers(self) -> dict[str, list[str]]:
        """Return the answers that each cell stands for, by question, in the order of `columns`."""
        every = zip(*product(*self.categories), strict=True)
        return dict(zip(self.names, map(list, every), strict=True))

    def to_frame(self, level: float = 0.95, **options: Any) -> DataFrame:
        """Return a pandas DataFrame, one row per cell; options as those of `interval`."""
        return frame(self.columns(level, **options))

    def __repr__(self) -> str:
        asked = " × ".join(
            f"{name} ({len(each)})" for name, each in zip(self.names, self.categories, strict=True)
        )
        return f"<{type(self).__name__}: {asked}>"

    # --- seen from each cell ----------------------------------------------------------------------

    @cached_property
    def pages(self) -> list[PageCounts]:
        """The pages that ask some of the questions."""
        return [p for p in self.combined.pages if {*self.questions} & {*p.questions}]

    @cached_property
    def kernels(self) -> list[Floats]:
        """The weights of each page's cells, by pattern."""
        return [self.combined.kernel(page, self.questions) for page in self.pages]

    @cached_property
    def patterns(self) -> Floats:
        """The share of the people with each pattern, and then the axes of the cells."""
        axes = len(self.questions)
        shares = np.empty((2,) * axes + self.frequencies.shape)
        for bits in product((0, 1), repeat=axes):
            away = tuple(axis for axis in range(axes) if not bits[axis])
            shares[bits] = self.frequencies.sum(axis=away, keepdims=True)
        shares.clip(0, 1, out=shares)
        for axis in range(axes):
            some = np.moveaxis(shares, axis, 0)
            some[0] -= some[1]
        shares.clip(0, None, out=shares)
        every: Floats = shares / shares.sum(axis=tuple(range(axes)))
        return every

    @property
    def _others(self) -> Floats:
        """The same among the people outside each cell, of whom there is one at least."""
        inside = self.patterns[(1,) * len(self.questions)]
        others = self.patterns.copy()
        others[(1,) * len(self.questions)] = 0
        others[(0,) * len(self.questions)] += inside >= 1
        rest: Floats = others / others.sum(axis=tuple(range(len(self.questions))))
        return rest

    def squares(self, page: PageCounts, kernel: Floats) -> Any:
        """Return the sum of a page's squared weights over its cells, from those of patterns."""
        sizes = self.frequencies.shape
        many = np.ones(())
        for d in sizes:
            many = np.multiply.outer(many, [d - 1, 1])
        squares = np.tensordot(many, kernel**2, len(sizes))
        return squares * page.mechanism.d / prod(sizes)

    def _people(self, target: Target) -> float:
        """Return of how many people the shares are meant."""
        check_target(f"{type(self).__name__}.interval", target, self.combined.people)
        if isinstance(target, str):
            return self.combined.people if target == "sample" else inf
        return target

    def _polynomials(self, people: float) -> Floats:
        """Return the coefficients of each cell's variance as a polynomial in its share."""
        axes, sizes = len(self.questions), self.frequencies.shape
        drawn = 1.0 if people == inf else people / max(people - 1, 1)
        others = self._others
        polynomials = np.zeros((3, *sizes))
        for page, kernel, factor in zip(self.pages, self.kernels, self.factors, strict=True):
            fixed, own = page.spreads
            here = float(kernel[(1,) * axes])
            mean = np.tensordot(kernel, others, axes)
            square = np.tensordot(kernel**2, others, axes)
            constant = fixed * self.squares(page, kernel) + (own + drawn) * square - drawn * mean**2
            linear = (own + drawn) * (here**2 - square) - 2 * drawn * mean * (here - mean)
            bent = -drawn * (here - mean) ** 2
            polynomials += factor / page.n * np.array([constant, linear, bent])
        if people < inf:
            polynomials += np.array([0, -1, 1]).reshape(-1, *(1,) * axes) / max(people - 1, 1)
        return polynomials

    @cached_property
    def factors(self) -> list[Floats | float]:
        """How much larger each page's exact variances are than if all pairs of cells were alike."""
        combined, questions = self.combined, self.questions
        return [1.0 if page.alike else excess(combined, page, questions) for page in self.pages]


class Margin(Shares):
    """The shares of one question, from all pages that ask it."""


class Table(Shares):
    """The shares of all combinations of the answers to two questions or more."""

    def margin(self, question: int | str) -> Margin:
        """Return the shares of one of the questions: the sums of the table along the others."""
        for place, name in zip(self.questions, self.names, strict=True):
            if question in (place, name):
                return self.combined.question(place)
        rule = f"one of {', '.join(map(repr, self.names))}"
        raise InvalidArgument("Table.margin", "question", rule, question)

    def row_shares(self) -> ConditionalShares:
        """Return the shares of the second question's answers among each answer to the first."""
        self._check_two("row_shares")
        return ConditionalShares(self)

    def column_shares(self) -> ConditionalShares:
        """Return the shares of the first question's answers among each answer to the second.

        The second question has the rows.
        """
        self._check_two("column_shares")
        return ConditionalShares(self.combined.table(*self.questions[::-1]))

    def independence(self) -> Independence:
        """Test whether the answers to two questions are independent of each other."""
        self._check_two("independence")
        return independence(self)

    @cached_property
    def distance(self) -> Distance:
        """How far the table is from independent answers; of this, the test and V are made."""
        return distance(self)

    def association(self) -> Measured:
        """Return Cramér's V of two questions: 0 if independent, 1 if one answer tells the other.

        Its interval at the level 1 - alpha is above 0 exactly where `independence` has a p-value
        of at most alpha. It goes up to 1 where it is not certain that every answer was given.
        """
        self._check_two("association")
        return association(self)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the shares of two questions' answers; return the matplotlib axes.

        The options are those of `privet.figures.plot_table`: level.
        """
        from ...figures import plot_table

        self._check_two("plot")
        return plot_table(self, ax, **options)

    def _check_two(self, what: str) -> None:
        if len(self.questions) != 2:
            rule = "two, as a table of more has no rows and columns"
            raise InvalidArgument(f"Table.{what}", "questions", rule, self.names)


def _at(polynomials: Floats, shares: Floats) -> Floats:
    """Return the variance of each cell where these are the true shares."""
    constant, linear, square = polynomials
    return np.asarray(constant + (linear + square * shares) * shares)
