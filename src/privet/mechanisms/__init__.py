"""The mechanisms: one a file, all behind the protocol of `base.Mechanism`."""

from typing import TYPE_CHECKING

from .base import Mechanism
from .registry import HOMES, by_name, load

if TYPE_CHECKING:
    from ..plan.comparison import Comparison, choose, compare
    from .binary_rr import BinaryRR
    from .cyclotomic import Cyclotomic
    from .hadamard import Hadamard
    from .hashed_rr import HashedRR
    from .k_subset import KSubset
    from .local_hash import LocalHash
    from .multivariate_rr import MultivariateRR
    from .noise import GeometricNoise, LaplaceNoise
    from .one_bit import OneBit
    from .optimized_unary import OptimizedUnary
    from .projective import Projective
    from .rappor import Rappor
    from .symmetric import Symmetric

__all__ = [
    "BinaryRR",
    "Comparison",
    "Cyclotomic",
    "GeometricNoise",
    "Hadamard",
    "HashedRR",
    "KSubset",
    "LaplaceNoise",
    "LocalHash",
    "Mechanism",
    "MultivariateRR",
    "OneBit",
    "OptimizedUnary",
    "Projective",
    "Rappor",
    "Symmetric",
    "by_name",
    "choose",
    "compare",
]


def __getattr__(name: str) -> object:
    if name in HOMES:
        return load(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
