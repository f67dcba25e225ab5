"""The cyclotomic design: powers of a primitive root modulo a prime, in classes.

Let γ be a primitive root modulo a prime p = 1 (mod m). Class c of the residues but 0 is the powers
γ^j with j = c (mod m), of which there are f = (p − 1)/m. A base block is u classes in a row,

    D_c = {t ≠ 0 : (class(t) − c) mod m < u},    k = u·f,

and multiplication by γ takes each to the next: so every difference occurs as often as any other
(Wilson, Cyclotomy and difference families in elementary abelian groups, 1972).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import fields
from .design import MOST_BLOCKS, fewest_blocks
from .difference_family import DifferenceFamily

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .numbered import Shape

# How far and among how many primes to look for one that suits, and for how many classes at most,
# in multiples of p / k.
_FARTHEST, _MOST_PRIMES, _MOST_TIMES = 4096, 200, 32


class Cyclotomic(DifferenceFamily):
    r"""Report the number of a translate of u of the m classes of residues modulo a prime p.

    The design for every large d, as m/u can be as near to e^ε + 1, and p to d, as the least error
    asks for. A report takes about log2(d) + log2(m) bits.

    Parameters
    ----------
    d : int
        The number of values.
    epsilon : float
        The privacy level: no report is more than e^ε times likelier under one value than another.
    p : int, optional
        A prime >= d. Give all three of p, m and u, or none for those of least error; designs whose
        errors differ by less than 1/2000 count as equal, and of these the one with the fewest
        blocks is taken.
    m : int, optional
        A divisor of p − 1.
    u : int, optional
        How many classes a block has, in [1, m − 1].

    >>> Cyclotomic(1000, 1.0)
    Cyclotomic(d=1000, epsilon=1.0, p=1013, m=11, u=3, root=3)
    >>> Cyclotomic(1000, 1.0).report_bytes
    2
    >>> Cyclotomic(13, 1.0, p=13, m=4, u=1).members(b"\x00")
    [1, 3, 9]

    """

    name: ClassVar[str] = "cyclotomic"
    _shape: ClassVar[tuple[str, ...]] = ("p", "m", "u", "root")
    p: int
    m: int
    u: int
    root: int

    def __init__(
        self,
        d: int,
        epsilon: float,
        *,
        p: int | None = None,
        m: int | None = None,
        u: int | None = None,
    ) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        classes: tuple[Any, ...] = (p, m, u)
        if classes == (None, None, None):
            classes = self._choose(d, epsilon)
        problem = self._classes_problem(d, *classes)
        if problem is not None:
            raise self._error(*problem)
        self._settle(d, epsilon, (*map(int, classes), fields.primitive_root(int(classes[0]))))

    @classmethod
    def _choose(cls, d: int, epsilon: float) -> tuple[int, int, int]:
        """Return p, m and u of nearly the least error, with few blocks."""
        primes = fields.primes_between(max(d, 3), d + min(d + 16, _FARTHEST))[:_MOST_PRIMES]
        primes = primes[2 * primes <= MOST_BLOCKS]
        if not len(primes):
            raise cls._error("d", f"small enough for a prime in [d, {MOST_BLOCKS // 2}]", d)
        best = _best_size(d, epsilon, primes)
        most = min(primes[-1] - 1, MOST_BLOCKS // primes[0], _MOST_TIMES * max(primes / best))
        divisors = np.arange(2, int(most) + 1)
        rows, columns = np.nonzero(primes[:, None] % divisors == 1)
        p, m = np.tile(primes[rows], 2), np.tile(divisors[columns], 2)
        below = np.floor(best[rows] * divisors[columns] / (primes[rows] - 1))
        u = np.clip(np.concatenate((below, below + 1)), 1, m - 1).astype(np.int64)
        fitting = np.flatnonzero(p * m <= MOST_BLOCKS)
        p, m, u = p[fitting], m[fitting], u[fitting]
        chosen = fewest_blocks(d, epsilon, p, u * ((p - 1) // m), p * m)
        return int(p[chosen]), int(m[chosen]), int(u[chosen])

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> tuple[str, str, Any] | None:
        p, m, u, root = shape
        problem = cls._classes_problem(d, p, m, u)
        if problem is None and not (0 < root < p and fields.is_primitive_root(root, p)):
            return "root", f"a primitive root modulo {p}", root
        return problem

    @classmethod
    def _classes_problem(cls, d: int, p: Any, m: Any, u: Any) -> tuple[str, str, Any] | None:
        for name, number in (("p", p), ("m", m), ("u", u)):
            if isinstance(number, bool) or not isinstance(number, int | np.integer):
                return name, "an int, as p, m and u", number
        if not max(d, 3) <= p <= MOST_BLOCKS // 2 or not fields.is_prime(p):
            return "p", f"a prime in [{max(d, 3)}, {MOST_BLOCKS // 2}]", p
        if not 2 <= m <= MOST_BLOCKS // p or p % m != 1:
            return "m", f"a divisor of {p - 1} in [2, {MOST_BLOCKS // p}]", m
        if not 1 <= u <= m - 1:
            return "u", f"in [1, {m - 1}]", u
        return None

    @classmethod
    def _sizes(cls, shape: Shape) -> dict[str, int]:
        p, m, u, _ = shape
        return {"points": p, "k": u * ((p - 1) // m), "blocks": p * m}

    @property
    def base_blocks(self) -> int:
        """One for each class."""
        return self.m

    @cached_property
    def _elements(self) -> NDArray[np.uint32]:
        """Powers of the root: γ^j lies in D_c where (j − c) mod m is one of 0, …, u − 1."""
        return fields.powers(self.root, self.p).astype(np.uint32)

    @cached_property
    def _classes(self) -> NDArray[np.int32]:
        """The class of each point; 0 has one of its own."""
        classes = np.full(self.p, self.m, dtype=np.int32)
        classes[self._elements] = np.arange(self.p - 1) % self.m
        return classes

    def _base_block(self, c: int) -> NDArray[np.bool_]:
        held = np.zeros(self.m + 1, dtype=np.bool_)
        held[(c + np.arange(self.u)) % self.m] = True
        block: NDArray[np.bool_] = held[self._classes]
        return block


def _best_size(d: int, epsilon: float, points: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the size of block, a real number >= 1, with the least error for d of the points.

    v / (1 + √(E((v − d) + (d − 1)vE) / (E(v − d) + v(d − 1)))), in q = 1/E so as not to overflow;
    v / (1 + E) where d = v (paper, Theorem 3.1).
    """
    q = np.exp(-epsilon)
    unused = points - d
    inside = np.sqrt(unused * q + (d - 1) * points)
    outside = np.sqrt((unused + (d - 1) * points * q) * q)
    size: NDArray[np.float64] = np.maximum(points * outside / (inside + outside), 1)
    return size
