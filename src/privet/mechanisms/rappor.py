"""RAPPOR: a Bloom filter of the value with every bit flipped at random, in cohorts.

A cohort's public hash functions map a value to its bits. Filters of two values differ in at most
2·hashes bits (in fewer where functions agree, which only makes them harder to tell apart), so that
flipping each with probability flip / 2^64, the smallest such number at or above
1/(e^{ε/(2·hashes)} + 1), keeps the likelihood ratio at or below e^ε. The report is the cohort and
the filter, drawn once (RAPPOR's permanent response), and decoded by regression (`cohorts`).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import ceil, log2, prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..analysis import kernels
from ..analysis.kernels.counting import count_bitmaps
from ..errors import InvalidSurvey
from .base import count_bits
from .batch import BLOCK_BYTES, words_of
from .cohorts import CELLS_A_VALUE, MOST_CELLS, MOST_COHORTS, CohortRegression
from .numbered import read_numbers, write_numbers
from .unary import FLIP_BITS, PLANES, choose_flip, read_flip

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from numpy.typing import NDArray

    from ..entropy import Stream
    from .batch import Block, Rows, Words

    Floats = NDArray[np.float64]

_COHORTS = 64
_MOST_HASHES = 16


class Rappor(CohortRegression):
    """Report a cohort and the value's Bloom filter in it, each bit flipped at random.

    Parameters
    ----------
    d : int in [2, 2048]
        The number of values.
    epsilon : float
        The privacy level.
    cohorts : int, optional
        How many sets of hash functions there are; by default 64, and more from d = 1025 on.
    bits : int
        How many bits a filter has.
    hashes : int
        How many of them a value sets, at most. One is best where all values are known, as here; two
        are what RAPPOR takes to find out about unknown ones.

    References
    ----------
    Erlingsson, Pihur, Korolova: RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal
    Response, CCS 2014.

    >>> Rappor(100, 1.0)
    Rappor(d=100, epsilon=1.0, cohorts=64, bits=128, hashes=2)

    """

    name: ClassVar[str] = "rappor"
    bits: int
    flip: int

    def __init__(
        self,
        d: int,
        epsilon: float,
        *,
        cohorts: int | None = None,
        bits: int = 128,
        hashes: int = 2,
    ) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        problem = self._problem(d, _COHORTS if cohorts is None else cohorts, bits, hashes)
        if problem is not None:
            raise self._error(*problem)
        if cohorts is None:
            cohorts = max(_COHORTS, ceil(CELLS_A_VALUE * d / bits))
        shape = {"cohorts": int(cohorts), "bits": int(bits), "hashes": int(hashes)}
        flip = choose_flip(type(self).__name__, epsilon, 2 * shape["hashes"])
        self._freeze(d=d, epsilon=epsilon, **shape, flip=flip)
        _ = self._weights  # of which there are none where shares cannot be told apart

    def __repr__(self) -> str:
        shape = f"cohorts={self.cohorts}, bits={self.bits}, hashes={self.hashes}"
        return f"{type(self).__name__}(d={self.d}, epsilon={self.epsilon}, {shape})"

    @classmethod
    def _problem(cls, d: int, cohorts: Any, bits: Any, hashes: Any) -> tuple[str, str, Any] | None:
        sizes = {"bits": (bits, 2, MOST_CELLS), "hashes": (hashes, 1, _MOST_HASHES)}
        problem = cls._out_of_range(d, **sizes, cohorts=(cohorts, 1, MOST_COHORTS))
        return cls._too_few(d, cohorts, bits) if not problem and cohorts * bits < d else problem

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with."""
        shape: dict[str, int | str | list[int]] = {
            name: vars(self)[name] for name in ("cohorts", "bits", "hashes")
        }
        return {**shape, "flip": str(self.flip)}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing a flip that would break the promise of ε."""
        d, epsilon = cls._check_domain(d, epsilon)
        match parameters:
            case {"cohorts": cohorts, "bits": bits, "hashes": hashes, "flip": digits} if (
                len(parameters) == 4
            ):
                problem = cls._problem(d, cohorts, bits, hashes)
            case _:
                raise InvalidSurvey(
                    f"The parameters of {cls.name} must be cohorts, bits, hashes (integers) and "
                    f"flip (a decimal string). Got {dict(parameters)!r:.200}."
                )
        if problem is not None:
            name, rule, value = problem
            raise InvalidSurvey(f"The {name} of {cls.name} must be {rule}. Got {value!r:.60}.")
        flip = read_flip(cls.name, digits, epsilon, 2 * hashes)
        self = cls.__new__(cls)
        self._freeze(d=d, epsilon=epsilon, cohorts=cohorts, bits=bits, hashes=hashes, flip=flip)
        return self

    @property
    def cells(self) -> int:
        """A cell for every bit."""
        return self.bits

    @cached_property
    def telling_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly p = 1 − flip / 2^64 and q = flip / 2^64."""
        q = Fraction(self.flip, 1 << FLIP_BITS)
        return 1 - q, q

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """Exactly ((2^64 − flip) / flip)^m, where some filters differ in m bits, and none in more.

        Nearly always m = 2·hashes, as the first cohort has values without a common bit.
        """
        p, q = self.telling_rates
        most = 0
        for filters in (filters for rows in self._rows() for filters in rows):
            sizes = filters.sum(axis=0)
            most = max(most, int((sizes[:, None] + sizes - 2 * filters.T @ filters).max()))
            if most == 2 * self.hashes:
                break
        return (p / q) ** most

    def _squares(self, cells: Floats, worth: Floats) -> Floats:
        """Bits are independent: their mean worth squared, and the variance of each."""
        p, q = map(float, self.telling_rates)
        squares = np.tile(p * q * np.square(worth).sum(axis=(0, 1)), (self.d, 1))
        for filters, worths in zip(cells, worth, strict=True):
            squares += np.square(q * worths.sum(axis=0) + (p - q) * filters.T @ worths)
        return squares

    def probability(self, report: bytes, value: int) -> Fraction:
        """Return Q(report | value), exactly."""
        self.check(report)
        value = self._check_value(value)
        size = self._cohort_bytes
        cohort, bits = (int.from_bytes(part, "little") for part in (report[:size], report[size:]))
        flipped = (bits ^ self._filter(cohort, value)).bit_count()
        p, q = self.telling_rates
        return q**flipped * p ** (self.bits - flipped) / self.cohorts

    # --- one report -------------------------------------------------------------------------------

    @cached_property
    def _cohort_bytes(self) -> int:
        return (self.cohorts - 1).bit_length() + 7 >> 3

    @cached_property
    def report_bytes(self) -> int:
        """The number of the cohort, and a bitmap."""
        return self._cohort_bytes + (self.bits + 7 >> 3)

    @cached_property
    def stream_bytes(self) -> int:
        """How many random bytes nearly every report gets by with."""
        return 8 + (self.bits + 7 >> 3) * int(log2(self.bits) + 6)

    def _filter(self, cohort: int, value: int) -> int:
        """Return the bits that the cohort's functions map the value to."""
        first = cohort * self.hashes
        filled = 0
        for function in range(first, first + self.hashes):
            filled |= 1 << int(self.cell(function, value))
        return filled

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d)."""
        cohort = stream.below(self.cohorts)
        bits = stream.coins(self.bits, self.flip, FLIP_BITS) ^ self._filter(cohort, value)
        size = self._cohort_bytes
        return cohort.to_bytes(size, "little") + bits.to_bytes(self.report_bytes - size, "little")

    # --- many reports -----------------------------------------------------------------------------

    @property
    def _block_rows(self) -> int:
        return max(1, BLOCK_BYTES // (8 + 8 * PLANES * words_of(self.bits)))

    def _block(self, rows: int, words: Words) -> Block:
        shape = PLANES, rows, words_of(self.bits)
        planes, cohorts = words.take(8 * prod(shape), 8 * rows)
        return planes.view("<u8").reshape(PLANES, -1), words.below(cohorts, self.cohorts)

    def _fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        values, (planes, cohorts), out = rows
        rest = tail[: len(tail) // 8 * 8].view("<u8")
        functions = cohorts.astype(np.int64)[:, None] * self.hashes + np.arange(self.hashes)
        places = self.cell(functions, values.view(np.uint64)[:, None]).astype(np.int64)
        bits = np.empty((len(values), words_of(self.bits)), dtype="<u8")
        own = np.ascontiguousarray(places[:, 0])
        integers = first, self.bits, np.uint64(self.flip)
        done, used = kernels.fill_flips(own, planes, rest, bits.reshape(-1), *integers)
        bits ^= self._further_bits(places)
        size, new = self._cohort_bytes, slice(first, done)
        write_numbers(cohorts[new], out[new, :size])
        kernels.narrow(bits[new], out[new, size:])
        return done, 8 * used

    def _further_bits(self, places: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the filters of values with these places, but for the first place."""
        filters = np.zeros((len(places), words_of(self.bits)), dtype=np.uint64)
        rows = np.arange(len(places))
        bits = np.uint64(1) << (places & 63).astype(np.uint64)
        for i in range(1, self.hashes):
            filters[rows, places[:, i] >> 6] |= bits[:, i]
        filters[rows, places[:, 0] >> 6] &= ~bits[:, 0]
        return filters

    def _first_problem(self, reports: NDArray[np.uint8]) -> tuple[int, str] | None:
        cohorts = read_numbers(reports[:, : self._cohort_bytes])
        padded = self._padding(reports, 8 * self._cohort_bytes + self.bits)
        bad = padded | (cohorts >= self.cohorts)
        if not bad.any():
            return None
        row = int(np.argmax(bad))
        if padded[row]:
            return row, f"A bit beyond the filter's first {self.bits} is set."
        return row, f"A cohort is a number below {self.cohorts}. Got {cohorts[row]}."

    def _by_cohort(self, reports: NDArray[np.uint8]) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield each cohort and the bitmaps of its reports."""
        cohorts = read_numbers(reports[:, : self._cohort_bytes]).astype(np.uint16)
        bitmaps = reports[np.argsort(cohorts, kind="stable"), self._cohort_bytes :]
        ends = np.bincount(cohorts, minlength=self.cohorts).cumsum()
        for cohort in np.unique(cohorts).tolist():
            yield cohort, bitmaps[ends[cohort - 1] if cohort else 0 : ends[cohort]]

    def _aggregate(self, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
        total = np.zeros((self.cohorts, self.bits), dtype=np.int64)
        for cohort, bitmaps in self._by_cohort(reports):
            total[cohort] = count_bits(bitmaps, self.bits)
        return total.reshape(-1)

    def _count(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> int:
        problem = self._first_problem(reports)
        if problem is not None:
            return problem[0]
        for cohort, bitmaps in self._by_cohort(reports):
            count_bitmaps(bitmaps, self.bits, total[cohort * self.bits :][: self.bits])
        return -1

    def check_aggregate(self, aggregate: NDArray[np.int64], n: int) -> str | None:
        """Every report is of one cohort, and sets any of its bits."""
        least = int(aggregate.reshape(self.cohorts, self.bits).max(axis=1).sum())
        if aggregate.min() < 0 or aggregate.max() > n or least > n:
            return f"counts must not be negative, nor the largest of each cohort above {n} in all"
        return None
