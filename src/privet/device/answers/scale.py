"""Scales: a person's answer is a number.

A scale has `cells` centres, spread evenly from its low to its high end, ends included. A number
between two centres goes to one of them, by a coin that leaves its mean as it is:

    t = (number − low) · (cells − 1) / (high − low),    P = ⌊t · 2^52⌋,

in double precision; P is what a keyed report depends on, and the cell is P's whole part, or the
next one with the probability of its fraction. Numbers beyond the ends are taken for the ends.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from math import ceil, inf, isfinite, nan
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self
from warnings import warn

from ...errors import Clamped, InvalidAnswer, InvalidArgument
from ...errors.arguments import is_whole, whole
from ..entropy import Stream
from ..mechanisms.base import Mechanism
from ..mechanisms.scales.interval import MOST_CELLS, Interval
from ..values import is_number
from ..wording import check_text
from .base import Answers
from .names import Names

if TYPE_CHECKING:
    from ...analysis.scale_estimate import ScaleEstimate  # noqa: F401, in the base

__all__ = ["FRACTION_BITS", "Scale"]

# P has so many binary digits after the point, so that it fits in 64 bits with its sign.
FRACTION_BITS = 52
_FRACTION = (1 << FRACTION_BITS) - 1
_AIMS = ("shape", "mean")
# How many cells there are by default, and how many whole numbers have one each.
_USUAL, _MOST_WHOLE = 64, 256
_MOST_BANDS = 100


class Scale(Answers["ScaleEstimate"]):
    """A number from low to high; what lies outside is taken for the nearer end.

    Parameters
    ----------
    low : float
        The lower end. Choose both by what people may answer, not by what they did.
    high : float
        The upper end.
    cells : int in [2, 2048], optional
        How finely numbers are told apart, by default 64 cells. If they are whole, there is at most
        one cell for each, and by default just that, if they are at most 256.
    unit : str
        Such as "years", for tables and pictures.
    aim : "shape" or "mean"
        What reports tell most about: the whole distribution, or the mean alone.
    whole : bool
        Whether answers are whole numbers. With a cell for each, none is rounded.
    bands : int or sequence of float
        How a table with another question divides the numbers: in so many equal bands, or at these
        borders, of which each begins the band above it.

    >>> age = Scale(0, 120, cells=61, unit="years")
    >>> divmod(age.value(35), 1 << 52)  # half-way between 34 and 36
    (17, 2251799813685248)

    """

    kind: ClassVar[str] = "scale"
    told_by_tables: ClassVar[bool] = False  # which know its bands alone
    field_types: ClassVar[dict[str, str]] = {
        "kind": "text", "low": "number", "high": "number", "cells": "integer", "unit": "text",
        "whole": "truth", "bands": "array",
    }  # fmt: skip
    low: float
    high: float
    cells: int
    unit: str
    aim: Literal["shape", "mean"]
    whole: bool
    bands: tuple[float, ...]

    def __init__(
        self,
        low: float,
        high: float,
        cells: int | None = None,
        unit: str = "",
        aim: Literal["shape", "mean"] = "shape",
        whole: bool = False,
        *,
        bands: int | Sequence[float] = 4,
    ) -> None:
        low, high = _ends(low, high, whole)
        numbers = int(high - low) + 1 if whole else MOST_CELLS
        if cells is None:
            cells = min(numbers, _USUAL if numbers > _MOST_WHOLE else _MOST_WHOLE)
        cells = min(_check_cells(cells, MOST_CELLS), numbers)
        half = (high - low) / (cells - 1) / 2
        if not (low < low + half and high - half < high):  # centres that floats tell apart
            raise InvalidArgument("Scale", "high", f"further from low = {low:g}", high)
        if unit != "":
            unit = check_text("Scale", "unit", unit)
        if aim not in _AIMS:
            raise InvalidArgument("Scale", "aim", f"one of {', '.join(_AIMS)}", aim)
        borders = _borders(low, high, bands)
        self._freeze(
            low=low, high=high, cells=cells, unit=unit, aim=aim, whole=whole, bands=borders
        )

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"Scale({self.low:g} to {self.high:g}{unit}, {self.cells} cells)"

    @cached_property
    def names(self) -> Names:  # type: ignore[override]
        """The centres of the cells."""
        return Names(f"{self.low + self.step * cell:.10g}" for cell in range(self.cells))

    @property
    def step(self) -> float:
        """How far apart the centres are."""
        return (self.high - self.low) / (self.cells - 1)

    @property
    def edges(self) -> tuple[float, float]:
        """Where the first cell begins and the last one ends, half a step beyond the ends."""
        return self.low - self.step / 2, self.high + self.step / 2

    @property
    def size(self) -> int:
        """How many cells there are."""
        return self.cells

    @property
    def listed(self) -> Sequence[str]:
        """Nothing, because people write a number."""
        return ()

    @property
    def table_names(self) -> Names:
        """The bands."""
        return self.band_names

    @cached_property
    def band_names(self) -> Names:
        """What tables call the bands."""
        starts = [self.low, *self.bands]
        ends = [*(ceil(end) - 1 if self.whole else end for end in self.bands), self.high]
        starts = [ceil(start) for start in starts] if self.whole else starts
        return Names(f"{a:g} to {b:g}" for a, b in zip(starts, ends, strict=True))

    @property
    def rounded(self) -> bool:
        """Whether numbers may lie between centres."""
        return not self.whole or self.cells <= self.high - self.low

    def fields(self) -> dict[str, Any]:
        """Return the ends, the cells, the unit and the bands."""
        names = "low", "high", "cells", "unit", "whole"
        return {
            "kind": self.kind,
            **{name: vars(self)[name] for name in names},
            "bands": list(self.bands),
        }

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Rebuild, refusing more cells than there are whole numbers."""
        given = {name: fields[name] for name in ("low", "high", "cells", "unit", "whole", "bands")}
        if isinstance(given["bands"], int):
            raise InvalidArgument("Scale", "bands", "an array of numbers", given["bands"])
        scale = cls(**given)
        if scale.cells != given["cells"]:
            rule = f"at most {scale.cells}, as numbers are whole"
            raise InvalidArgument("Scale", "cells", rule, given["cells"])
        return scale

    def described(self) -> str:
        """Return the ends and the unit."""
        unit = f" {self.unit}" if self.unit else ""
        return f"a number from {self.low:g} to {self.high:g}{unit}, {self.cells:,} cells"

    def fitting(self) -> Iterable[str]:
        """Return the mechanism of ordered cells."""
        return ("interval",)

    def choose(self, epsilon: float) -> Mechanism:
        """Return the interval design with the window that the aim asks for."""
        return Interval(self.cells, epsilon, "mean" if self.aim == "mean" else None)

    def made(self, kind: type[Mechanism], epsilon: float) -> Mechanism:
        """Return the only one there is."""
        return self.choose(epsilon)

    # --- one answer ---------------------------------------------------------------------------

    def value(self, answer: object) -> int:
        """Return P; warn of a number that lies outside."""
        return self._place(self.number(answer))

    def _place(self, number: float) -> int:
        place = (number - self.low) * (self.cells - 1) / (self.high - self.low)
        return int(min(place, self.cells - 1.0) * (1 << FRACTION_BITS))

    def number(self, answer: object) -> float:
        """Return an answer as a number of the scale, or raise InvalidAnswer."""
        number = self.as_number(answer)
        if self.whole and not number.is_integer():
            raise InvalidAnswer(answer, rule="a whole number")
        inside = min(max(number, self.low), self.high)
        if inside != number:
            note = f"An answer lies outside {self.low:g} to {self.high:g}"
            warn(f"{note}: it is taken for {inside:g}.", Clamped, stacklevel=2)
        return inside

    @staticmethod
    def as_number(answer: object) -> float:
        """Return an answer as a finite number, or raise InvalidAnswer."""
        if isinstance(answer, str):
            if is_number(answer):
                answer = float(answer)
        else:
            if isinstance(answer, Decimal):
                answer = nan if answer.is_snan() else float(answer)
        if isinstance(answer, bool) or not isinstance(answer, Real):
            raise InvalidAnswer(answer, rule="a number")
        number = _float(answer)
        if not isfinite(number):
            raise InvalidAnswer(answer, rule="a finite number")
        return number

    @cached_property
    def band_places(self) -> list[int]:
        """The borders between bands as places, each of which begins the band above it."""
        return [self._place(border) for border in self.bands]

    def band(self, answer: object) -> int:
        """Return the band that a number is in."""
        return bisect_right(self.band_places, self.value(answer))

    def table_place(self, answer: object) -> int:
        """Return the band that a number is in."""
        return self.band(answer)

    def context(self, value: int) -> bytes:
        """Return P in eight bytes."""
        return value.to_bytes(8, "big")

    def settled(self, value: int, stream: Stream) -> int:
        """Return the cell: P's whole part, or the next, by a coin with its fraction."""
        heads = (value & _FRACTION) << 64 - FRACTION_BITS
        return (value >> FRACTION_BITS) + stream.coin(heads, 1 << 64)


