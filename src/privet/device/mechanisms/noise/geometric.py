"""Two-sided geometric noise on every entry of the one-hot answer.

Two one-hot answers differ by 1 in two entries. Noise Z with P(Z = z) = (1 − α)/(1 + α) · α^|z| on
each entry changes a likelihood by at most α^-2, which is e^ε for α = e^{−ε/2}.

It can be had in two steps. A noisy entry is above 0 with probability f = α/(1 + α) where the entry
was 0, and 1 − f where it was 1: exactly the bit of binary randomized response. Given that bit, it
is 1 + G or −G, with a geometric G, P(G >= s) = α^s, that knows nothing of the answer. So noise is
binary randomized response with something useless added, which is why it does worse.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from ....errors.arguments import whole
from ...entropy import Stream
from ..base import Exclusive, Mechanism, Problem, exactly
from ..flips import ONE, choose_flip, read_flip

# The entries that a byte holds, and two.
_BYTE, _TWO_BYTES = 2**7 - 1, 2**15 - 1
# A byte is enough where no more than this share of entries does not fit.
_RARE = 2.0**-32
# A client tosses a coin for every step: at most so many for a report, or so many an entry.
_MOST_COINS, _COINS_AN_ENTRY = 2**15, 32


class GeometricNoise(Mechanism, Exclusive):
    """Report the one-hot answer with two-sided geometric noise on every entry.

    All draws are coins of integers: f = flip / 2^64 is the smallest such number at or above
    1/(e^{ε/2} + 1), and α = flip / (2^64 − flip). Entries are clamped to [−limit, limit + 1], which
    takes nothing from privacy. It moves the mean of an entry from 0 to δ = α^{limit + 1}/(1 + α),
    and from 1 to 1 − δ, so that the estimate (sum/n − δ)/(1 − 2δ) is exactly unbiased.

    Parameters
    ----------
    d : int
        The number of values.
    epsilon : float
        The privacy level.
    limit : int in [0, 32767], optional
        By default 127, for entries of a byte, where δ is then below 2^-32, and else 32767. With 0,
        this is binary randomized response.

    References
    ----------
    Ghosh, Roughgarden, Sundararajan: Universally Utility-maximizing Privacy Mechanisms, STOC 2009.

    >>> GeometricNoise(100, 1.0).report_bytes
    100

    """

    name: ClassVar[str] = "geometric-noise"
    _shape: ClassVar[tuple[str, ...]] = ("limit",)
    flip: int
    limit: int

    def __init__(self, d: int, epsilon: float, *, limit: int | None = None) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        flip = choose_flip(type(self).__name__, epsilon, 2)
        if limit is None:
            alpha = flip / (ONE - flip)
            limit = _BYTE if alpha ** (_BYTE + 1) < _RARE else _TWO_BYTES
        limit = whole(type(self).__name__, "limit", limit, 0, _TWO_BYTES)
        if self._problem(d, flip, limit) is not None:
            rule = f"larger for d = {d}, to be drawn coin by coin"
            raise self._error("epsilon", rule, epsilon)
        self._freeze(d=d, epsilon=epsilon, flip=flip, limit=limit)

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with."""
        return {"flip": str(self.flip), "limit": self.limit}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing a flip that would break the promise of ε."""
        d, epsilon = cls._check_domain(d, epsilon)
        (limit,) = cls._check_names(parameters, integers=("limit",), digits="flip")
        flip = read_flip(cls.name, parameters["flip"], epsilon, 2)
        cls._refuse(cls._problem(d, flip, limit))
        return cls._made(d=d, epsilon=epsilon, flip=flip, limit=limit)

    @classmethod
    def _problem(cls, d: int, flip: int, limit: int) -> Problem | None:
        if not 0 <= limit <= _TWO_BYTES:
            return "limit", f"in [0, {_TWO_BYTES}]", limit
        coins = 1 + min(limit, (ONE - flip) // (ONE - 2 * flip))
        if coins > _COINS_AN_ENTRY and d * coins > _MOST_COINS:
            return "flip", f"smaller for d = {d}, to be drawn coin by coin", flip
        return None

    @cached_property
    def alpha(self) -> Fraction:
        """Exactly flip / (2^64 − flip)."""
        return exactly(self.flip, ONE - self.flip)

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """Exactly α^-2."""
        return self.alpha**-2

    # --- a report ---------------------------------------------------------------------------------

    @cached_property
    def entry_bytes(self) -> int:
        """The bytes of an entry."""
        return 1 if self.limit <= _BYTE else 2

    @cached_property
    def report_bytes(self) -> int:
        """A byte or two an entry, in which 0 stands for −limit."""
        return self.d * self.entry_bytes

    @cached_property
    def stream_bytes(self) -> int:
        """The number of random bytes that is enough for nearly every report."""
        alpha = self.flip / (ONE - self.flip)
        coins = min(self.limit, 1 / (1 - alpha)) / (1 - self.flip / ONE)
        return int(8 * self.d * (1 + coins) * 1.25) + 64

    def _entries(self, report: bytes) -> list[int]:
        size = self.entry_bytes
        starts = range(0, len(report), size)
        return [int.from_bytes(report[at : at + size], "little") - self.limit for at in starts]

    def problem(self, report: bytes) -> str | None:
        """Return why bytes are not a report, or None."""
        above = max(self._entries(report)) > self.limit + 1
        return f"An entry is above {self.limit + 1}." if above else None

    def _chance(self, report: bytes, value: int) -> Fraction:
        chance = exactly(1)
        for j, entry in enumerate(self._entries(report)):
            up, steps = entry > 0, max(entry - 1, -entry)
            chance *= exactly(self.flip, ONE)
            if up == (j == value):
                chance /= self.alpha
            chance *= self.alpha**steps * (1 - self.alpha if steps < self.limit else 1)
        return chance

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d): for each entry a bit, and steps away from it."""
        flip, limit, size = self.flip, self.limit, self.entry_bytes
        entries, rest = [], ONE - flip
        for j in range(self.d):
            up = stream.coin(flip, ONE) != (j == value)
            steps = stream.streak(flip, rest, limit)
            entries.append(limit + 1 + steps if up else limit - steps)
        if size == 1:
            return bytes(entries)
        return b"".join(entry.to_bytes(size, "little") for entry in entries)
