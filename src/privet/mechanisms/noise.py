"""Noise on every entry of the one-hot answer: two-sided geometric, and Laplace's.

Two one-hot answers differ by 1 in two entries. Noise Z with P(Z = z) = (1 − α)/(1 + α) · α^|z| on
each entry changes a likelihood by at most α^-2, which is e^ε for α = e^{−ε/2}.

It can be had in two steps. A noisy entry is above 0 with probability f = α/(1 + α) where the entry
was 0, and 1 − f where it was 1: exactly the bit of binary randomized response. Given that bit, it
is 1 + G or −G, with a geometric G, P(G >= s) = α^s, that knows nothing of the answer. So noise is
binary randomized response with something useless added, which is why it does worse.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from ..analysis import kernels
from ..errors import InvalidSurvey, PrivetError
from .base import Mechanism
from .batch import CHUNK_ROWS
from .unary import FLIP_BITS, choose_flip, read_flip

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from numpy.typing import NDArray

    from ..entropy import Stream
    from .base import Target
    from .batch import Block, Rows, Words

    Floats = NDArray[np.float64]

# The entries that a byte holds, and two.
_BYTE, _TWO_BYTES = 2**7 - 1, 2**15 - 1
# A byte is enough where no more than this share of entries does not fit.
_RARE = 2.0**-32


class GeometricNoise(Mechanism):
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
    d: int
    epsilon: float
    flip: int
    limit: int

    def __init__(self, d: int, epsilon: float, *, limit: int | None = None) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        flip = choose_flip(type(self).__name__, epsilon, 2)
        if limit is None:
            alpha = flip / ((1 << FLIP_BITS) - flip)
            limit = _BYTE if alpha ** (_BYTE + 1) < _RARE else _TWO_BYTES
        if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= _TWO_BYTES:
            raise self._error("limit", f"an int in [0, {_TWO_BYTES}]", limit)
        self._freeze(d=d, epsilon=epsilon, flip=flip, limit=limit)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(d={self.d}, epsilon={self.epsilon}, limit={self.limit})"

    @property
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with."""
        return {"flip": str(self.flip), "limit": self.limit}

    @classmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild, refusing a flip that would break the promise of ε."""
        d, epsilon = cls._check_domain(d, epsilon)
        match parameters:
            case {"flip": digits, "limit": limit} if (
                len(parameters) == 2 and type(limit) is int and 0 <= limit <= _TWO_BYTES
            ):
                flip = read_flip(cls.name, digits, epsilon, 2)
            case _:
                raise InvalidSurvey(
                    f"The parameters of {cls.name} must be flip (a decimal string) and limit (in "
                    f"[0, {_TWO_BYTES}]). Got {dict(parameters)!r:.200}."
                )
        self = cls.__new__(cls)
        self._freeze(d=d, epsilon=epsilon, flip=flip, limit=limit)
        return self

    @cached_property
    def alpha(self) -> Fraction:
        """Exactly flip / (2^64 − flip)."""
        return Fraction(self.flip, (1 << FLIP_BITS) - self.flip)

    @cached_property
    def likelihood_ratio(self) -> Fraction:
        """Exactly α^-2."""
        return self.alpha**-2

    def probability(self, report: bytes, value: int) -> Fraction:
        """Return Q(report | value), exactly."""
        self.check(report)
        value = self._check_value(value)
        chance = Fraction(1)
        for j, entry in enumerate(self._aggregate(self._as_array(report)).tolist()):
            up, steps = entry > 0, max(entry - 1, -entry)
            chance *= Fraction(self.flip, 1 << FLIP_BITS)
            if up == (j == value):
                chance /= self.alpha
            chance *= self.alpha**steps * (1 - self.alpha if steps < self.limit else 1)
        return chance

    # --- one report -------------------------------------------------------------------------------

    @cached_property
    def _entry_bytes(self) -> int:
        return 1 if self.limit <= _BYTE else 2

    @cached_property
    def report_bytes(self) -> int:
        """A byte or two an entry, in which 0 stands for −limit."""
        return self.d * self._entry_bytes

    @cached_property
    def stream_bytes(self) -> int:
        """How many random bytes nearly every report gets by with."""
        coins = min(self.limit, 1 / (1 - float(self.alpha))) / (1 - self.flip / 2**FLIP_BITS)
        return int(8 * self.d * (1 + coins) * 1.25) + 64

    def sample(self, value: int, stream: Stream) -> bytes:
        """Return one report for a value in [0, d): for each entry a bit, and steps away from it."""
        flip, limit, size = self.flip, self.limit, self._entry_bytes
        one = 1 << FLIP_BITS
        entries = []
        for j in range(self.d):
            up = stream.coin(flip, one) != (j == value)
            steps = 0
            while steps < limit and stream.coin(flip, one - flip):
                steps += 1
            entries.append(limit + 1 + steps if up else limit - steps)
        return b"".join(entry.to_bytes(size, "little") for entry in entries)

    # --- many reports -----------------------------------------------------------------------------

    @property
    def _block_rows(self) -> int:
        return CHUNK_ROWS

    def _block(self, rows: int, words: Words) -> Block:
        return ()

    def _fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        values, _, out = rows
        words = tail[: len(tail) // 8 * 8].view("<u8")
        entries = out.view(f"<u{self._entry_bytes}")
        bounds = np.uint64(self.flip), np.uint64((1 << FLIP_BITS) - self.flip)
        done, used = kernels.fill_noise(values, words, entries, first, *bounds, self.limit)
        return done, 8 * used

    def _draw_counts(
        self, people: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw how many entries are above 0, and how many of them go each further step."""
        others = people.sum() - people
        f = self.flip / 2**FLIP_BITS
        up = rng.binomial(people, 1 - f) + rng.binomial(others, f)
        still = np.stack([up, people.sum() - up])
        sums: NDArray[np.int64] = up.copy()
        for _ in range(self.limit):
            still = rng.binomial(still, float(self.alpha))
            if not still.any():
                break
            sums += still[0] - still[1]
        return sums

    def _coded(self, reports: NDArray[np.uint8]) -> NDArray[np.unsignedinteger[Any]]:
        """Return the entries, plus `limit` each."""
        return np.ascontiguousarray(reports).view(f"<u{self._entry_bytes}")

    def _first_problem(self, reports: NDArray[np.uint8]) -> tuple[int, str] | None:
        bad = (self._coded(reports) > 2 * self.limit + 1).any(axis=1)
        if not bad.any():
            return None
        return int(np.argmax(bad)), f"An entry is above {self.limit + 1}."

    def _aggregate(self, reports: NDArray[np.uint8]) -> NDArray[np.int64]:
        sums: NDArray[np.int64] = self._coded(reports).sum(axis=0, dtype=np.int64)
        return sums - len(reports) * self.limit

    def _count(self, reports: NDArray[np.uint8], total: NDArray[np.int64]) -> int:
        problem = self._first_problem(reports)
        if problem is not None:
            return problem[0]
        total += self._aggregate(reports)
        return -1

    def check_aggregate(self, aggregate: NDArray[np.int64], n: int) -> str | None:
        """Any sum of n entries can occur."""
        low, high = -self.limit * n, (self.limit + 1) * n
        if aggregate.min() < low or aggregate.max() > high:
            return f"sums must be in [{low}, {high}]"
        return None

    # --- the estimate -----------------------------------------------------------------------------

    @cached_property
    def _shift(self) -> float:
        """δ, by which clamping moves the mean of an entry."""
        alpha = float(self.alpha)
        return alpha ** (self.limit + 1) / (1 + alpha)

    @cached_property
    def entry_variance(self) -> float:
        """The variance of an entry of a report, 2α/(1 − α)² if nothing were clamped."""
        steps = np.arange(1.0, self.limit + 1)
        beyond = float(self.alpha) ** steps  # the chance to go so many steps or more
        mean, square = beyond.sum(), ((2 * steps - 1) * beyond).sum()
        up = self.flip / 2**FLIP_BITS
        return float(up * (1 + 2 * mean) + square - self._shift**2)

    def frequencies(self, counts: NDArray[np.int64], n: int) -> Floats:
        """Return the unbiased estimate (sum/n − δ)/(1 − 2δ)."""
        return (counts / n - self._shift) / (1 - 2 * self._shift)

    def variance(self, theta: Floats, n: int, target: Target = "population") -> Floats:
        """Return the variance of each estimated frequency: the same for all theta in a sample."""
        noise = np.full(np.shape(theta), self.entry_variance / (n * (1 - 2 * self._shift) ** 2))
        return noise + theta * (1 - theta) / n if target == "population" else noise


