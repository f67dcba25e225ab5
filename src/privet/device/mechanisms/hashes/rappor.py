"""RAPPOR: a Bloom filter of the value with every bit flipped at random, in cohorts.

A cohort's public hash functions map a value to its bits. Filters of two values differ in at most
2·hashes bits, so that flipping each with probability flip / 2^64, the smallest such number at or
above 1/(e^{ε/(2·hashes)} + 1), keeps the likelihood ratio at or below e^ε. The report is the cohort
and the filter, drawn once (RAPPOR's permanent response), and decoded by regression
(`privet.analysis.cohorts`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import ceil, log2
from typing import Any, ClassVar, Self

from ...entropy import Stream
from ..base import Problem, exactly
from ..flips import FLIP_BITS, ONE, choose_flip, read_flip
from .cohorts import CELLS_A_VALUE, MOST_CELLS, MOST_COHORTS, Cohorts

_COHORTS = 64
_MOST_HASHES = 16


class Rappor(Cohorts):
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
    _shape: ClassVar[tuple[str, ...]] = ("cohorts", "bits", "hashes")
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
        self._forbid(self._problem(d, _COHORTS if cohorts is None else cohorts, bits, hashes))
        if cohorts is None:
            cohorts = max(_COHORTS, ceil(CELLS_A_VALUE * d / bits))
        shape = {"cohorts": int(cohorts), "bits": int(bits), "hashes": int(hashes)}
        flip = choose_flip(type(self).__name__, epsilon, 2 * shape["hashes"])
        self._freeze(d=d, epsilon=epsilon, **shape, flip=flip)
        self.check_estimable()

    @classmethod
    def _problem(cls, d: int, cohorts: Any, bits: Any, hashes: Any) -> Problem | None:
        sizes = {"bits": (bits, 2, MOST_CELLS), "hashes": (hashes, 1, _MOST_HASHES)}
        problem = cls._out_of_range(d, **sizes, cohorts=(cohorts, 1, MOST_COHORTS))
        return problem or cls._size_problem(d, cohorts, bits, cohorts * bits)

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with."""
        shape = {name: vars(self)[name] for name in self._shape}
        return {**shape, "flip": str(self.flip)}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing a flip that would break the promise of ε."""
        d, epsilon = cls._check_domain(d, epsilon)
        cohorts, bits, hashes = cls._check_names(parameters, integers=cls._shape, digits="flip")
        cls._refuse(cls._problem(d, cohorts, bits, hashes))
        flip = read_flip(cls.name, parameters["flip"], epsilon, 2 * hashes)
        return cls._made(d=d, epsilon=epsilon, cohorts=cohorts, bits=bits, hashes=hashes, flip=flip)

    @property
    def cells(self) -> int:
        """A cell for every bit."""
        return self.bits

    @cached_property
    def telling_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly p = 1 − flip / 2^64 and q = flip / 2^64."""
        q = exactly(self.flip, ONE)
        return 1 - q, q

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """At most ((2^64 − flip) / flip)^(2·hashes), as no two filters differ in more bits.

        It is just that wherever a cohort has two values without a common bit.
        """
        p, q = self.telling_rates
        return (p / q) ** min(2 * self.hashes, self.bits)

    @cached_property
    def cohort_bytes(self) -> int:
        """The bytes that name a cohort."""
        return (self.cohorts - 1).bit_length() + 7 >> 3

    @cached_property
    def report_bytes(self) -> int:
        """The number of the cohort, and a bitmap."""
        return self.cohort_bytes + (self.bits + 7 >> 3)

    @cached_property
    def stream_bytes(self) -> int:
        """The number of random bytes that is enough for nearly every report."""
        return 8 + (self.bits + 7 >> 3) * int(log2(self.bits) + 6)

    def _parts(self, report: bytes) -> tuple[int, int]:
        """Return the cohort and the bits of a report."""
        size = self.cohort_bytes
        return int.from_bytes(report[:size], "little"), int.from_bytes(report[size:], "little")

    def problem(self, report: bytes) -> str | None:
        """Return why bytes are not a report, or None."""
        cohort, bits = self._parts(report)
        if bits >> self.bits:
            return f"A bit beyond the filter's first {self.bits} is set."
        if cohort >= self.cohorts:
            return f"A cohort is a number below {self.cohorts}. Got {cohort}."
        return None

    def _chance(self, report: bytes, value: int) -> Fraction:
        cohort, bits = self._parts(report)
        flipped = (bits ^ self._filter(cohort, value)).bit_count()
        p, q = self.telling_rates
        return q**flipped * p ** (self.bits - flipped) / self.cohorts

    def _filter(self, cohort: int, value: int) -> int:
        """Return the bits that the cohort's functions map the value to."""
        first = cohort * self.hashes
        filled = 0
        for function in range(first, first + self.hashes):
            filled |= 1 << self.cell(function, value)
        return filled

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d)."""
        cohort = stream.below(self.cohorts)
        bits = stream.coins(self.bits, self.flip, FLIP_BITS) ^ self._filter(cohort, value)
        size = self.cohort_bytes
        return cohort.to_bytes(size, "little") + bits.to_bytes(self.report_bytes - size, "little")
