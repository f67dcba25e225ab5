"""O-RR: multivariate randomized response to a hash of the value, in cohorts.

A cohort's public hash function maps the values to a few buckets. The report is the cohort and, by
multivariate randomized response, the bucket, decoded by regression
(`privet.analysis.cohorts`).
With ever more cohorts this becomes local hashing; with few, collisions cost accuracy, and with too
few the shares cannot be told apart at all.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp
from typing import Any, ClassVar

from ..base import Problem
from ..numbered import Shape
from .cohorts import CELLS_A_VALUE, MOST_CELLS, MOST_COHORTS, Cohorts
from .hashed import Hashed


class HashedRR(Hashed, Cohorts):
    """Report a cohort and, most likely, the bucket that its hash function maps the value to.

    Parameters
    ----------
    d : int in [2, 2048]
        The number of values.
    epsilon : float
        The privacy level.
    cohorts : int, optional
        How many hash functions there are; by default so many that there are eight times more
        buckets than values, not counting one of each cohort.
    buckets : int, optional
        How many buckets a value may be hashed to; by default about e^ε + 1, and at most d.

    References
    ----------
    Kairouz, Bonawitz, Ramage: Discrete Distribution Estimation under Local Privacy, ICML 2016.

    >>> HashedRR(100, 1.0)
    HashedRR(d=100, epsilon=1.0, cohorts=267, buckets=4)

    """

    name: ClassVar[str] = "hashed-rr"
    _shape: ClassVar[tuple[str, ...]] = ("cohorts", "buckets")

    def __init__(
        self, d: int, epsilon: float, *, cohorts: int | None = None, buckets: int | None = None
    ) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        if buckets is None:
            buckets = max(2, min(round(exp(min(epsilon, 10))) + 1, d, MOST_CELLS))
        if cohorts is None:
            self._forbid(self._out_of_range(d, buckets=(buckets, 2, MOST_CELLS)))
            cohorts = ceil(CELLS_A_VALUE * d / (buckets - 1))
        self._choose(d, epsilon, (cohorts, buckets))
        self.check_estimable()

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> Problem | None:
        cohorts, buckets = shape
        sizes = {"buckets": (buckets, 2, MOST_CELLS), "cohorts": (cohorts, 1, MOST_COHORTS)}
        problem: Problem | None = cls._out_of_range(d, **sizes)
        return problem or cls._size_problem(d, cohorts, buckets, cohorts * (buckets - 1) + 1)

    @property
    def functions(self) -> int:
        """A function for every cohort."""
        return self.cohorts

    @property
    def cells(self) -> int:
        """A cell for every bucket."""
        return self.buckets

    def bucket(self, function: Any, value: Any) -> Any:
        """Return the bucket that a cohort's function maps a value to."""
        return self.cell(function, value)

    @property
    def telling_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly p = E/(E + buckets − 1) and q = 1/(E + buckets − 1)."""
        return self.response_rates
