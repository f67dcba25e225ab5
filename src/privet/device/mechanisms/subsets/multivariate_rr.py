"""Multivariate randomized response (k-RR, GRR): the truth with probability E/(E + d − 1).

It is the 1-subset mechanism (paper, eq. 4), best where e^ε is large compared with d.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from ....errors import InvalidSurvey
from .k_subset import KSubset


class MultivariateRR(KSubset):
    """Report one value, most likely the person's.

    >>> MultivariateRR(4, 1.0).g  # doctest: +ELLIPSIS
    0.475366...
    """

    name: ClassVar[str] = "multivariate-rr"
    _shape: ClassVar[tuple[str, ...]] = ()

    def __init__(self, d: int, epsilon: float) -> None:
        super().__init__(d, epsilon, k=1)

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing sets of another size than 1."""
        self = super().from_parameters(d, epsilon, parameters)
        if self.k != 1:
            raise InvalidSurvey(f"The k of {cls.name} must be 1. Got {self.k}.")
        return self
