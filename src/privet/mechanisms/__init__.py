"""The mechanisms: one a file, all behind the protocol of `base.Mechanism`."""

from .base import Mechanism
from .binary_rr import BinaryRR
from .k_subset import KSubset
from .multivariate_rr import MultivariateRR
from .symmetric import Symmetric

__all__ = ["BinaryRR", "KSubset", "Mechanism", "MultivariateRR", "Symmetric", "by_name"]

by_name: dict[str, type[Mechanism]] = {
    mechanism.name: mechanism for mechanism in (KSubset, MultivariateRR, BinaryRR)
}
