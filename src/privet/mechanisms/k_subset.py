"""The k-subset mechanism, complete design: the paper's Definition 2.1 and Algorithm 1.

A report is a set Z of k of the d values, with probability

    Q(Z | x) = (E if x in Z else 1) · d / (D · C(d, k)),    D = kE + d − k,

where E = odds / 2^scale is the largest such rational at or below e^ε. The sampler draws k − 1 of
the other d − 1 values and one value more; on a hit, x takes the place of the one drawn last. Hit
and miss thus make the same draws, and a report is a packed set: the order of drawing is gone.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import comb, prod, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ..analysis import kernels
from ..analysis.kernels import MOST_WORDS, TILE
from ..analysis.kernels.counting import count_bitmaps, count_indices
from ..errors import InvalidSurvey
from .base import count_bits
from .batch import BLOCK_BYTES, words_of
from .start import cheapest_rounds, cheapest_start, expected_draws
from .subsets import Subsets

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from numpy.typing import NDArray

    from ..entropy import Stream
    from .batch import Block, Rows, Words

# Up to so many people, and so many times d, their reports are made faster than simulated.
_FEW_PEOPLE, _FEW_TIMES = 40_000, 64


class KSubset(Subsets):
    r"""Report a set of k of the d values that is more likely to hold the own one.

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

    """

    name: ClassVar[str] = "k-subset"
    d: int
    epsilon: float
    k: int
    odds: int
    scale: int
    start: tuple[int, int]

    def __init__(
        self, d: int, epsilon: float, k: Literal["l2", "information"] | int = "l2"
    ) -> None:
        from .odds import finest_odds

        d, epsilon = self._check_domain(d, epsilon)
        k = self._choose_k(d, epsilon, k)
        odds, scale = finest_odds(type(self).__name__, d, epsilon, k)
        packed = _packed_bits(d, k)
        sizes = d - 1, min(k, d - k) - 1
        plane = 400 + 0.3 * d
        start = (0, 0) if packed else cheapest_start(*sizes, plane=plane, add=70, remove=70)
        self._freeze(d=d, epsilon=epsilon, k=k, odds=odds, scale=scale, start=start)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(d={self.d}, epsilon={self.epsilon}, k={self.k})"

    # --- the integers -------------------------------------------------------------------------

    @classmethod
    def _choose_k(cls, d: int, epsilon: float, k: str | int) -> int:
        from .. import theory

        if k == "l2":
            return int(theory.l2_optimal_k(d, epsilon))
        if k == "information":
            return int(theory.information_optimal_k(d, epsilon))
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= d - 1:
            raise cls._error("k", f"'l2', 'information' or an int in [1, {d - 1}]", k)
        return int(k)

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with."""
        return {"k": self.k, "odds": str(self.odds), "scale": self.scale, "start": list(self.start)}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing integers that would break the promise of ε."""
        from .odds import read_odds

        d, epsilon = cls._check_domain(d, epsilon)
        match parameters:
            case {"k": k, "odds": digits, "scale": scale, "start": [c, b]} if len(
                parameters
            ) == 4 and all(type(number) is int for number in (k, scale, c, b)):
                pass
            case _:
                raise InvalidSurvey(
                    f"The parameters of {cls.name} must be k, odds (a decimal string), scale and "
                    f"start (two integers). Got {dict(parameters)!r}."
                )
        if not 1 <= k <= d - 1:
            raise InvalidSurvey(f"The k of {cls.name} must be in [1, {d - 1}]. Got {k}.")
        odds = read_odds(cls.name, epsilon, d, k, digits, scale)
        if not (0 <= b <= 64 and 0 <= c < 1 << b) or (b and _packed_bits(d, k)):
            raise InvalidSurvey(f"The start [{c}, {b}] of {cls.name} is not a probability c / 2^b.")
        self = cls.__new__(cls)
        self._freeze(d=d, epsilon=epsilon, k=k, odds=odds, scale=scale, start=(c, b))
        return self

    @property
    def points(self) -> int:  # type: ignore[override]
        """Sets are of the values themselves."""
        return self.d

    def probability(self, report: bytes, value: int) -> Fraction:
        """Return Q(report | value), exactly."""
        self.check(report)
        value = self._check_value(value)
        weight = self.odds if value in self.members(report) else 1 << self.scale
        return Fraction(weight * self.d, self._total * comb(self.d, self.k))

    def members(self, report: bytes) -> list[int]:
        r"""Return the values in a report, in increasing order.

        >>> KSubset(10, 1.0, k=3).members(b"\x25\x00")
        [0, 2, 5]
        """
        self.check(report)
        packed = int.from_bytes(report, "little")
        if width := self._packed_bits:
            return [packed >> at & (1 << width) - 1 for at in range(0, self.k * width, width)]
        return [value for value in range(self.d) if packed >> value & 1]

    # --- one report ---------------------------------------------------------------------------

    @cached_property
    def _packed_bits(self) -> int:
        return _packed_bits(self.d, self.k)

    @cached_property
    def report_bytes(self) -> int:
        """A bitmap of d bits or k sorted indices, whichever is shorter."""
        return (self.k * self._packed_bits or self.d) + 7 >> 3

    @cached_property
    def stream_bytes(self) -> int:
        """How many random bytes nearly every report gets by with."""
        others = self.d - 1
        draws = sum(expected_draws(others, self._before_last, *self.start)) + 1
        slack = 4 * (sqrt(draws) + 2)
        return int(8 + self.start[1] * (others + 7 >> 3) + self._word_bytes * (draws + slack))

    @cached_property
    def _word_bytes(self) -> int:
        """The bytes that a position is drawn from."""
        return 1 if self.d - 1 <= 1 << 8 else 2 if self.d - 1 <= 1 << 16 else 4

    @cached_property
    def _flip(self) -> bool:
        """Whether a set, being more than half the domain, is drawn as the complement of another."""
        return 2 * self.k > self.d

    @cached_property
    def _before_last(self) -> int:
        """How many members are drawn before the last one."""
        return min(self.k, self.d - self.k) - 1

    @cached_property
    def _plan(self) -> tuple[int, int, bool, int, int, int, int, int, int]:
        """All that `sample` needs for a bitmap, at hand in one look-up."""
        others = self.d - 1
        before = *self._coin, self._flip, others, self._before_last, (1 << others) - 1
        return *before, *self.start, self.report_bytes

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d); docs/algorithm.md is its specification."""
        if self._packed_bits:
            return self._sample_indices(value, stream)
        heads, total, flip, others, size, everyone, numerator, bits, report_bytes = self._plan
        inside = stream.coin(heads, total) is not flip
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
        if drawn & own:  # positions leave out the own value: the last value stands in for it
            drawn |= 1 << others
        drawn = drawn | own if inside else drawn & ~own
        if flip:
            drawn ^= everyone << 1 | 1
        return drawn.to_bytes(report_bytes, "little")

    def _sample_indices(self, value: int, stream: Stream) -> bytes:
        """Sample the same way for sparse sets, whose cost must not grow with d."""
        others = self.d - 1
        inside = stream.coin(*self._coin)
        drawn = stream.distinct(others, self.k)
        if inside:
            drawn.pop()
        members = [others if position == value else position for position in drawn]
        if inside:
            members.append(value)
        members.sort()
        packed = 0
        for member in reversed(members):
            packed = packed << self._packed_bits | member
        return packed.to_bytes(self.report_bytes, "little")

    # --- many reports -------------------------------------------------------------------------

    @cached_property
    def _batch(self) -> tuple[int, int, int]:
        """The coins c / 2^b that a batch starts from, and the rounds of positions for each word."""
        if self._packed_bits:
            return 0, 0, 0
        words, sizes = words_of(self.d), (self.d - 1, self._before_last)
        if not self._side_by_side:
            return *cheapest_start(*sizes, plane=1.6 * words, add=0.7, remove=0.9), 0
        return cheapest_rounds(*sizes, plane=1.3 * words, turn=0.18 + 0.1 * words, finish=8)

    @property
    def _side_by_side(self) -> bool:
        """Whether a batch makes a tile of reports at a time."""
        return words_of(self.d) <= MOST_WORDS

    @property
    def _block_rows(self) -> int:
        _, bits, rounds = self._batch
        rows = BLOCK_BYTES // (8 + 8 * bits * words_of(self.d) + rounds)
        return max(rows // TILE, 1) * TILE

    def _block(self, rows: int, words: Words) -> Block:
        _, bits, rounds = self._batch
        width = words_of(self.d)
        tiles = -(-rows // TILE)
        shape = (tiles, bits, width, TILE) if self._side_by_side else (rows, bits, width)
        spare = rows // 64 + 16
        coins, planes, offers = words.take(
            8 * (rows + spare), 8 * prod(shape), tiles * rounds * TILE
        )
        inside = words.toss(coins, rows, self._coin)
        if self._flip:
            np.logical_not(inside, out=inside)
        return inside, planes.view("<u8").reshape(shape), offers.reshape(tiles, rounds, TILE)

    def _fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        values, (inside, planes, offers), out = rows
        size = self._word_bytes
        positions = tail[: len(tail) // size * size].view(f"<u{size}")
        integers = first, self.d, self._before_last, self._flip, self._batch[0]
        if self._packed_bits and self.k == 1:
            result = kernels.fill_single(values, inside, positions, out, first, self.d)
        elif self._packed_bits:
            shape = self.d, self.k, self._packed_bits
            result = kernels.fill_indices(values, inside, positions, out, first, *shape)
        elif self._side_by_side:
            result = kernels.fill_lanes(values, inside, planes, offers, positions, out, *integers)
        else:
            result = kernels.fill_words(values, inside, planes, positions, out, *integers)
        done, used = result
        return done, used * size

    def _draw_counts(
        self, people: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw from the joint law of the counts, where that is faster than making the reports."""
        if people.sum() <= min(_FEW_PEOPLE, _FEW_TIMES * self.d):
            return super()._draw_counts(people, rng)
        from ..analysis.kernels.population import draw_counts

        marked = rng.binomial(people, self._marked)
        counts: NDArray[np.int64] = draw_counts(rng, marked, people.sum() - marked.sum(), self.k)
        return counts

    def _first_problem(self, reports: NDArray[np.uint8]) -> tuple[int, str] | None:
        used = self.k * self._packed_bits or self.d
        bad = self._padding(reports, used)
        if bad.any():
            return int(np.argmax(bad)), f"A bit beyond the first {used} is set."
        if self._packed_bits:
            return self._check_indices(self._indices(reports))
        sizes = np.bitwise_count(reports).sum(axis=1, dtype=np.int64)
        if (sizes != self.k).any():
            row = int(np.argmax(sizes != self.k))
            return row, f"A report of this survey has {self.k} members. Got {sizes[row]}."
        return None

    def _check_indices(self, indices: NDArray[np.int64]) -> tuple[int, str] | None:
        bad = (indices >= self.d).any(axis=1)
        if bad.any():
            row = int(np.argmax(bad))
            return row, f"A member must be below {self.d}. Got {indices[row].max()}."
        bad = (np.diff(indices, axis=1) <= 0).any(axis=1)
        if bad.any():
            return int(np.argmax(bad)), "The members are not in increasing order."
        return None

    def _aggregate(self, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
        if self._packed_bits:
            return np.bincount(self._indices(reports).ravel(), minlength=self.d)
        return count_bits(reports, self.d)

    def _count(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> int:
        if self._packed_bits:
            return count_indices(reports, self.d, self.k, self._packed_bits, total)
        return count_bitmaps(reports, self.d, total, self.k)

    def _indices(self, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Unpack to (n, k) members."""
        width = self._packed_bits
        bits = np.unpackbits(reports, axis=1, count=self.k * width, bitorder="little")
        weights = 1 << np.arange(width, dtype=np.int64)
        indices: NDArray[np.int64] = bits.reshape(len(reports), self.k, width) @ weights
        return indices

    def check_aggregate(self, aggregate: NDArray[np.int64], n: int) -> str | None:
        """Every report has k different members."""
        if aggregate.min() < 0 or aggregate.max() > n:
            return f"counts must be in [0, {n}]"
        total = int(aggregate.sum())
        return None if total == n * self.k else f"counts must add up to {n * self.k}, not {total}"


def _packed_bits(d: int, k: int) -> int:
    """Return the bits of an index where k of them are shorter than a bitmap in bytes, else 0."""
    width = (d - 1).bit_length()
    return width if k * width + 7 >> 3 < d + 7 >> 3 else 0
