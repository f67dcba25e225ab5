"""Binary randomized response (BRR, SUE, basic RAPPOR): flip every bit of the one-hot answer.

Each of d bits is flipped with probability flip / 2^64, the smallest such number at or above
1/(e^{ε/2} + 1). Two values differ in two bits, so the likelihood ratio is at most
((2^64 − flip) / flip)^2 <= e^ε (paper, eq. 7).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import log2, prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import InvalidSurvey
from .base import count_bits, read_integer
from .batch import BLOCK_BYTES, narrow, widen, words_of
from .symmetric import Symmetric

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from numpy.typing import NDArray

    from ..entropy import Stream
    from .batch import Block, Words

_BITS = 64
_ONE = 1 << _BITS
# Planes that decide all but 1 in 256 bits of a batch.
_PLANES = 8


class BinaryRR(Symmetric):
    """Report every bit of the one-hot answer, each kept with probability e^{ε/2}/(e^{ε/2} + 1).

    >>> BinaryRR(16, 2.0).g  # doctest: +ELLIPSIS
    0.731058...
    """

    name: ClassVar[str] = "binary-rr"
    d: int
    epsilon: float
    flip: int

    def __init__(self, d: int, epsilon: float) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        flip = _least_flip(epsilon)
        if flip < 2 or 2 * flip >= _ONE:
            raise self._error(
                "epsilon", "in [1e-16, 86], to be drawn with 64-bit integers", epsilon
            )
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
        flip = read_integer(parameters["flip"], f"flip of {cls.name}")
        if not _least_flip(epsilon) <= flip < _ONE // 2:
            raise InvalidSurvey(
                f"The flip {flip} / 2^{_BITS} is not in [1/(e^(epsilon/2) + 1), 1/2) for epsilon = "
                f"{epsilon}: this survey is not as private as it says."
            )
        self = cls.__new__(cls)
        self._freeze(d=d, epsilon=epsilon, flip=flip)
        return self

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """Exactly ((2^64 − flip) / flip)^2."""
        return Fraction(_ONE - self.flip, self.flip) ** 2

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly g = 1 − flip / 2^64 and h = flip / 2^64."""
        h = Fraction(self.flip, _ONE)
        return 1 - h, h

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
        flipped = (int.from_bytes(report, "little") ^ 1 << value).bit_count()
        g, h = self.hit_rates
        return h**flipped * g ** (self.d - flipped)

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d); docs/algorithm.md is its specification."""
        flips = stream.coins(self.d, self.flip, _BITS)
        return (flips ^ 1 << value).to_bytes(self.report_bytes, "little")

    @property
    def _block_rows(self) -> int:
        return max(1, BLOCK_BYTES // (8 * _PLANES * words_of(self.d)))

    def _block(self, rows: int, words: Words) -> Block:
        shape = _PLANES, rows, words_of(self.d)
        (planes,) = words.take(8 * prod(shape))
        return (planes.view("<u8").reshape(shape),)

    def _fill(
        self,
        values: NDArray[np.int64],
        block: Block,
        tail: NDArray[np.uint8],
        out: NDArray[np.uint8],
        first: int,
    ) -> tuple[int, int]:
        from ..kernels import sampling

        rest = tail[: len(tail) // 8 * 8].view("<u8")
        wide = widen(out, self.d)
        done, used = sampling.fill_flips(
            values, *block, rest, wide, first, self.d, np.uint64(self.flip)
        )
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
        from ..kernels.counting import count_bitmaps

        return count_bitmaps(reports, self.d, total)

    def check_aggregate(self, aggregate: NDArray[np.int64], n: int) -> str | None:
        """Any count up to n can occur."""
        if aggregate.min() < 0 or aggregate.max() > n:
            return f"counts must be in [0, {n}]"
        return None


def _least_flip(epsilon: float) -> int:
    """Return ceil(2^64 / (e^{ε/2} + 1)), or more where 120 digits cannot tell: never less."""
    from .odds import floor_exp

    root = floor_exp(Fraction(epsilon) / 2, _BITS)
    return -(-_ONE * _ONE // (root + _ONE))
