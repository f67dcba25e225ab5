"""Numbers on a scale: values are places between cells, which a coin settles."""

from __future__ import annotations

from typing import Any, ClassVar, cast
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from ...device.answers.scale import FRACTION_BITS, Scale
from ...device.entropy import Entropy, secure
from ...device.keystream import FILL_SLACK
from ...device.mechanisms.base import Mechanism
from ...device.mechanisms.scales.interval import Interval
from ...device.survey import Survey
from ...device.values import text_of
from ...errors import Clamped, InvalidAnswer
from ..cleaning import MISSING, UNKNOWN, Cleaning
from ..columns import arrow, number_values, numbers_in
from ..scale_estimate import ScaleEstimate
from ..scales import WindowRegression
from .base import Found, Kind, Values

__all__ = ["OneNumber", "places"]

# So many numbers at a time stay in the processor's cache from one step to the next.
_CACHED = 1 << 14


class OneNumber(Kind[Scale, ScaleEstimate]):
    """Numbers, or text that spells them."""

    measured: ClassVar[str] = "mean"
    choices: ClassVar[str] = "'error' or 'drop'"

    def find(self, column: Any, cleaning: Cleaning) -> Found:
        """Return the place of every row's number."""
        scale, types, kind = self.answers, arrow().types, column.type
        if types.is_integer(kind) or types.is_floating(kind):
            floats = column.cast(arrow().float64(), safe=False)  # integers beyond 2^53 are rounded
            numbers = numbers_in(floats, np.float64, np.nan)
            absent = np.isnan(numbers)
        else:
            rows, words = number_values(column)
            cleaned = [cleaning.text(word) for word in words]
            parsed = np.array([_parsed(word) for word in cleaned])
            numbers = parsed[rows]
            absent = np.array([word is None for word in cleaned], dtype=bool)[rows]
        states = np.zeros(len(numbers), dtype=np.int8)
        states[~np.isfinite(numbers)] = UNKNOWN
        if scale.whole:
            states[np.isfinite(numbers) & (numbers != np.floor(numbers))] = UNKNOWN
        states[absent] = MISSING
        values, outside = places(scale, np.where(states == 0, numbers, scale.low))

        def error(row: int) -> InvalidAnswer:
            answer = None
            if states[row] != MISSING:
                answer = column[row].as_py()
                is_text = isinstance(answer, bytes | str)
                answer = cleaning.text(text_of(answer)) if is_text else answer
            try:
                scale.number(answer)
            except InvalidAnswer as known:
                return known
            return InvalidAnswer(answer, rule="a number")

        return Found(values, states, error, None, outside)

    def values(self, given: list[Any] | NDArray[Any]) -> Values:
        """Return the places of numbers, all at once if they are plain numbers."""
        scale = self.answers
        try:
            numbers = np.asarray(given)
        except ValueError:  # rows of different lengths
            numbers = np.empty(0, dtype=object)
        good = numbers.ndim == 1 and numbers.dtype.kind in "iuf" and np.isfinite(numbers).all()
        if isinstance(given, list):  # in which numpy takes truth values for numbers
            good = good and {bool, np.bool_}.isdisjoint(map(type, given))
        if not good or (scale.whole and (numbers != np.floor(numbers)).any()):
            single = given if isinstance(given, list) else given.tolist()
            return np.array(self.one_by_one(single), dtype=np.int64)
        values, outside = places(scale, numbers.astype(np.float64, copy=False))
        self.note_outside(outside)
        return values

    def settled(self, values: Values, entropy: Entropy | None) -> Values:
        """Return a cell for each place: one of its two neighbours, by a coin."""
        cells, stream = values >> FRACTION_BITS, (entropy or secure()).keystream()
        room = np.empty(8 * _CACHED + FILL_SLACK, dtype=np.uint8)
        for at in range(0, len(values), _CACHED):
            some = values[at : at + _CACHED].view(np.uint64) << np.uint64(64 - FRACTION_BITS)
            words = stream.fill(room, 8 * len(some)).view("<u8")
            cells[at : at + _CACHED] += words < some
        return cells

    def spread(self, mechanism: Mechanism) -> float:
        """Return that of the mean on [-1, 1], when all windows are equally likely."""
        interval = cast("Interval", mechanism)
        windows, slope = np.arange(interval.numbers), float(interval.slope)
        chances = cast("WindowRegression", interval.analyst.estimator).chances.mean(axis=1)
        spread = chances @ windows**2 - (chances @ windows) ** 2
        return float(spread * (2 / slope / (mechanism.d - 1)) ** 2)

    def may_become(self, parameter: str, choice: str) -> bool:
        """Say that no number takes the place of another answer."""
        return False

    def in_tables(self, values: Values) -> Values:
        """Return the bands that places are in."""
        return np.searchsorted(self.answers.band_places, values, side="right")

    def estimate(
        self, survey: Survey[ScaleEstimate], n: int, aggregate: NDArray[np.int64]
    ) -> ScaleEstimate:
        """Return the distribution of the numbers."""
        return ScaleEstimate(survey, n, aggregate)

    def note_outside(self, outside: int) -> None:
        """Warn of numbers that were taken for an end of the scale."""
        if outside:
            many = "1 answer lies" if outside == 1 else f"{outside:,} answers lie"
            ends = f"{self.answers.low:g} to {self.answers.high:g}"
            note = f"{many} outside {ends}, and count as the nearer end."
            warn(note, Clamped, stacklevel=2)


def _parsed(word: Any) -> float:
    try:
        return Scale.as_number(word)
    except InvalidAnswer:
        return np.nan


def places(scale: Scale, numbers: NDArray[np.float64]) -> tuple[Values, int]:
    """Return numbers as places on a scale, as `Scale.value` does, and how many lie outside."""
    found, outside = np.empty(len(numbers), dtype=np.int64), 0
    for at in range(0, len(numbers), _CACHED):
        some = numbers[at : at + _CACHED]
        inside = some.clip(scale.low, scale.high)
        outside += int(np.count_nonzero(inside != some))
        inside -= scale.low
        inside *= scale.cells - 1
        inside /= scale.high - scale.low
        np.minimum(inside, scale.cells - 1.0, out=inside)
        inside *= 1 << FRACTION_BITS
        found[at : at + _CACHED] = inside
    return found, outside
