"""Which values each report supports, for all mechanisms whose likelihood that is.

By most mechanisms a report z is E times as likely from a value that it supports as from one that it
does not, so that from people with the shares θ its likelihood is, but for a factor that depends on
z alone,

    1 + (E − 1) Σ_{j in z} θ_j,    E the likelihood ratio.

That is how sets, blocks and windows are drawn; a hash supports all values of its bucket; and of
independent bits only the one of the person's value tells its value from another, by
E = g(1 − h)/(h(1 − g)).
"""

from __future__ import annotations

from copy import copy
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...device.mechanisms.bits.unary import Unary
from ...device.mechanisms.hashes.hashed import Hashed
from ...device.mechanisms.scales.interval import Interval
from ...device.mechanisms.subsets.design import Design
from ...device.mechanisms.subsets.k_subset import KSubset
from ...errors import InvalidArgument
from ..counter import read_numbers
from ..subsets import points_of

Reports = NDArray[np.uint8]

__all__ = ["Supports", "supports_of"]

_ENTRIES_AT_ONCE = 1 << 22


class Supports:
    """Which of d values each of n checked reports supports, as bits; a few rows at a time."""

    def __init__(self, mechanism: Any, reports: Reports) -> None:
        self.d, self.n = mechanism.d, len(reports)
        self.excess = float(mechanism.likelihood_ratio - 1)
        rows = max(1, _ENTRIES_AT_ONCE // self.d)
        parts = (reports[at : at + rows] for at in range(0, max(self.n, 1), rows))
        packed = [np.packbits(_held(mechanism, part), axis=1) for part in parts]
        self.bits = np.concatenate(packed)
        self._order = np.arange(self.d)

    def take(self, rows: NDArray[np.int64]) -> Supports:
        """Return the same of some reports."""
        some = copy(self)
        some.n, some.bits = len(rows), self.bits[rows]
        return some

    def led_by(self, value: int) -> Supports:
        """Return the same with one value before the others."""
        some = copy(self)
        some._order = np.array([value, *(j for j in range(self.d) if j != value)])
        return some

    def odds(self, rows: slice) -> NDArray[np.float64]:
        """Return how much likelier each report is from each value than from one not supported."""
        odds = self.held(rows).astype(np.float64)
        odds *= self.excess
        odds += 1
        return odds

    def held(self, rows: slice) -> NDArray[np.bool_]:
        """Return whether each report supports each value."""
        held = np.unpackbits(self.bits[rows], axis=1, count=self.d).view(np.bool_)
        return held[:, self._order] if self._order[0] else held


def supports_of(owner: str, mechanism: Any, reports: Reports) -> Supports:
    """Return what checked reports support, or raise if that does not tell how likely they are."""
    if not isinstance(mechanism, KSubset | Design | Interval | Unary | Hashed):
        rule = "of a mechanism whose reports support some values, all alike (sets, bits, hashes)"
        raise InvalidArgument(owner, "survey", rule, mechanism)
    return Supports(mechanism, reports)


@singledispatch
def _held(mechanism: Any, reports: Reports) -> NDArray[np.bool_]:
    """Return whether each report supports each value, (n, d); blocks and windows have numbers."""
    different, rows = np.unique(read_numbers(reports), return_inverse=True)
    held = np.zeros((len(different), mechanism.d), dtype=np.bool_)
    for row, number in zip(held, different.tolist(), strict=True):
        row[mechanism.members(number.to_bytes(mechanism.report_bytes, "little"))] = True
    return held[rows]


_held.register(KSubset, points_of)


@_held.register(Unary)
def _(mechanism: Unary, reports: Reports) -> NDArray[np.bool_]:
    return np.unpackbits(reports, axis=1, count=mechanism.d, bitorder="little").view(np.bool_)


@_held.register(Hashed)
def _(mechanism: Hashed, reports: Reports) -> NDArray[np.bool_]:
    functions, buckets = np.divmod(read_numbers(reports), np.uint64(mechanism.buckets))
    values = np.arange(mechanism.d, dtype=np.uint64)
    bucket: Any = mechanism.analyst.batches.bucket  # type: ignore[attr-defined]
    held: NDArray[np.bool_] = bucket(functions[:, None], values) == buckets[:, None]
    return held
