"""The register: every public name that promises an error, with the study that tests it."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .study import Study

__all__ = ["STUDIES"]


def _studies() -> list[Study]:
    """Return the studies of all modules here that have any."""
    package = __name__.rpartition(".")[0]
    modules = [
        import_module(f"{package}.{one.name}")
        for one in iter_modules(import_module(package).__path__)
        if one.name not in ("__main__", "register")
    ]
    return [study for module in modules for study in getattr(module, "STUDIES", ())]


STUDIES = _studies()
