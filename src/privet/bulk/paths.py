"""Where files are: a path as text or Path, one or many."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..errors import InvalidArgument

__all__ = ["OnePath", "Paths", "as_paths"]

OnePath = str | os.PathLike[str]
Paths = OnePath | Iterable[OnePath]


def as_paths(owner: str, paths: Paths) -> list[Path]:
    """Return all paths.

    >>> [str(path) for path in as_paths("tally_files", "a.parquet")]
    ['a.parquet']
    """
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    try:
        return [Path(path) for path in several]
    except TypeError:
        rule = "a path as text or Path, or several"
        raise InvalidArgument(owner, "paths", rule, paths) from None
