"""The k-subset mechanism for sets: several choices of one question, "all that apply" (PrivSet).

A person chose at most m of d options. Blanks are added to the options, m of them, and the first of
them to the person's set S, until it has exactly m of the v = d + m points. A report is a set Z of k
points, with probability

    Q(Z | S) = p / A if Z meets S, else (1 − p) / B,    B = C(d, k),    A = C(v, k) − B,

where p = meet / 2^64 is the largest such number that keeps pB / ((1 − p)A) at or below e^ε. The
sampler draws whether Z meets S, in how many points j it would, k points outside S and min(k, m) of
S, whatever comes of it; on a meeting, the first j of S replace as many of the others. Blanks tell
how many options people chose: the share of blank i is that of the people with fewer than m − i.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import count
from math import comb, sqrt
from typing import Any, ClassVar, Literal, Self

from ....errors import InvalidSurvey
from ....errors.arguments import is_whole
from ....theory import set_optimal_k
from ...entropy import Fractions, Stream, fractions
from ..base import exactly
from ..choices import Choices
from ..odds import floor_exp, read_integer
from ..symmetric import Symmetric
from .packed import Packed

_BITS = 64
_ONE = 1 << _BITS


class SetSubset(Packed, Symmetric, Choices):
    r"""Report a set of k points that is more likely to meet the person's set of options.

    A value is a sequence of different options; shares are of the people who chose an option, and do
    not add up to 1. Points of a report from `options` on are blanks.

    Parameters
    ----------
    options : int in [2, 4096]
        The number of options.
    epsilon : float
        The privacy level: no report is more than e^ε times likelier under one set than another,
        however many options they have.
    most : int in [1, options]
        The largest number of options that one person may choose.
    k : "l2" or int in [1, options]
        The size of a report: the one with the least error of a rare option, or one's own.

    References
    ----------
    Wang, Huang, Nie, Wang, Xu, Yang: PrivSet: Set-Valued Data Analyses with Local Differential
    Privacy, INFOCOM 2018.

    >>> mechanism = SetSubset(100, 1.0, most=5)
    >>> mechanism
    SetSubset(d=100, epsilon=1.0, most=5, k=5)
    >>> small = SetSubset(4, 1.0, most=2, k=1)
    >>> met, missed = (small.probability(b"\x01", value) for value in ([0, 3], [2]))
    >>> met / missed == small.likelihood_ratio
    True

    """

    name: ClassVar[str] = "set-subset"
    _shape: ClassVar[tuple[str, ...]] = ("most", "k")
    meet: int

    def __init__(
        self, options: int, epsilon: float, most: int, k: Literal["l2"] | int = "l2"
    ) -> None:
        options, epsilon = self._check_domain(options, epsilon)
        self._forbid(self._choices_problem(options, most))
        if k == "l2":
            k = set_optimal_k(options, epsilon, most)
        elif not is_whole(k) or not 1 <= k <= options:
            raise self._error("k", f"'l2' or an int in [1, {options}]", k)
        most, k = int(most), int(k)
        never, meet = _bounds(options, epsilon, most, k)
        if not never < meet < _ONE - 1:
            rule = f"drawn with 64-bit integers, which {options} options and k = {k} do not allow"
            raise self._error("epsilon", rule, epsilon)
        self._freeze(d=options, epsilon=epsilon, most=most, k=k, meet=meet)

    # --- the integers -------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with."""
        return {"most": self.most, "k": self.k, "meet": str(self.meet)}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing integers that would break the promise of ε."""
        d, epsilon = cls._check_domain(d, epsilon)
        most, k = cls._check_names(parameters, integers=("most", "k"), digits="meet")
        cls._refuse(cls._choices_problem(d, most))
        if not 1 <= k <= d:
            cls._refuse(("k", f"an int in [1, {d}]", k))
        meet = read_integer(parameters["meet"], f"meet of {cls.name}")
        never, largest = _bounds(d, epsilon, most, k)
        if not never < meet <= largest:
            raise InvalidSurvey(
                f"The chance {meet} / 2^{_BITS} to meet a set is not in ({never}, {largest}] / "
                f"2^{_BITS} for epsilon = {epsilon}: this survey is not as private as it says."
            )
        return cls._made(d=d, epsilon=epsilon, most=most, k=k, meet=meet)

    @property
    def points(self) -> int:  # type: ignore[override]
        """Sets are of the options and as many blanks as one may choose options."""
        return self.d + self.most

    # --- the law of a report ------------------------------------------------------------------

    @cached_property
    def _weights(self) -> tuple[Fraction, Fraction]:
        """How likely is each report that meets the person's set, and each that does not."""
        meeting, missing = _sizes(self.d, self.most, self.k)
        chance = exactly(self.meet, _ONE)
        return chance / meeting, (1 - chance) / missing

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """Exactly pB / ((1 − p)A)."""
        met, missed = self._weights
        return met / missed

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly how likely a report holds an option of the person's, and any other."""
        return self._rates(1)

    @cached_property
    def pair_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly how likely a report holds two options, if either is the person's, if neither."""
        return self._rates(2)

    def _rates(self, few: int) -> tuple[Fraction, Fraction]:
        """Return how likely a report holds a few points, if any is the person's, if none is."""
        if self.k < few:
            return exactly(0), exactly(0)
        met, missed = self._weights
        holding, apart = (comb(v - few, self.k - few) for v in (self.points, self.d))
        return met * holding, met * (holding - apart) + missed * apart

    def _own(self, value: Sequence[int]) -> list[int]:
        """Return the person's points: the options, and the first blanks."""
        return [*value, *range(self.d, self.points - len(value))]

    def _chance(self, report: bytes, value: Sequence[int]) -> Fraction:
        meets = not set(self._own(value)).isdisjoint(self._unpacked(report))
        return self._weights[0 if meets else 1]

    # --- the sampler --------------------------------------------------------------------------

    @cached_property
    def overlaps(self) -> Fractions:
        """How likely a report that meets the person's set does so in 1, 2, … points, summed up."""
        return fractions(*_summed_overlaps(self.d, self.most, self.k))

    @cached_property
    def stream_bytes(self) -> int:
        """The number of random bytes that is enough for nearly every report."""
        own = _enough(self.most, min(self.k, self.most))
        return 8 + 8 * (self.k > 1 < self.most) + own + _enough(self.d, self.k)

    def sample(self, value: Sequence[int], stream: Stream) -> bytes:
        """Return one report for at most `most` different options; docs/algorithm.md specifies it.

        Whether it meets them or not, the draws are the same.
        """
        meets = stream.coin(self.meet, _ONE)
        overlap = (0, 1 + stream.pick(*self.overlaps))[meets]
        own = self._own(value)
        # Positions leave out the person's points: the last ones stand in for them.
        stand_in = dict(zip(own, count(self.points - len(value)), strict=False)).get
        others = [stand_in(i, i) for i in stream.distinct(self.d, self.k)]
        met = stream.distinct(self.most, min(self.k, self.most))
        for place, i in enumerate(met):  # the same work, whichever it is
            others[place] = (others[place], own[i])[place < overlap]
        return self.packed(others)


