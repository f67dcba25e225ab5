"""The projective design: the hyperplanes of a projective space over a field of q elements.

Points are the lines through 0 in the t-dimensional space over the field, v = (q^t − 1)/(q − 1) of
them; blocks are the hyperplanes, as many, of k = (q^{t−1} − 1)/(q − 1) points each. The space is
itself a field, of q^t elements. With a generator α of it, point i is the line of α^i, and a linear
map L to the smaller field says which points lie in one hyperplane,

    D = {i : L(α^i) = 0},

of which all others are translates (Singer, A theorem in finite projective geometry and some
applications to number theory, 1938).
"""

from __future__ import annotations

from functools import cached_property
from math import isqrt
from typing import ClassVar

from ..base import Problem
from ..numbered import Shape
from .design import MOST_BLOCKS, fewest_blocks
from .difference_family import DifferenceFamily
from .finite_fields import is_primitive, prime_power, prime_powers, primitive_recurrence, sequence

# Planes of any larger order have too many blocks.
MOST_Q = isqrt(MOST_BLOCKS)
# Terms of the recurrence times its length: a client walks through them once.
_STEPS, _STEPS_A_VALUE = 2**18, 2**8


class Projective(DifferenceFamily):
    r"""Report the number of a hyperplane over a field of q elements.

    The shortest reports and the cheapest counting: as many blocks as points. The error is near the
    least where some power of a prime q is near e^ε + 1 and d is large.

    Parameters
    ----------
    d : int
        The number of values.
    epsilon : float
        The privacy level: no report is more than e^ε times likelier under one value than another.
    q : int, optional
        The order of the field, a power of a prime: one's own, or the one of least error.

    >>> Projective(1000, 1.0)
    Projective(d=1000, epsilon=1.0, q=4, t=6, recurrence=83)
    >>> Projective(7, 1.0, q=2).members(b"\x00")
    [0, 1, 3]

    """

    name: ClassVar[str] = "projective"
    _shape: ClassVar[tuple[str, ...]] = ("q", "t", "recurrence")
    q: int
    t: int
    recurrence: int

    def __init__(self, d: int, epsilon: float, *, q: int | None = None) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        p, e, t = self._best_space(d, epsilon, q)
        self._settle(d, epsilon, (p**e, t, primitive_recurrence(p, e * t)))

    @classmethod
    def _best_space(cls, d: int, epsilon: float, q: int | None) -> tuple[int, int, int]:
        """Return p, e and t of a space over p^e elements of nearly the least error."""
        orders = [(p, e) for p, e in prime_powers(MOST_Q) if q in (None, p**e)]
        if not orders:
            raise cls._error("q", f"a power of a prime below {MOST_Q}", q)
        spaces = [(p, e, _least_dimension(d, p**e)) for p, e in orders]
        spaces = [(p, e, t) for p, e, t in spaces if _fits(d, p, e, t)]
        if not spaces:
            raise cls._error("d", "a number of values that some space suits", d)
        sizes = [cls._sizes((p**e, t, 0)) for p, e, t in spaces]
        designs = [(size["points"], size["k"], size["blocks"]) for size in sizes]
        return spaces[fewest_blocks(d, epsilon, designs)]

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> Problem | None:
        q, t, recurrence = shape
        if not 2 <= q < MOST_Q or not prime_power(q)[1]:
            return "q", f"a power of a prime below {MOST_Q}", q
        p, e = prime_power(q)
        if not 2 <= t <= MOST_BLOCKS.bit_length() or not _fits(d, p, e, t):
            return "t", f"a dimension of {d} or somewhat more points over {q} elements", t
        if not 0 < recurrence < q**t or not is_primitive(recurrence, p, e * t):
            return "recurrence", f"a primitive one of {e * t} terms modulo {p}", recurrence
        return None

    @classmethod
    def _sizes(cls, shape: Shape) -> dict[str, int]:
        q, t, _ = shape
        points = _points(q, t)
        return {"points": points, "k": _points(q, t - 1), "blocks": points}

    @property
    def base_blocks(self) -> int:
        """One, as the design is symmetric."""
        return 1

    @property
    def period(self) -> int:
        """All points."""
        return self.points

    @cached_property
    def hyperplane(self) -> list[int]:
        """The points of D, in increasing order.

        The recurrence's terms are a linear map of α^i to the integers modulo p. With q = p^e,
        L(α^i) is 0 where it takes α^i, times each of the basis 1, α^v, …, α^{(e−1)v}, to 0.
        """
        p, e = prime_power(self.q)
        terms = sequence(self.recurrence, p, e * self.t, e * self.points)
        parts = (terms[i * self.points : (i + 1) * self.points] for i in range(e))
        return [i for i, images in enumerate(zip(*parts, strict=True)) if not any(images)]

    @cached_property
    def _inside(self) -> frozenset[int]:
        """D as a set."""
        return frozenset(self.hyperplane)

    @cached_property
    def _elements(self) -> list[int]:
        """The points of D, and then the others, each in increasing order."""
        inside = self._inside
        return [*self.hyperplane, *(i for i in range(self.points) if i not in inside)]

    def _element(self, j: int) -> int:
        return self._elements[j]

    def _in_base(self, point: int, c: int) -> bool:
        return point in self._inside


def _points(q: int, t: int) -> int:
    """Return how many lines through 0 a space of dimension t has."""
    return int((q**t - 1) // (q - 1))


def _least_dimension(d: int, q: int) -> int:
    """Return the least dimension t >= 2 of at least d points over a field of q elements."""
    t, points = 2, q + 1
    while points < d:
        t, points = t + 1, points * q + 1
    return t


def _fits(d: int, p: int, e: int, t: int) -> bool:
    """Tell whether a space has enough points for d values, and is quickly walked through."""
    points = _points(p**e, t)
    steps = e * t * e * points
    return d <= points <= MOST_BLOCKS and steps <= max(_STEPS, _STEPS_A_VALUE * d)
