"""The k-subset mechanism over sets of options: each set that one may choose is a value of its own.

A person chose at most m of d options. There are N = Σ C(d, j), j <= m, such sets. As bitmaps, with
bit i for option i, they have an order, and the place of a set in it is its number: of the options
x_1 > x_2 > … of a set,

    number = Σ_i below(x_i, m + 1 − i),    below(x, r) = C(x, 0) + … + C(x, r),

as below(x, r) sets of at most r options have all of them below x. The report is the one that the
k-subset mechanism makes for this number of N. Few sets can be listed, and where ε is large, no
other way to ask for them has less error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal, Self

from ....errors import InvalidSurvey
from ....errors.arguments import is_whole
from ....theory.set_formulas import sets_holding
from ...entropy import Stream
from ..choices import Choices
from .k_subset import KSubset
from .packed import Packed

# Reports are up to as many bits, and aggregates as many counters.
MOST_SETS = 2**12


class ListedSets(Packed, Choices):
    r"""Report k of all sets of options that one may choose, more likely with the person's own.

    A value is a sequence of different options; shares are of the people who chose an option, and do
    not add up to 1. Points of a report are the numbers of sets, in the order of `sets`.

    Parameters
    ----------
    options : int
        The number of options; there are at most 4096 sets of them that one may choose.
    epsilon : float
        The privacy level: no report is more than e^ε times likelier under one set than another,
        however many options they have.
    most : int in [1, options]
        The largest number of options that one person may choose.
    k : "l2" or int
        How many sets a report holds: as many as have the least error, or one's own number.

    >>> mechanism = ListedSets(5, 3.0, most=2)
    >>> mechanism, len(mechanism.sets)
    (ListedSets(d=5, epsilon=3.0, most=2, k=1), 16)
    >>> mechanism.sets[:6]
    ((), (0,), (1,), (0, 1), (2,), (0, 2))
    >>> own, other = (mechanism.probability(b"\x05", value) for value in ([0, 2], [0]))
    >>> own / other == mechanism.likelihood_ratio
    True

    """

    name: ClassVar[str] = "listed-sets"
    _shape: ClassVar[tuple[str, ...]] = ("most", "k")
    listed: KSubset

    def __init__(
        self, options: int, epsilon: float, most: int, k: Literal["l2"] | int = "l2"
    ) -> None:
        options, epsilon = self._check_domain(options, epsilon)
        self._forbid(self._choices_problem(options, most))
        points = sets_holding(options, most)
        if points <= MOST_SETS and k != "l2" and (not is_whole(k) or not 1 <= k < points):
            raise self._error("k", f"'l2' or an int in [1, {points - 1}]", k)
        self._freeze(d=options, epsilon=epsilon, most=int(most), listed=KSubset(points, epsilon, k))

    @classmethod
    def _choices_problem(cls, d: int, most: int) -> tuple[str, str, Any] | None:
        problem = super()._choices_problem(d, most)
        if problem is None and sets_holding(d, most) > MOST_SETS:
            return "most", f"so small that there are at most {MOST_SETS} sets of {d} options", most
        return problem

    # --- the integers -------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with."""
        return {"most": self.most, **self.listed.parameters}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing integers that would break the promise of ε."""
        d, epsilon = cls._check_domain(d, epsilon)
        drawing = dict(parameters)
        most = drawing.pop("most", None)
        if type(most) is not int:
            raise InvalidSurvey(
                f"The parameters of {cls.name} must be most (an integer) and those of "
                f"{KSubset.name}. Got {dict(parameters)!r:.200}."
            )
        cls._refuse(cls._choices_problem(d, most))
        listed = KSubset.from_parameters(sets_holding(d, most), epsilon, drawing)
        return cls._made(d=d, epsilon=epsilon, most=most, listed=listed)

    @property
    def points(self) -> int:  # type: ignore[override]
        """A point for every set."""
        return self.listed.d

    @property
    def k(self) -> int:  # type: ignore[override]
        """How many sets a report holds."""
        return self.listed.k

    # --- the sets -----------------------------------------------------------------------------

    @cached_property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """All sets, in the order of their bitmaps."""
        sizes = range(self.most + 1)
        every = [chosen for size in sizes for chosen in combinations(range(self.d), size)]
        return tuple(sorted(every, key=lambda chosen: chosen[::-1]))

    @cached_property
    def below(self) -> list[list[int]]:
        """How many sets of at most r options have all of them below x, at [r][x]."""
        return [[sets_holding(x, r) for x in range(self.d)] for r in range(self.most + 1)]

    def number(self, value: Sequence[int]) -> int:
        """Return the place of a set of options in the order of bitmaps."""
        falling = sorted(value, reverse=True)
        return sum([self.below[self.most - i][option] for i, option in enumerate(falling)])

    # --- the law of a report, and the sampler -------------------------------------------------

    @property
    def likelihood_ratio(self) -> Fraction:
        """That of the k-subset mechanism, exactly."""
        return self.listed.likelihood_ratio

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly how many sets with an option a report holds, if the person chose it, and if not.

        That is on average; at k = 1 these are the chances that the reported set has the option.
        """
        (g, h), sets = self.listed.hit_rates, sets_holding(self.d, self.most, 1)
        return g + (sets - 1) * h, sets * h

    def spreads(self, sets: int) -> tuple[Fraction, Fraction]:
        """Return the variance of how many of so many sets a report holds, exactly.

        The first is for a person whose own set is one of them, the second for all others. Beyond
        the person's own, a report holds k − 1 of the other sets or k, all as likely.
        """
        k, others, (g, _) = self.k, self.points - 1, self.listed.hit_rates

        def spread(own: int) -> Fraction:
            mean = square = g - g
            for chance, added, size in ((g, own, k - 1), (1 - g, 0, k)):
                among = sets - own
                first = chance * size * among / others
                second = first + chance * size * (size - 1) * among * (among - 1) / (
                    others * (others - 1)
                )
                mean += chance * added + first
                square += chance * added + 2 * added * first + second
            return square - mean**2

        return spread(1), spread(0)

    def share_variance(self, theta: float) -> float:
        """Return n times the variance of an option's share that is theta among n given people."""
        g, h = self.listed.hit_rates
        own, other = (
            float(spread / (g - h) ** 2)
            for spread in self.spreads(sets_holding(self.d, self.most, 1))
        )
        return theta * own + (1 - theta) * other

    def _chance(self, report: bytes, value: Sequence[int]) -> Fraction:
        return self.listed.probability(report, self.number(value))

    @property
    def stream_bytes(self) -> int:
        """As many random bytes as the k-subset mechanism needs."""
        return self.listed.stream_bytes

    def sample(self, value: Sequence[int], stream: Stream) -> bytes:
        """Return one report for different options, as docs/algorithm.md specifies it."""
        return self.listed.sample(self.number(value), stream)
