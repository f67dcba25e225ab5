"""Where everything public of this folder is, imported when it is first asked for.

A survey needs one mechanism, not all of them, and `import privet` should be quick.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .base import Mechanism

HOMES = {
    "BinaryRR": ".binary_rr",
    "Comparison": "..plan.comparison",
    "Cyclotomic": ".cyclotomic",
    "GeometricNoise": ".noise",
    "Hadamard": ".hadamard",
    "HashedRR": ".hashed_rr",
    "KSubset": ".k_subset",
    "LaplaceNoise": ".noise",
    "LocalHash": ".local_hash",
    "MultivariateRR": ".multivariate_rr",
    "OneBit": ".one_bit",
    "OptimizedUnary": ".optimized_unary",
    "Projective": ".projective",
    "Rappor": ".rappor",
    "Symmetric": ".symmetric",
    "choose": "..plan.comparison",
    "compare": "..plan.comparison",
}
# What surveys call the mechanisms. Laplace noise is for simulation alone.
_CLASSES = {
    "k-subset": "KSubset",
    "cyclotomic": "Cyclotomic",
    "projective": "Projective",
    "hadamard": "Hadamard",
    "multivariate-rr": "MultivariateRR",
    "binary-rr": "BinaryRR",
    "optimized-unary": "OptimizedUnary",
    "local-hash": "LocalHash",
    "one-bit": "OneBit",
    "hashed-rr": "HashedRR",
    "rappor": "Rappor",
    "geometric-noise": "GeometricNoise",
}


def load(name: str) -> Any:
    """Return what has this name."""
    return getattr(import_module(HOMES[name], __package__), name)


class _ByName(Mapping[str, "type[Mechanism]"]):
    def __getitem__(self, name: str) -> type[Mechanism]:
        found: type[Mechanism] = load(_CLASSES[name])
        return found

    def __contains__(self, name: object) -> bool:
        return name in _CLASSES

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


by_name: Mapping[str, type[Mechanism]] = _ByName()
