"""What a mechanism is: answer -> report -> aggregate -> counts -> unbiased estimate.

A mechanism is an immutable value that says

- how an answer becomes a report of `report_bytes` bytes: `sample`, one report from a stream of
  random bytes, and `_fill`, the same decisions for a whole batch;
- which bytes are a report at all: `check`;
- how reports fold into an aggregate, an integer vector that adds: `aggregate`;
- how an aggregate becomes, for each value, the number of reports that support it: `counts`;
- what share of the people each value has, without bias: `frequencies`, `variance`, `interval`;
- how likely each report is, exactly: `probability`, `likelihood_ratio`.

Most are `Symmetric`, which answers for the estimate. Everything else (surveys, tallies, estimates,
files, commands) is written once against this.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ..analysis.columns import as_column, as_reports, is_column
from ..entropy import Entropy
from ..errors import InvalidArgument, InvalidReport
from . import batch

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from ..entropy import Stream
    from .batch import Block, Rows, Words

Target = Literal["population", "sample"]

MAX_D = 2**32
_CHUNK_BYTES = 1 << 24
# Fewer bytes of reports than this are counted sooner than compiled code is loaded, or called.
_LOAD_FROM, _CALL_FROM = 1 << 18, 1 << 11


class Mechanism(ABC):
    """A way to randomize one of `d` values so that any report is at most e^ε times likelier
    under one value than under another.
    """

    name: ClassVar[str]
    d: int
    epsilon: float

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: '{name}' cannot be set.")

    def __repr__(self) -> str:
        return f"{type(self).__name__}(d={self.d}, epsilon={self.epsilon})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self)["_fields"] == vars(other)["_fields"]

    def __hash__(self) -> int:
        return hash((type(self), *vars(self)["_fields"]))

    def _freeze(self, **fields: object) -> None:
        """Set the fields, once and for all, that make this value what it is."""
        vars(self).update(fields, _fields=tuple(fields.items()))

    # --- what a mechanism says of itself ------------------------------------------------------

    @property
    @abstractmethod
    def likelihood_ratio(self) -> Fraction:
        """The largest Q(z|x) / Q(z|x') of the mechanism as implemented, exactly; <= e^ε."""

    @property
    @abstractmethod
    def report_bytes(self) -> int:
        """The size of every report."""

    @property
    @abstractmethod
    def stream_bytes(self) -> int:
        """How many random bytes nearly every report gets by with."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with; big ones as decimal strings (JSON)."""

    @classmethod
    @abstractmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild from `parameters`, refusing any that would break the promise of ε."""

    @abstractmethod
    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d), drawn from the stream."""

    @abstractmethod
    def probability(self, report: bytes, value: int) -> Fraction:
        """Return Q(report | value), exactly."""

    # --- what it does to arrays ---------------------------------------------------------------

    @property
    @abstractmethod
    def _block_rows(self) -> int:
        """How many reports are made at a time, so that their random words take bounded memory."""

    @abstractmethod
    def _block(self, rows: int, words: Words) -> Block:
        """Draw the random words whose number does not depend on what is drawn."""

    @abstractmethod
    def _fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports from row `first` on, until the tail runs out.

        Return the first row that is not written, and how many bytes of the tail the others used.
        """

    @abstractmethod
    def _first_problem(self, reports: NDArray[np.uint8]) -> tuple[int, str] | None:
        """Return the first row that is no report with the reason, or None."""

    @abstractmethod
    def _aggregate(self, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Fold a few checked reports, without compiled code."""

    def _fold(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> None:
        """Add a few checked reports to a total; `_aggregate`, where that is not much larger."""
        total += self._aggregate(reports)

    @abstractmethod
    def _count(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> int:
        """Check and fold many reports into a total; return the first bad row, or -1."""

    def _draw_counts(
        self, people: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw how many reports support each value, for so many people of each.

        From the exact joint law: by making the reports, where a mechanism knows no shorter way.
        """
        entropy = Entropy(rng.bytes(32))
        total = np.zeros(self.aggregate_size, dtype=np.int64)
        rows = max(1, _CHUNK_BYTES // max(8, self.report_bytes))
        ends = np.cumsum(people)
        for at in range(0, int(ends[-1]), rows):
            within = np.clip(ends, at, at + rows)
            within[1:] -= within[:-1].copy()
            within[0] -= at
            values = np.repeat(np.arange(self.d), within)
            total += self.aggregate(self.randomize(values, entropy=entropy, workers=1))[1]
        return self.counts(total)

    @abstractmethod
    def check_aggregate(self, aggregate: NDArray[np.int64], n: int) -> str | None:
        """Return why no `n` reports can have this aggregate, or None."""

    @abstractmethod
    def frequencies(self, counts: NDArray[np.int64], n: int) -> NDArray[np.float64]:
        """Return the unbiased estimate of each value's share."""

    @abstractmethod
    def variance(
        self, theta: NDArray[np.float64], n: int, target: Target = "population"
    ) -> NDArray[np.float64]:
        """Return the variance of each estimated share where the true ones are theta.

        For these n people ("sample"), or for the population that they were drawn from.
        """

    @property
    def aggregate_size(self) -> int:
        """The length of an aggregate."""
        return self.d

    def counts(self, aggregate: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many reports support each value."""
        return aggregate.copy()

    @property
    def server_steps(self) -> tuple[float, float]:
        """About how many steps of a processor counting a report takes, and decoding at the end."""
        return self.report_bytes / 8, self.aggregate_size

    # --- the same for every mechanism -----------------------------------------------------------

    @cached_property
    def realized_epsilon(self) -> float:
        """The privacy level that holds exactly, as a float rounded down; <= epsilon."""
        from .odds import floor_log

        return floor_log(self.likelihood_ratio)

    def randomize(
        self, values: ArrayLike, *, entropy: Entropy | None = None, workers: int | None = None
    ) -> NDArray[np.uint8]:
        """Return one report a row for an array of values in [0, d).

        The reports depend on the entropy alone (by default secure), not on the number of worker
        threads (by default one a core).
        """
        array = self._as_values(values)
        try:
            return batch.randomize(self, array, entropy, workers)
        except InvalidArgument:
            self._check_range(array)  # another chunk may hold an earlier one
            raise

    def check(self, reports: Any) -> None:
        """Raise InvalidReport, naming the row and the reason, unless all are reports.

        Takes one report (bytes), a sequence of them, or a uint8 array (n, report_bytes).
        """
        self.aggregate(reports)

    def aggregate(self, reports: Any) -> tuple[int, NDArray[np.int64]]:
        """Check the reports; return their number and their aggregate."""
        total = np.zeros(self.aggregate_size, dtype=np.int64)
        return self.fold(reports, total), total

    def fold(self, reports: Any, total: NDArray[np.int64]) -> int:
        """Check the reports; add them to an aggregate; return their number.

        Where one is invalid, none is added.
        """
        array = self._as_array(reports)
        loaded = "llvmlite" in sys.modules
        if array.nbytes < (_CALL_FROM if loaded else _LOAD_FROM):
            self._refuse(self._first_problem(array), 0)
            self._fold(array, total)
            return len(array)
        more = np.zeros(self.aggregate_size, dtype=np.int64)
        rows = max(1, _CHUNK_BYTES // self.report_bytes)
        for at in range(0, len(array), rows):
            chunk = np.ascontiguousarray(array[at : at + rows])
            bad = self._count(chunk, more)
            if bad >= 0:
                self._refuse(self._first_problem(chunk[bad : bad + 1]), at + bad)
        total += more
        return len(array)

    def tally(self, reports: Any) -> NDArray[np.int64]:
        """Check the reports; return how many of them support each value, int64 (d,)."""
        return self.counts(self.aggregate(reports)[1])

    def interval(
        self, counts: NDArray[np.int64], n: int, alpha: float, target: Target
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the ends of an interval for each share, which misses with probability alpha.

        By the normal law, where a mechanism knows no better.
        """
        from statistics import NormalDist

        estimate = self.frequencies(counts, n)
        deviation = np.sqrt(self.variance(np.clip(estimate, 0, 1), n, target))
        reach = NormalDist().inv_cdf(1 - alpha / 2) * deviation
        return estimate - reach, estimate + reach

    # --- arguments --------------------------------------------------------------------------------

    def _as_values(self, values: ArrayLike) -> NDArray[np.int64]:
        array = np.asarray(values)
        if array.ndim != 1:
            raise self._error("values", "one-dimensional", f"{array.ndim} dimensions")
        if array.size and array.dtype.kind not in "iu":
            raise self._error("values", "an array of integers", f"dtype {array.dtype}")
        if _is_masked(values):
            raise self._error("values", "free of masked entries", "a masked array")
        if array.dtype.str[1:] == "u8":
            self._check_range(array)  # before they become negative
        return np.ascontiguousarray(array, dtype=np.int64)

    def _check_value(self, value: int) -> int:
        array = self._as_values([value])
        self._check_range(array)
        return int(array[0])

    def _check_range(self, values: NDArray[Any]) -> None:
        if values.size and (values.min() < 0 or values.max() >= self.d):
            row = int(np.argmax((values < 0) | (values >= self.d)))
            raise self._error(f"values[{row}]", f"in [0, {self.d - 1}]", int(values[row]))

    def _refuse(self, problem: tuple[int, str] | None, first_row: int) -> None:
        if problem is not None:
            raise InvalidReport(problem[1], row=first_row + problem[0])

    def _as_array(self, reports: Any) -> NDArray[np.uint8]:
        size = self.report_bytes
        if isinstance(reports, np.ndarray):
            if reports.dtype != np.uint8 or reports.ndim != 2 or reports.shape[1] != size:
                raise InvalidReport(
                    f"An array of reports must be uint8 of shape (n, {size}). "
                    f"Got {reports.dtype} of shape {reports.shape} instead."
                )
            if _is_masked(reports):
                raise InvalidReport("An array of reports must have no masked entries.")
            return np.asarray(reports)
        if is_column(reports):
            return as_reports(as_column("Tally.update", "reports", reports), size)
        one = isinstance(reports, bytes | bytearray | memoryview)
        if not one and not isinstance(reports, Iterable):
            raise InvalidReport(f"Reports are bytes or an array. Got {type(reports).__name__}.")
        pieces = [bytes(reports)] if one else list(reports)
        for row, piece in enumerate(pieces):
            if not isinstance(piece, bytes | bytearray | memoryview):
                raise InvalidReport(f"A report is bytes. Got {type(piece).__name__}.", row=row)
            if len(piece) != size:
                raise InvalidReport(
                    f"A report of this survey has {size} bytes. Got {len(piece)}.",
                    row=None if one else row,
                )
        return np.frombuffer(b"".join(pieces), dtype=np.uint8).reshape(-1, size)

    def _padding(self, reports: NDArray[np.uint8], bits: int) -> NDArray[np.bool_]:
        """Return which rows have a bit set beyond the first `bits`."""
        spare = 8 * self.report_bytes - bits
        return reports[:, -1] >> (8 - spare) != 0 if spare else np.zeros(len(reports), np.bool_)

    @classmethod
    def _error(cls, parameter: str, rule: str, value: object) -> InvalidArgument:
        return InvalidArgument(cls.__name__, parameter, rule, value)

    @classmethod
    def _check_domain(cls, d: int, epsilon: float) -> tuple[int, float]:
        """Return d and ε as plain numbers, or raise."""
        if isinstance(d, bool) or not isinstance(d, int | np.integer) or not 2 <= d <= MAX_D:
            raise cls._error("d", f"an int in [2, {MAX_D}]", d)
        real = isinstance(epsilon, int | float | np.number) and not isinstance(epsilon, bool)
        if not real or not np.isfinite(epsilon) or epsilon <= 0:
            raise cls._error("epsilon", "a finite number > 0", epsilon)
        return int(d), float(epsilon)


def _is_masked(array: object) -> bool:
    """Tell if entries are hidden; where there is such an array, its module is imported."""
    return "numpy.ma" in sys.modules and bool(np.ma.is_masked(array))


def count_bits(reports: NDArray[np.uint8], d: int) -> NDArray[np.int64]:
    """Return how many bitmaps have each of the first d bits set."""
    bits = np.unpackbits(reports, axis=1, count=d, bitorder="little")
    counts: NDArray[np.int64] = bits.sum(axis=0, dtype=np.int64)
    return counts
