"""Pages: what the people who drew the same questions of a questionnaire reported.

A page asks one question, or several jointly, as one domain of D = Π d_q cells; the page's first
question varies slowest. Of a page, everything else needs its unbiased shares and their covariance.

For weights u that add up to 0, one report of a person with the value x adds noise of the variance

    κ0 Σ_y u_y² + κ1 u_x²

wherever all pairs of cells are alike: with complete k-subsets, independent bits and noise on every
entry. With block designs and hashes it is so on average over x, and κ0 and κ1 are those averages.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...device.mechanisms.base import Mechanism, exclusive
from ...device.mechanisms.bits.unary import Unary
from ...device.mechanisms.noise.geometric import GeometricNoise
from ...device.mechanisms.subsets.k_subset import KSubset
from ...errors import InvalidArgument
from ..arrays import Floats
from ..refine.simplex import project_simplex
from ..sums.covariance import Operator, covariance, noise

__all__ = ["PageCounts", "contrast_noise"]


def contrast_noise(mechanism: Mechanism) -> float:
    """Return the variance that one report's noise adds to a contrast of length 1, on average.

    The average is over all contrasts and over people of all values. For complete k-subsets it is
    V = (V1 + (D − 1)V0)/(D − 1), the same for every contrast.

    >>> print(f"{contrast_noise(KSubset(16, 1.0)):.6f}")
    3.398426
    """
    d = mechanism.d
    flat = np.full(d, 1 / d)
    along = float(noise(mechanism, np.ones(d)).mean()) / d  # of the total, which is known to be 1
    return (d * float(mechanism.variance(flat, 1, "sample").mean()) - along) / (d - 1)


@dataclass(frozen=True, eq=False)
class PageCounts:
    """The counts of one page's reports.

    Attributes
    ----------
    questions : tuple of int
        Which questions the page asks; the first varies slowest.
    sizes : tuple of int
        How many categories each of them has.
    mechanism : Mechanism
        Of as many values as there are cells.
    n : int
        How many people answered the page.
    counts : array of int
        How many of their reports support each cell.

    """

    questions: tuple[int, ...]
    sizes: tuple[int, ...]
    mechanism: Mechanism
    n: int
    counts: NDArray[np.int64]

    def __post_init__(self) -> None:
        exclusive("PageCounts", self.mechanism)
        if not self.questions or len({*self.questions}) != len(self.questions):
            rule = "one question or several different ones"
            raise InvalidArgument("PageCounts", "questions", rule, self.questions)
        if len(self.sizes) != len(self.questions) or prod(self.sizes) != self.mechanism.d:
            rule = f"one a question, with a product of {self.mechanism.d}, the mechanism's values"
            raise InvalidArgument("PageCounts", "sizes", rule, self.sizes)
        if np.shape(self.counts) != (self.mechanism.d,):
            rule = f"{self.mechanism.d} counts, one a cell"
            raise InvalidArgument("PageCounts", "counts", rule, np.shape(self.counts))

    @cached_property
    def frequencies(self) -> Floats:
        """The unbiased share of each cell, with an axis for each question."""
        return self.mechanism.frequencies(self.counts, self.n).reshape(self.sizes)

    @cached_property
    def precision(self) -> float:
        """How much the page says of each contrast of its margins, people's own sampling included.

        It is n/(V·D + 1). V is the noise of a contrast of length 1 among the page's cells, and 1/D
        what drawing a person from a flat population adds to it. A margin sums over D/Π d_q cells,
        which makes its contrasts longer, and D counts.
        """
        return self.n / (contrast_noise(self.mechanism) * self.mechanism.d + 1)

    @cached_property
    def alike(self) -> bool:
        """Whether all pairs of cells are alike, so that κ0 and κ1 are exact for every person."""
        return isinstance(self.mechanism, (KSubset, Unary, GeometricNoise))

    @cached_property
    def spreads(self) -> tuple[float, float]:
        """The numbers κ0 and κ1, found from the difference of two cells."""
        pair = np.zeros(self.mechanism.d)
        pair[:2] = 1, -1
        noises = noise(self.mechanism, pair)
        if len(pair) == 2:
            return float(noises.mean()) / 2, 0.0
        other = float(noises[2:].mean())
        return other / 2, float(noises[:2].mean()) - other

    @cached_property
    def crowd(self) -> Floats:
        """The page's own shares, as a distribution."""
        return project_simplex(self.frequencies.ravel())

    @cached_property
    def covariance(self) -> Operator:
        """The covariance of one report's contribution, for people of the page's own shares."""
        return covariance(self.mechanism, self.crowd)
