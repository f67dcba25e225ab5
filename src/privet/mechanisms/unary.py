"""Unary encoding: a report is a bitmap of d bits, each of them drawn by itself.

The own bit is set with probability g, any other with h = flip / 2^64. A report is likeliest under x
beside x' where it has bit x and not bit x', so that the likelihood ratio is g(1 − h) / (h(1 − g)).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import log2, prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..analysis import kernels
from ..analysis.kernels.counting import count_bitmaps
from ..errors import InvalidArgument, InvalidSurvey
from .base import count_bits
from .batch import BLOCK_BYTES, narrow, widen, words_of
from .symmetric import Symmetric

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from numpy.typing import NDArray

    from .batch import Block, Rows, Words

FLIP_BITS = 64
# Planes that decide all but 1 in 256 bits of a batch.
PLANES = 8

_ONE = 1 << FLIP_BITS


class Unary(Symmetric):
    """Report a bitmap in which the own bit is the most likely one."""

    d: int
    epsilon: float
    flip: int
    # The likelihood ratio is ((2^64 − flip) / flip) to this power.
    _power: ClassVar[int]

    def __init__(self, d: int, epsilon: float) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        flip = choose_flip(type(self).__name__, epsilon, self._power)
        self._freeze(d=d, epsilon=epsilon, flip=flip)

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integer that a client draws with."""
        return {"flip": str(self.flip)}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing a flip that would break the promise of ε."""
        d, epsilon = cls._check_domain(d, epsilon)
        if set(parameters) != {"flip"}:
            raise InvalidSurvey(
                f"The only parameter of {cls.name} must be flip. Got {dict(parameters)!r}."
            )
        flip = read_flip(cls.name, parameters["flip"], epsilon, cls._power)
        self = cls.__new__(cls)
        self._freeze(d=d, epsilon=epsilon, flip=flip)
        return self

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """Exactly g(1 − h) / (h(1 − g))."""
        g, h = self.hit_rates
        return g * (1 - h) / (h * (1 - g))

    @cached_property
    def report_bytes(self) -> int:
        """A bitmap."""
        return self.d + 7 >> 3

    @cached_property
    def stream_bytes(self) -> int:
        """How many random bytes nearly every report gets by with."""
        return self.report_bytes * int(log2(self.d) + 6)

    def probability(self, report: bytes, value: int) -> Fraction:
        """Return Q(report | value), exactly."""
        self.check(report)
        value = self._check_value(value)
        bits = int.from_bytes(report, "little")
        own = bits >> value & 1
        others = bits.bit_count() - own
        g, h = self.hit_rates
        return (g if own else 1 - g) * h**others * (1 - h) ** (self.d - 1 - others)

    @property
    def _block_rows(self) -> int:
        return max(1, BLOCK_BYTES // (8 * prod(self._planes(1))))

    def _planes(self, rows: int) -> tuple[int, int, int]:
        """Return the shape of the random words behind a block's bits."""
        return PLANES, rows, words_of(self.d)

    def _block(self, rows: int, words: Words) -> Block:
        shape = self._planes(rows)
        (planes,) = words.take(8 * prod(shape))
        return (planes.view("<u8").reshape(PLANES, -1),)

    def _fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        values, block, out = rows
        rest = tail[: len(tail) // 8 * 8].view("<u8")
        wide = widen(out, self.d)
        integers = first, self.d, np.uint64(self.flip)
        done, used = kernels.fill_flips(values, block[0], rest, wide.reshape(-1), *integers)
        narrow(wide, out, first, done)
        return done, 8 * used

    def _draw_counts(
        self, people: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw bit by bit: given the people's values, bits are independent."""
        kept: NDArray[np.int64] = rng.binomial(people, self.g)
        kept += rng.binomial(people.sum() - people, self.h)
        return kept

    def _first_problem(self, reports: NDArray[np.uint8]) -> tuple[int, str] | None:
        bad = self._padding(reports, self.d)
        return (
            (int(np.argmax(bad)), f"A bit beyond the first {self.d} is set.") if bad.any() else None
        )

    def _aggregate(self, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
        return count_bits(reports, self.d)

    def _count(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> int:
        return count_bitmaps(reports, self.d, total)

    def check_aggregate(self, aggregate: NDArray[np.int64], n: int) -> str | None:
        """Any count up to n can occur."""
        if aggregate.min() < 0 or aggregate.max() > n:
            return f"counts must be in [0, {n}]"
        return None


def choose_flip(owner: str, epsilon: float, power: int) -> int:
    """Return the smallest flip with ((2^64 − flip) / flip)^power <= e^ε, or raise.

    >>> choose_flip("BinaryRR", 2.0, 2) / 2**64  # 1/(e + 1)
    0.2689414213699951
    """
    flip = _least_flip(epsilon, power)
    if flip < 2 or 2 * flip >= _ONE:
        rule = f"in [1e-16, {43 * power}], to be drawn with 64-bit integers"
        raise InvalidArgument(owner, "epsilon", rule, epsilon)
    return flip


def read_flip(name: str, digits: object, epsilon: float, power: int) -> int:
    """Read a flip of a survey's JSON, refusing one that would break the promise of ε."""
    from .odds import read_integer

    flip = read_integer(digits, f"flip of {name}")
    if not _least_flip(epsilon, power) <= flip < _ONE // 2:
        raise InvalidSurvey(
            f"The flip {flip} / 2^{FLIP_BITS} is not in [1/(e^(epsilon/{power}) + 1), 1/2) for "
            f"epsilon = {epsilon}: this survey is not as private as it says."
        )
    return flip


def _least_flip(epsilon: float, power: int) -> int:
    """Return ceil(2^64 / (e^{ε/power} + 1)), or more where 120 digits cannot tell: never less."""
    from .odds import floor_exp

    root = floor_exp(Fraction(epsilon) / power, FLIP_BITS)
    return -(-_ONE * _ONE // (root + _ONE))
