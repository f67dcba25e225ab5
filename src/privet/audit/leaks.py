"""What tells two answers apart in the bytes of their reports, whatever the bytes mean.

An event is searched on one half of the reports and tested on the other, so that the search costs no
confidence. By ε, no event is more than e^ε times likelier from one answer than from another: what
exceeds that has leaked besides, by length, order, padding or anything else.

The events are single bits and bytes at their places, pairs of them, and thresholds of a naive Bayes
classifier. A report's length and where its bytes descend count as further bytes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..analysis.presence import clopper_pearson
from .bounds import lower_bound

Rows = NDArray[np.uint8]
_Test = tuple[int, int, int]  # column, mask and value of its byte

__all__ = ["Leak", "search"]

_FEW, _THRESHOLDS, _LUCK = 12, 32, 1e-5
_MOST_REPORTS, _MOST_BYTES = 200_000, 1 << 26  # that are looked at, of each answer
_BITS = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.int64)  # of each byte


class Leak(NamedTuple):
    """The event that tells most, and what it shows.

    `rate` of the reports of one answer show it and `false_rate` of those of the other, in the half
    that the event was not searched on. ε is at least `lower_bound`, but for a probability of alpha.
    """

    event: str
    rate: float
    false_rate: float
    lower_bound: float


@dataclass(frozen=True)
class _Places:
    """Bytes of rows that are alike in some of their bits."""

    tests: tuple[_Test, ...]

    def holds(self, rows: Rows) -> NDArray[np.bool_]:
        tests = [rows[:, column] & mask == value for column, mask, value in self.tests]
        every: NDArray[np.bool_] = np.logical_and.reduce(tests)
        return every

    def described(self, width: int) -> str:
        return " and ".join(_described(*test, width) for test in self.tests)


@dataclass(frozen=True)
class _Classifier:
    """Rows whose log-likelihood ratio, as if their parts were independent, is large."""

    weights: NDArray[np.float64]  # column, byte
    least: float = -inf

    def scores(self, rows: Rows) -> NDArray[np.float64]:
        score = np.zeros(len(rows))
        for column, weights in zip(rows.T, self.weights, strict=True):
            score += weights[column]
        return score

    def holds(self, rows: Rows) -> NDArray[np.bool_]:
        return self.scores(rows) >= self.least

    def described(self, width: int) -> str:
        return f"a classifier of all bytes says {self.least:.2f} or more"


_Event = _Places | _Classifier


def search(
    reports_of_x: Sequence[bytes] | Rows, reports_of_y: Sequence[bytes] | Rows, alpha: float
) -> Leak:
    """Return the event that tells reports of two answers apart best, and what it shows of ε.

    >>> from privet import Survey
    >>> from privet.entropy import seeded
    >>> survey = Survey("?", [f"{i}" for i in range(20)], 1.0, mechanism="k-subset")
    >>> x, y = (survey.randomize_batch([a] * 40_000, entropy=seeded(1)) for a in ("3", "17"))
    >>> leak = search(x, y, alpha=0.01)
    >>> leak.event
    'byte 0 has not bit 3 and byte 2 has bit 1'
    >>> round(leak.lower_bound, 2)
    0.92
    """
    width = max(_width(reports_of_x), _width(reports_of_y))
    n = min(len(reports_of_x), len(reports_of_y)) // 4 * 4
    if not n:
        return Leak("too few reports", 0.0, 0.0, -inf)
    x, y = _rows(reports_of_x[:n], width), _rows(reports_of_y[:n], width)
    (gain, event), (back, other) = _best(x, y), _best(y, x)
    if back > gain:
        event, x, y = other, y, x
    tested = len(x) // 2
    hits, false_hits = (int(event.holds(rows[1::2]).sum()) for rows in (x, y))
    bound = lower_bound(hits, tested, false_hits, tested, alpha)
    return Leak(event.described(width), hits / tested, false_hits / tested, bound)


def _width(reports: Sequence[bytes] | Rows) -> int:
    if isinstance(reports, np.ndarray):
        return int(reports.shape[1])
    return max(map(len, reports[:_MOST_REPORTS]), default=0)


def _rows(reports: Sequence[bytes] | Rows, width: int) -> Rows:
    """Return reports as rows of bytes, with where they descend and their lengths behind them."""
    some = reports[: min(_MOST_REPORTS, _MOST_BYTES // (width + 1))]
    if isinstance(some, np.ndarray):
        rows = np.pad(some, ((0, 0), (0, width - some.shape[1])))
        lengths = np.full(len(some), some.shape[1])
    else:
        padded = b"".join(one.ljust(width, b"\0") for one in some)
        rows = np.frombuffer(padded, dtype=np.uint8).reshape(len(some), width)
        lengths = np.array([len(one) for one in some], dtype=int)
    descents = np.packbits(rows[:, :-1] > rows[:, 1:], axis=1, bitorder="little")
    written = lengths.astype("<u4").view(np.uint8).reshape(len(some), 4)
    return np.hstack([rows, descents, written])


def _best(x: Rows, y: Rows) -> tuple[float, _Event]:
    """Return what tells x from y, found on one quarter of the rows and chosen on another."""
    counts = [
        np.stack([np.bincount(column, minlength=256) for column in rows[::4].T]) for rows in (x, y)
    ]
    chosen = x[2::4], y[2::4]
    found: list[tuple[float, _Event]] = [_best_places(_places(*counts), *chosen)]
    found += [_best_threshold(weights, *chosen) for weights in _weights(*counts)]
    return max(found, key=lambda one: one[0])


def _best_places(places: list[_Test], x: Rows, y: Rows) -> tuple[float, _Places]:
    """Return the place or the pair of places that tells most."""
    both = []
    for rows in (x, y):
        held = np.packbits([_Places((place,)).holds(rows) for place in places], axis=1)
        both.append(
            np.stack([np.bitwise_count(held & one).sum(axis=1, dtype=np.int64) for one in held])
        )
    sure = _surely(both[0], both[1], len(x))
    i, j = divmod(int(np.argmax(sure)), len(places))
    return float(sure[i, j]), _Places(tuple(places[one] for one in sorted({i, j})))


def _best_threshold(weights: NDArray[np.float64], x: Rows, y: Rows) -> tuple[float, _Classifier]:
    """Return the threshold of a classifier from which on it tells most."""
    own, other = (np.sort(_Classifier(weights).scores(rows)) for rows in (x, y))
    steps = np.linspace(0, 1, _THRESHOLDS)
    least = np.unique(np.quantile(np.concatenate([own, other]), steps))
    hits, false_hits = (len(x) - np.searchsorted(one, least) for one in (own, other))
    sure = _surely(hits, false_hits, len(x))
    best = int(np.argmax(sure))
    return float(sure[best]), _Classifier(weights, float(least[best]))


def _places(x: NDArray[np.int64], y: NDArray[np.int64]) -> list[_Test]:
    """Return the most telling bytes and bits."""
    places = [(column, 255, value) for column, value in _telling(x, y)]
    for state in (0, 1):
        own, other = (counts @ (state == _BITS) for counts in (x, y))
        places += [(column, 1 << bit, state << bit) for column, bit in _telling(own, other)]
    return places


def _telling(x: NDArray[np.int64], y: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the few places where x is larger than y by ratio, three standard deviations apart."""
    least = np.maximum(x - 3 * np.sqrt(x + 1), 1e-9) / (y + 3 * np.sqrt(y + 1))
    best = np.argsort(least, axis=None)[::-1][:_FEW]
    return [(int(c), int(v)) for c, v in zip(*np.unravel_index(best, x.shape), strict=True)]


def _surely(x: NDArray[np.int64], y: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return what the ratio of two chances is at least, even if the best of many was lucky."""
    (least, _), (_, most) = (clopper_pearson(one, n, 2 * _LUCK) for one in (x, y))
    return least / most


def _weights(x: NDArray[np.int64], y: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """Return log-likelihood ratios as if all bits were independent, and as if all bytes were."""
    n = x[0].sum()
    own, other = ((counts @ _BITS + 0.5) / (n + 1) for counts in (x, y))
    one, zero = np.log(own / other), np.log((1 - own) / (1 - other))
    bits: NDArray[np.float64] = one @ _BITS.T + zero @ (1 - _BITS.T)
    return [bits, np.log((x + 0.5) / (y + 0.5))]


def _described(column: int, mask: int, value: int, width: int) -> str:
    order = (width + 6) // 8  # bytes that say where a report descends
    place, what = column, "byte"
    if column >= width + order:
        place, what = column - width - order, "length, byte"
    elif column >= width:
        place, what = column - width, "descents, byte"
    bit = mask.bit_length() - 1
    if mask == 255:
        return f"{what} {place} is {value}"
    return f"{what} {place} has {'' if value else 'not '}bit {bit}"
