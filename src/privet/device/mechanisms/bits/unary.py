"""Unary encoding: a report is a bitmap of d bits, each of them drawn by itself.

The bit of the person's value is set with probability g, any other with h = flip / 2^64. A report is
likeliest under x compared with x' where it has bit x and not bit x', so that the likelihood ratio
is g(1 − h) / (h(1 − g)).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import log2
from typing import Any, ClassVar, Self

from ..flips import choose_flip, read_flip
from ..symmetric import Shrinkable


class Unary(Shrinkable):
    """Report a bitmap in which the bit of the person's value is the likeliest to be set."""

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
        cls._check_names(parameters, integers=(), digits="flip")
        flip = read_flip(cls.name, parameters["flip"], epsilon, cls._power)
        return cls._made(d=d, epsilon=epsilon, flip=flip)

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
        """The number of random bytes that is enough for nearly every report."""
        return self.report_bytes * int(log2(self.d) + 6)

    def problem(self, report: bytes) -> str | None:
        """Return why bytes are not a report, or None."""
        beyond = int.from_bytes(report, "little") >> self.d
        return f"A bit beyond the first {self.d} is set." if beyond else None

    def _chance(self, report: bytes, value: int) -> Fraction:
        bits = int.from_bytes(report, "little")
        own = bits >> value & 1
        others = bits.bit_count() - own
        g, h = self.hit_rates
        return (g if own else 1 - g) * h**others * (1 - h) ** (self.d - 1 - others)
