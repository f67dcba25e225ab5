"""What a mechanism is on the person's side: integers, a sampler, and the exact law of a report.

A mechanism is an immutable value that says

- how an answer becomes a report of `report_bytes` bytes: `sample`, from a stream of random bytes;
- which bytes are a report at all: `problem`;
- how likely each report is, exactly: `probability`, `likelihood_ratio`;
- the integers that a survey carries: `parameters`, and `from_parameters`, which refuses any that
  would break the promise of ε.

Nothing here needs more than the standard library. What an analyst does is in `privet.analysis`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ...errors import InvalidArgument, InvalidReport, InvalidSurvey
from ...errors.arguments import is_whole, positive, whole
from ..entropy import Stream
from ..frozen import Frozen
from .forwards import Countable, Estimated, analyst_of
from .odds import floor_log

if TYPE_CHECKING:
    from ...analysis.analyst import Analyst

# The first argument that breaks its rule: name, rule, value.
Problem = tuple[str, str, Any]

__all__ = [
    "MAX_D",
    "MAX_EPSILON",
    "MIN_EPSILON",
    "Channel",
    "Exclusive",
    "Mechanism",
    "Randomizer",
    "exactly",
    "exclusive",
]

MAX_D = 2**32
# Below, two probabilities differ by less than integers can say; above, nothing is private.
MIN_EPSILON, MAX_EPSILON = 1e-12, 100.0


def exactly(numerator: int, denominator: int = 1) -> Fraction:
    """Return a chance, or a ratio of two; fractions are slow to import, and no report needs one."""
    return Fraction(numerator, denominator)


class Channel(Frozen, ABC):
    """A way from one of `d` values to something random."""

    name: ClassVar[str]
    # What says which one of its kind it is, besides d and ε.
    _shape: ClassVar[tuple[str, ...]] = ()
    d: int
    epsilon: float

    @abstractmethod
    def __init__(self, d: int, epsilon: float) -> None:
        """Be the best of its kind for d values and a privacy level."""

    def __repr__(self) -> str:
        shape = "".join(f", {name}={getattr(self, name)}" for name in self._shape)
        return f"{type(self).__name__}(d={self.d}, epsilon={self.epsilon}{shape})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self)["_fields"] == vars(other)["_fields"]

    def __hash__(self) -> int:
        return hash((type(self), *vars(self)["_fields"]))

    def _freeze(self, **fields: object) -> None:
        """Set the fields, once and for all, that make this value what it is."""
        super()._freeze(**fields, _fields=tuple(fields.items()))

    @classmethod
    def _made(cls, **fields: object) -> Self:
        """Return the value that these fields make, which were checked."""
        self = cls.__new__(cls)
        self._freeze(**fields)
        return self

    @classmethod
    def _error(cls, parameter: str, rule: str, value: object) -> InvalidArgument:
        return InvalidArgument(cls.__name__, parameter, rule, value)

    @classmethod
    def _forbid(cls, problem: Problem | None) -> None:
        """Raise InvalidArgument for an argument that breaks its rule."""
        if problem is not None:
            raise cls._error(*problem)

    @classmethod
    def _check_domain(cls, d: int, epsilon: float) -> tuple[int, float]:
        """Return d and ε as plain numbers, or raise."""
        d = whole(cls.__name__, "d", d, 2, MAX_D)
        epsilon = positive(cls.__name__, "epsilon", epsilon)
        if not MIN_EPSILON <= epsilon <= MAX_EPSILON:
            raise cls._error("epsilon", f"in [{MIN_EPSILON:g}, {MAX_EPSILON:g}]", epsilon)
        return d, epsilon


class Exclusive(Estimated, Channel):
    """A channel of people who hold exactly one value each, so that their shares add up to 1."""


def exclusive(owner: str, channel: Channel) -> Exclusive:
    """Return a channel as one of exactly one value a person, or raise InvalidArgument."""
    if not isinstance(channel, Exclusive):
        rule = "one where everybody holds exactly one value, so that shares add up to 1"
        raise InvalidArgument(owner, "mechanism", rule, channel)
    return channel


class Randomizer(Countable, Channel):
    """A way to make reports of which any is at most e^ε times likelier under one value than under
    another.
    """

    @property
    def needs_secret(self) -> bool:
        """Whether reports are drawn anew over a permanent response, which a secret stands for."""
        return False

    @property
    @abstractmethod
    def likelihood_ratio(self) -> Fraction:
        """The largest Q(z|x) / Q(z|x') of the mechanism as implemented, exactly; <= e^ε."""

    @property
    @abstractmethod
    def report_bytes(self) -> int:
        """The size of every report."""

    @property
    @abstractmethod
    def stream_bytes(self) -> int:
        """The number of random bytes that is enough for nearly every report."""

    @property
    def server_steps(self) -> tuple[float, float]:
        """About how many steps of a processor counting a report takes, and decoding at the end.

        By default, eight bytes of a report are one step, and there is a counter for every value.
        """
        return self.report_bytes / 8, self.d

    @property
    @abstractmethod
    def parameters(self) -> dict[str, int | str | list[int]]:
        """The integers that a client draws with; big ones as decimal strings (JSON)."""

    @classmethod
    @abstractmethod
    def from_parameters(cls, d: int, epsilon: float, parameters: Mapping[str, Any]) -> Self:
        """Rebuild from `parameters`, refusing any that would break the promise of ε."""

    @abstractmethod
    def sample(self, value: Any, stream: Stream) -> bytes:
        """Return one report for a value in [0, d), or a set of them, drawn from the stream."""

    def respond(self, value: Any, stream: Stream) -> bytes:
        """Return what a person sends whose own stream this is: the same each time, by default."""
        return self.sample(value, stream)

    @abstractmethod
    def problem(self, report: bytes) -> str | None:
        """Return why bytes of the right number are not a report, or None."""

    @abstractmethod
    def _chance(self, report: bytes, value: Any) -> Fraction:
        """Return Q(report | value) of a valid report and value."""

    def probability(self, report: bytes, value: Any) -> Fraction:
        """Return Q(report | value), exactly."""
        self._check_report(report)
        return self._chance(report, self.checked(value))

    def checked(self, value: Any) -> Any:
        """Return a person's value as `sample` takes it, or raise."""
        if not is_whole(value) or not 0 <= value < self.d:
            raise self._error("value", f"an int in [0, {self.d - 1}]", value)
        return int(value)

    @cached_property
    def realized_epsilon(self) -> float:
        """The privacy level that holds exactly, as a float rounded down; <= epsilon."""
        return floor_log(self.likelihood_ratio)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the integers, not what was made from them."""
        return type(self).from_parameters, (self.d, self.epsilon, self.parameters)

    def _check_report(self, report: bytes) -> None:
        if not isinstance(report, bytes) or len(report) != self.report_bytes:
            given = f"{len(report)}" if isinstance(report, bytes) else type(report).__name__
            raise InvalidReport(
                f"A report of this survey has {self.report_bytes} bytes. Got {given}."
            )
        problem = self.problem(report)
        if problem is not None:
            raise InvalidReport(problem)

    @classmethod
    def _check_names(
        cls, parameters: Mapping[str, Any], *, integers: tuple[str, ...], digits: str
    ) -> list[int]:
        """Return the integers that a survey names, refusing all but these and one big number."""
        names = {*integers, digits}
        if set(parameters) != names or not all(type(parameters[i]) is int for i in integers):
            listed = f"{', '.join(integers)} (integers) and " if integers else ""
            raise InvalidSurvey(
                f"The parameters of {cls.name} must be {listed}{digits} (a decimal string). "
                f"Got {dict(parameters)!r:.200}."
            )
        return [parameters[name] for name in integers]

    @classmethod
    def _refuse(cls, problem: Problem | None) -> None:
        """Raise InvalidSurvey for a parameter that breaks its rule."""
        if problem is not None:
            name, rule, value = problem
            raise InvalidSurvey(f"The {name} of {cls.name} must be {rule}. Got {value!r:.60}.")


class Mechanism(Estimated, Randomizer):
    """A way to randomize one of `d` values, or a set of them, whose shares are estimated."""

    @cached_property
    def analyst(self) -> Analyst:
        """The analyst's half, which makes and counts reports, and estimates."""
        half: Analyst = analyst_of(self)
        return half
