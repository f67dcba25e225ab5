"""Cohorts: public hash functions that are fixed beforehand.

Every person belongs to a uniformly random cohort, whose hash functions map a value to some of the
cohort's cells. A report names cells: the value's own with probability p, any other with q.

Function number i is x -> ((a·x + b) mod (2^31 − 1)) mod cells, with a and b from the SHA-256 of
"privet cohort i": its first 8 bytes, little-endian, modulo 2^31 − 2, plus 1, are a; its next 8,
modulo 2^31 − 1, are b. A cohort's functions follow one another.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from hashlib import sha256
from typing import Any

from ....errors.arguments import is_whole
from ..base import Exclusive, Mechanism, Problem

# Regression solves d equations, and takes time that grows like d³.
MOST_VALUES = 2048
MOST_COHORTS, MOST_CELLS = 2**14, 2**12
# With so many times more cells than values, the regression costs about a sixth in variance.
CELLS_A_VALUE = 8

PRIME = 2**31 - 1


class Cohorts(Mechanism, Exclusive):
    """A mechanism whose reports name cells of a cohort."""

    cohorts: int
    hashes: int = 1

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many cells a cohort has."""

    @property
    @abstractmethod
    def telling_rates(self) -> tuple[Fraction, Fraction]:
        """How likely a report names a cell of the person's value (p) and any other (q), exactly."""

    @property
    def server_steps(self) -> tuple[float, float]:
        """Eight bytes of a report are one step; then come all values' cells, and d equations."""
        return self.report_bytes / 8, self.cohorts * self.hashes * self.d + self.d**3 / 3

    def cell(self, function: int, value: int) -> int:
        """Return the cell that a function maps a value to."""
        a, b = coefficients(function)
        return (a * value + b) % PRIME % self.cells

    def check_estimable(self) -> None:
        """Raise InvalidArgument where different shares of the values can look the same."""
        estimator: Any = self.analyst.estimator
        if estimator.factor is None:
            rule = f"enough to distinguish the shares of {self.d} values"
            raise self._error("cohorts", rule, self.cohorts)

    @classmethod
    def _out_of_range(cls, d: int, **integers: tuple[Any, int, int]) -> Problem | None:
        """Return the first of (value, least, most) that is out of range: name, rule, value."""
        if d > MOST_VALUES:
            return "d", f"at most {MOST_VALUES}, for regression", d
        for name, (value, least, most) in integers.items():
            if not is_whole(value) or not least <= value <= most:
                return name, f"an int in [{least}, {most}]", value
        return None

    @classmethod
    def _size_problem(cls, d: int, cohorts: int, cells: int, useful: int) -> Problem | None:
        """Refuse fewer useful cells than values, and many more cells than they need."""
        if useful < d:
            rule = f"enough to tell the shares of {d} values apart, with {cells} cells each"
            return "cohorts", rule, cohorts
        most = max(2**14, 64 * d)
        if cohorts * cells > most:
            return "cohorts", f"at most {most // cells}, with {cells} cells each", cohorts
        return None


def coefficients(function: int) -> tuple[int, int]:
    """Return a and b of a function.

    >>> coefficients(0)
    (295649688, 1748463909)
    """
    digest = sha256(b"privet cohort %d" % function).digest()
    a, b = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:16], "little")
    return a % (PRIME - 1) + 1, b % PRIME
