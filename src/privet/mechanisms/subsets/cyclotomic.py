"""The cyclotomic design: powers of a primitive root modulo a prime, in classes.

Let γ be a primitive root modulo a prime p = 1 (mod m). Class c of the residues but 0 is the powers
γ^j with j = c (mod m), of which there are f = (p − 1)/m. A base block is u classes in a row,

    D_c = {t ≠ 0 : (class(t) − c) mod m < u},    k = u·f,

and multiplication by γ takes each to the next: so every difference occurs as often as any other
(Wilson, Cyclotomy and difference families in elementary abelian groups, 1972).
"""

from __future__ import annotations

from functools import cached_property

from ...arguments import is_whole
from .design import most_blocks
from .difference_family import DifferenceFamily
from .fields import is_prime, is_primitive_root, primitive_root

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from ..base import Problem
    from ..numbered import Shape


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
            from ...plan.designs import cyclotomic_classes

            classes = cyclotomic_classes(d, epsilon)
        self._forbid(self._classes_problem(d, *classes))
        self._settle(d, epsilon, (*map(int, classes), primitive_root(int(classes[0]))))

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
