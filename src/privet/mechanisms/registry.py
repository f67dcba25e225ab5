"""Where every mechanism is, imported when it is first asked for.

A survey needs one mechanism, not all of them, and a person's device little time and memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from typing import Any

    from .base import Mechanism

# A mechanism is registered by its line here: what surveys call it, its class, and its file.
_MECHANISMS = {
    "k-subset": ("KSubset", ".subsets.k_subset"),
    "cyclotomic": ("Cyclotomic", ".subsets.cyclotomic"),
    "projective": ("Projective", ".subsets.projective"),
    "hadamard": ("Hadamard", ".subsets.hadamard"),
    "multivariate-rr": ("MultivariateRR", ".subsets.multivariate_rr"),
    "binary-rr": ("BinaryRR", ".bits.binary_rr"),
    "optimized-unary": ("OptimizedUnary", ".bits.optimized_unary"),
    "local-hash": ("LocalHash", ".hashes.local_hash"),
    "one-bit": ("OneBit", ".hashes.one_bit"),
    "hashed-rr": ("HashedRR", ".hashes.hashed_rr"),
    "rappor": ("Rappor", ".hashes.rappor"),
    "interval": ("Interval", ".scales.interval"),
    "geometric-noise": ("GeometricNoise", ".noise.geometric"),
}
# Everything public of this folder, with what no survey can name.
HOMES = dict(_MECHANISMS.values()) | {
    "Channel": ".base",
    "LaplaceNoise": ".noise.laplace",
    "SetSubset": ".subsets.set_subset",
    "Symmetric": ".symmetric",
    "Comparison": "..plan.comparison",
    "choose": "..plan.comparison",
    "compare": "..plan.comparison",
}


def load(name: str) -> Any:
    """Return what has this name."""
    return getattr(import_module(HOMES[name], __package__), name)


class _ByName(Mapping[str, "type[Mechanism]"]):
    def __getitem__(self, name: str) -> type[Mechanism]:
        found: type[Mechanism] = load(_MECHANISMS[name][0])
        return found

    def __contains__(self, name: object) -> bool:
        return name in _MECHANISMS

    def __iter__(self) -> Iterator[str]:
        return iter(_MECHANISMS)

    def __len__(self) -> int:
        return len(_MECHANISMS)


by_name: Mapping[str, type[Mechanism]] = _ByName()
