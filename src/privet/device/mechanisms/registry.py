"""Where every mechanism is, imported when it is first asked for.

A survey needs one mechanism, not all of them, and a person's device little time and memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the modules of the table import this one
    from .base import Mechanism
    from .choices import Choices

# A mechanism is registered by its line here: what surveys call it, its class, and its file. By
# these, a person holds exactly one value, and d and ε are enough to make one.
_ONE = {
    "k-subset": ("KSubset", ".subsets.k_subset"),
    "cyclotomic": ("Cyclotomic", ".subsets.cyclotomic"),
    "projective": ("Projective", ".subsets.projective"),
    "hadamard": ("Hadamard", ".subsets.hadamard"),
    "multivariate-rr": ("MultivariateRR", ".subsets.multivariate_rr"),
    "binary-rr": ("BinaryRR", ".bits.binary_rr"),
    "optimized-unary": ("OptimizedUnary", ".bits.optimized_unary"),
    "two-level-unary": ("TwoLevelUnary", ".bits.two_level_unary"),
    "local-hash": ("LocalHash", ".hashes.local_hash"),
    "one-bit": ("OneBit", ".hashes.one_bit"),
    "hashed-rr": ("HashedRR", ".hashes.hashed_rr"),
    "rappor": ("Rappor", ".hashes.rappor"),
    "interval": ("Interval", ".scales.interval"),
    "geometric-noise": ("GeometricNoise", ".noise.geometric"),
}
# By these, a person holds several values or none, at most so many.
_SEVERAL = {
    "set-subset": ("SetSubset", ".subsets.set_subset"),
    "one-option": ("OneOption", ".hashes.one_option"),
    "listed-sets": ("ListedSets", ".subsets.listed_sets"),
}
_EVERY = _ONE | _SEVERAL


class _Loaded(Mapping[str, Any]):
    """The classes by the names that surveys call them."""

    def __init__(self, table: Mapping[str, tuple[str, str]]) -> None:
        self._table = table

    def __getitem__(self, name: str) -> Any:
        kind, home = self._table[name]
        return getattr(import_module(home, __package__), kind)

    def __contains__(self, name: object) -> bool:
        return name in self._table

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


by_name: Mapping[str, type[Mechanism]] = _Loaded(_EVERY)
for_one: Mapping[str, type[Mechanism]] = _Loaded(_ONE)
for_several: Mapping[str, type[Choices]] = _Loaded(_SEVERAL)
