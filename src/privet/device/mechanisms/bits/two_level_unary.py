"""Two levels (L-OSUE): reports that differ each time, over a permanent response that bounds them.

The *permanent* response is an optimized unary one at ε: the bit of the person's value is set with
probability 1/2, any other with q1 = flip / 2^64. It is drawn once, from the person's secret, and is
never sent. Each report is a copy of it in which every bit is flipped with probability
q2 = noise / 2^64, drawn anew each time.

- Whatever is made of the permanent response says no more than the response itself: any number of
  reports together have a likelihood ratio of at most (1 − q1)/q1 <= e^ε.
- In one report by itself, the bit of the person's value is still a fair coin, and any other is set
  with probability h = q1 + q2(1 − 2·q1): its ratio is (1 − h)/h <= e^{report_epsilon}, and its
  variance is that of a fresh optimized unary report.

`flip` and `noise` are the smallest integers that keep both promises.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import ceil
from os import urandom
from typing import Any, ClassVar, Self

from ....errors import InvalidSurvey
from ....errors.arguments import positive
from ...entropy import Stream
from ..base import MIN_EPSILON
from ..flips import FLIP_BITS, MOST_FLIP, ONE, choose_flip, read_flip
from ..odds import floor_exp, read_integer
from .unary import Unary


class TwoLevelUnary(Unary):
    """Report fresh copies of a permanent bitmap, each with bits of its own flipped at random.

    Parameters
    ----------
    d : int
        The number of values.
    epsilon : float
        The privacy level of any number of reports of one value: that of the permanent response.
    report_epsilon : float, optional
        The privacy level of one report by itself, below epsilon; by default half of it.

    References
    ----------
    Arcolezi, Couchot, Al Bouna, Xiao: Improving the Utility of Locally Differentially Private
    Protocols for Longitudinal and Multidimensional Frequency Estimates, Digital Communications and
    Networks 2022. The two levels are those of RAPPOR (Erlingsson, Pihur, Korolova, CCS 2014).

    >>> TwoLevelUnary(16, 2.0).noise / 2**64  # doctest: +ELLIPSIS
    0.196611...

    """

    name: ClassVar[str] = "two-level-unary"
    _power: ClassVar[int] = 1
    _shape: ClassVar[tuple[str, ...]] = ("report_epsilon",)
    report_epsilon: float
    noise: int

    def __init__(self, d: int, epsilon: float, report_epsilon: float | None = None) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        owner = type(self).__name__
        flip = choose_flip(owner, epsilon, self._power)
        if report_epsilon is None:
            report_epsilon = epsilon / 2
        level = positive(owner, "report_epsilon", report_epsilon)
        if not MIN_EPSILON <= level < epsilon:
            rule = f"in [{MIN_EPSILON:g}, {epsilon}), the privacy level of all reports"
            raise self._error("report_epsilon", rule, report_epsilon)
        noise = _least_noise(flip, level)
        self._freeze(d=d, epsilon=epsilon, report_epsilon=level, flip=flip, noise=noise)

    @property
    def needs_secret(self) -> bool:
        """Whether reports need a secret, which stands for the permanent response."""
        return True

    @property
    def parameters(self) -> dict[str, Any]:
        """What one report promises, and the integers that a client draws with."""
        integers = {"flip": str(self.flip), "noise": str(self.noise)}
        return {"report_epsilon": self.report_epsilon, **integers}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing integers that would break either promise."""
        d, epsilon = cls._check_domain(d, epsilon)
        if set(parameters) != {"report_epsilon", "flip", "noise"}:
            raise InvalidSurvey(
                f"The parameters of {cls.name} must be report_epsilon (a number), flip and noise "
                f"(decimal strings). Got {dict(parameters)!r:.200}."
            )
        level = parameters["report_epsilon"]
        if type(level) not in (int, float) or not MIN_EPSILON <= level < epsilon:
            cls._refuse(("report_epsilon", f"a number in [{MIN_EPSILON:g}, {epsilon})", level))
        flip = read_flip(cls.name, parameters["flip"], epsilon, cls._power)
        noise = read_integer(parameters["noise"], f"noise of {cls.name}")
        told_apart = _other_rate(flip, noise) * ONE <= MOST_FLIP  # from a fair coin, by estimates
        if noise < _least_noise(flip, level) or not told_apart:
            raise InvalidSurvey(
                f"The noise {noise} / 2^{FLIP_BITS} does not give one report the privacy level "
                f"{level}: this survey is not as private as it says."
            )
        return cls._made(d=d, epsilon=epsilon, report_epsilon=float(level), flip=flip, noise=noise)

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Of one report, exactly g = 1/2 and h = q1 + q2(1 − 2·q1)."""
        return Fraction(1, 2), _other_rate(self.flip, self.noise)

    @cached_property
    def permanent_ratio(self) -> Fraction:
        """The likelihood ratio that any number of reports have at most, exactly; <= e^ε."""
        return Fraction(ONE, self.flip) - 1

    @cached_property
    def stream_bytes(self) -> int:
        """The number of random bytes that is enough for nearly every report, both levels."""
        return 2 * super().stream_bytes

    def permanent(self, value: int, stream: Stream) -> int:
        """Return the permanent response for a value in [0, d), as bits; it is never sent."""
        bits = stream.coins(self.d, self.flip, FLIP_BITS)
        return bits ^ stream.coins(1, 1, 1) << value

    def renewed(self, permanent: int, stream: Stream) -> bytes:
        """Return one report over a permanent response."""
        bits = permanent ^ stream.coins(self.d, self.noise, FLIP_BITS)
        return bits.to_bytes(self.report_bytes, "little")

    def respond(self, value: int, stream: Stream) -> bytes:
        """Return a fresh report over the permanent response of the person whose stream this is."""
        fresh = Stream(urandom, self.stream_bytes)
        return self.renewed(self.permanent(value, stream), fresh)

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return the first report of someone whose permanent response is drawn here, too."""
        return self.renewed(self.permanent(value, stream), stream)


def _other_rate(flip: int, noise: int) -> Fraction:
    """Return how likely a bit that is not the person's is set in a report."""
    return Fraction(flip * ONE + noise * (ONE - 2 * flip), ONE * ONE)


def _least_noise(flip: int, report_epsilon: float) -> int:
    """Return the smallest noise by which such a bit is likely enough for one report's promise."""
    rate, q1 = (
        Fraction(1, 1 + Fraction(floor_exp(report_epsilon, 128), 1 << 128)),
        Fraction(flip, ONE),
    )
    return max(1, ceil((rate - q1) / (1 - 2 * q1) * ONE))
