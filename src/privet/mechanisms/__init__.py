"""The mechanisms: one a file, all behind the protocol of `base.Mechanism`."""

from typing import TYPE_CHECKING

from .base import Mechanism
from .registry import HOMES, by_name, load

if TYPE_CHECKING:
    from .binary_rr import BinaryRR
    from .comparison import Comparison, choose, compare
    from .k_subset import KSubset
    from .multivariate_rr import MultivariateRR
    from .symmetric import Symmetric

__all__ = [
    "BinaryRR",
    "Comparison",
    "KSubset",
    "Mechanism",
    "MultivariateRR",
    "Symmetric",
    "by_name",
    "choose",
    "compare",
]


def __getattr__(name: str) -> object:
    if name in HOMES:
        return load(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
