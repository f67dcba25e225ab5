"""Difference families: designs that are a few base blocks, moved along a circle of points.

Points are the integers modulo v. Base blocks D_0, …, D_{m−1}, of k points each, are a difference
family if every difference but 0 occurs among their members equally often. Their translates

    B_{c,b} = {x : (x + b) mod v in D_c},    number c·v + b,

are then a design of m·v blocks: a pair of points lies in as many as its difference occurs.
"""

from __future__ import annotations

from abc import abstractmethod

from .design import Design


class DifferenceFamily(Design):
    """A design of translates.

    Elements and base blocks go round together: with N elements t_0, …, t_{N−1}, place o·N + j is
    for t_j, as a point of D_c where c = (j − o) mod m. What is left, from m·N on, is for 0.
    """

    @property
    @abstractmethod
    def base_blocks(self) -> int:
        """How many blocks all others are translates of, m."""

    @property
    @abstractmethod
    def period(self) -> int:
        """How many elements go round, N."""

    @abstractmethod
    def _element(self, j: int) -> int:
        """Return t_j: in this order, the first places are those of members of a base block."""

    @abstractmethod
    def _in_base(self, point: int, c: int) -> bool:
        """Tell whether D_c holds a point."""

    def _number_at(self, value: int, place: int) -> int:
        turn, j = divmod(place, self.period)
        m = self.base_blocks
        element = self._element(j) if turn < m else 0
        # Never of negative numbers, which take longer and are more often those of a miss.
        c, b = (j + m - turn) % m, (element + self.points - value) % self.points
        return c * self.points + b

    def _holds(self, block: int, value: int) -> bool:
        c, b = divmod(block, self.points)
        return self._in_base((value + b) % self.points, c)
