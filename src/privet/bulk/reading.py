"""Whatever a library raises over a file's contents, turned into one line that names the file."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import InvalidFile, PrivetError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["reading"]


@contextmanager
def reading(path: Path | str, what: str) -> Iterator[None]:
    """Raise InvalidFile for anything that is raised here, but for privet's and the system's errors.

    It is for calls of Arrow alone: damaged data makes it raise nearly anything, such as IndexError,
    or an OSError without a number.
    """
    try:
        yield
    except PrivetError:
        raise
    except Exception as error:
        if getattr(error, "errno", None) is not None or type(error) is MemoryError:
            raise
        said = " ".join(str(error).split()) or type(error).__name__
        raise InvalidFile(f"{path}: not {what}: {said}") from None
