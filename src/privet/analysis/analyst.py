"""The analyst's half of a mechanism: three roles, dispatched on the person's half."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from .batch import Batches
from .counter import Counter
from .estimator import Estimator

__all__ = ["Analyst", "Half", "half_of"]


@dataclass(frozen=True)
class Half:
    """Who estimates shares from counts: all there is of a channel that makes no reports."""

    estimator: Estimator


@dataclass(frozen=True)
class Analyst(Half):
    """Also who makes many reports at a time, and who checks and counts them."""

    batches: Batches[Any]
    counter: Counter[Any]


@singledispatch
def half_of(channel: object) -> Any:
    """Return the analyst's half; each family of mechanisms registers its own."""
    raise TypeError(f"No analyst's half is registered for {channel!r}.")
