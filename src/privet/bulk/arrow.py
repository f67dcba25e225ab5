"""Arrow, imported late, with an error that says how to get it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import MissingExtra


def arrow(submodule: str = "") -> Any:
    """Return pyarrow or one of its submodules."""
    try:
        return import_module(f"pyarrow.{submodule}" if submodule else "pyarrow")
    except ImportError:
        raise MissingExtra("Reading and writing files", "pyarrow", "privet[bulk]") from None
