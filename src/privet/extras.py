"""Packages that only some work needs, imported when that work is done."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .errors import MissingExtra

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["require"]


def require(package: str, extra: str, what: str) -> ModuleType:
    """Return a package or one of its modules, or raise MissingExtra with what to install.

    >>> require("os.path", "analysis", "A picture").basename("a/b")
    'b'
    >>> require("no_such_package.part", "analysis", "A picture")
    Traceback (most recent call last):
    privet.errors.MissingExtra: A picture needs no_such_package: pip install 'privet[analysis]'
    """
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtra(what, package.partition(".")[0], f"privet[{extra}]") from None
