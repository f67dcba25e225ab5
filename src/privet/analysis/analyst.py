"""The analyst's half of a mechanism: three roles, found by dispatch on the person's half.

Who estimates is all there is of a channel that makes no reports. A questionnaire has no estimator:
its pages have, and `tables` joins what they tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..device.entropy import Entropy
from .batch import Batches
from .counter import Counter
from .estimator import Estimator

__all__ = ["Analyst", "Counting", "Estimating", "half_of"]


class _Makes(Protocol):
    def randomize(
        self, values: Any, entropy: Entropy | None = None, workers: int | None = None
    ) -> NDArray[np.uint8]:
        """Return one report per row, uint8 (n, report_bytes)."""


@dataclass(frozen=True)
class Estimating:
    """Who estimates shares from counts."""

    estimator: Estimator


@dataclass(frozen=True)
class Counting:
    """Who makes many reports at a time, and who checks and counts them."""

    batches: _Makes
    counter: Counter[Any]


@dataclass(frozen=True)
class Analyst(Counting, Estimating):
    """All three, of which the first also reads arrays of values."""

    batches: Batches[Any]


@singledispatch
def half_of(channel: object) -> Any:
    """Return the analyst's half; each family of mechanisms registers its own."""
    raise TypeError(f"No analyst's half is registered for {channel!r}.")
