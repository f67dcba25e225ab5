"""Several choices of one question, "all that apply": a person holds a set of options, maybe none.

Shares are of the people who chose an option, and do not add up to 1.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ...errors.arguments import is_whole
from .base import Mechanism, Problem

# A report takes a few milliseconds for as many, whichever mechanism it is of.
MOST_OPTIONS = 2**12


class Choices(Mechanism):
    """A mechanism whose value is a set of at most `most` of the d options."""

    most: int

    @abstractmethod
    def __init__(self, options: int, epsilon: float, most: int) -> None:
        """Be the best of its kind for at most so many of the options and a privacy level."""

    @abstractmethod
    def share_variance(self, theta: float) -> float:
        """Return n times the variance of an option's share that is theta among n given people."""

    @classmethod
    def _choices_problem(cls, d: int, most: int) -> Problem | None:
        """Return the first invalid integer: name, rule, value."""
        if d > MOST_OPTIONS:
            return "options", f"at most {MOST_OPTIONS}", d
        if not is_whole(most) or not 1 <= most <= d:
            return "most", f"an int in [1, {d}]", most
        return None

    def checked(self, value: Sequence[int], name: str = "value") -> tuple[int, ...]:
        """Return a person's options as a sorted tuple, or raise."""
        try:
            good = all(is_whole(option) and 0 <= option < self.d for option in value)
            good = good and len(value) == len(set(value)) <= self.most
        except TypeError:
            good = False
        if not good:
            rule = f"at most {self.most} different options in [0, {self.d - 1}]"
            raise self._error(name, rule, value)
        return tuple(sorted(int(option) for option in value))
