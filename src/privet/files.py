"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .errors import InvalidFile
from .survey import Survey

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["read_survey", "replacing"]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it takes the place of `path` if the block succeeds."""
    # The ending is kept, because writers choose their format by it.
    temporary = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_survey(path: Path) -> Survey:
    """Read a survey's JSON file."""
    try:
        return Survey.from_json(path.read_bytes())
    except ValueError as error:
        raise InvalidFile(f"{path}: {error}") from None
