"""Optional packages: imported where they are needed, or asked for in one line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import MissingExtra

__all__ = ["require"]


def require(package: str, extra: str, what: str) -> Any:
    """Import a package (or one of its modules) of an extra, or raise MissingExtra.

    >>> require("json", "analysis", "Reading").__name__
    'json'
    >>> require("no_such_package", "analysis", "Parquet")
    Traceback (most recent call last):
    ...
    privet.errors.MissingExtra: Parquet needs no_such_package: pip install 'privet[analysis]'
    """
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtra(what, package.partition(".")[0], f"privet[{extra}]") from None
