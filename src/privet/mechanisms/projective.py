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
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from . import fields
from .design import MOST_BLOCKS, fewest_blocks
from .difference_family import DifferenceFamily

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .numbered import Shape

# Planes of any larger order have too many blocks.
_MOST_Q = isqrt(MOST_BLOCKS)


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
        powers = fields.prime_powers(_MOST_Q)
        orders = np.array([order for order in powers if q in (None, order)], dtype=np.int64)
        if not len(orders):
            raise self._error("q", f"a power of a prime below {_MOST_Q}", q)
        t, points = _smallest_spaces(d, orders)
        fitting = np.flatnonzero(points <= MOST_BLOCKS)
        if not len(fitting):
            raise self._error("d", f"small enough for at most {MOST_BLOCKS} points", d)
        orders, t, points = orders[fitting], t[fitting], points[fitting]
        best = fewest_blocks(d, epsilon, points, (points - 1) // orders, points)
        order, dimension = int(orders[best]), int(t[best])
        p, e = powers[order]
        recurrence = fields.primitive_recurrence(p, e * dimension)
        self._settle(d, epsilon, (order, dimension, recurrence))

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> tuple[str, str, int] | None:
        q, t, recurrence = shape
        if q not in fields.prime_powers(_MOST_Q):
            return "q", f"a power of a prime below {_MOST_Q}", q
        if not 2 <= t <= MOST_BLOCKS.bit_length() or not d <= _points(q, t) <= MOST_BLOCKS:
            return "t", f"a dimension of {d} to {MOST_BLOCKS} points over {q} elements", t
        p, e = fields.prime_powers(_MOST_Q)[q]
        if not 0 < recurrence < q**t or not fields.is_primitive(recurrence, p, e * t):
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

    @cached_property
    def _hyperplane(self) -> NDArray[np.bool_]:
        """Which points lie in D.

        The recurrence's terms are a linear map of α^i to the integers modulo p. With q = p^e,
        L(α^i) is 0 where it takes α^i, times each of the basis 1, α^v, …, α^{(e−1)v}, to 0.
        """
        p, e = fields.prime_powers(_MOST_Q)[self.q]
        terms = fields.sequence(self.recurrence, p, e * self.t, e * self.points)
        held: NDArray[np.bool_] = (terms.reshape(e, self.points) == 0).all(axis=0)
        return held

    @cached_property
    def _elements(self) -> NDArray[np.uint32]:
        """The points of D, and then the others."""
        inside, outside = np.flatnonzero(self._hyperplane), np.flatnonzero(~self._hyperplane)
        return np.concatenate((inside, outside)).astype(np.uint32)

    def _base_block(self, c: int) -> NDArray[np.bool_]:
        return self._hyperplane


def _points(q: int, t: int) -> int:
    """Return how many lines through 0 a space of dimension t has."""
    return sum(q**i for i in range(t))


def _smallest_spaces(
    d: int, orders: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least dimension t >= 2 and number of points >= d over each field."""
    t, points = np.full_like(orders, 2), orders + 1
    while (few := points < d).any():
        t, points = t + few, np.where(few, points * orders + 1, points)
    return t, points
