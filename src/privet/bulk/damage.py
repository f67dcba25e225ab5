"""What Arrow raises for damaged data, turned into what privet raises."""

from __future__ import annotations

from contextlib import contextmanager
from lzma import LZMAError
from typing import TYPE_CHECKING

from ..analysis.columns import arrow
from ..errors import InvalidFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def reading(path: Path | str, what: str) -> Iterator[None]:
    """Raise InvalidFile for whatever Arrow says of damaged data; the system's own errors pass."""
    try:
        yield
    except (arrow().ArrowException, OSError, EOFError, LZMAError, UnicodeDecodeError) as error:
        # Arrow's name for damaged data is at times OSError, but then without a number.
        if getattr(error, "errno", None) is not None:
            raise
        raise InvalidFile(f"{path}: not {what}: {error}") from None
