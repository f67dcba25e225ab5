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
    "BinaryRR": "binary_rr",
    "Comparison": "comparison",
    "KSubset": "k_subset",
    "MultivariateRR": "multivariate_rr",
    "Symmetric": "symmetric",
    "choose": "comparison",
    "compare": "comparison",
}
# What surveys call the mechanisms.
_CLASSES = {
    "k-subset": "KSubset",
    "multivariate-rr": "MultivariateRR",
    "binary-rr": "BinaryRR",
}


def load(name: str) -> Any:
    """Return what has this name."""
    return getattr(import_module(f".{HOMES[name]}", __package__), name)


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