class LaplaceNoise(Mechanism):
    """The one-hot answer with Laplace noise of scale 2/ε on every entry: for simulation only.

    As a report it would not be private. Floating-point numbers are not the reals that the proof is
    about: which doubles can occur at all depends on the answer, and gives it away (Mironov 2012, On
    Significance of the Least Significant Bits for Differential Privacy). So there are no reports,
    no parameters and no likelihood ratio here, only what sums of n noisy answers are distributed
    like. `GeometricNoise` is the same idea in integers.

    References
    ----------
    Dwork, McSherry, Nissim, Smith: Calibrating Noise to Sensitivity in Private Data Analysis, 2006.

    >>> LaplaceNoise(100, 1.0).variance(np.zeros(1), n=1).tolist()
    [8.0]

    """

    name: ClassVar[str] = "laplace-noise"

    def __init__(self, d: int, epsilon: float) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        self._freeze(d=d, epsilon=epsilon)

    def _draw_counts(self, people: NDArray[np.int64], rng: np.random.Generator) -> NDArray[Any]:
        """Draw the sums of the noisy entries, which are no integers here.

        Laplace noise is the difference of two exponential variables, n of which add up to a Gamma.
        """
        up, down = rng.gamma(people.sum(), 2 / self.epsilon, (2, self.d))
        sums: NDArray[np.float64] = people + up - down
        return sums

    def frequencies(self, counts: NDArray[Any], n: int) -> Floats:
        """Return the means of the noisy entries."""
        return np.asarray(counts / n, dtype=np.float64)

    def variance(self, theta: Floats, n: int, target: Target = "population") -> Floats:
        """Return 8/(nε²), and θ(1 − θ)/n more for a population."""
        noise = np.full(np.shape(theta), 8 / (n * self.epsilon**2))
        return noise + theta * (1 - theta) / n if target == "population" else noise

    def _refused(*_: object, **__: object) -> NoReturn:
        raise PrivetError(
            "LaplaceNoise is for simulation only: floating-point noise does not keep the promise "
            "of epsilon, so it makes no reports. GeometricNoise does."
        )

    likelihood_ratio = report_bytes = stream_bytes = parameters = property(_refused)
    from_parameters: Any = classmethod(_refused)
    sample = probability = check_aggregate = _refused
    _block_rows = property(_refused)
    _block = _fill = _first_problem = _aggregate = _count = _refused
