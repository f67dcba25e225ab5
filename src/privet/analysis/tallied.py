"""Tallied: what a tally is to the analyses that take one in place of its estimate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from ..device.contract import Contract, E

__all__ = ["Tallied"]


class Tallied(ABC, Generic[E]):
    """The counts of one survey's reports."""

    __slots__ = ()

    survey: Contract[E]

    @abstractmethod
    def aggregated(self) -> tuple[int, NDArray[np.int64]]:
        """Return the number of reports and a copy of their aggregate, which belong together."""

    @abstractmethod
    def estimate(self) -> E:
        """Return what the reports say about the population."""