def _ends(low: object, high: object, whole_numbers: object) -> tuple[float, float]:
    if not isinstance(whole_numbers, bool):
        raise InvalidArgument("Scale", "whole", "True or False", whole_numbers)
    ends = []
    for parameter, end in (("low", low), ("high", high)):
        number = _float(end) if isinstance(end, Real) and not isinstance(end, bool) else nan
        if not isfinite(number) or (whole_numbers and not number.is_integer()):
            rule = "a whole number" if whole_numbers else "a finite number"
            raise InvalidArgument("Scale", parameter, rule, end)
        ends.append(number)
    start, end = ends
    if not start < end or not isfinite((end - start) * 2048):
        raise InvalidArgument("Scale", "high", f"a number above low = {low}, within reason", high)
    return start, end


def _float(number: Real) -> float:
    """Return a number as a float, an infinite one if it is too large."""
    try:
        return float(number)
    except OverflowError:
        return inf


def _check_cells(cells: object, most: int) -> int:
    return whole("Scale", "cells", cells, 2, most)


def _borders(low: float, high: float, bands: object) -> tuple[float, ...]:
    """Return the borders between bands, in increasing order."""
    if is_whole(bands):
        count = whole("Scale", "bands", bands, 2, _MOST_BANDS)
        return tuple(low + (high - low) * i / count for i in range(1, count))
    rule = f"a number of bands, or increasing numbers between {low:g} and {high:g}"
    if isinstance(bands, str | bytes) or not isinstance(bands, Iterable):
        raise InvalidArgument("Scale", "bands", rule, bands)
    borders = list(bands)
    if len(borders) >= _MOST_BANDS:
        raise InvalidArgument("Scale", "bands", f"at most {_MOST_BANDS} bands", len(borders) + 1)
    if not all(isinstance(border, Real) and not isinstance(border, bool) for border in borders):
        raise InvalidArgument("Scale", "bands", rule, bands)
    ends = [low, *borders, high]
    if not borders or not all(a < b for a, b in pairwise(ends)):
        raise InvalidArgument("Scale", "bands", rule, bands)
    return tuple(float(border) for border in borders)