def _sizes(d: int, most: int, k: int) -> tuple[int, int]:
    """Return how many sets of k points meet a set of `most`, and how many do not."""
    missing = comb(d, k)
    return comb(d + most, k) - missing, missing


def _bounds(d: int, epsilon: float, most: int, k: int) -> tuple[int, int]:
    """Return between what the chance to meet a set is, over 2^64: above the first, to the second.

    The first is that of any set of k points, and the second has a likelihood ratio of at most e^ε.
    """
    meeting, missing = _sizes(d, most, k)
    favoured = floor_exp(epsilon, _BITS) * meeting
    return (
        (meeting << _BITS) // (meeting + missing),
        (favoured << _BITS) // (favoured + (missing << _BITS)),
    )


def _summed_overlaps(d: int, most: int, k: int) -> tuple[list[int], int]:
    """Return how many sets of k points meet a set of `most` in 1, 2, … points at most, and in all.

    C(m, j) · C(d, k − j) meet it in j, each number from the one before.
    """
    sets, ends = most * comb(d, k - 1), [0]
    for j in range(1, min(k, most) + 1):
        ends.append(ends[-1] + sets)
        sets = sets * (most - j) * (k - j) // ((j + 1) * (d - k + j + 1))
    return ends[1:-1], ends[-1]


def _enough(n: int, count: int) -> int:
    """Return with how many bytes nearly always `count` different numbers of [0, n) are drawn."""
    span = 1 << (n - 1).bit_length()
    rates = [(n - drawn) / span for drawn in range(count)]
    spread = sum((1 - rate) / rate**2 for rate in rates)
    words = int(sum(1 / rate for rate in rates) + 3 * sqrt(spread) + 2)
    return words if span <= 1 << 8 else 2 * words
