"""The Hadamard design: the projective design over the field of two elements, bit by bit.

Points and blocks are the numbers 1 … v = 2^t − 1, seen as vectors of t bits. A block holds a point
if they have an even number of bits in common:

    B_a = {y : popcount(a & y) even},    k = 2^{t−1} − 1.

Together with the set of all points, these are the rows of Sylvester's Hadamard matrix, and counting
is a fast Walsh–Hadamard transform (Acharya, Sun and Zhang, Hadamard response, 2019). The blocks'
complements, of k + 1 points, are never better: the best size is below v/2 whatever ε is.
"""

from __future__ import annotations

from typing import ClassVar

from ..base import Problem
from ..numbered import Shape
from .design import MOST_BLOCKS, Design


class Hadamard(Design):
    r"""Report the number of a set of nearly half the values, cut out by a parity.

    The simplest client, and right for small ε: for large d, the error is 1 % above the least at
    ε = 0.2, 6 % at ε = 0.5 and 27 % at ε = 1.

    >>> Hadamard(1000, 0.1)
    Hadamard(d=1000, epsilon=0.1, t=10)
    >>> Hadamard(7, 0.1).members(b"\x00")
    [1, 3, 5]
    """

    name: ClassVar[str] = "hadamard"
    _shape: ClassVar[tuple[str, ...]] = ("t",)
    t: int

    def __init__(self, d: int, epsilon: float) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        if d >= MOST_BLOCKS:
            raise self._error("d", f"at most {MOST_BLOCKS - 1}", d)
        self._settle(d, epsilon, (max(d.bit_length(), 2),))

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> Problem | None:
        (t,) = shape
        least = max(d.bit_length(), 2)
        most = min(least + 2, MOST_BLOCKS.bit_length() - 1)
        return None if least <= t <= most else ("t", f"in [{least}, {most}]", t)

    @classmethod
    def _sizes(cls, shape: Shape) -> dict[str, int]:
        (t,) = shape
        return {"points": 2**t - 1, "k": 2 ** (t - 1) - 1, "blocks": 2**t - 1}

    def _number_at(self, value: int, place: int) -> int:
        """Return the block whose bits, but for one, are those of the place.

        The top bit of place + 1 says which parity is wanted, and the lowest bit that the point has
        is free to give it.
        """
        point, half = value + 1, 1 << self.t - 1
        pivot = point & -point
        wanted = place + 1 + 2 * half >> self.t - 1  # 2 or 3, as 0 is quicker to compute with
        rest = place + 1 & half - 1
        low = rest & pivot - 1
        block = (rest - low) << 1 | low
        odd = (block & point).bit_count() + wanted & 1
        return block + (0, pivot)[odd] - 1

    def _holds(self, block: int, value: int) -> bool:
        return (block + 1 & value + 1).bit_count() & 1 == 0
