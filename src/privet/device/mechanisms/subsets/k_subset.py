"""The k-subset mechanism, complete design: the paper's Definition 2.1 and Algorithm 1.

A report is a set Z of k of the d values, with probability

    Q(Z | x) = (E if x in Z else 1) · d / (D · C(d, k)),    D = kE + d − k,

where E = odds / 2^scale is the largest such rational at or below e^ε. The sampler draws k − 1 of
the other d − 1 values and one value more; on a hit, x takes the place of the one drawn last. Hit
and miss thus make the same draws, and a report is a packed set: the order of drawing is gone.

While it is drawn, the set is one machine integer. It starts from independent coins near k/d, a
plane of which is a single `&`, and positions are drawn only to reach its exact size (`start`). At
d = 64 a report takes a few microseconds in plain Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import comb, sqrt
from typing import Any, ClassVar, Literal, Self

from ....errors import InvalidSurvey
from ....errors.arguments import is_whole
from ....theory import information_optimal_k, l2_optimal_k
from ...entropy import Stream
from ..base import exactly
from ..odds import finest_odds, read_odds
from .packed import Packed, index_bits
from .start import expected_draws, takes_long, usual_start
from .subsets import Subsets


class KSubset(Subsets, Packed):
    r"""Report a set of k of the d values that is more likely to hold the person's value.

    Parameters
    ----------
    d : int
        The number of values.
    epsilon : float
        The privacy level: no report is more than e^ε times likelier under one value than another.
    k : "l2", "information" or int in [1, d − 1]
        The size of a report: the one with the least squared error (the paper's k#, Theorem 3.1),
        the one that keeps the most information (k*, Theorem 2.1), or one's own.

    References
    ----------
    Wang, Huang, Wang, Nie, Xu, Yang, Li, Qiao: Mutual Information Optimally Local Private Discrete
    Distribution Estimation, 2016.

    >>> KSubset(100, 1.0)
    KSubset(d=100, epsilon=1.0, k=27)
    >>> mechanism = KSubset(4, 1.0, k=2)
    >>> inside, outside = (mechanism.probability(b"\x03", value) for value in (0, 3))
    >>> inside / outside == mechanism.likelihood_ratio
    True
    >>> KSubset(10, 1.0, k=3).members(b"\x25\x00")
    [0, 2, 5]

    """

    name: ClassVar[str] = "k-subset"
    _shape: ClassVar[tuple[str, ...]] = ("k",)
    start: tuple[int, int]

    def __init__(
        self, d: int, epsilon: float, k: Literal["l2", "information"] | int = "l2"
    ) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        k = self._choose_k(d, epsilon, k)
        odds, scale = finest_odds(type(self).__name__, d, epsilon, k)
        start = (0, 0) if index_bits(d, k) else usual_start(d - 1, min(k, d - k) - 1)
        self._freeze(d=d, epsilon=epsilon, k=k, odds=odds, scale=scale, start=start)

    # --- the integers -------------------------------------------------------------------------

    @classmethod
    def _choose_k(cls, d: int, epsilon: float, k: str | int) -> int:
        if k in ("l2", "information"):
            return (l2_optimal_k if k == "l2" else information_optimal_k)(d, epsilon)
        if not is_whole(k) or not 1 <= int(k) <= d - 1:
            raise cls._error("k", f"'l2', 'information' or an int in [1, {d - 1}]", k)
        return int(k)

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with."""
        return {"k": self.k, "odds": str(self.odds), "scale": self.scale, "start": list(self.start)}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing integers that would break the promise of ε."""
        d, epsilon = cls._check_domain(d, epsilon)
        match parameters:
            case {"k": k, "odds": digits, "scale": scale, "start": [c, b]} if len(
                parameters
            ) == 4 and all(type(number) is int for number in (k, scale, c, b)):
                pass
            case _:
                raise InvalidSurvey(
                    f"The parameters of {cls.name} must be k, odds (a decimal string), scale and "
                    f"start (two integers). Got {dict(parameters)!r:.200}."
                )
        if not 1 <= k <= d - 1:
            raise InvalidSurvey(f"The k of {cls.name} must be in [1, {d - 1}]. Got {k}.")
        odds = read_odds(cls.name, epsilon, d, k, digits, scale)
        if not (0 <= b <= 64 and 0 <= c < 1 << b) or (b and index_bits(d, k)):
            raise InvalidSurvey(f"The start [{c}, {b}] of {cls.name} is not a probability c / 2^b.")
        if takes_long(d - 1, min(k, d - k) - 1, c, b):
            raise InvalidSurvey(f"The start [{c}, {b}] of {cls.name} is far from {k} of {d}.")
        return cls._made(d=d, epsilon=epsilon, k=k, odds=odds, scale=scale, start=(c, b))

    @property
    def points(self) -> int:  # type: ignore[override]
        """Sets are of the values themselves."""
        return self.d

    # --- a report -----------------------------------------------------------------------------

    def _chance(self, report: bytes, value: int) -> Fraction:
        weight = self.odds if value in self._unpacked(report) else 1 << self.scale
        return exactly(weight * self.d, self.total * comb(self.d, self.k))

    # --- the sampler --------------------------------------------------------------------------

    @cached_property
    def stream_bytes(self) -> int:
        """The number of random bytes that is enough for nearly every report."""
        others = self.d - 1
        draws = sum(expected_draws(others, self.before_last, *self.start)) + 1
        slack = 4 * (sqrt(draws) + 2)
        return int(8 + self.start[1] * (others + 7 >> 3) + self.word_bytes * (draws + slack))

    @cached_property
    def word_bytes(self) -> int:
        """The bytes that a position is drawn from."""
        return 1 if self.d - 1 <= 1 << 8 else 2 if self.d - 1 <= 1 << 16 else 4

    @cached_property
    def complement(self) -> bool:
        """Whether a set, being more than half the domain, is drawn as the complement of another."""
        return 2 * self.k > self.d

    @cached_property
    def before_last(self) -> int:
        """How many members are drawn before the last one."""
        return min(self.k, self.d - self.k) - 1

    @cached_property
    def _plan(self) -> tuple[int, int, bool, int, int, int, int, int, int]:
        """Everything that `sample` needs for a bitmap, in one look-up."""
        others = self.d - 1
        before = *self.coin, self.complement, others, self.before_last, (1 << others) - 1
        return *before, *self.start, self.report_bytes

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d); docs/algorithm.md is its specification."""
        if self.index_bits:
            return self._sample_indices(value, stream)
        heads, total, complement, others, size, everyone, numerator, bits, report_bytes = self._plan
        inside = stream.coin(heads, total) != complement
        drawn = stream.coins(others, numerator, bits) if bits else 0
        missing = size - drawn.bit_count()
        if missing < 0:
            drawn ^= stream.members(others, drawn, -missing)[0]
            missing = 0
        added, last = stream.members(others, everyone ^ drawn, missing + 1)
        drawn |= added
        if inside:
            drawn ^= last
        own = 1 << value
        if drawn & own:  # positions leave out the person's value: the last one stands in for it
            drawn |= 1 << others
        drawn = drawn | own if inside else drawn & ~own
        if complement:
            drawn ^= everyone << 1 | 1
        return drawn.to_bytes(report_bytes, "little")

    def _sample_indices(self, value: int, stream: Stream) -> bytes:
        """Sample the same way for sparse sets, whose cost must not grow with d."""
        others = self.d - 1
        hit = stream.coin(*self.coin)
        drawn = stream.distinct(others, self.k)
        members = [others if position == value else position for position in drawn]
        members[-1] = (members[-1], value)[hit]  # the same work, whichever it is
        return self.packed(members)
