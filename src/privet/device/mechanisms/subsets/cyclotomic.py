"""The cyclotomic design: powers of a primitive root modulo a prime, in classes.

Let γ be a primitive root modulo a prime p = 1 (mod m). Class c of the residues but 0 is the powers
γ^j with j = c (mod m), of which there are f = (p − 1)/m. A base block is u classes in a row,

    D_c = {t ≠ 0 : (class(t) − c) mod m < u},    k = u·f,

and multiplication by γ takes each to the next: so every difference occurs as often as any other
(Wilson, Cyclotomy and difference families in elementary abelian groups, 1972).
"""

from __future__ import annotations

from functools import cached_property
from math import exp, floor, sqrt
from typing import Any, ClassVar

from ....errors.arguments import is_whole
from ..base import Problem
from ..numbered import Shape
from .design import fewest_blocks, most_blocks
from .difference_family import DifferenceFamily
from .finite_fields import (
    divisors_up_to,
    is_prime,
    is_primitive_root,
    primes_between,
    primitive_root,
)

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
            classes = self._best_classes(d, epsilon)
        self._forbid(self._classes_problem(d, *classes))
        self._settle(d, epsilon, (*map(int, classes), primitive_root(int(classes[0]))))

    @classmethod
    def _best_classes(cls, d: int, epsilon: float) -> tuple[int, int, int]:
        """Return p, m and u of nearly the least error, with few blocks."""
        low, most = max(d, 3), most_blocks(d)
        primes = primes_between(low, min(d + min(d + 16, _FARTHEST), most // 2 + 1))
        if not primes:
            raise cls._error("d", f"small enough for a prime in [d, {most // 2}]", d)
        best = [(p, _best_size(d, epsilon, p)) for p in primes[:_MOST_PRIMES]]
        widest = int(_MOST_TIMES * max(p / size for p, size in best))
        classes = [
            (p, m, min(max(u, 1), m - 1))
            for p, size in best
            for m in divisors_up_to(min(widest, most // p), p - 1)[1:]
            for u in (floor(size * m / (p - 1)), floor(size * m / (p - 1)) + 1)
        ]
        designs = [(p, u * ((p - 1) // m), p * m) for p, m, u in classes]
        return classes[fewest_blocks(d, epsilon, designs)]

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> Problem | None:
        p, m, u, root = shape
        problem = cls._classes_problem(d, p, m, u)
        if problem is None and not (0 < root < p and is_primitive_root(root, p)):
            return "root", f"a primitive root modulo {p}", root
        return problem

    @classmethod
    def _classes_problem(cls, d: int, p: Any, m: Any, u: Any) -> Problem | None:
        for name, number in (("p", p), ("m", m), ("u", u)):
            if not is_whole(number):
                return name, "an int, as p, m and u", number
        least, most = max(d, 3), min(4 * d + 64, most_blocks(d) // 2)
        if not least <= p <= most or not is_prime(p):
            return "p", f"a prime in [{least}, {most}]", p
        if not 2 <= m <= most_blocks(d) // p or p % m != 1:
            return "m", f"a divisor of {p - 1} in [2, {most_blocks(d) // p}]", m
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

    @property
    def period(self) -> int:
        """One element for each residue but 0."""
        return self.p - 1

    def _element(self, j: int) -> int:
        """Return γ^j, which lies in D_c where (j − c) mod m is one of 0, …, u − 1."""
        return pow(self.root, j, self.p)

    @cached_property
    def _classes(self) -> dict[int, int]:
        """The class of t by t^f: of γ^j that is ζ^j, with ζ = γ^f of order m."""
        unit = pow(self.root, (self.p - 1) // self.m, self.p)
        return {pow(unit, c, self.p): c for c in range(self.m)}

    def _in_base(self, point: int, c: int) -> bool:
        if point == 0:
            return False
        own = self._classes[pow(point, (self.p - 1) // self.m, self.p)]
        return (own - c) % self.m < self.u


def _best_size(d: int, epsilon: float, points: int) -> float:
    """Return the size of block, a real number >= 1, with the least error for d of the points.

    v / (1 + √(E((v − d) + (d − 1)vE) / (E(v − d) + v(d − 1)))), in q = 1/E so as not to overflow;
    v / (1 + E) where d = v (paper, Theorem 3.1).
    """
    q, unused = exp(-epsilon), points - d
    inside = sqrt(unused * q + (d - 1) * points)
    outside = sqrt((unused + (d - 1) * points * q) * q)
    return max(points * outside / (inside + outside), 1)
