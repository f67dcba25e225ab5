"""Arrow, imported late, and what it raises turned into what privet raises."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import InvalidFile, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def arrow(submodule: str = "") -> Any:
    """Return pyarrow or one of its submodules."""
    try:
        return import_module(f"pyarrow.{submodule}" if submodule else "pyarrow")
    except ImportError:
        raise MissingExtra("Reading and writing files", "pyarrow", "privet[bulk]") from None


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Raise InvalidFile for whatever Arrow says of damaged data; the system's own errors pass."""
    try:
        yield
    except (arrow().ArrowException, OSError, UnicodeDecodeError) as error:
        # Arrow's name for damaged data is at times OSError, but then without a number.
        if getattr(error, "errno", None) is not None:
            raise
        raise InvalidFile(f"{path}: not {what}: {error}") from None
