"""The mechanisms: each is an immutable value with its integers, its sampler and its exact law.

>>> from privet.mechanisms import KSubset
>>> KSubset(100, epsilon=1.0)
KSubset(d=100, epsilon=1.0, k=27)

Their code is in `privet.device.mechanisms`, whose docstring draws the tree of kinds.
"""

from typing import TYPE_CHECKING

from .device.mechanisms.base import Channel, Exclusive, Mechanism, Randomizer
from .device.mechanisms.bits.binary_rr import BinaryRR
from .device.mechanisms.bits.optimized_unary import OptimizedUnary
from .device.mechanisms.bits.two_level_unary import TwoLevelUnary
from .device.mechanisms.choosing import choose
from .device.mechanisms.hashes.hashed_rr import HashedRR
from .device.mechanisms.hashes.local_hash import LocalHash
from .device.mechanisms.hashes.one_bit import OneBit
from .device.mechanisms.hashes.one_option import OneOption
from .device.mechanisms.hashes.rappor import Rappor
from .device.mechanisms.noise.geometric import GeometricNoise
from .device.mechanisms.noise.laplace import LaplaceNoise
from .device.mechanisms.registry import by_name, for_one, for_several
from .device.mechanisms.scales.interval import Interval
from .device.mechanisms.subsets.cyclotomic import Cyclotomic
from .device.mechanisms.subsets.hadamard import Hadamard
from .device.mechanisms.subsets.k_subset import KSubset
from .device.mechanisms.subsets.listed_sets import ListedSets
from .device.mechanisms.subsets.multivariate_rr import MultivariateRR
from .device.mechanisms.subsets.projective import Projective
from .device.mechanisms.subsets.set_subset import SetSubset
from .device.mechanisms.symmetric import Shrinkable, Symmetric

if TYPE_CHECKING:
    from .plan.comparison import Comparison, compare

__all__ = [
    "BinaryRR",
    "Channel",
    "Comparison",
    "Cyclotomic",
    "Exclusive",
    "GeometricNoise",
    "Hadamard",
    "HashedRR",
    "Interval",
    "KSubset",
    "LaplaceNoise",
    "ListedSets",
    "LocalHash",
    "Mechanism",
    "MultivariateRR",
    "OneBit",
    "OneOption",
    "OptimizedUnary",
    "Projective",
    "Randomizer",
    "Rappor",
    "SetSubset",
    "Shrinkable",
    "Symmetric",
    "TwoLevelUnary",
    "by_name",
    "choose",
    "compare",
    "for_one",
    "for_several",
]


def __getattr__(name: str) -> object:
    """Import what compares mechanisms when it is used, because only that needs numpy."""
    if name in ("Comparison", "compare"):
        from .plan import comparison

        return getattr(comparison, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
