"""What has an error: a value, its standard error, and an interval at any level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ..errors.arguments import alpha_of

Ends = tuple[float, float]

__all__ = ["LEVEL", "ONE_SIGMA", "Measured"]

# The usual level, and that of an interval which reaches one standard deviation to either side.
LEVEL, ONE_SIGMA = 0.95, 0.6826894921370859


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """A number about the population, with its error.

    Attributes
    ----------
    value : float
        The estimate.
    standard_error : float
        Its standard error. Where the value is not simply a mean over reports, it is how far the
        interval at the level of one standard deviation, 68 %, reaches from it.

    """

    _value: float | Callable[[], float]  # or what to do for it, the first time
    _error: float | Callable[[], float]
    _ends: Callable[[float], Ends]

    def __repr__(self) -> str:
        return f"Measured(value={self.value!r}, standard_error={self.standard_error!r})"

    @cached_property
    def value(self) -> float:
        """The estimate."""
        return self._value() if callable(self._value) else self._value

    @cached_property
    def standard_error(self) -> float:
        """The standard error of the estimate."""
        return self._error() if callable(self._error) else self._error

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the ends of a confidence interval, within what is possible at all."""
        return self._ends(alpha_of("Measured.interval", level))
