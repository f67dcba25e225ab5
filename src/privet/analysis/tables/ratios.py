"""Conditional shares: of those who gave one answer, how many gave another.

A conditional share is a ratio ρ = θ_ab/θ_a. Its interval holds all ρ for which a test does not
reject that θ_ab − ρ θ_a is 0, as Fieller's (1954), with the variance that this difference has if ρ
is true, and the tails of a binomial count (`likeness`), as of few people with a rare answer. Where
θ_a is not clearly above 0, any share is possible: the interval is [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors.arguments import alpha_of
from ..arrays import Floats
from .likeness import lower_tail, upper_tail

if TYPE_CHECKING:
    from .table import Table

Tail = Callable[[Floats, Floats, Floats], Floats]

__all__ = ["ConditionalShares", "cell_columns", "shown"]

_ROUNDS, _LEAST = 30, 1e-9
_CLEAR = 4  # standard errors


def cell_columns(*of_cells: Floats) -> dict[str, Any]:
    """Return frequencies, standard errors and the ends of intervals, a row for each cell."""
    names = "frequency", "standard_error", "low", "high"
    return dict(zip(names, map(np.ravel, of_cells), strict=True))


def shown(shares: Floats) -> Floats:
    """Return unbiased shares as people read them, none below 0 or above 1."""
    return np.asarray(np.clip(shares, 0, 1))


class ConditionalShares:
    """The shares of one question's answers among those who gave each answer to another.

    Attributes
    ----------
    table : Table
        Of the two questions: the given one has the rows, the other the columns.
    frequencies : array
        The estimate θ_ab/θ_a of each share, which may fall outside [0, 1]; not a number where
        nobody seems to have given the answer a.

    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._given = table.frequencies.sum(axis=1, keepdims=True)
        self._divisor = np.where(self._given > 0, self._given, np.nan)
        self.frequencies: Floats = table.frequencies / self._divisor
        self.frequencies.flags.writeable = False

    @cached_property
    def standard_errors(self) -> Floats:
        """The standard error of each share, by the delta method.

        It needs a divisor that is not near 0: not a number where the share of those who gave the
        answer a is less than four of its own standard errors.
        """
        share = np.clip(np.nan_to_num(self.frequencies), 0, 1)
        given = self.table.margin(self.table.questions[0])
        clear = given.frequencies >= _CLEAR * given.standard_errors
        return np.where(clear[:, None], np.sqrt(self._variance(share)) / self._divisor, np.nan)

    def interval(self, level: float = 0.95, *, simultaneous: bool = False) -> tuple[Floats, Floats]:
        """Return the ends of a confidence interval for each share, in the population.

        simultaneous=True widens all intervals (Bonferroni) so that they hold together.
        """
        alpha = alpha_of("ConditionalShares.interval", level)
        alpha /= self.frequencies.size if simultaneous else 1
        lowest, _ = self.table.margin(self.table.questions[0]).interval(1 - alpha)
        clear = np.broadcast_to(lowest[:, None] > 0, self.frequencies.shape)
        low = self._end(0.0, upper_tail, alpha / 2)
        high = self._end(1.0, lower_tail, alpha / 2)
        return np.where(clear, low, 0.0), np.where(clear, high, 1.0)

    def columns(self, level: float = 0.95, *, simultaneous: bool = False) -> dict[str, Any]:
        """Return the shares as columns, a row each; the given answer varies slowest."""
        ends = self.interval(level, simultaneous=simultaneous)
        return self.table.answers() | cell_columns(self.frequencies, self.standard_errors, *ends)

    def __repr__(self) -> str:
        given, other = self.table.names
        return f"<ConditionalShares: {other}, by {given}>"

    def _end(self, end: float, tail: Tail, chance: float) -> Floats:
        """Return how far towards the end the shares are whose tail has more than this chance.

        The distance of a cell from the share of its row is like that of a binomial count from its
        mean, with the rate ρ, the step that the cell's estimate has, and the distance's variance.
        An estimate beyond 0 or 1 counts as one there, so that no interval is empty.
        """
        inside = np.clip(np.nan_to_num(self.frequencies), 0, 1)
        start, outside = inside, np.full(inside.shape, end)
        step = self.table.likeness.step

        def accepted(share: Floats) -> Any:
            rate = np.clip(share, _LEAST, 1 - _LEAST)
            people = self._variance(share) / step**2 / (rate * (1 - rate))
            hits = (start - share) * self._given / step + people * rate
            return tail(hits, people, rate) > chance

        whole = accepted(outside)
        for _ in range(_ROUNDS):
            half = (inside + outside) / 2
            good = accepted(half)
            inside, outside = np.where(good, half, inside), np.where(good, outside, half)
        return np.where(whole, end, inside)

    def _variance(self, share: Floats) -> Floats:
        """Return the variance of θ_ab − ρ θ_a for each cell, if the shares ρ are true."""
        variance = np.zeros(share.shape)
        for coefficient in self._polynomial[::-1]:
            variance = variance * share + coefficient
        return np.maximum(variance, 0)

    @cached_property
    def _polynomial(self) -> Floats:
        """The coefficients of each variance as a polynomial in ρ, which has the degree 4."""
        nodes = np.linspace(0, 1, 5)
        values = [self._variance_at(np.full(self.frequencies.shape, node)) for node in nodes]
        fit = np.linalg.inv(np.vander(nodes, increasing=True))
        return np.tensordot(fit, np.array(values), 1)

    def _variance_at(self, share: Floats) -> Floats:
        """Return the same from the patterns that people have.

        Those who gave the answer a are as many as estimated, and the others keep their patterns.
        """
        table, columns = self.table, self.table.frequencies.shape[1]
        row = np.clip(self._given, 0, 1)
        (none, other), _ = table.patterns
        rest = np.maximum(none + other, np.finfo(float).tiny)
        people = np.array(
            [[(1 - row) * none / rest, (1 - row) * other / rest], [row * (1 - share), row * share]]
        )
        variance = np.zeros(share.shape)
        for page, kernel, factor in zip(table.pages, table.kernels, table.factors, strict=True):
            of_row = kernel[:, 1:] + (columns - 1) * kernel[:, :1]
            weights = kernel[..., None, None] - share * of_row[..., None, None]
            fixed, own = page.spreads
            squares = fixed * table.squares(page, weights)
            second = (people * weights**2).sum(axis=(0, 1))
            mean = (people * weights).sum(axis=(0, 1))
            variance += factor * (squares + (own + 1) * second - mean**2) / page.n
        return variance
